"""Plays a conversation again: calls, results and changes.

Covers what the checker compares without keeping it: what each call returned, and what it changed in the
simulated world.
"""

from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from typing import Any

from bfcl_pipeline.base.errors import MalformedRelease, ModelError, NotRecorded, PipelineError
from bfcl_pipeline.benchmark.records import Call, DecodeFailure, Entry, Json, Mode
from bfcl_pipeline.dialogue.calls import Work, decode_step
from bfcl_pipeline.judge.scoring.findings import first_differences
from bfcl_pipeline.judge.scoring.multi_turn import TRUTH_OWNER, truth_calls
from bfcl_pipeline.show.playback.conditions import Conditions
from bfcl_pipeline.world.tools import Constants, World, WorldConfig, snapshot

MOST_CHANGES = 1_000
"""Changes that are recorded for one call."""

MOST_CHANGING = 500
"""Calls of one conversation whose changes are recorded: each of them compares the whole world."""


@dataclass(frozen=True, slots=True)
class Change:
    """One place of the world that a call changed."""

    api: str  # the API with this state
    path: str  # attribute, then keys and positions: orders[12446]['status']
    before: Any  # differences.MISSING if the place did not exist
    after: Any  # differences.MISSING if the place no longer exists


@dataclass(frozen=True, slots=True)
class PlayedCall:
    """One call that was run."""

    call: Call
    result: str  # in the form in which the model received it
    changes: tuple[Change, ...]  # the first MOST_CHANGES, API by API
    recorded: bool = True  # False: the result is not recorded, and `result` says why
    compared: bool = True  # False: it comes after MOST_CHANGING calls with changes; its own are not known


@dataclass(frozen=True, slots=True)
class PlayedStep:
    """One answer of the model within a turn."""

    result: Json  # the answer in the official result form
    calls: tuple[PlayedCall, ...]  # empty if the answer is not a call
    problem: str | None  # why it cannot be read as calls; None if it can, or is a text in native mode


class Player:
    """Runs calls in one world and finds what each of them changed."""

    def __init__(self, world: World) -> None:
        self._world = world
        self._states = {api: snapshot(state) for api, state in world.states().items()}
        self._left = MOST_CHANGING

    def play(self, call: Call) -> PlayedCall:
        """Runs one call. Raises PipelineError if its result is not recorded."""
        result = self._world.run(call)
        if not self._left:
            return PlayedCall(call, result, (), compared=False)
        changes = tuple(self._changes())
        self._left -= bool(changes)
        return PlayedCall(call, result, changes)

    def _changes(self) -> Iterator[Change]:
        """The changes since the previous call of this method."""
        for api, state in self._world.states().items():
            before = self._states[api]
            if state == before:
                continue
            after = self._states[api] = snapshot(state)
            for difference in first_differences(before, after, MOST_CHANGES):
                yield Change(api, difference.path, difference.first, difference.second)


def play_truth(entry: Entry, constants: Constants) -> tuple[tuple[PlayedCall, ...], ...]:
    """Runs the calls of each turn of the truth. Raises MalformedRelease."""
    player = Player(World.for_entry(entry, WorldConfig(constants), TRUTH_OWNER))
    return tuple(tuple(map(player.play, calls)) for calls in truth_calls(entry))


def _played_steps(
    play_call: Callable[[Call], PlayedCall], turn: Json, mode: Mode, work: Work
) -> Iterator[PlayedStep]:
    """The steps of a turn; a value that is not a list of steps is one step.

    Nothing follows the step with which the work is done that may be spent on an answer, as in the check.
    """
    if not isinstance(turn, list):
        yield PlayedStep(turn, (), f"Expected a list of steps, got {type(turn).__name__}.")
        return
    for result in turn:
        if work.is_done:
            return
        calls = decode_step(result, mode, work)
        if isinstance(calls, DecodeFailure):
            is_text = mode is Mode.FC and isinstance(result, str)  # not an attempt at a native call
            yield PlayedStep(result, (), None if is_text else calls.message)
        else:
            yield PlayedStep(result, tuple(map(play_call, calls)), None)


NO_EMBEDDING = "The embeddings of this memory are not stored on this machine."
"""Why the result of a search by meaning is missing."""

NO_OUTCOME = "Its outcome is not in the web cache."
"""Why the result of a call on a recorded web is missing."""

UNREADABLE = "Its recorded outcome cannot be read."
"""Why the result of a call is missing if its outcome in the web cache is damaged."""

NO_MEMORY = "The memory at the start is not in a form that can be loaded."
"""Why results are missing if the memory at the start is not a snapshot, as in results from elsewhere."""


def play(
    entry: Entry,
    result: Json,
    mode: Mode,
    conditions: Conditions,
    web: str | None = None,
    before: Json = None,
    missing: str | None = None,
    model: str | None = None,
) -> tuple[tuple[PlayedStep, ...], ...]:
    """The steps of each turn of an answer, with the result of each call.

    Args:
        entry: one whose turns are lists of steps: a conversation, a session, a memory or web question.
        result: the answer in the official form, parsed: a list of turns; anything else has no turns.
        web: the column `web` of the response.
        before: the memory at the start, a snapshot; None: an empty memory.
        missing: why the memory at the start is not recorded, for a person; None if it is.
        model: the model's name in the run, which some error texts repeat.

    Raises MalformedRelease if the entry is not well formed.
    """
    try:
        played = conditions.world(entry, model, web, before)
    except MalformedRelease:
        if before is None:
            raise
        played = replace(conditions.world(entry, model, web), missing=NO_MEMORY)
    unknown, player = missing or played.missing, Player(played.world)

    def play_call(call: Call) -> PlayedCall:
        try:
            if unknown is None:
                return player.play(call)
            why = unknown
        except NotRecorded:
            why = NO_OUTCOME
        except ModelError:
            why = NO_EMBEDDING
        except PipelineError:
            why = UNREADABLE
        return PlayedCall(call, why, (), recorded=False)

    work = Work()
    turns = result if isinstance(result, list) else []
    return tuple(tuple(_played_steps(play_call, turn, mode, work)) for turn in turns)
