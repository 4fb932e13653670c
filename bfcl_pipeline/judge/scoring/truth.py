"""The truth of a multi-turn entry: its calls, their results, and the states after each turn.

Covers reading the release's call texts and running them once for any number of answers.
"""

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from bfcl_pipeline.base.errors import MalformedRelease
from bfcl_pipeline.benchmark.records import Call, Entry
from bfcl_pipeline.dialogue.calls import read_literal_call
from bfcl_pipeline.world.tools import Constants, World, WorldConfig, parameters_of, snapshot

TRUTH_OWNER = "truth"
"""The owner name of the truth's world."""


@dataclass(frozen=True, slots=True)
class TruthTurn:
    """One turn of the truth after its calls were run."""

    calls: tuple[Call, ...]  # empty if the model should not call anything
    results: tuple[str, ...]  # result of each call, as text for a model
    wanted: Mapping[str, int]  # number of occurrences of each result
    states: Mapping[str, Any]  # state of each API after the turn


def truth_calls(entry: Entry) -> tuple[tuple[Call, ...], ...]:
    """The calls of each turn, with a name for every argument. Raises MalformedRelease for invalid text."""
    if not isinstance(entry.truth, list) or not all(isinstance(turn, list) for turn in entry.truth):
        raise _malformed(entry, "a list of turns", type(entry.truth).__name__)
    return tuple(tuple(_call(entry, text) for text in turn) for turn in entry.truth)


def play_truth(entry: Entry, constants: Constants) -> tuple[TruthTurn, ...]:
    """Runs every turn of the truth of `entry` in a fresh world. Raises MalformedRelease."""
    world = World.for_entry(entry, WorldConfig(constants), TRUTH_OWNER)
    turns = []
    for calls in truth_calls(entry):
        results = tuple(world.run(call) for call in calls)
        turns.append(TruthTurn(calls, results, Counter(results), _states(world)))
    return tuple(turns)


def _states(world: World) -> dict[str, Any]:
    return {name: snapshot(state) for name, state in world.states().items()}


def _call(entry: Entry, text: Any) -> Call:
    try:
        return read_literal_call(text, lambda name: _parameters(entry.apis, name))
    except (ValueError, TypeError) as error:
        raise _malformed(entry, "a call with literal arguments", f"{text!r:.80} ({error})") from None


def _parameters(apis: Sequence[str], name: str) -> Sequence[str]:
    try:
        return parameters_of(apis, name)
    except KeyError:
        raise ValueError(f"{name} is not a method of {', '.join(apis)}") from None


def _malformed(entry: Entry, expected: str, got: str) -> MalformedRelease:
    return MalformedRelease.at(f"{entry.entry_id}: truth", expected, got)
