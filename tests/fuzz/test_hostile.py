"""Hostile outputs are read without harm: no exception, no delay, nothing executed."""

from __future__ import annotations

import gc
import sys
import time
from collections.abc import Iterator
from pathlib import Path

import pytest

from bfcl_pipeline.benchmark import ReturnFormat
from bfcl_pipeline.calls import decode
from bfcl_pipeline.records import DecodeFailure, Mode, Rules
from bfcl_pipeline.scoring.java_values import convert_java
from bfcl_pipeline.scoring.javascript_values import convert_javascript

sys.path.insert(0, str(Path(__file__).parent))
from hostile import NATIVE, OUTPUTS, VALUES
from watched import run_watched

LIMIT_SECONDS = 1.0


@pytest.fixture(autouse=True)
def _only_our_garbage() -> Iterator[None]:
    """What other tests left in memory is not searched for garbage while a decoder is timed."""
    gc.collect()
    gc.freeze()
    yield
    gc.unfreeze()


def _timed(function, *arguments, **options):
    """The result, and the processor time it took: another process on the machine does not count."""
    started = time.process_time()
    result = function(*arguments, **options)
    return result, time.process_time() - started


@pytest.mark.parametrize("return_format", list(ReturnFormat))
def test_prompt_outputs_are_read_in_time(return_format):
    """Every hostile text ends in calls or a decode failure within a second, under both rules."""
    slow = []
    for text in OUTPUTS:
        for tag in (False, True):
            for rules in Rules:
                found, seconds = _timed(
                    decode,
                    text,
                    mode=Mode.PROMPT,
                    return_format=return_format,
                    tool_call_tag=tag,
                    rules=rules,
                )
                assert isinstance(found, tuple | DecodeFailure)
                if seconds > LIMIT_SECONDS:
                    slow.append((text[:60], rules, seconds))
    assert not slow


def test_native_outputs_are_read_in_time():
    """Every hostile native result ends in calls or a decode failure within a second."""
    for result in NATIVE:
        found, seconds = _timed(decode, result, mode=Mode.FC)
        assert isinstance(found, tuple | DecodeFailure)
        assert seconds < LIMIT_SECONDS, str(result)[:60]


@pytest.mark.parametrize(
    ("convert", "kinds"),
    [
        (convert_java, ["Array", "ArrayList", "HashMap", "integer", "long", "float", "double"]),
        (convert_javascript, ["array", "dict", "integer", "Bigint", "float", "String", "Boolean"]),
    ],
)
def test_converters_are_in_time(convert, kinds):
    """No text keeps the converters of Java or JavaScript values busy for a second."""
    for text in VALUES:
        for kind in kinds:
            for item in (None, "String", "integer", "float"):
                _, seconds = _timed(convert, text, kind, item)
                assert seconds < LIMIT_SECONDS, (text[:60], kind)


def test_nothing_is_executed(tmp_path):
    """While hostile outputs are read, Python executes, imports, opens and starts nothing.

    Watched from inside by an audit hook, in a process of its own; the syntax trees that parsing makes
    (`compile` events) are all that may happen.
    """
    program = """
import sys
sys.path.insert(0, sys.argv[1])
from hostile import NATIVE, OUTPUTS
from bfcl_pipeline.benchmark import ReturnFormat
from bfcl_pipeline.calls import decode
from bfcl_pipeline.records import Mode, Rules

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
