"""The truth of an entry of several turns: its calls, and what becomes of the world when they are run.

Covers reading the release's call texts and playing them once, however many answers are compared.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from bfcl_pipeline.calls import read_literal_call
from bfcl_pipeline.errors import MalformedRelease
from bfcl_pipeline.records import Call, Entry
from bfcl_pipeline.tools import Constants, Setting, World, parameters_of, snapshot

TRUTH_OWNER = "truth"
"""Whose world the truth is played in."""


@dataclass(frozen=True, slots=True)
class TruthTurn:
    """One turn of the truth, played."""

    calls: tuple[Call, ...]  # none where the model should not call anything
    results: tuple[str, ...]  # of each call, as a model would see it
    wanted: Mapping[str, int]  # how often each result occurs
    states: Mapping[str, Any]  # of each API after the turn


def truth_calls(entry: Entry) -> tuple[tuple[Call, ...], ...]:
    """The calls of each turn, all arguments named. Raises MalformedRelease naming what is no call."""
    if not isinstance(entry.truth, list) or not all(isinstance(turn, list) for turn in entry.truth):
        raise _malformed(entry, "a list of turns", type(entry.truth).__name__)
    return tuple(tuple(_call(entry, text) for text in turn) for turn in entry.truth)


def play_truth(entry: Entry, constants: Constants) -> tuple[TruthTurn, ...]:
    """Every turn of the truth of `entry`, run in a world of its own. Raises MalformedRelease."""
    world = World.for_entry(entry, Setting(constants), TRUTH_OWNER)
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
    return MalformedRelease(
        f"{entry.entry_id}: truth: expected {expected}, got {got}. "
        "Stage the release again (bfcl-pipeline stage)."
    )
