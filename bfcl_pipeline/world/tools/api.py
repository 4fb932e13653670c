"""What every simulated API consists of: a typed state, marked methods, bounds on what a call may cost.

An API is a class with its name in the benchmark, and so are its methods; a model can call only methods
that are marked, and the mark says whether a call may change the state. Each API's module has the same
order: the state, `load`, the methods in the order of the function docs, helpers.

The bounds are far above what any trajectory of the benchmark needs (its longest truth has 55 calls) and
low enough that no answer of a model takes much time or memory. A call that exceeds one has an error text
as its result, as any failed call does, and the conversation continues.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from datetime import date
from enum import StrEnum
from functools import cache
from inspect import signature
from typing import TYPE_CHECKING, Any, Protocol, Self, TypeAlias, TypeVar

from bfcl_pipeline.benchmark.constants import Constants
from bfcl_pipeline.benchmark.records import Json

if TYPE_CHECKING:  # their folders import this module
    from bfcl_pipeline.world.tools.memory.encoder import Encoder
    from bfcl_pipeline.world.tools.web_search.web import Web

MAX_CALLS = 5_000
"""Calls that one world runs."""

MAX_RESULT = 2_000_000
"""Characters of the result of one call."""

MAX_INNER_RESULT = 100_000
"""Characters of a result that is an argument of another call, so that states stay small."""

MAX_RESULTS = 20_000_000
"""Characters of all results of one world."""

MAX_READ = 100_000_000
"""Characters that all calls of one API read. Each call counts those of all arguments of the API so far,
because they may be in the state that it searches, sorts or compares."""

MAX_SOURCE = 50_000
"""Characters of the source text of a call whose names are not plain, and of any function name."""

MAX_SOURCES = 1_000_000
"""Characters of all such source texts of one world."""


class CallFailed(Exception):
    """A call cannot be run; its text is the result that the model sees. Never leaves `tools`."""


class BoundExceeded(CallFailed):
    """A call exceeds a bound of a simulated API."""


def refuse_call(message: str, **status: bool) -> dict[str, Any]:
    """The result of a method that refuses a call: an error text, after the `status` that some have."""
    return {**status, "error": message}


class Effect(StrEnum):
    """Whether a call of a method may change the state."""

    READS = "reads"  # the state does not change
    CHANGES = "changes"  # the state, or the next random number, may change


PageText: TypeAlias = Callable[[str, str], str]
"""The text of a page, from its HTML and the mode, as `page_text` of `web_search` returns it."""


@dataclass(frozen=True, slots=True)
class WorldConfig:
    """Everything that an API uses beside its own initial state."""

    constants: Constants  # numbers, tables and fillers of the release
    long_context: bool = False  # whether fillers are added to states and results
    today: date = date(2026, 3, 23)  # fixed date of the simulated clocks: the day of the release
    web: Web | None = None  # web of the web tools; None: they fail
    page_text: PageText | None = None  # converts its pages; None: anew each time
    encoder: Encoder | None = None  # encoder of the vector memory; None: its searches fail
    aliases: Mapping[str, str] = field(default_factory=dict)  # further names of methods


class Api(Protocol):
    """One simulated API of one conversation."""

    state: Any  # a dataclass; the checker compares its fields

    @classmethod
    def load(cls, initial: Mapping[str, Json], config: WorldConfig) -> Self:
        """A new API in its initial state. Raises MalformedRelease if the state is not well formed."""


Method = TypeVar("Method", bound=Callable[..., Any])

_MARK = "effect"


def reads(method: Method) -> Method:
    """Marks a method that a model may call and that does not change the state."""
    setattr(method, _MARK, Effect.READS)
    return method


def changes(method: Method) -> Method:
    """Marks a method that a model may call and that may change the state."""
    setattr(method, _MARK, Effect.CHANGES)
    return method


@cache
def effects(api: type[Api]) -> Mapping[str, Effect]:
    """The marked methods of an API, in the order of their definition, and their effects."""
    return {name: getattr(member, _MARK) for name, member in vars(api).items() if hasattr(member, _MARK)}


@cache
def parameters(api: type[Api], method: str) -> tuple[str, ...]:
    """The parameter names of a method, in the order in which positional arguments are bound."""
    return tuple(signature(vars(api)[method]).parameters)[1:]
