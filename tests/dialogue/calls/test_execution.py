"""Decoding answers of a conversation as calls to run."""

from __future__ import annotations

import json

import pytest

from bfcl_pipeline.benchmark.records import Call, DecodeFailure, Mode
from bfcl_pipeline.dialogue.calls import Work, decode_step, executed_text


def test_every_name_of_a_native_item_is_a_call():
    """A mapping with two names is two calls, in order; a single mapping counts as a list."""
    both = {"cd": '{"folder": "a"}', "ls": "{}"}
    calls = (Call("cd", {"folder": "a"}), Call("ls", {}))
    assert decode_step([both], Mode.FC) == calls
    assert decode_step(both, Mode.FC) == calls


def test_native_arguments_may_be_given_as_a_mapping():
    """Arguments that a handler stored as a mapping are used unchanged."""
    assert decode_step([{"ls": {"a": True}}], Mode.FC) == (Call("ls", {"a": True}),)


@pytest.mark.parametrize("result", ["", [], {}])
def test_nothing_is_no_call(result):
    """An empty answer has no calls and is not a failure."""
    assert decode_step(result, Mode.FC) == ()


@pytest.mark.parametrize(
    "result", ["Done.", None, 3, ["ls"], [{"ls": "{"}], [{"ls": "[]"}], [{"ls": None}], [{"a": "{}"}, ""]]
)
def test_one_unreadable_call_makes_the_step_unreadable(result):
    """One item that is not {name: arguments} makes the whole step a failure."""
    assert isinstance(decode_step(result, Mode.FC), DecodeFailure)


def test_a_nested_call_is_run_first():
    """A call with arguments among the arguments stays a call; one without is text, as in the release."""
    calls = decode_step("[add(a=multiply(a=2, b=3), b=1), cd(folder=pwd())]", Mode.PROMPT)
    assert calls == (
        Call("add", {"a": Call("multiply", {"a": 2, "b": 3}), "b": 1}),
        Call("cd", {"folder": "pwd()"}),
    )


def test_a_mapping_of_mappings_is_taken_for_a_call():
    """As in the release, {'name': {...}} is read as a nested call; an empty mapping is a failure."""
    (call,) = decode_step("[f(x={'g': {'y': 1}, 'h': {}})]", Mode.PROMPT)
    assert call.arguments == {"x": Call("g", {"y": 1})}
    assert isinstance(decode_step("[f(x={})]", Mode.PROMPT), DecodeFailure)


def test_keys_become_text():
    """Keys of a mapping are quoted without escaping and read back."""
    (call,) = decode_step("[f(x={1: 'a', 'b\\\\n': 2})]", Mode.PROMPT)
    assert call.arguments == {"x": {"1": "a", "b\n": 2}}


def test_calls_are_written_on_one_line():
    """The text of a call beside its result is Python, including nested calls and mappings."""
    call = Call("f", {"a": Call("g", {"y": "it's"}), "b": {"k": [1, 2.0]}, "c": None})
    assert executed_text(call) == "f(a=g(y=\"it's\"), b={'k': [1, 2.0]}, c=None)"


def test_deep_or_many_calls_are_refused():
    """10,000 nested calls, and more calls than the bound, are failures at once."""
    deep = "f(x=" * 10_000 + "1" + ")" * 10_000
    assert isinstance(decode_step(f"[{deep}]", Mode.PROMPT), DecodeFailure)
    assert isinstance(decode_step([{"ls": "{}"}] * 20_000, Mode.FC), DecodeFailure)
    nested = "[" * 100_000
    assert isinstance(decode_step([{"ls": json.dumps({"a": 1})[:-1] + nested}], Mode.FC), DecodeFailure)


def test_the_work_of_all_steps_is_bounded():
    """Short texts that each make a long list are read until the work of the answer is done."""
    work = Work()
    read = [decode_step("[f(x=[0] * 50_000)]", Mode.PROMPT, work) for _ in range(100)]
    assert not isinstance(read[0], DecodeFailure)
    assert isinstance(read[-1], DecodeFailure)
    assert isinstance(decode_step("[f(x=1)]", Mode.PROMPT, work), DecodeFailure)
    assert decode_step("[f(x=1)]", Mode.PROMPT) == (Call("f", {"x": 1}),)
