"""Where two nested values differ: settings, rows, states, requests, documents, hashes of files by name.

The one comparison of values. What is compared, and how a difference is worded, is the caller's; that of
verdicts is `judge.scoring.statistics.paired`.
"""

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from typing import Any, TypeAlias

Parts: TypeAlias = Callable[[Any], Mapping[str, Any] | None]
"""The parts of a value by what they add to a path, such as `.key` or `[2]`; None if it has no parts."""

DEEPEST = 40
"""Levels that are followed; what lies deeper is compared as a whole."""


class _Missing:
    def __repr__(self) -> str:
        return "missing"


MISSING = _Missing()
"""Stands for a part that one of two values lacks."""


@dataclass(frozen=True, slots=True)
class Difference:
    """One place at which two values differ."""

    path: str  # from the outermost value: options.temperature, messages[2].content
    first: Any  # MISSING if only the second has it
    second: Any


def keys_of(value: Any) -> Mapping[str, Any] | None:
    """The values of a mapping; a list is a value without parts."""
    return {f".{key}": item for key, item in value.items()} if isinstance(value, Mapping) else None


def items_of(value: Any) -> Mapping[str, Any] | None:
    """The values of a mapping, or the items of a list."""
    if isinstance(value, list | tuple):
        return {f"[{place}]": item for place, item in enumerate(value)}
    return keys_of(value)


def differences(
    first: Any, second: Any, *, parts: Parts = keys_of, strict: bool = True, missing: Any = MISSING
) -> Iterator[Difference]:
    """The smallest parts in which two values differ, in the order of the first.

    Args:
        first: a value of anybody: it is followed at most DEEPEST levels.
        second: the other one.
        parts: the parts of a value; two values of one type that have parts are compared part by part.
        strict: 1, 1.0 and True are three values; else what compares as equal is the same.
        missing: what stands for a part that only one side has; None: as if that side had null.
    """
    pending = [("", first, second, DEEPEST)]
    while pending:
        path, one, two, levels = pending.pop()
        same_type = type(one) is type(two)
        if not strict and one == two:
            continue
        ours, theirs = (parts(one), parts(two)) if same_type and levels else (None, None)
        if ours is not None and theirs is not None:
            steps = reversed(dict.fromkeys((*ours, *theirs)))
            pending += [
                (path + step, ours.get(step, missing), theirs.get(step, missing), levels - 1)
                for step in steps
            ]
        elif not same_type or one != two:
            yield Difference(path.removeprefix("."), one, two)
