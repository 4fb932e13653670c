"""The typed state of a simulated API: filled from an entry, checked, copied.

Covers the outermost types only: what lies deeper is the benchmark's, and an API meets it as a model's
call does.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Mapping
from dataclasses import fields
from functools import cache
from types import NoneType, UnionType
from typing import (
    Any,
    ClassVar,
    Protocol,
    Self,
    TypeVar,
    get_args,
    get_origin,
    get_type_hints,
)

from bfcl_pipeline.errors import MalformedRelease
from bfcl_pipeline.records import Json


class _Dataclass(Protocol):
    __dataclass_fields__: ClassVar[dict[str, Any]]


State = TypeVar("State", bound=_Dataclass)


def fill(kind: type[State], initial: Mapping[str, Json], defaults: Mapping[str, Json]) -> State:
    """A state of dataclass `kind`: each field from `initial`, or else from `defaults`; copied.

    Keys of `initial` that are no field are passed over, as in the release. Raises MalformedRelease
    naming a field that is in neither, or of another type.
    """
    values = {}
    for name, accepted in _accepted(kind).items():
        if name not in initial and name not in defaults:
            raise MalformedRelease(
                f"initial state of {kind.__name__}: expected {name}, got nothing of that name. "
                "Stage the release again (bfcl-pipeline stage)."
            )
        value = initial[name] if name in initial else defaults[name]
        if not isinstance(value, accepted) or (type(value) is bool and bool not in accepted):
            wanted = " or ".join(one.__name__ for one in accepted)
            raise MalformedRelease(
                f"initial state of {kind.__name__}: {name}: expected {wanted}, got "
                f"{type(value).__name__}. Stage the release again (bfcl-pipeline stage)."
            )
        values[name] = copied(value)
    return kind(**values)


class Part(ABC):
    """Something in a state that is neither a JSON value nor made of them, such as a directory."""

    __slots__ = ()

    @abstractmethod
    def copied(self) -> Self:
        """A copy that no later call changes."""

    @abstractmethod
    def plain(self) -> Json:
        """The same as nested mappings, for people."""


def copied(value: Any) -> Any:
    """A copy of a value of a state that shares nothing changeable with it."""
    if value is None or isinstance(value, str | int | float):
        return value
    if isinstance(value, dict):
        return {key: copied(item) for key, item in value.items()}
    if isinstance(value, list | tuple):
        return type(value)([copied(item) for item in value])
    if isinstance(value, set):
        return set(value)
    return value.copied() if isinstance(value, Part) else value


def plain(value: Any) -> Any:
    """`value`, or its form for people if it has one."""
    return value.plain() if isinstance(value, Part) else value


def snapshot(state: State) -> State:
    """A copy of a whole state that no later call changes."""
    return type(state)(*(copied(getattr(state, field.name)) for field in fields(state)))


@cache
def _accepted(kind: type[_Dataclass]) -> Mapping[str, tuple[type, ...]]:
    """The types that each field takes at its outermost level; an int is a float too."""
    hints = get_type_hints(kind)
    found = {}
    for field in fields(kind):
        hint = hints[field.name]
        options = get_args(hint) if isinstance(hint, UnionType) else (hint,)
        types = [NoneType if option is None else get_origin(option) or option for option in options]
        found[field.name] = (*types, *([int] if float in types else []))
    return found
