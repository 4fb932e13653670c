"""An entry that is not played, as a page: messages, offered functions, the answer, acceptable answers.

Covers single-turn entries, and agentic ones: their steps are shown without the results of calls, which
come from a memory or from the web and are not recorded.
"""

from collections.abc import Iterable, Sequence

from bfcl_pipeline.benchmark import Check, ReturnFormat
from bfcl_pipeline.calls import decode, decode_step, executed_text, write_calls
from bfcl_pipeline.records import Call, DecodeFailure, Entry, Json, Mode, Rules
from bfcl_pipeline.scoring import answer_format
from bfcl_pipeline.scoring.findings import shown_options
from bfcl_pipeline.scoring.single_turn import plan_of
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

_WITHOUT_TRUTH = {
    Check.IRRELEVANCE: "(no call)",
    Check.RELEVANCE: "(any call)",
}
"""The right answer to an entry without truth, by its check."""


def put_question(page: TerminalPage, entry: Entry) -> None:
    """The messages and the offered functions."""
    for messages in entry.turns:
        put_messages(page, messages)
    page.blank()
    put_signatures(page, "offered", entry.functions)


def put_answer(page: TerminalPage, entry: Entry, result: Json, mode: Mode, rules: Rules) -> None:
    """The answer: a text unchanged, then the calls in it, or why it cannot be read as calls."""
    page.blank()
    if plan_of(entry) is None:
        _put_one_turn(page, result, mode)
        return
    calls = _calls(entry, result, mode, rules)
    label = "answer"
    if isinstance(calls, DecodeFailure) or not calls or _is_more_than(result, calls):
        page.item(label, cut(raw_text(result), WORDS), "italic")
        label = "read as"
    if isinstance(calls, DecodeFailure):
        page.item("", f"(no call: {cut(calls.message, RESULT)})", "dim")
        return
    _put_calls(page, label, (write_calls((call,), ReturnFormat.PYTHON)[1:-1] for call in calls))


def _put_calls(page: TerminalPage, label: str, calls: Iterable[str]) -> None:
    for place, call in enumerate(calls):
        page.item(label if place == 0 else "", cut(on_one_line(call), CALL), "bold", mark=CALL_MARK)


def _put_one_turn(page: TerminalPage, result: Json, mode: Mode) -> None:
    """The steps of the only turn; an answer of another shape unchanged."""
    if not isinstance(result, list) or len(result) != 1 or not isinstance(result[0], list):
        page.item("answer", cut(raw_text(result), WORDS), "italic")
        return
    put_steps(page, result[0], mode)


def put_steps(page: TerminalPage, steps: Json, mode: Mode) -> None:
    """The texts and calls of one turn, step by step; a value without steps unchanged."""
    if not isinstance(steps, list):
        page.item("answer", cut(raw_text(steps), WORDS), "italic")
        return
    if not steps:
        page.item("model", "(no answer)", "dim")
    for place, step in enumerate(steps, start=1):
        calls = decode_step(step, mode)
        if isinstance(calls, DecodeFailure) or not calls:
            page.item(f"step {place}", cut(raw_text(step), WORDS), "italic")
        else:
            _put_calls(page, f"step {place}", map(executed_text, calls))


def put_accepted(page: TerminalPage, entry: Entry) -> None:
    """The acceptable answers: calls, and the acceptable values of each parameter."""
    page.blank()
    plan = plan_of(entry)
    if entry.prerequisite:
        page.item("accepts", "(anything: a session before the questions)", "dim")
    elif plan is None:
        page.item("accepts", cut(shown_options(entry.truth or ()), WORDS))
    elif entry.truth is None:
        page.item("accepts", _WITHOUT_TRUTH[plan.check], "dim")
    else:
        named = [item for call in entry.truth for item in call.items()]
        for place, (name, parameters) in enumerate(named):
            page.item("accepts" if place == 0 else "", name, "bold", mark=CALL_MARK)
            for parameter, acceptable in parameters.items():
                page.item("", _accepted(acceptable), mark=f"    {parameter} = ")


def _accepted(acceptable: Sequence[Json]) -> str:
    optional = ", or left out" if "" in acceptable and list(acceptable) != [""] else ""
    return cut(shown_options(acceptable), VALUE) + optional


def _calls(entry: Entry, result: Json, mode: Mode, rules: Rules) -> tuple[Call, ...] | DecodeFailure:
    """The calls in an answer; none in a text in native mode."""
    if mode is Mode.FC and isinstance(result, str):
        return ()
    expected = answer_format(entry)
    return decode(
        result,
        mode=mode,
        return_format=expected.return_format,
        tool_call_tag=expected.tool_call_tag,
        rules=rules,
    )


def _is_more_than(result: Json, calls: Sequence[Call]) -> bool:
    """Whether an answer is a text that contains more than its calls as Python."""
    return isinstance(result, str) and result != write_calls(calls, ReturnFormat.PYTHON)
