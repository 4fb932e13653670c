"""Strict reading of a raw answer: one that does not have the API's format is Malformed."""

import json
from dataclasses import dataclass
from itertools import islice
from typing import Any, TypeVar

from bfcl_pipeline.base.errors import Malformed
from bfcl_pipeline.base.text import changed_texts, valid_unicode
from bfcl_pipeline.benchmark.records import Json
from bfcl_pipeline.runs.journal.lines import TOO_DEEP, is_too_deep

MAX_ANSWER_BYTES = 16 * 2**20
"""Limit on the size of an answer, both as transferred and decompressed."""

MOST_TOKENS = 10**9
"""Greatest plausible count of the tokens of one answer; sums over a run fit the 64 bits of a table."""

_SHOWN = 200  # characters of the answer in an error message

_Kind = TypeVar("_Kind", bound="dict[str, Any] | list[Any] | str")

_NAMES: dict[type, str] = {dict: "a mapping", list: "a list", str: "a text"}


@dataclass(frozen=True, slots=True)
class ResponseValidator:
    """Checks the answers of one model; `target` is its name and endpoint for messages."""

    target: str

    def body(self, content: bytes) -> dict[str, Json]:
        """The JSON object in `content`, which is UTF-8. Raises Malformed."""
        if is_too_deep(content):
            raise self.malformed(f"the answer is {TOO_DEEP}")
        try:
            value = json.loads(content.decode("utf-8"), parse_constant=_no_constant)
            if b"\\ud" in content or b"\\uD" in content:
                value = changed_texts(value, valid_unicode)
        except UnicodeDecodeError as error:
            raise Malformed(f"{self.target}: the answer is not UTF-8 ({error.reason}).") from error
        except ValueError as error:
            begin = content[:_SHOWN].decode("utf-8", "replace")
            raise Malformed(f"{self.target}: the answer is not JSON ({error}): {begin!r}.") from error
        return self.mapping(value, "the answer")

    def mapping(self, value: Json, what: str) -> dict[str, Json]:
        """`value` if it is a mapping. Raises Malformed."""
        return self._kind(value, dict, what)

    def items(self, value: Json, what: str) -> list[Json]:
        """`value` if it is a list. Raises Malformed."""
        return self._kind(value, list, what)

    def text(self, value: Json, what: str) -> str:
        """`value` if it is a text. Raises Malformed."""
        return self._kind(value, str, what)

    def maybe_text(self, value: Json, what: str) -> str | None:
        """`value` if it is a text or null. Raises Malformed."""
        return None if value is None else self._kind(value, str, what)

    def malformed(self, what: str) -> Malformed:
        """The error for an answer with this defect."""
        return Malformed(f"{self.target}: {what}.")

    def _kind(self, value: Json, kind: type[_Kind], what: str) -> _Kind:
        if isinstance(value, kind):
            return value
        raise self.malformed(f"expected {what} to be {_NAMES[kind]}; got {shorten_json(value)}")


def shorten_json(value: Json) -> str:
    """The first characters of a value as JSON in ASCII, for a message; the rest is not written."""
    return "".join(islice(json.JSONEncoder().iterencode(value), _SHOWN))[:_SHOWN]


def tokens(usage: Json, name: str) -> int | None:
    """A token count of an answer; None if it has none, or one that is negative or above MOST_TOKENS."""
    count = usage.get(name) if isinstance(usage, dict) else None
    if isinstance(count, bool) or not isinstance(count, int):
        return None
    return count if 0 <= count <= MOST_TOKENS else None


def _no_constant(name: str) -> Json:
    raise ValueError(f"{name} is not a JSON value")
