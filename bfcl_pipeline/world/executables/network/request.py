"""Makes the requests of functions: whatever the arguments are, only the given host is asked.

An argument is a query parameter or one segment of the path, quoted, so it can change neither the host nor
the rest of the address. Texts of parameters are those that `requests` sends. Coordinates are compared as
numbers: 45.0 and "45.00" are the same request.
"""

import re
from collections.abc import Iterable, Iterator, Mapping
from typing import Any
from urllib.parse import quote

from bfcl_pipeline.world.executables.apis import PLACEHOLDERS, ApiRequest

MAX_ARGUMENTS = 8_000
"""Characters of all arguments of one request: about what web servers accept in an address."""

_UNQUOTED = "!$&'()*+,:;=@~"
"""Characters that have no meaning in one segment of a path."""

_COORDINATES = ("lat", "latitude", "lon", "longitude")
_DECIMAL = re.compile(r"[+-]?[0-9]{1,15}(\.[0-9]{0,30})?", re.ASCII)


def get(url: str, params: Mapping[str, Any] | None = None, segments: Iterable[Any] = ()) -> ApiRequest:
    """The request for `url`, to which `segments` are added, with query parameters `params`.

    Raises ValueError if the arguments cannot be a part of an address.
    """
    path = "".join(f"/{_segment(value)}" for value in segments)
    pairs = sorted(_pairs(params or {}), key=lambda pair: pair[0])
    if len(path) + sum(len(text) for _, text in pairs) > MAX_ARGUMENTS:
        raise ValueError(f"the arguments have more than {MAX_ARGUMENTS} characters")
    return ApiRequest(url + path, tuple(pairs))


def rapid_get(url: str, params: Mapping[str, Any]) -> ApiRequest:
    """The request for `url`, an API at RapidAPI: the host and the key are headers."""
    request = get(url, params)
    host = url.split("/")[2]
    headers = (("x-rapidapi-host", host), ("x-rapidapi-key", PLACEHOLDERS["RAPID_API_KEY"]))
    return ApiRequest(request.url, request.params, headers)


def _segment(value: Any) -> str:
    text = str(value)
    if text in (".", ".."):
        raise ValueError(f"{text!r} is not a part of an address")
    return quote(_sendable(text), safe=_UNQUOTED)


def _pairs(params: Mapping[str, Any]) -> Iterator[tuple[str, str]]:
    for name, value in params.items():
        for text in _texts(value):
            yield name, _number(text) if name in _COORDINATES else text


def _texts(value: Any, levels: int = 2) -> Iterator[str]:
    """The texts that `requests` sends for a parameter: one for each item, none for None."""
    if isinstance(value, set | frozenset):
        value = sorted(value, key=repr)
    if levels and isinstance(value, list | tuple | dict):
        for item in value:
            yield from _texts(item, levels - 1)
    elif isinstance(value, bytes):
        yield value.decode("utf-8", "replace")
    elif value is not None:
        yield _sendable(str(value))


def _sendable(text: str) -> str:
    """`text`. Raises ValueError if it has no UTF-8 form."""
    text.encode()
    return text


def _number(text: str) -> str:
    """The shortest text of the same number; other texts as they are."""
    if not _DECIMAL.fullmatch(text):
        return text
    number = repr(float(text)).removesuffix(".0")
    return "0" if number == "-0" else number
