"""The simulated world of one conversation: its APIs, and running calls against them.

A call runs the marked method of its name in one of the entry's APIs; its text is never evaluated, and
cannot reach any other attribute. Every exception inside an API becomes the text of a failed call. Source:
the release's execution of calls, from which the texts are taken.
"""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from math import isfinite
from typing import Any, cast
from unicodedata import normalize

from bfcl_pipeline.base.errors import MalformedRelease, PipelineError
from bfcl_pipeline.benchmark.definition import CATEGORIES
from bfcl_pipeline.benchmark.records import Call, Entry, Json
from bfcl_pipeline.world.tools.api import (
    MAX_CALLS,
    MAX_INNER_RESULT,
    MAX_READ,
    MAX_RESULT,
    MAX_RESULTS,
    Api,
    BoundExceeded,
    CallFailed,
    WorldConfig,
    effects,
    parameters,
)
from bfcl_pipeline.world.tools.call_rewriter import CallRewriter, undefined_name_error
from bfcl_pipeline.world.tools.file_system.api import GorillaFileSystem
from bfcl_pipeline.world.tools.math import MathAPI
from bfcl_pipeline.world.tools.memory import MEMORIES, Memory
from bfcl_pipeline.world.tools.messages import MessageAPI
from bfcl_pipeline.world.tools.posting import TwitterAPI
from bfcl_pipeline.world.tools.state import copy_value
from bfcl_pipeline.world.tools.tickets import TicketAPI
from bfcl_pipeline.world.tools.trading.api import TradingBot
from bfcl_pipeline.world.tools.travel.api import TravelAPI
from bfcl_pipeline.world.tools.vehicle.api import VehicleControlAPI
from bfcl_pipeline.world.tools.web_search.api import WebSearchAPI

APIS: Mapping[str, type[Api]] = {
    "GorillaFileSystem": GorillaFileSystem,
    "MathAPI": MathAPI,
    "MessageAPI": MessageAPI,
    "TwitterAPI": TwitterAPI,
    "TicketAPI": TicketAPI,
    "TradingBot": TradingBot,
    "TravelAPI": TravelAPI,
    "VehicleControlAPI": VehicleControlAPI,
    **MEMORIES,
    "WebSearchAPI": WebSearchAPI,
}
"""Every simulated API, by its name in entries."""

REFUSED = frozenset({"kill", "exit", "quit", "remove", "unlink", "popen", "Popen", "run"})
"""Names that the release refuses to run, with a specific text."""

_PLAIN = str.maketrans("-./:", "____")
"""Turns an owner such as `memory_kv_0-customer-0` into a Python name."""


def parameters_of(apis: Sequence[str], method: str) -> tuple[str, ...]:
    """The parameters, in order, of a method of the named APIs; the last API with that method decides.

    Raises KeyError if no API has the method.
    """
    for name in reversed(apis):
        if method in effects(APIS[name]):
            return parameters(APIS[name], method)
    raise KeyError(method)


