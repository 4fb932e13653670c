"""The typed state of a simulated API: filled from an entry, checked, copied.

Only the outermost types are checked. An error in a nested value surfaces in the call that uses it.
"""

from abc import ABC, abstractmethod
from collections.abc import Mapping
from dataclasses import fields
from functools import cache
from types import NoneType, UnionType
from typing import Any, ClassVar, Protocol, Self, TypeVar, get_args, get_origin, get_type_hints

from bfcl_pipeline.base.errors import MalformedRelease
from bfcl_pipeline.benchmark.records import Json


class _Dataclass(Protocol):
    __dataclass_fields__: ClassVar[dict[str, Any]]


State = TypeVar("State", bound=_Dataclass)


def fill(kind: type[State], initial: Mapping[str, Json], defaults: Mapping[str, Json]) -> State:
    """A state of dataclass `kind`, with each field copied from `initial` or else from `defaults`.

    As in the release, keys of `initial` that are not fields are ignored. Raises MalformedRelease naming a
    field that is missing in both, or has the wrong type.
    """
    values = {}
    for name, accepted in _accepted(kind).items():
        if name not in initial and name not in defaults:
            raise MalformedRelease.at(f"initial state of {kind.__name__}", name, "nothing of that name")
        value = initial[name] if name in initial else defaults[name]
        if not isinstance(value, accepted) or (type(value) is bool and bool not in accepted):
            wanted = " or ".join(option.__name__ for option in accepted)
            place = f"initial state of {kind.__name__}: {name}"
            raise MalformedRelease.at(place, wanted, type(value).__name__)
        values[name] = copy_value(value)
    return kind(**values)


class StatePart(ABC):
    """A part of a state that is not a JSON value, such as a directory."""

    __slots__ = ()

    @abstractmethod
    def copied(self) -> Self:
        """A copy that no later call changes."""

    @abstractmethod
    def plain(self) -> Json:
        """The same content as nested mappings, for people."""


_SCALARS = frozenset({NoneType, str, bool, int, float})
"""Most values of a state, which are not worth the call of a function each."""


def copy_value(value: Any) -> Any:
    """A copy of a value of a state; it shares nothing mutable with the original."""
    if value is None or isinstance(value, str | int | float):
        return value
    if isinstance(value, dict):
        return {key: item if type(item) in _SCALARS else copy_value(item) for key, item in value.items()}
    if isinstance(value, list | tuple):
        return type(value)([item if type(item) in _SCALARS else copy_value(item) for item in value])
    if isinstance(value, set):
        return set(value)
    return value.copied() if isinstance(value, StatePart) else value


def plain(value: Any) -> Any:
    """The form of `value` for people; `value` itself if it has none."""
    return value.plain() if isinstance(value, StatePart) else value


def snapshot(state: State) -> State:
    """A copy of a whole state that no later call changes."""
    return type(state)(*(copy_value(getattr(state, field.name)) for field in fields(state)))


@cache
def _accepted(kind: type[_Dataclass]) -> Mapping[str, tuple[type, ...]]:
    """The outermost types that each field accepts; a float field accepts ints."""
    hints = get_type_hints(kind)
    accepted = {}
    for field in fields(kind):
        hint = hints[field.name]
        options = get_args(hint) if isinstance(hint, UnionType) else (hint,)
        types = [NoneType if option is None else get_origin(option) or option for option in options]
        accepted[field.name] = (*types, *([int] if float in types else []))
    return accepted
