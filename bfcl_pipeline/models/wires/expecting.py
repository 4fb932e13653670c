"""Reading a raw answer strictly: what is not as the wire format has it is Malformed, never an answer."""

from __future__ import annotations

import json
from dataclasses import dataclass
from typing import Any, TypeVar

from bfcl_pipeline.errors import Malformed
from bfcl_pipeline.prompts.characters import whole
from bfcl_pipeline.records import Json

_SHOWN = 200  # characters of what came instead that a message repeats

_Kind = TypeVar("_Kind", bound="dict[str, Any] | list[Any] | str")

_NAMES: dict[type, str] = {dict: "a mapping", list: "a list", str: "a text"}


@dataclass(frozen=True, slots=True)
class Expecting:
    """What is expected of the answers of one model; `asked` names it in messages."""

    asked: str

    def body(self, content: bytes) -> dict[str, Json]:
        """The JSON object that `content` is, in UTF-8. Raises Malformed."""
        try:
            value = json.loads(content.decode("utf-8"), parse_constant=_no_constant)
            if b"\\ud" in content or b"\\uD" in content:
                value = _mended(value)
        except UnicodeDecodeError as error:
            raise Malformed(f"{self.asked}: the answer is not UTF-8 ({error.reason}).") from error
        except (ValueError, RecursionError) as error:
            shown = content[:_SHOWN].decode("utf-8", "replace")
            raise Malformed(f"{self.asked}: the answer is not JSON ({error}): {shown!r}.") from error
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
        """The error that says what is wrong with an answer."""
        return Malformed(f"{self.asked}: {what}.")

    def _kind(self, value: Json, kind: type[_Kind], what: str) -> _Kind:
        if isinstance(value, kind):
            return value
        shown = json.dumps(value, ensure_ascii=True)[:_SHOWN]
        raise self.malformed(f"expected {what} to be {_NAMES[kind]}; got {shown}")


def tokens(usage: Json, name: str) -> int | None:
    """A count of tokens that an answer tells; None if it tells none."""
    count = usage.get(name) if isinstance(usage, dict) else None
    return count if isinstance(count, int) and not isinstance(count, bool) and count >= 0 else None


def _no_constant(name: str) -> Json:
    raise ValueError(f"{name} is no JSON value")


def _mended(value: Json) -> Json:
    """`value` with halves of characters replaced in all its texts."""
    if isinstance(value, str):
        return whole(value)
    if isinstance(value, list):
        return [_mended(item) for item in value]
    if isinstance(value, dict):
        return {_mended(key): _mended(item) for key, item in value.items()}
    return value