class World:
    """The APIs of one conversation. A model reaches them only through `run`."""

    def __init__(
        self, apis: Mapping[str, Api], owner: str, aliases: Mapping[str, str] | None = None
    ) -> None:
        """apis: by name. aliases: further names of methods; those of absent methods are ignored."""
        self.apis = apis
        self._calls_left = MAX_CALLS
        self._characters_left = MAX_RESULTS
        self._characters_given = 0  # in all arguments so far
        self._characters_held = Counter[str]()  # in the arguments of each API so far, by instance
        self._characters_read = Counter[str]()  # by instance
        self._methods: dict[str, Callable[..., Any]] = {}
        self._instances: dict[str, str] = {}
        for api_name, api in apis.items():
            instance = f"{owner}_{api_name}_instance".translate(_PLAIN)
            for name in effects(type(api)):
                self._methods[name] = getattr(api, name)
                self._instances[name] = instance
        for alias, name in (aliases or {}).items():
            if name in self._methods:
                self._methods[alias] = self._methods[name]
                self._instances[alias] = self._instances[name]
        self._rewriter = CallRewriter(self._instances)

    @classmethod
    def of(
        cls, apis: Sequence[str], initial: Mapping[str, Json] | None, config: WorldConfig, owner: str
    ) -> World:
        """A new world with the named APIs; an API without a state in `initial` starts in its default state.

        owner: part of the instance names, which only rewritten texts show. Raises MalformedRelease if an
        API is unknown or its initial state is not well formed.
        """
        initial = initial or {}
        unknown = next((name for name in apis if name not in APIS), None)
        if unknown is not None:
            raise MalformedRelease(f"unknown API {unknown!r}; known are {', '.join(APIS)}")
        states = {name: initial.get(name, {}) for name in apis}
        for name, state in states.items():
            if not isinstance(state, Mapping):
                place = f"initial state of {name}"
                raise MalformedRelease.at(place, "a mapping", type(state).__name__)
        loaded = {name: APIS[name].load(state, config) for name, state in states.items()}
        return cls(loaded, owner, config.aliases)

    @classmethod
    def for_entry(
        cls, entry: Entry, config: WorldConfig, owner: str, initial: Mapping[str, Json] | None = None
    ) -> World:
        """The world in which `entry` starts; as in the release, the entry's id is part of the owner name.

        initial: replaces the entry's own initial state, for example by a filled memory. Raises
        MalformedRelease as `of` does, naming the entry.
        """
        if CATEGORIES[entry.category].long_context:
            config = replace(config, long_context=True)
        start = entry.initial_state if initial is None else initial
        try:
            return cls.of(entry.apis, start, config, f"{owner}_{entry.entry_id}")
        except MalformedRelease as error:
            raise MalformedRelease(f"{entry.entry_id}: {error}") from error

    @property
    def memory(self) -> Memory | None:
        """The memory among the APIs; None if there is none."""
        memory = next((api for name, api in self.apis.items() if name in MEMORIES), None)
        return cast(Memory | None, memory)

    def states(self) -> dict[str, Any]:
        """The current state of each API, not copied."""
        return {name: api.state for name, api in self.apis.items()}

    def run(self, call: Call) -> str:
        """Runs `call` and returns its result as text for the model.

        A failed call has an error text as its result. Raises PipelineError if the infrastructure that the
        call needs failed, such as the web.
        """
        try:
            self._refuse(call)
            text = _text(self._value(call))
            self._count_result(len(text), MAX_RESULT)
        except PipelineError:
            raise
        except Exception as error:  # noqa: BLE001  # any error of an API is the result of the call
            return f"Error during execution: {error}"[:MAX_RESULT]
        return text

    def _refuse(self, call: Call) -> None:
        """Raises CallFailed if the name of `call` is refused or its source text is not valid Python."""
        if self._calls_left < 0:
            raise _too_many_calls()
        _, dot, last = call.name.partition(".")
        bare = (last.partition(".")[0] if dot else call.name).rstrip()
        if bare in REFUSED:
            raise CallFailed(f"Function call {bare} is not allowed.")
        problem = self._rewriter.problem(call)
        if problem is not None:
            raise CallFailed(problem)

    def _value(self, call: Call) -> Any:
        """The return value of the method; calls among the arguments are run first."""
        self._count_call()
        method = self._methods.get(call.name) or self._methods.get(call.name.strip())
        if method is None:
            raise CallFailed(undefined_name_error(call.name))
        before = self._characters_given
        arguments = {
            normalize("NFKC", str(name).strip()): self._argument(value)  # Python's normalisation of names
            for name, value in call.arguments.items()
        }
        self._count_reading(self._instances[call.name.strip()], self._characters_given - before)
        return method(**arguments)

    def _argument(self, value: Any) -> Any:
        """A copy of `value`, rewritten, with inner calls replaced by their results."""
        if isinstance(value, str):
            self._characters_given += len(value)
            return self._rewriter.text(value) if "(" in value else value
        if isinstance(value, Call):
            inner = self._value(value)
            characters = len(_text(inner))
            self._count_result(characters, MAX_INNER_RESULT)
            self._characters_given += characters
            return copy_value(inner)  # otherwise a state could become part of itself
        if isinstance(value, dict):
            return {self._argument(key): self._argument(item) for key, item in value.items()}
        if isinstance(value, list | tuple):
            return type(value)(self._argument(item) for item in value)
        if isinstance(value, float) and not isfinite(value):
            raise CallFailed(undefined_name_error(repr(value).lstrip("-")))
        self._characters_given += 1
        return value

    def _count_call(self) -> None:
        self._calls_left -= 1
        if self._calls_left < 0:
            raise _too_many_calls()
        if self._characters_left < 0:
            raise BoundExceeded(f"more than {MAX_RESULTS:,} characters of results in one conversation")

    def _count_reading(self, instance: str, given: int) -> None:
        """Counts what a call of the API may read: all text in its arguments and those of earlier calls."""
        self._characters_held[instance] += given
        self._characters_read[instance] += self._characters_held[instance]
        if self._characters_read[instance] > MAX_READ:
            raise BoundExceeded(f"the calls of a conversation read more than {MAX_READ:,} characters")

    def _count_result(self, characters: int, most: int) -> None:
        self._characters_left -= characters
        if characters > most or self._characters_left < 0:
            raise BoundExceeded(f"a result of {characters:,} characters is too long")


def _too_many_calls() -> BoundExceeded:
    return BoundExceeded(f"more than {MAX_CALLS:,} calls in one conversation")


def _text(result: Any) -> str:
    """A result as text: mappings as JSON if possible, all other values as Python prints them."""
    if isinstance(result, str):
        return result
    if isinstance(result, dict):
        try:
            return json.dumps(result)
        except (TypeError, ValueError, RecursionError):
            return str(result)
    return str(result)
