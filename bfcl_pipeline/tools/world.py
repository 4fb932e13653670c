"""The simulated world of one conversation: its APIs, and running calls against them.

A call runs by look-up among the marked methods of the entry's APIs; nothing in it is evaluated or
imported, and no attribute is reached from its text. Whatever goes wrong inside an API is the text of a
failed call. Source: the release's execution of calls, whose texts these are.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from math import isfinite
from typing import Any, cast
from unicodedata import normalize

from bfcl_pipeline.errors import MalformedRelease, PipelineError
from bfcl_pipeline.records import Call, Entry, Json
from bfcl_pipeline.tools.api import Api, Setting, effects, parameters
from bfcl_pipeline.tools.file_system import GorillaFileSystem
from bfcl_pipeline.tools.limits import (
    MAX_CALLS,
    MAX_INNER_RESULT,
    MAX_RESULT,
    MAX_RESULTS,
    BoundExceeded,
    CallFailed,
)
from bfcl_pipeline.tools.math_api import MathAPI
from bfcl_pipeline.tools.memory import MEMORIES, Memory
from bfcl_pipeline.tools.message_api import MessageAPI
from bfcl_pipeline.tools.posting_api import TwitterAPI
from bfcl_pipeline.tools.retelling import Retelling, undefined
from bfcl_pipeline.tools.state import copied
from bfcl_pipeline.tools.ticket_api import TicketAPI
from bfcl_pipeline.tools.trading_bot import TradingBot
from bfcl_pipeline.tools.travel_api import TravelAPI
from bfcl_pipeline.tools.vehicle_control import VehicleControlAPI
from bfcl_pipeline.tools.web_search import WebSearchAPI

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
"""Every simulated API, by the name that entries give it."""

REFUSED = frozenset({"kill", "exit", "quit", "remove", "unlink", "popen", "Popen", "run"})
"""Names that the release refuses to run, with a text of its own."""

_PLAIN = str.maketrans("-./:", "____")
"""Makes a name that Python can read of an owner such as `memory_kv_0-customer-0`."""

LONG_CONTEXT = "multi_turn_long_context"
"""The category whose worlds are filled up."""


def parameters_of(apis: Sequence[str], method: str) -> tuple[str, ...]:
    """The parameters, in order, of a method of one of the named APIs; of the last one that has it.

    Raises KeyError if none has.
    """
    for name in reversed(apis):
        if method in effects(APIS[name]):
            return parameters(APIS[name], method)
    raise KeyError(method)


class World:
    """The APIs of one conversation. `run` is all that a model can do to them."""

    def __init__(
        self, apis: Mapping[str, Api], owner: str, aliases: Mapping[str, str] | None = None
    ) -> None:
        """apis: by name. aliases: methods by other names; those of methods not here are passed over."""
        self.apis = apis
        self._calls_left = MAX_CALLS
        self._characters_left = MAX_RESULTS
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
        self._retelling = Retelling(self._instances)

    @classmethod
    def of(
        cls, apis: Sequence[str], initial: Mapping[str, Json] | None, setting: Setting, owner: str
    ) -> World:
        """A fresh world with the named APIs; an API that `initial` does not name starts in its default.

        owner: whose world it is; it shows only in the texts of `retelling`. Raises MalformedRelease if
        an API is unknown or its initial state is not well formed.
        """
        initial = initial or {}
        unknown = next((name for name in apis if name not in APIS), None)
        if unknown is not None:
            raise MalformedRelease(f"unknown API {unknown!r}; known are {', '.join(APIS)}")
        states = {name: initial.get(name, {}) for name in apis}
        for name, state in states.items():
            if not isinstance(state, Mapping):
                raise MalformedRelease(
                    f"initial state of {name}: expected a mapping, got {type(state).__name__}. "
                    "Stage the release again (bfcl-pipeline stage)."
                )
        loaded = {name: APIS[name].load(state, setting) for name, state in states.items()}
        return cls(loaded, owner, setting.aliases)

    @classmethod
    def for_entry(
        cls, entry: Entry, setting: Setting, owner: str, initial: Mapping[str, Json] | None = None
    ) -> World:
        """The world that `entry` starts in; the entry's id is part of its owner's name, as in the release.

        initial: another initial state than the entry's own, such as a memory that was filled before.
        Raises MalformedRelease as `of` does, naming the entry.
        """
        if entry.category == LONG_CONTEXT:
            setting = replace(setting, long_context=True)
        start = entry.initial_state if initial is None else initial
        try:
            return cls.of(entry.apis, start, setting, f"{owner}_{entry.entry_id}")
        except MalformedRelease as error:
            raise MalformedRelease(f"{entry.entry_id}: {error}") from error

    @property
    def memory(self) -> Memory | None:
        """The memory among the APIs; None if there is none."""
        found = next((api for name, api in self.apis.items() if name in MEMORIES), None)
        return cast(Memory | None, found)

    def states(self) -> dict[str, Any]:
        """The state of each API, as it is: whoever keeps it copies it."""
        return {name: api.state for name, api in self.apis.items()}

    def run(self, call: Call) -> str:
        """The result of `call` as the text that a model is shown.

        Raises PipelineError where not the call failed but what it needs, such as the web.
        """
        try:
            self._refuse(call)
            text = _text(self._value(call))
            self._count_result(len(text), MAX_RESULT)
        except PipelineError:
            raise
        except Exception as error:  # noqa: BLE001  # whatever an API does not take: its text is the result
            return f"Error during execution: {error}"[:MAX_RESULT]
        return text

    def _refuse(self, call: Call) -> None:
        """Raises CallFailed if `call` is refused by name or is not written as Python would take it."""
        bare = (call.name.split(".")[1] if "." in call.name else call.name).rstrip()
        if bare in REFUSED:
            raise CallFailed(f"Function call {bare} is not allowed.")
        problem = self._retelling.problem(call)
        if problem is not None:
            raise CallFailed(problem)

    def _value(self, call: Call) -> Any:
        """What the method returns; calls among the arguments are run first."""
        self._count_call()
        method = self._methods.get(call.name) or self._methods.get(call.name.strip())
        if method is None:
            raise CallFailed(undefined(call.name))
        arguments = {
            normalize("NFKC", str(name).strip()): self._argument(value)  # as Python reads a name
            for name, value in call.arguments.items()
        }
        return method(**arguments)

    def _argument(self, value: Any) -> Any:
        """`value` as the method gets it: a copy of its own."""
        if isinstance(value, str):
            return self._retelling.text(value) if "(" in value else value
        if isinstance(value, Call):
            inner = self._value(value)
            self._count_result(len(_text(inner)), MAX_INNER_RESULT)
            return copied(inner)  # it may be part of a state, which must not become part of itself
        if isinstance(value, dict):
            return {self._argument(key): self._argument(item) for key, item in value.items()}
        if isinstance(value, list | tuple):
            return type(value)(self._argument(item) for item in value)
        if isinstance(value, float) and not isfinite(value):
            raise CallFailed(undefined(repr(value).lstrip("-")))
        return value

    def _count_call(self) -> None:
        self._calls_left -= 1
        if self._calls_left < 0:
            raise BoundExceeded(f"more than {MAX_CALLS:,} calls in one conversation")
        if self._characters_left < 0:
            raise BoundExceeded(f"more than {MAX_RESULTS:,} characters of results in one conversation")

    def _count_result(self, characters: int, most: int) -> None:
        self._characters_left -= characters
        if characters > most or self._characters_left < 0:
            raise BoundExceeded(f"a result of {characters:,} characters is too long")


def _text(result: Any) -> str:
    """A result as text: mappings as JSON where they can be, all else as Python prints it."""
    if isinstance(result, str):
        return result
    if isinstance(result, dict):
        try:
            return json.dumps(result)
        except (TypeError, ValueError, RecursionError):
            return str(result)
    return str(result)
