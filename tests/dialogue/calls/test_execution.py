"""Decoding answers of a conversation as calls to run."""

from __future__ import annotations

import json
from typing import Any

import pytest

from bfcl_pipeline.benchmark.records import Call, DecodeFailure, Mode
from bfcl_pipeline.dialogue.calls import Work, decode_step, executed_text

FAILS = "a failure"
BOTH = {"cd": '{"folder": "a"}', "ls": "{}"}
BOTH_CALLS = (Call("cd", {"folder": "a"}), Call("ls", {}))


@pytest.mark.parametrize(
    ("mode", "result", "expected"),
    [
        # Every name of a native item is a call, in order; a single mapping counts as a list.
        (Mode.FC, [BOTH], BOTH_CALLS),
        (Mode.FC, BOTH, BOTH_CALLS),
        # Arguments that a handler stored as a mapping are used unchanged.
        (Mode.FC, [{"ls": {"a": True}}], (Call("ls", {"a": True}),)),
        # An empty answer has no calls and is not a failure.
        *((Mode.FC, nothing, ()) for nothing in ("", [], {})),
        # One item that is not {name: arguments} makes the whole step a failure.
        *((Mode.FC, result, FAILS) for result in ("Done.", None, 3, ["ls"], [{"a": "{}"}, ""])),
        *((Mode.FC, [{"ls": arguments}], FAILS) for arguments in ("{", "[]", None)),
        # A call with arguments among the arguments stays a call; one without is text, as in the release.
        (
            Mode.PROMPT,
            "[add(a=multiply(a=2, b=3), b=1), cd(folder=pwd())]",
            (
                Call("add", {"a": Call("multiply", {"a": 2, "b": 3}), "b": 1}),
                Call("cd", {"folder": "pwd()"}),
            ),
        ),
        # A mapping of mappings is taken for a call, as in the release; an empty one is a failure.
        (Mode.PROMPT, "[f(x={'g': {'y': 1}, 'h': {}})]", (Call("f", {"x": Call("g", {"y": 1})}),)),
        (Mode.PROMPT, "[f(x={})]", FAILS),
        # Keys of a mapping are quoted without escaping and read back.
        (Mode.PROMPT, "[f(x={1: 'a', 'b\\\\n': 2})]", (Call("f", {"x": {"1": "a", "b\n": 2}}),)),
        # Nested or many calls beyond the bounds are failures at once.
        (Mode.PROMPT, f"[{'f(x=' * 10_000}1{')' * 10_000}]", FAILS),
        (Mode.FC, [{"ls": "{}"}] * 20_000, FAILS),
        (Mode.FC, [{"ls": json.dumps({"a": 1})[:-1] + "[" * 100_000}], FAILS),
    ],
)
def test_a_step(mode: Mode, result: Any, expected: Any) -> None:
    """It has the calls to run, or cannot be read."""
    found = decode_step(result, mode)
    assert (FAILS if isinstance(found, DecodeFailure) else found) == expected


def test_calls_are_written_on_one_line() -> None:
    """The text of a call beside its result is Python, including nested calls and mappings."""
    call = Call("f", {"a": Call("g", {"y": "it's"}), "b": {"k": [1, 2.0]}, "c": None})
    assert executed_text(call) == "f(a=g(y=\"it's\"), b={'k': [1, 2.0]}, c=None)"


def test_the_work_of_all_steps_is_bounded() -> None:
    """Short texts that each make a long list are read until the work of the answer is done."""
    work = Work()
    read = [decode_step("[f(x=[0] * 50_000)]", Mode.PROMPT, work) for _ in range(100)]
    assert not isinstance(read[0], DecodeFailure)
    assert isinstance(read[-1], DecodeFailure)
    assert isinstance(decode_step("[f(x=1)]", Mode.PROMPT, work), DecodeFailure)
    assert decode_step("[f(x=1)]", Mode.PROMPT) == (Call("f", {"x": 1}),)
