"""The request to a time stamp authority over HTTP: bounded in time and size, without redirects."""

from __future__ import annotations

import time
from typing import TYPE_CHECKING
from urllib.parse import urlsplit

from bfcl_pipeline.base.errors import ConfigError, SigningError
from bfcl_pipeline.base.text import line_of

if TYPE_CHECKING:
    from requests import Response

MOST_BYTES = 64 * 1024
"""The largest answer of an authority that is read; answers have about 5 kB."""

CONNECT_SECONDS, READ_SECONDS, TOTAL_SECONDS = 10.0, 15.0, 30.0
"""Time limits of a request: for the connection, between two packets, for the body of the answer."""

_HEADERS = {
    "Content-Type": "application/timestamp-query",
    "Accept": "application/timestamp-reply",
    "Accept-Encoding": "identity",
}


def shown_address(url: str) -> str:
    """The address of an authority without a password. Raises ConfigError if it is not one of HTTP."""
    try:
        parts = urlsplit(url)
        valid = parts.scheme in ("http", "https") and bool(parts.hostname) and (parts.port or 1) > 0
    except ValueError:
        valid = False
    if not valid:
        raise ConfigError(
            f"{line_of(url, 200)}: a time stamp authority has an address http:// or https://."
        )
    return line_of(f"{parts.scheme}://{parts.netloc.rpartition('@')[2]}{parts.path}", 200)


def post_request(url: str, body: bytes) -> bytes:
    """The answer of an authority at `url`.

    Raises:
        ConfigError: `url` is not an address of HTTP.
        SigningError: the service cannot be reached, or its answer is not complete, small and HTTP 200.
    """
    import requests

    service = shown_address(url)
    again = "No time stamp was made: try again later, or name another service."
    try:
        with requests.post(
            url,
            data=body,
            headers=_HEADERS,
            timeout=(CONNECT_SECONDS, READ_SECONDS),
            allow_redirects=False,
            stream=True,
        ) as response:
            if response.is_redirect:
                target = line_of(response.headers["Location"], 200)
                raise SigningError(f"{service} redirects to {target}. If that is right, give that address.")
            if response.status_code != 200:
                raise SigningError(f"{service} answered with HTTP status {response.status_code}. {again}")
            return _read(response, service)
    except (requests.RequestException, OSError) as error:
        timed_out = isinstance(error, (requests.Timeout, TimeoutError))
        why = "did not answer in time" if timed_out else f"cannot be reached ({type(error).__name__})"
        raise SigningError(f"{service} {why}. {again}") from None


def _read(response: Response, service: str) -> bytes:
    """The body, as it is sent. Raises SigningError if it is too large or slow."""
    from urllib3.exceptions import HTTPError

    content, deadline = b"", time.monotonic() + TOTAL_SECONDS
    try:
        while part := response.raw.read1(MOST_BYTES, decode_content=False):
            content += part
            if len(content) > MOST_BYTES:
                raise SigningError(
                    f"{service} answered with more than {MOST_BYTES:,} bytes: no time stamp."
                )
            if time.monotonic() > deadline:
                raise TimeoutError
    except HTTPError as error:
        raise SigningError(f"{service} broke off its answer ({type(error).__name__}). Try again.") from None
    return content
