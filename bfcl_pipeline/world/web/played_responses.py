"""Plays a cassette to the client of pages and APIs, failures included.

A request that had no complete answer raises an error of the same text as when it was recorded: that of
`requests` and `urllib3`, or the bound that was exceeded.
"""

import io
import re
from collections.abc import Callable, Iterator, Mapping

import requests
from requests.adapters import HTTPAdapter
from urllib3 import HTTPHeaderDict, HTTPResponse

from bfcl_pipeline.world.web.addresses import AddressRefused
from bfcl_pipeline.world.web.evidence.playing import RecordedPlayer, Unanswered
from bfcl_pipeline.world.web.transport import OutOfTime, TooMuch

_ERRORS: Mapping[str, Callable[[str], Exception]] = {
    "AddressRefused": AddressRefused,
    "OutOfTime": OutOfTime,
    "ProxyError": requests.exceptions.ProxyError,
    "TooMuch": TooMuch,
}
"""The errors that clients tell from those of the connection."""

_NO_ANSWER = "given up before there was an answer"
_PART = re.compile(r"HTTP (\d{3}), given up after (\d{1,12}) bytes of the body")
_PIECE = 65_536


def played_response(cassette: RecordedPlayer, request: requests.PreparedRequest) -> requests.Response:
    """The recorded response to a GET request, as an adapter of `requests` builds it.

    Raises NotOnCassette, and the error of a request without an answer.
    """
    try:
        answer = cassette.answer(str(request.method), str(request.url), None)
    except Unanswered as error:
        return HTTPAdapter().build_response(request, _failed(str(error)))
    headers = HTTPHeaderDict()
    for name, value in answer.headers:
        headers.add(name, value)
    raw = HTTPResponse(
        body=io.BytesIO(answer.body),
        headers=headers,
        status=answer.status,
        reason=answer.reason,
        preload_content=False,
        decode_content=False,  # as `requests` has it: decoded when it is read
        enforce_content_length=False,
    )
    return HTTPAdapter().build_response(request, raw)


def _failed(said: str) -> HTTPResponse:
    """The part of an answer after which the client gave up. Raises the error if there is none."""
    if part := _PART.fullmatch(said):
        # What was read is not recorded; that its length is too much is found again.
        return _BodyPart(int(part[1]), int(part[2]))
    if said == _NO_ANSWER:  # only the time limit ends a request so
        raise OutOfTime
    kind, _, text = said.partition(": ")
    raise _ERRORS.get(kind, requests.ConnectionError)(text)


class _BodyPart(HTTPResponse):
    """As many blanks as bytes were read, and then the time is over."""

    def __init__(self, status: int, length: int) -> None:
        super().__init__(status=status, reason="", preload_content=False)
        self._left = length

    def stream(self, amt: int | None = None, decode_content: bool | None = None) -> Iterator[bytes]:  # type: ignore[override]  # noqa: ARG002
        while self._left:
            piece = b" " * min(amt or _PIECE, self._left)
            self._left -= len(piece)
            yield piece
        raise OutOfTime
