"""Canonical texts that are equal if two states or results are equal; both sides of the world seam use them.

Covers the canonical text of a value, its short digest and the short form of a long result. Also runs under
the Python of .venv-peer, so it imports only the standard library.
"""

from __future__ import annotations

import json
import marshal
import pickle
from hashlib import blake2b
from typing import Any

MAX_SHOWN = 1_500
"""The number of characters of a result that are kept; a digest replaces the rest."""


def canonical(value: Any, full: bool = True, inside: tuple[int, ...] = ()) -> str:
    """A text of `value` that is the same for values that are equal by Python's `==`.

    Equal numbers of different types have the same text, and the order of mappings and sets is ignored. A
    file or directory is written as its name and content(s). `full`: directories in full, else by their
    digest. `inside`: the enclosing directories.
    """
    match value:
        case None:
            return "null"
        case str():
            return json.dumps(value)
        case bool() | int() | float():
            return _number(value)
        case dict():
            items = [
                f"{canonical(key, full, inside)}:{canonical(item, full, inside)}"
                for key, item in value.items()
            ]
            return "{" + ",".join(sorted(items)) + "}"
        case list():
            return "[" + ",".join([canonical(item, full, inside) for item in value]) + "]"
        case tuple():
            return "(" + ",".join([canonical(item, full, inside) for item in value]) + ")"
        case set() | frozenset():
            return "<" + ",".join(sorted(canonical(item, full, inside) for item in value)) + ">"
    if hasattr(value, "contents"):
        return _directory(value, full, inside)
    if hasattr(value, "content"):
        return f"file({canonical(value.name)},{canonical(value.content)})"
    return f"{type(value).__name__}({value!r})"


def _number(value: float) -> str:
    if value != value:  # only nan is not itself
        return "nan"
    if isinstance(value, float) and not value.is_integer():
        return repr(value)  # inf too
    return hex(int(value))  # of any length, which decimals are not


def _directory(value: Any, full: bool, inside: tuple[int, ...]) -> str:
    if id(value) in inside:
        return f"around({len(inside) - inside.index(id(value))})"
    contents = canonical(value.contents, full, (*inside, id(value)))
    return f"directory({canonical(value.name)},{contents if full else digest(contents)})"


def digest(text: str) -> str:
    """A digest of `text`, 16 characters."""
    return blake2b(text.encode("utf-8", "surrogatepass"), digest_size=8).hexdigest()


def shortened(text: str) -> str:
    """`text`, or its beginning and digest where it is long."""
    return text if len(text) <= MAX_SHOWN else f"{text[:200]}... {len(text)} {digest(text)}"


def frozen(value: Any) -> bytes:
    """Bytes that are the same only if `value` is; faster than its canonical text."""
    try:
        return marshal.dumps(value, 2)
    except ValueError:  # more than plain data
        return pickle.dumps(value)


class StateDigests:
    """Digests of the states of one trajectory; a state that did not change is not written again."""

    def __init__(self, full: bool) -> None:
        self._full = full  # the text itself instead of its digest, for a person
        self._last: dict[str, tuple[bytes, str]] = {}  # by API: the state pickled, and its digest

    def of(self, api: str, state: dict[str, Any]) -> str:
        """The digest of `state`, the public attributes of `api`."""
        form = frozen(state)
        last = self._last.get(api)
        if last is None or last[0] != form:
            last = self._last[api] = (form, self._written(state))
        return last[1]

    def _written(self, state: dict[str, Any]) -> str:
        text = canonical(state, self._full)
        return text if self._full else digest(text)
