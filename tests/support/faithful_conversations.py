"""Multi-turn answers of a model that does what it is told: the truth with the one change that it needs."""

import json
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

from bfcl_pipeline.benchmark.records import Call, Entry, Mode, Response, Rules, Verdict
from bfcl_pipeline.dialogue.calls import executed_text
from bfcl_pipeline.judge.scoring import judge, truth_calls
from bfcl_pipeline.world.tools import Constants, World, WorldConfig

Results = Mapping[str, Any]
"""The latest result of each called function, read as JSON where it is JSON."""


@dataclass(frozen=True)
class Change:
    """How the faithful answer differs from the truth."""

    function: str  # of the calls that differ
    arguments: Callable[[Results], Mapping[str, Any]] | None = None  # from what was returned; None: no call
    instead: Call | None = None  # another call
    only: Mapping[str, Any] | None = None  # arguments of the calls that differ; None: every call

    def of(self, call: Call, results: Results) -> Call | None:
        """The call of the faithful answer in place of one of the truth."""
        if call.name != self.function or not (self.only or {}).items() <= call.arguments.items():
            return call
        if self.arguments is None:
            return self.instead
        changed = {**call.arguments, **self.arguments(results)}
        return Call(call.name, {name: value for name, value in changed.items() if value is not None})


@dataclass(frozen=True)
class Earlier:
    """The faithful answer makes the calls of a turn when they are asked for, which is one turn earlier."""

    turn: int  # of the truth, from 0


def faithful(entry: Entry, constants: Constants, difference: Change | Earlier) -> list[list[str]]:
    """The steps of each turn of the faithful answer."""
    if isinstance(difference, Change):
        return answer(entry, constants, difference)
    turns = answer(entry, constants)
    late = turns[difference.turn]
    turns[difference.turn] = []
    turns[difference.turn - 1] += late
    return turns


def dictated(**arguments: Any) -> Callable[[Results], Mapping[str, Any]]:
    """Arguments with the values that the user dictates; None leaves an argument out."""
    return lambda results: arguments


def answer(entry: Entry, constants: Constants, change: Change | None = None) -> list[list[str]]:
    """The steps of each turn: the calls of the truth, each in a message, with the change."""
    world = World.for_entry(entry, WorldConfig(constants), "answer")
    results: dict[str, Any] = {}
    turns = []
    for calls in truth_calls(entry):
        steps = []
        for wanted in calls:
            call = change.of(wanted, results) if change else wanted
            if call is not None:
                results[call.name] = _read(world.run(call))
                steps.append(f"[{executed_text(call)}]")
        turns.append(steps)
    return turns


def verdict(entry: Entry, constants: Constants, turns: list[list[str]], rules: Rules) -> Verdict:
    """The verdict on an answer."""
    response = Response(entry.entry_id, entry.category, Mode.PROMPT, json.dumps(turns))
    return judge(entry, response, rules, constants)


def _read(result: str) -> Any:
    try:
        return json.loads(result)
    except ValueError:
        return result
