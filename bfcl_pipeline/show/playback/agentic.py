"""Plays a recorded conversation with a memory or on the web again: what each call returned and changed.

The results are derived from the memory at the start and from recorded outcomes, so they are what the model
saw. Where an outcome is not recorded, the call says so instead of a result.
"""

from dataclasses import replace

from bfcl_pipeline.base.errors import MalformedRelease, ModelError, NotRecorded, PipelineError
from bfcl_pipeline.benchmark.records import Call, Entry, Json, Mode
from bfcl_pipeline.show.playback.conditions import Conditions, PlayedWorld
from bfcl_pipeline.show.playback.conversation import PlayedCall, PlayedStep, Player, played_turns

NO_EMBEDDING = "The embeddings of this memory are not stored on this machine."
"""Why the result of a search by meaning is missing."""

NO_OUTCOME = "Its outcome is not in the web cache."
"""Why the result of a call on a recorded web is missing."""

UNREADABLE = "Its recorded outcome cannot be read."
"""Why the result of a call is missing if its outcome in the web cache is damaged."""

NO_MEMORY = "The memory at the start is not in a form that can be loaded."
"""Why results are missing if the memory at the start is not a snapshot, as in results from elsewhere."""


def play_agentic(
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
        entry: a question of a memory or web category, or a session before the questions of a memory.
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
    if missing is not None:
        played = replace(played, missing=missing)
    return played_turns(_RecordedPlayer(played).play, result, mode)


class _RecordedPlayer:
    """Runs calls whose results may not be recorded."""

    def __init__(self, played: PlayedWorld) -> None:
        self._played = played
        self._player = Player(played.world)

    def play(self, call: Call) -> PlayedCall:
        if self._played.missing is not None:
            return PlayedCall(call, self._played.missing, (), recorded=False)
        try:
            return self._player.play(call)
        except NotRecorded:
            return PlayedCall(call, NO_OUTCOME, (), recorded=False)
        except ModelError:
            return PlayedCall(call, NO_EMBEDDING, (), recorded=False)
        except PipelineError:
            return PlayedCall(call, UNREADABLE, (), recorded=False)
