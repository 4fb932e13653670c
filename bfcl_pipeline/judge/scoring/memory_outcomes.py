"""Why the answer to a memory question is wrong, and where the model saw the right one.

Only what is recorded decides: the memory at the question, the results of the look-ups, and the verdict. The
reasons are tried in the order of `Reason`, so that each wrong answer has one.
"""

from collections.abc import Collection
from dataclasses import dataclass
from enum import StrEnum

from bfcl_pipeline.benchmark.records import AnswerClass
from bfcl_pipeline.judge.scoring.memory_facts import Action, FactHistory

NOT_FOUND = "agentic:answer_not_found"
"""The error type of a final message without an acceptable answer; others have no final message."""


class Reason(StrEnum):
    """Why an answer is wrong, in the order in which the reasons are tried."""

    NOT_EXACT = "not_exact"  # it mentions an acceptable answer, but these rules do not accept it
    UNKNOWN = "unknown"  # the memory or a result of a look-up is not recorded
    NEVER_STORED = "never_stored"
    DELETED = "deleted"  # removed or cleared, or no recorded call explains its absence
    OVERWRITTEN = "overwritten"  # by another text
    NOT_LOOKED_UP = "not_looked_up"  # the fact is only found by a look-up, and there was none
    NOT_FOUND = "not_found"  # no result of a look-up had it
    NO_ANSWER = "no_answer"  # the model saw it, and wrote no final message
    ABSTAINED = "abstained"  # the model saw it, and says that it does not know
    MISREAD = "misread"  # the model saw it, and answers something else


class MemoryPlace(StrEnum):
    """The part of the memory that has a fact at the question."""

    CORE = "core"
    ARCHIVAL = "archival"
    BOTH = "both"
    NONE = "none"


class Seen(StrEnum):
    """Where a model saw an acceptable answer before it answered."""

    PROMPT = "prompt"  # in the core memory, which the system prompt has
    LOOK_UP = "look_up"  # in a result of a search or a retrieval
    NOWHERE = "nowhere"


@dataclass(frozen=True, slots=True)
class QuestionRecord:
    """What is recorded of the answer to one question, whatever the rules."""

    history: FactHistory | None  # None if the sessions are not recorded
    searches: int
    retrievals: int
    found: bool | None  # whether a look-up found an acceptable answer; None if a result is unknown

    @property
    def look_ups(self) -> int:
        """Searches and retrievals, also those that failed."""
        return self.searches + self.retrievals

    @property
    def place(self) -> MemoryPlace | None:
        """The part of the memory with the fact; None if it is not recorded."""
        if self.history is None:
            return None
        match self.history.in_core, self.history.in_archival:
            case True, True:
                return MemoryPlace.BOTH
            case True, False:
                return MemoryPlace.CORE
            case False, True:
                return MemoryPlace.ARCHIVAL
            case _:
                return MemoryPlace.NONE

    @property
    def seen(self) -> Seen | None:
        """Where the model saw an acceptable answer; None if it is not known."""
        if self.history is None:
            return None
        if self.history.in_core:
            return Seen.PROMPT
        if self.found is None:
            return None
        return Seen.LOOK_UP if self.found else Seen.NOWHERE


def reason(
    record: QuestionRecord | None, is_mentioned: bool, error_type: str | None, answer_class: str | None
) -> Reason:
    """Why an answer is wrong.

    Args:
        record: None if the answer is not recorded.
        is_mentioned: whether the official rules accept the answer, because it mentions an acceptable one.
        error_type: of the verdict.
        answer_class: of the verdict, as in `records.AnswerClass`; None if it is not recorded.
    """
    if is_mentioned:
        return Reason.NOT_EXACT
    if record is None or record.history is None:
        return Reason.UNKNOWN
    if not record.history.kept:
        return _lost(record.history)
    if not record.history.in_core and not record.look_ups:
        return Reason.NOT_LOOKED_UP
    seen = record.seen
    if seen is None:
        return Reason.UNKNOWN
    if seen is Seen.NOWHERE:
        return Reason.NOT_FOUND
    if error_type != NOT_FOUND:
        return Reason.NO_ANSWER
    return Reason.ABSTAINED if answer_class == AnswerClass.ABSTAINED.value else Reason.MISREAD


def _lost(history: FactHistory) -> Reason:
    if history.lost is None:
        return Reason.NEVER_STORED
    return Reason.OVERWRITTEN if history.lost.action in (Action.REPLACE, Action.ADD) else Reason.DELETED


class Pattern(StrEnum):
    """Which parts of a memory a model adds to in the sessions."""

    COMPLEMENTARY = "core_and_archival"
    ARCHIVAL_ONLY = "archival_only"
    CORE_ONLY = "core_only"
    ONE_TEXT = "one_text"  # the memory has no parts
    NOTHING = "nothing_added"


SPARSE = 0.1
"""Share of all additions below which a part counts as not used."""


def pattern(core: int, archival: int, has_parts: bool) -> Pattern:
    """The pattern of so many additions to the parts."""
    if core + archival == 0:
        return Pattern.NOTHING
    if not has_parts:
        return Pattern.ONE_TEXT
    share = core / (core + archival)
    if share < SPARSE:
        return Pattern.ARCHIVAL_ONLY
    return Pattern.CORE_ONLY if share > 1 - SPARSE else Pattern.COMPLEMENTARY


def found_in(mentioned: Collection[bool | None]) -> bool | None:
    """Whether one of the results of look-ups mentions a fact; None if a result that might is unknown."""
    if any(mentioned):
        return True
    return None if None in mentioned else False
