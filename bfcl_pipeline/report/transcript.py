"""A conversation of several turns as a page: what was said, called and returned, and what it changed.

Covers a model's conversation, at whose failing turn the truth stands beside it, and the truth alone.
Playing them is `scoring.replay`.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

from bfcl_pipeline.calls import executed_text
from bfcl_pipeline.records import Call, Entry, Json
from bfcl_pipeline.report.entry_lines import (
    CALL,
    CALL_MARK,
    RESULT,
    VALUE,
    WORDS,
    put_messages,
    put_signatures,
    raw_text,
)
from bfcl_pipeline.report.sheet import Sheet, cut, on_one_line
from bfcl_pipeline.scoring.differences import NOTHING
from bfcl_pipeline.scoring.findings import Finding, shown
from bfcl_pipeline.scoring.replay import MOST_CHANGES, Change, PlayedCall, PlayedStep, Replay

_CHANGES = 6
"""Changes that are shown of one call."""

_ENDED = "(the conversation had ended)"
_RESULT_MARK = " " * len(CALL_MARK)
_CHANGE_MARK = _RESULT_MARK + "~ "


def put_truth(sheet: Sheet, entry: Entry, truth: Sequence[Sequence[PlayedCall]]) -> None:
    """The turns of `entry` and its truth, played."""
    for number, calls in enumerate(truth):
        _put_turn(sheet, entry, number)
        _put_calls(sheet, "truth", calls)


def put_turns(sheet: Sheet, entry: Entry) -> None:
    """The turns of `entry` alone."""
    for number in range(len(entry.turns)):
        _put_turn(sheet, entry, number)


def put_replay(sheet: Sheet, entry: Entry, result: Json, played: Replay) -> None:
    """What a model did, turn by turn; in a failed conversation also what the truth calls.

    result: what `played` was played of; where it has no turns, it is shown as it is.
    """
    finding = played.finding
    if not isinstance(result, list):
        sheet.item("answer", cut(raw_text(result), WORDS), "italic")
    for number in range(max(len(played.truth), len(played.turns))):
        fell = finding is not None and finding.turn == number
        reached = number < len(played.turns)
        _put_turn(sheet, entry, number, _remark(number, finding) if reached else "")
        steps = played.turns[number] if reached else ()
        if not steps:
            sheet.item("model", _ENDED if played.turns and not reached else "(no answer)", "dim")
        for place, step in enumerate(steps, start=1):
            _put_step(sheet, f"step {place}", step)
        if finding is not None and number < len(played.truth):
            made = [one.call for step in steps for one in step.calls]
            _put_comparison(sheet, played.truth[number], made, whole=fell)


def _put_turn(sheet: Sheet, entry: Entry, number: int, remark: str = "") -> None:
    sheet.blank()
    sheet.title(f"Turn {number + 1} of {len(entry.turns)}", remark, "red")
    if number < len(entry.turns):
        put_messages(sheet, entry.turns[number])
        put_signatures(sheet, "appears", entry.held_out.get(str(number), ()))


def _remark(number: int, finding: Finding | None) -> str:
    """What the checker says of a turn that was reached."""
    if finding is None or finding.turn is None or number < finding.turn:
        return ""
    fell = f"<- the verdict fell here: {finding.error_type}"
    return fell if number == finding.turn else "(not judged any more)"


def _put_step(sheet: Sheet, label: str, step: PlayedStep) -> None:
    """One answer. Why a text is no call is told only where it looks like one."""
    if step.calls:
        _put_calls(sheet, label, step.calls)
        return
    sheet.item(label, cut(raw_text(step.result), WORDS), "italic")
    if step.problem and not (isinstance(step.result, str) and "(" not in step.result):
        sheet.item("", f"(no call: {cut(step.problem, RESULT)})", "dim")


def _put_calls(sheet: Sheet, label: str, calls: Sequence[PlayedCall]) -> None:
    if not calls:
        sheet.item(label, "(no call)", "dim")
    for place, one in enumerate(calls):
        _put_call(sheet, label if place == 0 else "", one)


def _put_call(sheet: Sheet, label: str, one: PlayedCall, remark: str = "") -> None:
    sheet.item(label, _call_text(one.call), "bold", mark=CALL_MARK, remark=remark)
    sheet.item("", cut(on_one_line(one.result), RESULT), mark=_RESULT_MARK)
    for change in _change_texts(one.changes):
        sheet.item("", change, "green", mark=_CHANGE_MARK)


def _put_comparison(sheet: Sheet, truth: Sequence[PlayedCall], made: Sequence[Call], whole: bool) -> None:
    """What the truth calls beside what the model `made`; `whole`: with results and changes."""
    if [one.call for one in truth] == made:
        sheet.item("truth", "(the same calls)" if made else "(no call)", "dim")
        return
    if not truth:
        sheet.item("truth", "(no call)", "dim")
    for place, one in enumerate(truth):
        label = "truth" if place == 0 else ""
        remark = "" if one.call in made else "<- not called so"
        if whole:
            _put_call(sheet, label, one, remark)
        else:
            sheet.item(label, _call_text(one.call), mark=CALL_MARK, remark=remark)


def _call_text(call: Call) -> str:
    return cut(on_one_line(executed_text(call)), CALL)


def _change_texts(changes: Sequence[Change]) -> Iterator[str]:
    for change in changes[:_CHANGES]:
        path = cut(on_one_line(change.path), VALUE)
        yield f"{change.api}.{path}: {_value_text(change.before)} -> {_value_text(change.after)}"
    more = len(changes) - _CHANGES
    if more > 0:
        yield f"and {more:,} more" if len(changes) < MOST_CHANGES else f"and more than {more:,} more"


def _value_text(value: Any) -> str:
    return "(nothing)" if value is NOTHING else cut(shown(value), VALUE)
