"""A conversation of several turns as a page: messages, calls, results and changes.

Covers the conversation of a model, with the truth beside its failing turn, and the truth alone. Both are
played by `show.playback`.
"""

from collections.abc import Iterator, Sequence
from typing import Any

from bfcl_pipeline.calls import executed_text
from bfcl_pipeline.playback.conversation import MOST_CHANGES, Change, Playback, PlayedCall, PlayedStep
from bfcl_pipeline.records import Call, Entry, Json
from bfcl_pipeline.scoring.differences import NOTHING
from bfcl_pipeline.scoring.findings import Finding, shown
from bfcl_pipeline.show.entry_parts import (
    CALL,
    CALL_MARK,
    RESULT,
    VALUE,
    WORDS,
    put_messages,
    put_signatures,
    raw_text,
)
from bfcl_pipeline.show.terminal_page import TerminalPage
from bfcl_pipeline.text import cut, on_one_line

_CHANGES = 6
"""Changes that are shown for one call."""

_ENDED = "(not reached: the conversation had ended)"
_RESULT_MARK = " " * len(CALL_MARK)
_CHANGE_MARK = _RESULT_MARK + "~ "


def put_truth(page: TerminalPage, entry: Entry, truth: Sequence[Sequence[PlayedCall]]) -> None:
    """The turns of `entry` with its truth, as played."""
    for number, calls in enumerate(truth):
        _put_turn(page, entry, number)
        _put_calls(page, "truth", calls)


def put_turns(page: TerminalPage, entry: Entry) -> None:
    """The turns of `entry` without an answer."""
    for number in range(len(entry.turns)):
        _put_turn(page, entry, number)


def put_playback(page: TerminalPage, entry: Entry, result: Json, played: Playback) -> None:
    """What a model did, turn by turn; in a failed conversation also the calls of the truth.

    result: the answer that was played; if it is not a list of turns, it is printed unchanged.
    """
    finding = played.finding
    if not isinstance(result, list):
        page.item("answer", cut(raw_text(result), WORDS), "italic")
    for number in range(max(len(played.truth), len(played.turns))):
        reached = number < len(played.turns)
        _put_turn(page, entry, number, _remark(number, finding) if reached else "")
        steps = played.turns[number] if reached else ()
        if not steps:
            page.item("model", _ENDED if played.turns and not reached else "(no answer)", "dim")
        for place, step in enumerate(steps, start=1):
            _put_step(page, f"step {place}", step)
        if finding is not None and number < len(played.truth):
            made = [call.call for step in steps for call in step.calls]
            _put_comparison(page, played.truth[number], made, whole=finding.turn == number)


def _put_turn(page: TerminalPage, entry: Entry, number: int, remark: str = "") -> None:
    page.blank()
    page.title(f"Turn {number + 1} of {len(entry.turns)}", remark, "red")
    if number < len(entry.turns):
        put_messages(page, entry.turns[number])
        put_signatures(page, "appears", entry.held_out.get(str(number), ()))


def _remark(number: int, finding: Finding | None) -> str:
    """The remark on a turn that was reached: whether it is the first that failed, or after it."""
    if finding is None or finding.turn is None or number < finding.turn:
        return ""
    first = f"<- first failing turn: {finding.error_type}"
    return first if number == finding.turn else "(not checked after the first failing turn)"


def _put_step(page: TerminalPage, label: str, step: PlayedStep) -> None:
    """One answer. The reason why a text is not a call is printed only if it looks like a call."""
    if step.calls:
        _put_calls(page, label, step.calls)
        return
    page.item(label, cut(raw_text(step.result), WORDS), "italic")
    if step.problem and not (isinstance(step.result, str) and "(" not in step.result):
        page.item("", f"(no call: {cut(step.problem, RESULT)})", "dim")


def _put_calls(page: TerminalPage, label: str, calls: Sequence[PlayedCall]) -> None:
    if not calls:
        page.item(label, "(no call)", "dim")
    for place, call in enumerate(calls):
        _put_call(page, label if place == 0 else "", call)


def _put_call(page: TerminalPage, label: str, played: PlayedCall, remark: str = "") -> None:
    page.item(label, _call_text(played.call), "bold", mark=CALL_MARK, remark=remark)
    page.item("", cut(on_one_line(played.result), RESULT), mark=_RESULT_MARK)
    for change in _change_texts(played.changes):
        page.item("", change, "green", mark=_CHANGE_MARK)


def _put_comparison(
    page: TerminalPage, truth: Sequence[PlayedCall], made: Sequence[Call], whole: bool
) -> None:
    """The calls of the truth, compared with those that the model `made`.

    whole: with results and changes.
    """
    if [played.call for played in truth] == made:
        page.item("truth", "(the same calls)" if made else "(no call)", "dim")
        return
    if not truth:
        page.item("truth", "(no call)", "dim")
    for place, played in enumerate(truth):
        label = "truth" if place == 0 else ""
        remark = "" if played.call in made else "<- missing, or called with other arguments"
        if whole:
            _put_call(page, label, played, remark)
        else:
            page.item(label, _call_text(played.call), mark=CALL_MARK, remark=remark)


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
