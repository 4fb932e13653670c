"""Plays a conversation of several turns again: calls, results and changes.

Covers what the checker compares without keeping it: what each call returned, what it changed in the
simulated world, and the turn of the checker's finding.
"""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any

from bfcl_pipeline.calls import decode_step
from bfcl_pipeline.records import Call, DecodeFailure, Entry, Json, Mode, NameStyle, Rules
from bfcl_pipeline.scoring.differences import first_differences
from bfcl_pipeline.scoring.findings import Finding
from bfcl_pipeline.scoring.multi_turn import MODEL_OWNER, MultiTurnChecker
from bfcl_pipeline.scoring.truth import TRUTH_OWNER, truth_calls
from bfcl_pipeline.tools import Constants, World, WorldConfig, snapshot

MOST_CHANGES = 1_000
"""Changes that are recorded for one call."""


@dataclass(frozen=True, slots=True)
class Change:
    """One place of the world that a call changed."""

    api: str  # the API with this state
    path: str  # attribute, then keys and positions: orders[12446]['status']
    before: Any  # differences.NOTHING if the place did not exist
    after: Any  # differences.NOTHING if the place no longer exists


@dataclass(frozen=True, slots=True)
class PlayedCall:
    """One call that was run."""

    call: Call
    result: str  # in the form in which the model received it
    changes: tuple[Change, ...]  # the first MOST_CHANGES, API by API
    recorded: bool = True  # False: the result is not recorded, and `result` says why


@dataclass(frozen=True, slots=True)
class PlayedStep:
    """One answer of the model within a turn."""

    result: Json  # the answer in the official result form
    calls: tuple[PlayedCall, ...]  # empty if the answer is not a call
    problem: str | None  # why it cannot be read as calls; None if it can, or is a text in native mode


@dataclass(frozen=True, slots=True)
class Playback:
    """What a model did on an entry, beside the truth."""

    turns: tuple[tuple[PlayedStep, ...], ...]  # steps of the turns that were reached, or of more turns
    truth: tuple[tuple[PlayedCall, ...], ...]  # calls of each turn of the entry
    finding: Finding | None  # the error that the checker found, and its turn


class Player:
    """Runs calls in one world and finds what each of them changed."""

    def __init__(self, world: World) -> None:
        self._world = world
        self._states = {api: snapshot(state) for api, state in world.states().items()}

    def play(self, calls: Sequence[Call]) -> tuple[PlayedCall, ...]:
        """Runs `calls` in order. Raises PipelineError if a result is not recorded."""
        return tuple(self.play_one(call) for call in calls)

    def play_one(self, call: Call) -> PlayedCall:
        """Runs one call. Raises PipelineError likewise."""
        return PlayedCall(call, self._world.run(call), tuple(self._changes()))

    def _changes(self) -> Iterator[Change]:
        """The changes since the previous call of this method."""
        for api, state in self._world.states().items():
            before = self._states[api]
            if state == before:
                continue
            after = self._states[api] = snapshot(state)
            for difference in first_differences(before, after, MOST_CHANGES):
                yield Change(api, difference.path, difference.got, difference.expected)


def play(
    entry: Entry, result: Json | DecodeFailure, mode: Mode, constants: Constants, rules: Rules
) -> Playback:
    """Plays the answer to `entry` and its truth. Raises MalformedRelease as the checker does.

    result: the results of each turn's steps; anything else has no turns.
    """
    (outcome,) = MultiTurnChecker(entry, constants).check(result, mode, NameStyle.UNDERSCORED, (rules,))
    player = Player(World.for_entry(entry, WorldConfig(constants), MODEL_OWNER))
    answered = result if isinstance(result, list) else []
    turns = tuple(tuple(played_steps(player.play, turn, mode)) for turn in answered)
    return Playback(turns, play_truth(entry, constants), outcome.finding)


def play_truth(entry: Entry, constants: Constants) -> tuple[tuple[PlayedCall, ...], ...]:
    """Runs the calls of each turn of the truth. Raises MalformedRelease."""
    player = Player(World.for_entry(entry, WorldConfig(constants), TRUTH_OWNER))
    return tuple(player.play(calls) for calls in truth_calls(entry))


def played_steps(
    play_calls: Callable[[Sequence[Call]], tuple[PlayedCall, ...]], turn: Json, mode: Mode
) -> Iterator[PlayedStep]:
    """The steps of a turn, with their calls played; a value that is not a list of steps is one step."""
    if not isinstance(turn, list):
        yield PlayedStep(turn, (), f"Expected a list of steps, got {type(turn).__name__}.")
        return
    for result in turn:
        calls = decode_step(result, mode)
        if isinstance(calls, DecodeFailure):
            is_text = mode is Mode.FC and isinstance(result, str)  # not an attempt at a native call
            yield PlayedStep(result, (), None if is_text else calls.message)
        else:
            yield PlayedStep(result, play_calls(calls), None)
