"""An entry that is not played as a page: messages, offered functions, the answer, what is acceptable.

Covers single-turn entries, and agentic ones, of which the steps are shown without what their calls
returned: that lies in a memory or a web.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from bfcl_pipeline.benchmark import Check, ReturnFormat
from bfcl_pipeline.calls import decode, decode_step, executed_text, write_calls
from bfcl_pipeline.records import Call, DecodeFailure, Entry, Json, Mode, Rules
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
from bfcl_pipeline.scoring import answer_format
from bfcl_pipeline.scoring.findings import shown_options
from bfcl_pipeline.scoring.single_turn import plan_of

_UNTOLD = {
    Check.IRRELEVANCE: "(no call)",
    Check.RELEVANCE: "(any call)",
}
"""What is right where the release has no truth."""


def put_question(sheet: Sheet, entry: Entry) -> None:
    """The messages and the functions offered."""
    for messages in entry.turns:
        put_messages(sheet, messages)
    sheet.blank()
    put_signatures(sheet, "offered", entry.functions)


def put_answer(sheet: Sheet, entry: Entry, result: Json, mode: Mode, rules: Rules) -> None:
    """The answer: a text as it is, then the calls that are read in it, or why none are."""
    sheet.blank()
    if plan_of(entry) is None:
        _put_one_turn(sheet, result, mode)
        return
    calls = _calls(entry, result, mode, rules)
    label = "answer"
    if isinstance(calls, DecodeFailure) or not calls or _says_more(result, calls):
        sheet.item(label, cut(raw_text(result), WORDS), "italic")
        label = "read as"
    if isinstance(calls, DecodeFailure):
        sheet.item("", f"(no call: {cut(calls.message, RESULT)})", "dim")
        return
    _put_calls(sheet, label, (write_calls((call,), ReturnFormat.PYTHON)[1:-1] for call in calls))


def _put_calls(sheet: Sheet, label: str, calls: Iterable[str]) -> None:
    for place, call in enumerate(calls):
        sheet.item(label if place == 0 else "", cut(on_one_line(call), CALL), "bold", mark=CALL_MARK)


def _put_one_turn(sheet: Sheet, result: Json, mode: Mode) -> None:
    """The steps of the one turn; what is no turn as it is."""
    if not isinstance(result, list) or len(result) != 1 or not isinstance(result[0], list):
        sheet.item("answer", cut(raw_text(result), WORDS), "italic")
        return
    put_steps(sheet, result[0], mode)


def put_steps(sheet: Sheet, steps: Json, mode: Mode) -> None:
    """The texts and calls of one turn, step by step; what has no steps as it is."""
    if not isinstance(steps, list):
        sheet.item("answer", cut(raw_text(steps), WORDS), "italic")
        return
    if not steps:
        sheet.item("model", "(no answer)", "dim")
    for place, step in enumerate(steps, start=1):
        calls = decode_step(step, mode)
        if isinstance(calls, DecodeFailure) or not calls:
            sheet.item(f"step {place}", cut(raw_text(step), WORDS), "italic")
        else:
            _put_calls(sheet, f"step {place}", map(executed_text, calls))


def put_accepted(sheet: Sheet, entry: Entry) -> None:
    """What the truth accepts: of each call, the values of each parameter."""
    sheet.blank()
    plan = plan_of(entry)
    if entry.prerequisite:
        sheet.item("accepts", "(anything: a session before the questions)", "dim")
    elif plan is None:
        sheet.item("accepts", cut(shown_options(entry.truth or ()), WORDS))
    elif entry.truth is None:
        sheet.item("accepts", _UNTOLD[plan.check], "dim")
    else:
        named = [item for call in entry.truth for item in call.items()]
        for place, (name, parameters) in enumerate(named):
            sheet.item("accepts" if place == 0 else "", name, "bold", mark=CALL_MARK)
            for parameter, acceptable in parameters.items():
                sheet.item("", _accepted(acceptable), mark=f"    {parameter} = ")


def _accepted(acceptable: Sequence[Json]) -> str:
    optional = ", or left out" if "" in acceptable and list(acceptable) != [""] else ""
    return cut(shown_options(acceptable), VALUE) + optional


def _calls(entry: Entry, result: Json, mode: Mode, rules: Rules) -> tuple[Call, ...] | DecodeFailure:
    """The calls in an answer; none where a text is not to be read."""
    if mode is Mode.FC and isinstance(result, str):
        return ()
    asked = answer_format(entry)
    return decode(
        result,
        mode=mode,
        return_format=asked.return_format,
        tool_call_tag=asked.tool_call_tag,
        rules=rules,
    )


def _says_more(result: Json, calls: Sequence[Call]) -> bool:
    """Whether an answer is a text in which more stands than its calls as Python."""
    return isinstance(result, str) and result != write_calls(calls, ReturnFormat.PYTHON)
