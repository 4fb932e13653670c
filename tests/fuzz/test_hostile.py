"""Hostile outputs are read without harm: no exception, bounded work, nothing executed."""

from __future__ import annotations

import pytest

from bfcl_pipeline.benchmark.definition import ReturnFormat
from bfcl_pipeline.benchmark.records import DecodeFailure, Mode, Rules
from bfcl_pipeline.dialogue.calls import attempted_call, decode, has_words
from bfcl_pipeline.judge.scoring.java_values import convert_java
from bfcl_pipeline.judge.scoring.javascript_values import convert_javascript
from tests.fuzz.hostile import NATIVE, OUTPUTS, VALUES
from tests.fuzz.watched import run_watched
from tests.support.work import measured

LIMIT_CALLS = 100_000  # of functions, to read one text or value


@pytest.mark.parametrize("return_format", list(ReturnFormat))
def test_prompt_outputs_are_read_in_bounded_work(return_format):
    """Every hostile text ends in calls or a decode failure after bounded work, under both rules."""
    excessive = []
    for text in OUTPUTS:
        for tag in (False, True):
            for rules in Rules:
                with measured() as work:
                    found = decode(
                        text, mode=Mode.PROMPT, return_format=return_format, tool_call_tag=tag, rules=rules
                    )
                assert isinstance(found, tuple | DecodeFailure)
                if work.calls > LIMIT_CALLS:
                    excessive.append((text[:60], rules, work.calls))
    assert not excessive


def test_attempted_calls_are_sought_in_bounded_work():
    """Whether a hostile text attempts a call is known after bounded work."""
    for text in OUTPUTS:
        with measured() as work:
            attempted_call(text, ["f", "a.b"])
            has_words(text)
        assert work.calls < LIMIT_CALLS, text[:60]


def test_native_outputs_are_read_in_bounded_work():
    """Every hostile native result ends in calls or a decode failure after bounded work."""
    for result in NATIVE:
        with measured() as work:
            found = decode(result, mode=Mode.FC)
        assert isinstance(found, tuple | DecodeFailure)
        assert work.calls < LIMIT_CALLS, str(result)[:60]


@pytest.mark.parametrize(
    ("convert", "kinds"),
    [
        (convert_java, ["Array", "ArrayList", "HashMap", "integer", "long", "float", "double"]),
        (convert_javascript, ["array", "dict", "integer", "Bigint", "float", "String", "Boolean"]),
    ],
)
def test_values_are_converted_in_bounded_work(convert, kinds):
    """Every hostile text is converted as a value of Java or JavaScript after bounded work."""
    for text in VALUES:
        for kind in kinds:
            for item in (None, "String", "integer", "float"):
                with measured() as work:
                    convert(text, kind, item)
                assert work.calls < LIMIT_CALLS, (text[:60], kind)


def test_nothing_is_executed(tmp_path):
    """While hostile outputs are read, Python executes, imports, opens and starts nothing.

    Watched from inside by an audit hook, in a process of its own; the syntax trees that parsing makes
    (`compile` events) are all that may happen.
    """
    program = """
import sys
from tests.fuzz.hostile import NATIVE, OUTPUTS
from bfcl_pipeline.benchmark.definition import ReturnFormat
from bfcl_pipeline.dialogue.calls import decode
from bfcl_pipeline.benchmark.records import Mode, Rules

def read_all(texts, results):
    for rules in Rules:
        for text in texts:
            for return_format in ReturnFormat:
                for tag in (False, True):
                    decode(text, mode=Mode.PROMPT, return_format=return_format,
                           tool_call_tag=tag, rules=rules)
        for result in results:
            decode(result, mode=Mode.FC)

small = [text for text in OUTPUTS if len(text) < 2_000]
read_all(["[f(a=1 + 1)]", "f(a = 1)", "<functions></functions>"], [[{"f": "{}"}]])
events = set()
sys.addaudithook(lambda name, arguments: events.add(name))
read_all(small, [result for result in NATIVE if len(str(result)) < 10_000])
print(len(small), sorted(events - {"compile", "object.__getattr__"}))
"""
    count, events = run_watched(program, tmp_path)
    assert count > 300
    assert events == "[]"
