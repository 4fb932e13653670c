"""A draft of a multi-turn conversation: its calls, and the sources of other plausible calls.

Covers the truth as a draft and the sources of changes to it (values of the entry, calls of all truths,
function docs); the changes are in `trajectory_changes`.
"""

from __future__ import annotations

import random
from collections import defaultdict
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, TypeAlias

from bfcl_pipeline.benchmark.records import Call, Entry
from bfcl_pipeline.judge.scoring import truth_calls
from bfcl_pipeline.world.tools import APIS, Effect, effects
from tests.peer.world_values import Known, edge, enumerated, typed

Turns: TypeAlias = list[list[list[Call]]]
"""The calls of every step of every turn."""


class Sources:
    """Where the changes to all conversations take calls from."""

    def __init__(self, entries: Iterable[Entry]) -> None:
        self.docs: dict[str, Mapping[str, Any]] = {}
        self.known_calls: defaultdict[str, list[Call]] = defaultdict(list)
        for entry in entries:
            offered = [*entry.functions, *(doc for docs in entry.held_out.values() for doc in docs)]
            self.docs.update((doc["name"], doc["parameters"]) for doc in offered)
            for call in (call for turn in truth_calls(entry) for call in turn):
                if call not in self.known_calls[call.name]:
                    self.known_calls[call.name].append(call)


@dataclass
class Draft:
    """A conversation in the making."""

    turns: Turns
    entry: Entry
    sources: Sources
    known: Known  # the values of the entry's initial state and truth, by parameter
    rng: random.Random
    nests: bool  # whether an argument may be a call

    def calls(self) -> list[tuple[list[Call], int]]:
        """The position of every call: its step and its index in the step."""
        return [(step, at) for turn in self.turns for step in turn for at in range(len(step))]

    def drawn(self, fits: Callable[[Call], bool] = lambda call: True) -> tuple[list[Call], int] | None:
        """The position of one of the matching calls."""
        fitting = [(step, at) for step, at in self.calls() if fits(step[at])]
        return self.rng.choice(fitting) if fitting else None

    def add(self, call: Call, turn: list[list[Call]] | None = None) -> None:
        """Puts a call at some place of the turn, or of any."""
        turn = self.rng.choice(self.turns) if turn is None and self.turns else turn
        if not turn or self.rng.random() < 0.4:
            if turn is not None:
                turn.insert(self.rng.randint(0, len(turn)), [call])
            return
        step = self.rng.choice(turn)
        step.insert(self.rng.randint(0, len(step)), call)

    def likely_call(self, effect: Effect) -> Call | None:
        """A call of one of the entry's APIs that may well succeed."""
        names = [
            name for api in self.entry.apis for name, its in effects(APIS[api]).items() if its is effect
        ]
        if not names:
            return None
        name = self.rng.choice(names)
        if self.sources.known_calls[name] and self.rng.random() < 0.4:
            return self.rng.choice(self.sources.known_calls[name])
        doc = self.sources.docs[name]
        return Call(
            name,
            {
                parameter: self.likely_value(name, parameter)
                for parameter in doc["properties"]
                if parameter in doc["required"] or self.rng.random() < 0.5
            },
        )

    def likely_value(self, name: str, parameter: str) -> Any:
        """A value that occurs in the entry, in another truth or among those documented."""
        spec = self._spec(name, parameter)
        kind, items = spec["type"], spec.get("items", {}).get("type")
        used = [
            call.arguments[parameter]
            for call in self.sources.known_calls[name]
            if parameter in call.arguments
        ]
        pools: list[Sequence[Any]] = [
            self.known.of(parameter, self.rng),
            used,
            enumerated(spec.get("description", "")),
            [typed(kind, items, self.rng)],
        ]
        return self.rng.choice(self.rng.choice([pool for pool in pools if pool]))

    def edge_value(self, name: str, parameter: str) -> Any:
        """A value of the documented type at an edge."""
        spec = self._spec(name, parameter)
        return edge(spec["type"], spec.get("items", {}).get("type"), self.rng)

    def _spec(self, name: str, parameter: str) -> Mapping[str, Any]:
        found: Mapping[str, Any] = self.sources.docs.get(name, {}).get("properties", {}).get(parameter, {})
        return found or {"type": "string"}


def draft(entry: Entry, sources: Sources, rng: random.Random, nests: bool) -> Draft:
    """The truth of `entry`, a step for each call or for a few of them, ready to be changed."""
    truth = truth_calls(entry)
    known = Known(entry.initial_state or {})
    for turn in truth:
        for call in turn:
            known.note(dict(call.arguments))
    turns = [[[call] for call in turn] for turn in truth]
    drafted = Draft(turns, entry, sources, known, rng, nests)
    for steps in turns:
        while len(steps) > 1 and rng.random() < 0.3:
            _merge(steps, rng)
    return drafted


def _merge(steps: list[list[Call]], rng: random.Random) -> None:
    at = rng.randrange(len(steps) - 1)
    steps[at : at + 2] = [steps[at] + steps[at + 1]]
