"""What of two answers is equal: texts, calls in both modes, verdicts."""

from __future__ import annotations

import json
from collections.abc import Callable
from typing import Any

import pytest

from bfcl_pipeline.ask.generation import ChatAsking
from bfcl_pipeline.benchmark.records import Call, Entry, Exchange, Mode, Request, Rules
from bfcl_pipeline.share.asked_again.comparison import ComparedAnswer, compared_form, same_calls

Entries = Callable[[str], list[Entry]]


def form(entry: Entry, result: Any, mode: Mode = Mode.FC, reply: Any = None) -> ComparedAnswer:
    return compared_form(entry, Exchange(Request(mode, ()), result, reply=reply), ChatAsking(mode))


def called(**arguments: Any) -> list[dict[str, str]]:
    """An answer with a call of the first function."""
    return [{"calculate_triangle_area": json.dumps(arguments)}]


def test_the_order_of_arguments_counts_in_the_text_alone(entries: Entries) -> None:
    """Equal values in another order are the same calls with the same verdicts."""
    entry = entries("simple_python")[0]
    one, other = form(entry, called(base=10, height=5)), form(entry, called(height=5, base=10))
    assert one.text != other.text
    assert same_calls(one, other)
    assert one.valid == other.valid == dict.fromkeys(Rules, True)
    wrong = form(entry, called(base=10, height=6))
    assert not same_calls(one, wrong)
    assert wrong.valid == dict.fromkeys(Rules, False)


@pytest.mark.parametrize("value", [1.0, True, "1", [1], {"1": 1}])
def test_values_of_other_types_are_other_calls(value: Any) -> None:
    """1, 1.0 and true are three values, at any depth; so are the keys 1 and "1" of a literal."""
    for one, other in ((1, value), ({"a": [1]}, {"a": [value]}), ({1: 1}, {"1": 1})):
        forms = [ComparedAnswer("", (Call("f", {"x": each}),), {}) for each in (one, other)]
        assert not same_calls(*forms)
        assert same_calls(forms[0], forms[0])


def test_prompted_answers_are_decoded_in_their_language(entries: Entries) -> None:
    """Spaces and quotes are no difference of calls; what is not a call has none."""
    entry = entries("simple_python")[0]
    one = form(entry, "[calculate_triangle_area(base=10, height=5)]", Mode.PROMPT)
    other = form(entry, "calculate_triangle_area( height=5,base=10 )", Mode.PROMPT)
    assert same_calls(one, other)
    assert one.calls
    assert form(entry, "It is 25.", Mode.PROMPT).calls == ()
    java = entries("simple_java")[0]
    assert form(java, "[f(a=new int[]{1, 2})]", Mode.PROMPT).calls


def test_ids_and_usage_are_not_compared(entries: Entries) -> None:
    """But words beside calls are part of the text."""
    entry = entries("simple_python")[0]
    result = called(base=10, height=5)
    first = form(entry, result, reply={"content": None, "tool_calls": [{"id": "1"}]})
    second = form(entry, result, reply={"content": None, "tool_calls": [{"id": "2"}]})
    third = form(entry, result, reply={"content": "Well, ", "tool_calls": [{"id": "2"}]})
    assert first == second
    assert first.text != third.text
    assert same_calls(first, third)


def test_answers_in_conversations_have_no_verdict(entries: Entries) -> None:
    """The rest would be another conversation after another answer; its calls are compared."""
    entry = entries("multi_turn_base")[0]
    one = form(entry, [{"cd": '{"folder": "a"}'}])
    assert one.valid == dict.fromkeys(Rules)
    assert same_calls(one, form(entry, [{"cd": '{"folder":"a"}'}]))
    assert not same_calls(one, form(entry, [{"ls": "{}"}]))
    assert form(entry, "Done.").calls == ()
