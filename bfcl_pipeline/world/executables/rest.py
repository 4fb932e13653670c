"""The HTTP requests of the category rest: what `requests.get` makes of a call, without sending anything.

Two requests with one normalized form ask one API for one thing. It has the address without what a server
does not see, the query in the order of its names, and the headers by which the ten APIs choose an
answer. Options of the connection (timeout, redirects, certificates) and other headers are not in it. A key
that published answers mask is the placeholder.
"""

from collections.abc import Mapping
from functools import partial
from typing import Any
from urllib.parse import parse_qsl, urlsplit

from bfcl_pipeline.base.errors import MalformedRelease, NotRecorded
from bfcl_pipeline.benchmark.records import Call
from bfcl_pipeline.dialogue.calls import read_statements
from bfcl_pipeline.world.executables.apis import HOSTS, MASKS, PLACEHOLDERS, ApiRequest
from bfcl_pipeline.world.executables.binding import ExecutionFailed

NAMES = ("requests.get", "requests_get")
"""The function of all entries, in both spellings."""

MAX_CHARACTERS = 50_000
"""Characters of the arguments' texts, and items in them: servers refuse a tenth of it."""

_OPTIONS = (
    *("url", "params", "data", "json", "files", "headers", "cookies", "auth", "timeout"),
    *("allow_redirects", "proxies", "hooks", "stream", "verify", "cert"),
)
"""Names of the arguments of `requests.get`."""

_HEADERS = ("authorization", "x-rapidapi-host", "x-rapidapi-key")

_PORTS = {"http": ":80", "https": ":443"}

_COMMA_LISTS = ("api.open-meteo.com",)
"""Hosts for which a parameter that is given twice is one list with a comma."""


def reference_request(text: str) -> ApiRequest:
    """The request of a call in the release, as text. Raises MalformedRelease if it is not one."""
    return api_request(reference_call(text).arguments)


def reference_call(text: str) -> Call:
    """A call in the release that makes a request. Raises MalformedRelease if `text` is not one."""
    calls = read_statements(text) or []
    if len(calls) != 1 or calls[0][0] not in NAMES:
        raise MalformedRelease.at("a reference request", "one call of requests.get", repr(text[:100]))
    return Call(*calls[0])


def api_request(arguments: Mapping[str | None, Any]) -> ApiRequest:
    """The request that `requests.get` would send with `arguments`, in its normalized form.

    Raises ExecutionFailed if `requests` refuses them; NotRecorded if they have a body, which no request of
    the APIs has.
    """
    # `requests` takes a tenth of a second to import, which scores of other categories do without.
    from bfcl_pipeline.world.executables.unsent import prepare_request

    request = prepare_request(_checked(arguments))
    if request.body:
        raise NotRecorded(f"Requests with a body are not sent. Needed: {request.url}")
    return normalize_request(
        str(request.url), {name: _text(value) for name, value in request.headers.items()}
    )


def normalize_request(url: str, headers: Mapping[str, str]) -> ApiRequest:
    """The normalized form of a GET request."""
    address = urlsplit(url)
    host = address.netloc.rpartition("@")[2].lower().removesuffix(_PORTS.get(address.scheme, ""))
    unmasked = partial(_unmasked, PLACEHOLDERS.get(HOSTS.get(host) or ""))
    query = parse_qsl(address.query, keep_blank_values=True, errors="backslashreplace")
    params = [(name, unmasked(value)) for name, value in query]
    if host in _COMMA_LISTS:
        lists: dict[str, list[str]] = {}
        for name, value in params:
            lists.setdefault(name, []).append(value)
        params = [(name, ",".join(values)) for name, values in lists.items()]
    return ApiRequest(
        f"{address.scheme}://{host}{'/'.join(map(unmasked, address.path.split('/'))) or '/'}",
        tuple(sorted(params, key=lambda param: param[0])),
        tuple(
            sorted(
                (name.lower(), unmasked(value))
                for name, value in headers.items()
                if name.lower() in _HEADERS
            )
        ),
    )


def _unmasked(placeholder: str | None, text: str) -> str:
    """The placeholder of the host's key, if `text` stands for that key; else `text`."""
    return placeholder if placeholder is not None and text in MASKS else text


def _checked(arguments: Mapping[str | None, Any]) -> dict[str, Any]:
    """`arguments` if each has a known name and all are of bounded size. Raises ExecutionFailed."""
    known: dict[str, Any] = {}
    for name, value in arguments.items():
        if name not in _OPTIONS:
            raise ExecutionFailed(f"TypeError: requests.get() got an unexpected keyword argument {name!r}")
        known[str(name)] = value
    if "url" not in known:
        raise ExecutionFailed("TypeError: requests.get() has no value for url")
    _check_values([*known.values()])
    return known


def _check_values(values: list[Any]) -> None:
    """Raises ExecutionFailed if `values` hold a call, or more than is read of them."""
    left = MAX_CHARACTERS
    while values and left >= 0:
        value = values.pop()
        if isinstance(value, Call):
            raise ExecutionFailed(f"NameError: name {value.name!r} is not defined")
        left -= len(value) if isinstance(value, str | bytes) else 1
        if isinstance(value, Mapping):
            values.extend(value)
            values.extend(value.values())
        elif isinstance(value, list | tuple | set | frozenset):
            values.extend(value)
    if left < 0:
        raise ExecutionFailed(f"ValueError: the arguments have more than {MAX_CHARACTERS:,} characters")


def _text(value: str | bytes) -> str:
    return value.decode("latin-1") if isinstance(value, bytes) else value
