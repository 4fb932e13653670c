"""A function that asks a web API: one request from its arguments, one value from the answer.

Whatever the arguments are, only the given host is asked: an argument is a query parameter or one segment of
the path, quoted, so it can change neither the host nor the rest of the address. Texts of parameters are
those that `requests` sends. Coordinates are compared as numbers: 45.0 and "45.00" are the same request.
"""

import operator
import re
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass, field, replace
from enum import Enum, auto
from functools import reduce
from inspect import Parameter
from typing import Any, TypeAlias
from urllib.parse import quote

from bfcl_pipeline.dialogue.calls import parse_json
from bfcl_pipeline.world.executables.apis import PLACEHOLDERS, ApiAnswer, ApiRequest, Apis
from bfcl_pipeline.world.executables.binding import RAISED, bound, failure, parameters_of

Place: TypeAlias = tuple[str | int, ...]
"""Where a value stands in a JSON document: keys and indexes from the outside inward."""

OK = 200


class Otherwise(Enum):
    """What a function returns if the answer does not have its value."""

    FAILS = auto()  # nothing: it raises the error
    BODY = auto()  # the whole body
    MESSAGE = auto()  # what the body has as `message`
    NOTHING = auto()  # None if a key is missing


@dataclass(frozen=True, slots=True)
class Reading:
    """How a function reads its value."""

    places: tuple[Place, ...]  # of the value; of several, a tuple of the values is returned
    otherwise: Otherwise = Otherwise.FAILS
    only_ok: bool = False  # another status than 200 is reported as a text
    if_empty: str | None = None  # the value if the body is empty
    convert: Callable[[Any], Any] | None = None  # applied to the value

    def __call__(self, answer: ApiAnswer) -> Any:
        """The value. Raises what Python raises if there is none."""
        if self.only_ok and answer.status != OK:
            return failed_with(answer)
        body = json_of(answer)
        if self.if_empty is not None and not body:
            return self.if_empty
        try:
            return self._value(body)
        except RAISED as error:
            if self.otherwise is Otherwise.BODY:
                return body
            if self.otherwise is Otherwise.MESSAGE:
                return body["message"]
            if self.otherwise is Otherwise.NOTHING and isinstance(error, KeyError):
                return None
            raise

    def is_in(self, body: Any) -> bool:
        """Whether `body` has the value."""
        try:
            self._value(body)
        except RAISED:
            return False
        return True

    def _value(self, body: Any) -> Any:
        values = tuple(reduce(operator.getitem, place, body) for place in self.places)
        if len(values) > 1:
            return values
        return values[0] if self.convert is None else self.convert(values[0])


def json_of(answer: ApiAnswer) -> Any:
    """The body as JSON. Raises ValueError if it is not JSON, or nested too deeply to be read."""
    try:
        return parse_json(answer.body)
    except RecursionError:
        raise ValueError("the answer is nested too deeply") from None


def failed_with(answer: ApiAnswer) -> str:
    """What functions return for another status than 200."""
    return f"Failed to fetch data with status code: {answer.status}"


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


@dataclass(frozen=True, slots=True)
class NetworkFunction:
    """One function of the benchmark."""

    name: str
    request: Callable[..., ApiRequest]  # of the values of the parameters, which are its own
    read: Reading | Callable[..., Any]  # not a Reading: the answer, then the values of the parameters
    parameters: tuple[Parameter, ...] = field(init=False)  # in order

    def __post_init__(self) -> None:
        """Reads the parameters at once, so that a call only looks them up."""
        object.__setattr__(self, "parameters", parameters_of(self.request))

    def run(self, arguments: Mapping[str | None, Any], apis: Apis) -> Any:
        """What the function returns. Raises ExecutionFailed, and what `Apis.get` raises."""
        return self.value(arguments, apis.get(self.request_of(arguments)))

    def request_of(self, arguments: Mapping[str | None, Any]) -> ApiRequest:
        """The request that the function makes with `arguments`. Raises ExecutionFailed."""
        values = bound(self.name, self.parameters, arguments)
        try:
            return replace(self.request(*values), function=self.name)
        except RAISED as error:
            raise failure(error) from error

    def value(self, arguments: Mapping[str | None, Any], answer: ApiAnswer) -> Any:
        """What the function returns if its request has `answer`. Raises ExecutionFailed."""
        values = bound(self.name, self.parameters, arguments)
        try:
            return self.read(answer) if isinstance(self.read, Reading) else self.read(answer, *values)
        except RAISED as error:
            raise failure(error) from error
