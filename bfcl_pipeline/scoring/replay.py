"""A conversation of several turns played again, as a record for people: calls, results, changes.

Covers what the checker compares and does not keep: what each call returned, what it changed in the
world, and the turn at which the finding fell. Showing it is `report.transcript`.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any

from bfcl_pipeline.calls import decode_step
from bfcl_pipeline.records import Call, DecodeFailure, Entry, Json, Mode, NameStyle, Rules
from bfcl_pipeline.scoring.differences import first_differences
from bfcl_pipeline.scoring.findings import Finding
from bfcl_pipeline.scoring.multi_turn import MODEL_OWNER, MultiTurnChecker
from bfcl_pipeline.scoring.truth import TRUTH_OWNER, truth_calls
from bfcl_pipeline.tools import Constants, Setting, World, snapshot

MOST_CHANGES = 1_000
"""Changes that are kept of one call."""


@dataclass(frozen=True, slots=True)
class Change:
    """One place of the world that a call changed."""

    api: str  # whose state
    path: str  # attribute, then keys and positions: orders[12446]['status']
    before: Any  # differences.NOTHING where there was nothing
    after: Any  # differences.NOTHING where there is nothing any more


@dataclass(frozen=True, slots=True)
class PlayedCall:
    """One call, run."""

    call: Call
    result: str  # as the model was shown it
    changes: tuple[Change, ...]  # the first MOST_CHANGES, API by API


@dataclass(frozen=True, slots=True)
class PlayedStep:
    """One answer of the model within a turn."""

    result: Json  # the answer in the official result form
    calls: tuple[PlayedCall, ...]  # none where it is no call
    problem: str | None  # why it is not read as calls; None where it is, or nothing is to be read


@dataclass(frozen=True, slots=True)
class Replay:
    """What a model did on an entry, beside the truth."""

    turns: tuple[tuple[PlayedStep, ...], ...]  # steps of the turns that were reached, maybe too many
    truth: tuple[tuple[PlayedCall, ...], ...]  # calls of each turn of the entry
    finding: Finding | None  # what the checker found wrong, and at which turn


def replay(
    entry: Entry, result: Json | DecodeFailure, mode: Mode, constants: Constants, rules: Rules
) -> Replay:
    """Plays the answer to `entry` and its truth. Raises MalformedRelease as the checker does.

    result: the results of each turn's steps; anything else has no turns.
    """
    (finding,) = MultiTurnChecker(entry, constants).check(result, mode, NameStyle.UNDERSCORED, (rules,))
    player = _Player(World.for_entry(entry, Setting(constants), MODEL_OWNER))
    answered = result if isinstance(result, list) else []
    turns = tuple(tuple(_steps(player, turn, mode)) for turn in answered)
    return Replay(turns, replay_truth(entry, constants), finding)


def replay_truth(entry: Entry, constants: Constants) -> tuple[tuple[PlayedCall, ...], ...]:
    """The calls of each turn of the truth, run. Raises MalformedRelease."""
    player = _Player(World.for_entry(entry, Setting(constants), TRUTH_OWNER))
    return tuple(player.play(calls) for calls in truth_calls(entry))


def _steps(player: _Player, turn: Json, mode: Mode) -> Iterator[PlayedStep]:
    """The steps of a turn; what stands in the place of a turn without being one is a step by itself."""
    if not isinstance(turn, list):
        yield PlayedStep(turn, (), f"Expected a list of steps, got {type(turn).__name__}.")
        return
    for result in turn:
        calls = decode_step(result, mode)
        if isinstance(calls, DecodeFailure):
            said = mode is Mode.FC and isinstance(result, str)  # a text is no attempt at a native call
            yield PlayedStep(result, (), None if said else calls.message)
        else:
            yield PlayedStep(result, player.play(calls), None)


class _Player:
    """Runs calls in one world and says what each changed."""

    def __init__(self, world: World) -> None:
        self._world = world
        self._seen = {api: snapshot(state) for api, state in world.states().items()}

    def play(self, calls: Sequence[Call]) -> tuple[PlayedCall, ...]:
        return tuple(PlayedCall(call, self._world.run(call), tuple(self._changes())) for call in calls)

    def _changes(self) -> Iterator[Change]:
        """The differences to when this was last asked."""
        for api, state in self._world.states().items():
            before = self._seen[api]
            if state == before:
                continue
            after = self._seen[api] = snapshot(state)
            for found in first_differences(before, after, MOST_CHANGES):
                yield Change(api, found.path, found.got, found.expected)
