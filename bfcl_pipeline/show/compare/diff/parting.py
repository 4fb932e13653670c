"""Where two conversations over one entry part: the first difference, and what it is.

Pure. A conversation is a row of requests and answers. Both sides are walked from the first request on, so
that a difference which only follows from an earlier one is never reported.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from enum import StrEnum
from itertools import zip_longest

from bfcl_pipeline.base.differences import MISSING, Difference, differences, items_of
from bfcl_pipeline.benchmark.definition import CATEGORIES, ReturnFormat
from bfcl_pipeline.benchmark.records import Call, DecodeFailure, Json, Mode, Response
from bfcl_pipeline.dialogue.calls import decode, decode_step, executed_text
from bfcl_pipeline.show.compare.diff.conversations import Asked, Conversation

_BEFORE = 20  # characters of a long text that are shown before its first difference


class PartingKind(StrEnum):
    """What the first difference of an entry is. The order is that of reports."""

    ENTRY = "entry"  # the data of the entry: another release
    REQUEST = "request"  # what was asked: a prompt, a function, a memory
    RESULT = "executed result"  # what a call returned: a search, a page, a memory
    CALLS = "calls"  # other calls
    TEXT = "text"  # another text, with the same calls or with none
    STATUS = "status"  # one side has no answer, or they have none for different reasons
    VERDICT = "verdict"  # the same conversation, another verdict
    SAME = "same"


@dataclass(frozen=True, slots=True)
class Parting:
    """The first difference of one entry."""

    kind: PartingKind
    number: int | None = None  # of the request, from 1, in the conversation; None: not of one request
    turn: int | None = None  # of the entry, from 0
    place: str = ""  # in the request or the entry: messages[2].content
    first: str = ""  # the value of the first side, as far as it is shown
    second: str = ""

    @property
    def in_request(self) -> bool:
        """Whether the sides were asked different things."""
        return self.kind in (PartingKind.REQUEST, PartingKind.RESULT)


def first_difference(one: Conversation, two: Conversation) -> Parting:
    """Where two conversations over one entry part.

    A request that differs has no place and no values: its text is not at hand (`value_difference`).
    """
    before: int | None = None  # the turn of the last request
    for number, (ours, theirs) in enumerate(zip_longest(one.asked, two.asked), start=1):
        both = ((one.response, ours), (two.response, theirs))
        if ours is None or theirs is None:
            turn = (ours or theirs).turn
            return Parting(PartingKind.STATUS, number, turn, "", *(_further(*side) for side in both))
        if None not in (ours.digest, theirs.digest) and ours.digest != theirs.digest:
            kind = PartingKind.RESULT if ours.turn == before else PartingKind.REQUEST
            return Parting(kind, number, ours.turn)
        if ours.answered != theirs.answered:
            return Parting(PartingKind.STATUS, number, ours.turn, "", *(_outcome(*side) for side in both))
        if ours.result != theirs.result:
            kind, *values = _answers(one.response, ours, two.response, theirs)
            return Parting(kind, number, ours.turn, "", *values)
        before = ours.turn
    if one.response.status != two.response.status:
        statuses = (one.response.status.value, two.response.status.value)
        return Parting(PartingKind.STATUS, None, None, "", *statuses)
    return Parting(PartingKind.SAME)


def _further(side: Response, asked: Asked | None) -> str:
    return f"ended ({side.status.value})" if asked is None else "goes on"


def _outcome(side: Response, asked: Asked) -> str:
    return "an answer" if asked.answered else side.status.value


def _answers(one: Response, ours: Asked, two: Response, theirs: Asked) -> tuple[PartingKind, str, str]:
    """The kind of a difference between two answers, and the first call, or the text, that differs."""
    calls = (_calls(one, ours), _calls(two, theirs))
    if not any(calls) or list(map(_ordered, calls[0])) == list(map(_ordered, calls[1])):
        return PartingKind.TEXT, *from_difference(_plain(ours.result), _plain(theirs.result))
    pairs = zip_longest(*(map(_ordered, each) for each in calls))
    place = next(place for place, (left, right) in enumerate(pairs) if left != right)
    first, second = (_call(each, place, asked) for each, asked in zip(calls, (ours, theirs), strict=True))
    return PartingKind.CALLS, first, second


def _call(calls: Sequence[Call], place: int, asked: Asked) -> str:
    """One call of an answer; if the answer has none at all, its text."""
    if not calls:
        return f"text: {_plain(asked.result)}"
    return executed_text(calls[place]) if place < len(calls) else "no further call"


def _calls(side: Response, asked: Asked) -> Sequence[Call]:
    """The calls in an answer; none in a text."""
    if side.mode is Mode.FC and not isinstance(asked.result, list):
        return ()
    if CATEGORIES[side.category].single_turn:
        calls = decode(
            asked.result,
            mode=side.mode,
            return_format=ReturnFormat(asked.return_format),
            tool_call_tag=asked.tool_call_tag,
        )
    else:
        calls = decode_step(asked.result, side.mode)
    return () if isinstance(calls, DecodeFailure) else calls


def _ordered(call: Call) -> tuple[str, list[tuple[str, str]]]:
    """A call with its arguments sorted by name: their order has no meaning."""
    return call.name, sorted((str(name), repr(value)) for name, value in call.arguments.items())


def _plain(result: Json) -> str:
    return result if isinstance(result, str) else repr(result)


def value_difference(ours: Json, theirs: Json) -> tuple[str, str, str]:
    """The place of the first difference between two values, and both values from there on."""
    found = next(differences(ours, theirs, parts=items_of), Difference("", ours, theirs))
    return found.path, *from_difference(shown_value(found.first), shown_value(found.second))


def shown_value(value: Json) -> str:
    """A value as text; `nothing` stands for a missing one."""
    return "nothing" if value is MISSING or value is None else _plain(value)


def from_difference(ours: str, theirs: str) -> tuple[str, str]:
    """Two texts from shortly before their first difference."""
    pairs = enumerate(zip(ours, theirs, strict=False))
    same = next((place for place, (left, right) in pairs if left != right), min(len(ours), len(theirs)))
    if same <= _BEFORE:
        return ours, theirs
    return f"...{ours[same - _BEFORE :]}", f"...{theirs[same - _BEFORE :]}"
