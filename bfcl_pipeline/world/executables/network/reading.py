"""Reads the value of a function out of the answer of its API."""

import operator
from collections.abc import Callable
from dataclasses import dataclass
from enum import Enum, auto
from functools import reduce
from typing import Any, TypeAlias

from bfcl_pipeline.dialogue.calls import parse_json
from bfcl_pipeline.world.executables.apis import ApiAnswer
from bfcl_pipeline.world.executables.binding import RAISED

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
