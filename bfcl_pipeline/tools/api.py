"""What every simulated API is made of: marked methods, a typed state, a setting to start in.

An API is a class under its name in the benchmark, with its methods under theirs; only marked methods
can be called, and the mark says whether a call may change the state. Its parts stand in one order: the
state, `load`, the methods in the order of the function docs, helpers.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from datetime import date
from enum import StrEnum
from functools import cache
from inspect import signature
from typing import Any, Protocol, Self, TypeVar

from bfcl_pipeline.records import Json
from bfcl_pipeline.tools.constants import Constants
from bfcl_pipeline.tools.encoder import Encoder
from bfcl_pipeline.tools.web import Web


class Effect(StrEnum):
    """What a call of a method may do."""

    READS = "reads"  # the state is as before
    CHANGES = "changes"  # the state, or what is drawn next, may differ


@dataclass(frozen=True, slots=True)
class Setting:
    """What an API may use beside its own initial state."""

    constants: Constants  # figures, tables and fillers of the release
    long_context: bool = False  # whether fillers are added, as in multi_turn_long_context
    today: date = date(2026, 3, 23)  # the clock stands still on the day of the release
    web: Web | None = None  # what the web tools ask; None where there is none
    encoder: Encoder | None = None  # what the vector memory asks; None where there is none
    aliases: Mapping[str, str] = field(default_factory=dict)  # methods by other names that calls may use


class Api(Protocol):
    """One simulated API of one conversation."""

    state: Any  # a dataclass; its fields are what the checker compares

    @classmethod
    def load(cls, initial: Mapping[str, Json], setting: Setting) -> Self:
        """A fresh API in its initial state. Raises MalformedRelease if the state is not well formed."""


Method = TypeVar("Method", bound=Callable[..., Any])

_MARK = "effect"


def reads(method: Method) -> Method:
    """Marks a method that a model may call and that leaves the state as it is."""
    setattr(method, _MARK, Effect.READS)
    return method


def changes(method: Method) -> Method:
    """Marks a method that a model may call and that may change the state."""
    setattr(method, _MARK, Effect.CHANGES)
    return method


@cache
def effects(api: type[Api]) -> Mapping[str, Effect]:
    """The methods of an API that can be called, in the order in which they stand, and their effects."""
    return {name: getattr(member, _MARK) for name, member in vars(api).items() if hasattr(member, _MARK)}


@cache
def parameters(api: type[Api], method: str) -> tuple[str, ...]:
    """The parameters of a method, in the order in which arguments without a name are bound."""
    return tuple(signature(vars(api)[method]).parameters)[1:]
