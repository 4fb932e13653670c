"""Bounds on the work of decoding, and the decoders' internal exception.

Every decoder calls `check_text` first, and `Work` bounds what all texts of one answer take together. The
bounds count characters and items, never seconds, so a verdict does not depend on the machine. They are far
above what models write (the longest of 15,000 published answers has 3,571 characters) and low enough that
no answer takes more than a few seconds or much memory.
"""

import re

MAX_TEXT = 50_000
"""Characters of text that are parsed as Python, JSON or XML."""

MAX_NATIVE_TEXT = 1_000_000
"""Characters of the arguments of one native call."""

MAX_CALLS = 10_000
"""Native calls in one answer."""

MAX_WORK = 2_000_000
"""Steps of `Work` for one answer: each character parsed as Python, and each item that an operator makes; a
hundred for each step and each call of a conversation."""

MAX_GRAMMAR_TEXT = 4_000
"""Characters of text that are parsed as Java or JavaScript."""

MAX_GRAMMAR_OPERATORS = 300
"""Occurrences of `<`, `>` and `=` in Java or JavaScript text: the Java grammar is ambiguous in them, and
its parser's time and memory grow with the cube of their number."""

MAX_BITS = 14_000
"""Bits of an integer in Python text: about 4,200 decimal digits, which Python still converts to text."""

MAX_DEPTH = 200
"""Nesting depth of brackets."""

_BRACKET = re.compile(r"[\[\](){}]")


class Undecodable(Exception):
    """The text cannot be decoded as calls. It never leaves `bfcl_pipeline.dialogue.calls`."""


class Work:
    """The work that may still be done to decode one answer, over all of its texts."""

    __slots__ = ("_left",)

    def __init__(self, steps: int = MAX_WORK) -> None:
        self._left = steps

    @property
    def is_done(self) -> bool:
        """Whether nothing more can be decoded."""
        return self._left < 0

    def spend(self, steps: int) -> None:
        """Takes `steps` from the rest. Raises Undecodable if fewer are left, now and ever after."""
        self._left = self._left - steps if steps <= self._left else -1
        if self._left < 0:
            raise Undecodable(f"reading the answer takes more than {MAX_WORK:,} steps")


def check_text(text: object, limit: int = MAX_TEXT) -> str:
    """Returns `text`. Raises Undecodable unless it is a string within `limit` and `MAX_DEPTH`."""
    if not isinstance(text, str):
        raise Undecodable(f"expected text, got {type(text).__name__}")
    if len(text) > limit:
        raise Undecodable(f"{len(text):,} characters; at most {limit:,} are read")
    if len(text) > MAX_DEPTH and text.count("(") + text.count("[") + text.count("{") > MAX_DEPTH:
        _check_depth(text)
    return text


def _check_depth(text: str) -> None:
    """Counts brackets in quotes too, so a string full of opening brackets is rejected as well."""
    depth = 0
    for bracket in _BRACKET.finditer(text):
        if bracket[0] in "([{":
            depth += 1
            if depth > MAX_DEPTH:
                raise Undecodable(f"more than {MAX_DEPTH} brackets are open at once")
        elif depth:
            depth -= 1
