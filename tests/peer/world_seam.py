"""Runs trajectories through our simulated APIs and compares them with the official results.

Covers our side of the world seam, the comparison call by call, and the documented exceptions.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, fields, replace
from typing import Any

from bfcl_pipeline.benchmark.records import Call
from bfcl_pipeline.world.tools import Constants, World, WorldConfig
from bfcl_pipeline.world.tools.math import MAX_FIGURE_TEXT
from tests.peer.comparison import Argued, Comparison, apart
from tests.peer.world_calls import EVALUATED_NAMES
from tests.peer.world_digest import StateDigests, shortened
from tests.peer.world_scenes import API_OF, FAILED, Drawing, Scene, given, is_failure


@dataclass(frozen=True, slots=True)
class Played:
    """One trajectory and what our side did."""

    number: int
    scene: Scene
    calls: tuple[Call, ...]
    results: tuple[str, ...]  # of each call
    states: tuple[tuple[str, ...], ...]  # digests by API, before the first call and after every call
    full: bool  # whether results and states are in full

    def row(self, today: str) -> dict[str, Any]:
        """The question to the official side."""
        return {
            "owner": ["seam", str(self.number)],
            "apis": list(self.scene.apis),
            "initial": self.scene.initial,
            "long_context": self.scene.long_context,
            "today": today,
            "calls": [[call.name, call.arguments] for call in self.calls],
            "full": self.full,
        }

    def answer(self) -> dict[str, Any]:
        """Our side, in the form of the official one."""
        return {"results": self.results, "states": self.states}


def play(number: int, scene: Scene, drawing: Drawing, constants: Constants, full: bool = False) -> Played:
    """Our results and states for the calls that are drawn."""
    setting = WorldConfig(constants, long_context=scene.long_context)
    world = World.of(scene.apis, scene.initial, setting, f"seam_{number}")
    digests = StateDigests(full)
    calls: list[Call] = []
    results: list[str] = []
    states = [_digests(world, digests)]
    call = next(drawing, None)
    while call is not None:
        text = world.run(call)
        calls.append(call)
        results.append(text if full else shortened(text))
        states.append(_digests(world, digests))
        try:
            call = drawing.send(text)
        except StopIteration:
            call = None
    return Played(number, scene, tuple(calls), tuple(results), tuple(states), full)


def _digests(world: World, digests: StateDigests) -> tuple[str, ...]:
    return tuple(
        digests.of(api, {one.name: getattr(state, one.name) for one in fields(state)})
        for api, state in world.states().items()
    )


def _is_evaluated(call: Call, official: str, ours: str) -> bool:
    return call.name in EVALUATED_NAMES and ours.startswith(f"{FAILED}name ")


def _is_long_figure(call: Call, official: str, ours: str) -> bool:
    """The text is that of the call, or the longer one that it was altered to, which the error quotes."""
    texts = [value for value in (*call.arguments.values(), official) if isinstance(value, str)]
    return call.name == "logarithm" and any(len(text) > MAX_FIGURE_TEXT for text in texts)


def _goes_round(call: Call, official: str, ours: str) -> bool:
    return all(text.startswith(f"{FAILED}maximum recursion depth exceeded") for text in (official, ours))


def _lists_a_set(call: Call, official: str, ours: str) -> bool:
    return _with_sorted_sets(official) == _with_sorted_sets(ours)


def _with_sorted_sets(text: str) -> str:
    """The text with its unordered lists, joined or between braces, sorted."""
    joined = re.fullmatch(r'\{"error": "Invalid fields for update: (.*)"\}', text)
    if joined:
        return str(sorted(joined[1].split(", ")))
    return re.sub(r"\{([^{}:]*)\}", lambda found: str(sorted(found[1].split(", "))), text)


EXCEPTIONS: Mapping[str, Argued] = {
    "evaluation": Argued(
        "the official side evaluates the name of a call, which may be a builtin or an expression; here a "
        "name is looked up among the methods",
        _is_evaluated,
    ),
    "bound": Argued(
        f"a text of more than {MAX_FIGURE_TEXT} characters is not read as a figure", _is_long_figure
    ),
    "recursion": Argued(
        "a directory that was moved or copied into itself has no end; Python's message names what was "
        "being done when the depth ran out",
        _goes_round,
    ),
    "set order": Argued(
        "the official side prints a set, whose order changes from process to process", _lists_a_set
    ),
}
"""Every documented exception, by name."""


@dataclass(frozen=True, slots=True)
class Disagreement:
    """A call of a trajectory at which the sides differ."""

    played: Played
    at: int  # number of the call, -1 for the start
    what: str  # "result", "state" or "answer"
    official: str
    ours: str

    def shown(self) -> str:
        """For a person: the last calls, and both sides where they begin to differ."""
        scene = self.played.scene
        calls = [f"    {_written(call)}" for call in self.played.calls[max(0, self.at - 3) : self.at + 1]]
        return "\n".join(
            [
                f"{scene.name} ({', '.join(scene.apis)}; long_context={scene.long_context}), trajectory "
                f"{self.played.number}, call {self.at}: {self.what}",
                *calls,
                apart(self.ours, self.official),
            ]
        )


def _written(call: Call) -> str:
    return f"{call.name}({', '.join(f'{name}={value!r}' for name, value in call.arguments.items())})"[
        :2_000
    ]


@dataclass
class Calls:
    """Trajectories side by side."""

    comparison: Comparison[Disagreement] = field(
        default_factory=lambda: Comparison(
            "world seam: calls of both sides, their results and the states after them", EXCEPTIONS
        )
    )
    succeeded: Counter[str] = field(default_factory=Counter)  # official results, by method
    failed: Counter[str] = field(default_factory=Counter)
    passed_over: int = 0  # calls after one at which the states parted

    def add(self, played: Played, official: Mapping[str, Any]) -> None:
        """Compares one trajectory call by call, until the states part."""
        if "results" not in official:
            self.comparison.differing.append(Disagreement(played, -1, "answer", str(official), ""))
            return
        states = zip(official["states"], played.states, strict=True)
        if not self._agree_on_state(played, -1, *next(states)):
            self.passed_over += len(played.calls)
            return
        results = zip(official["results"], played.results, strict=True)
        for at, (result, state) in enumerate(zip(results, states, strict=True)):
            self._add_result(played, at, *result)
            if not self._agree_on_state(played, at, *state):
                self.passed_over += len(played.calls) - at - 1
                return

    def _add_result(self, played: Played, at: int, official: str, ours: str) -> None:
        call = played.calls[at]
        failed = is_failure(official)
        (self.failed if failed else self.succeeded)[call.name] += 1
        difference = None if official == ours else Disagreement(played, at, "result", official, ours)
        group, kind = API_OF.get(call.name, "no method"), "failed" if failed else "succeeded"
        self.comparison.add(group, kind, difference, call, official, ours)

    def _agree_on_state(
        self, played: Played, at: int, official: Sequence[str], ours: Sequence[str]
    ) -> bool:
        if list(official) == list(ours):
            return True
        self.comparison.differing.append(Disagreement(played, at, "state", str(official), str(list(ours))))
        return False


def in_full(
    disagreements: Sequence[Disagreement],
    constants: Constants,
    ask: Callable[[Sequence[dict[str, Any]]], Sequence[Mapping[str, Any]]],
    today: str,
) -> Iterator[Disagreement]:
    """The disagreements with results and states written out instead of their digests."""
    again = [
        play(
            one.played.number, one.played.scene, given(one.played.calls[: one.at + 1]), constants, full=True
        )
        for one in disagreements
    ]
    answers = ask([played.row(today) for played in again])
    for one, played, answer in zip(disagreements, again, answers, strict=True):
        if "results" not in answer or one.what == "answer":
            yield one
        elif one.what == "result":
            yield replace(one, official=answer["results"][-1], ours=played.results[-1])
        else:
            official, ours = answer["states"][-1], played.states[-1]
            yield replace(one, official=" ".join(official), ours=" ".join(ours))
