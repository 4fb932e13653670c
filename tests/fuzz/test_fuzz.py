"""Whatever a model writes, decoding and scoring end in a result.

The number of examples is FUZZ_EXAMPLES (default: a few seconds' worth, the same each time); with it set,
examples are drawn anew each time: `make fuzz`, or `FUZZ_EXAMPLES=1000000 pytest tests/fuzz/test_fuzz.py`.
"""

from __future__ import annotations

import json
import os
import random

from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from bfcl_pipeline.benchmark.definition import GROUPS, ReturnFormat
from bfcl_pipeline.benchmark.records import (
    Call,
    DecodeFailure,
    Mode,
    NameStyle,
    Response,
    Rules,
    Status,
    Verdict,
)
from bfcl_pipeline.dialogue.calls import attempted_call, decode, has_words, write_calls
from bfcl_pipeline.judge.scoring import Judge
from bfcl_pipeline.judge.scoring.java_values import convert_java
from bfcl_pipeline.judge.scoring.javascript_values import convert_javascript
from tests.support.work import measured

_EXAMPLES = os.environ.get("FUZZ_EXAMPLES")

settings.register_profile(
    "fuzz",
    max_examples=int(_EXAMPLES or 150),
    derandomize=_EXAMPLES is None,
    deadline=None,
    database=None,
    suppress_health_check=list(HealthCheck),
)
settings.load_profile("fuzz")

LIMIT_CALLS = 10_000  # of functions, to read one text

_TEXT = st.text(max_size=60)
_JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | _TEXT,
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(_TEXT, inner, max_size=4),
    max_leaves=12,
)
_ARGUMENTS = st.dictionaries(st.from_regex(r"[a-z_]{1,8}", fullmatch=True), _JSON, max_size=4)
_CALLS = st.lists(st.builds(Call, st.from_regex(r"[a-z.]{1,12}", fullmatch=True), _ARGUMENTS), max_size=3)

_SIGNS = """
[ ] ( ) { } < > = , . : ; ' " ` \\ / - + * ** % & | ! ? @ # $ ~ ^ f a 1 0x 1e9 5L 5f True true null None
new int[] ArrayList<> HashMap<> Arrays.asList( put(" add( {{ }} [[ ]] => -> ${ <functions> </functions>
<function <param name= value= type= <params> </param> <TOOLCALL> </TOOLCALL> lambda for in if else not await
f' b' r' ''' /* // <!-- <![CDATA[ &lt; &x; \u00e9 \u200b
"""
_PIECES = st.sampled_from([*_SIGNS.split(), '"' * 3, "\n", "\t", "\0", " "])
_SOUP = st.lists(_PIECES, max_size=60).map(" ".join) | st.lists(_PIECES, max_size=60).map("".join)


@st.composite
def _damaged(draw: st.DrawFn) -> str:
    """Well-formed text of some format with a few characters cut, doubled, or put in."""
    return_format = draw(st.sampled_from(list(ReturnFormat)))
    text = write_calls(draw(_CALLS), return_format, draw(st.booleans()))
    for _ in range(draw(st.integers(0, 4))):
        start = draw(st.integers(0, len(text)))
        end = draw(st.integers(start, min(len(text), start + 12)))
        text = (
            text[:start] + draw(st.just("") | _PIECES | _TEXT | st.just(text[start:end] * 2)) + text[end:]
        )
    return text


_ANSWERS = _damaged() | _SOUP | st.text()
_RESULTS = (
    _JSON
    | st.lists(st.dictionaries(_TEXT, _JSON, max_size=2), max_size=3)
    | st.lists(st.dictionaries(_TEXT, _JSON.map(json.dumps), max_size=2), max_size=3)
)


@given(_ANSWERS, st.sampled_from(list(ReturnFormat)), st.booleans(), st.sampled_from(list(Rules)))
def test_any_text_is_read(text, return_format, tag, rules):
    """Any text ends in calls or a decode failure, after bounded work."""
    with measured() as work:
        found = decode(text, mode=Mode.PROMPT, return_format=return_format, tool_call_tag=tag, rules=rules)
    assert isinstance(found, tuple | DecodeFailure)
    assert work.calls < LIMIT_CALLS


@given(_ANSWERS, st.lists(st.from_regex(r"[a-z.]{1,12}", fullmatch=True), max_size=3))
def test_attempted_calls_are_sought_in_any_text(text, names):
    """Any text attempts a call or not, which is known after bounded work."""
    with measured() as work:
        mark = attempted_call(text, names)
        has_words(text)
    assert mark is None or mark
    assert work.calls < LIMIT_CALLS


@given(_RESULTS)
def test_any_native_result_is_read(result):
    """Any JSON value ends in calls or a decode failure."""
    assert isinstance(decode(result, mode=Mode.FC), tuple | DecodeFailure)


@given(_SOUP | _TEXT, st.sampled_from(["Array", "ArrayList", "HashMap", "long", "float", "any"]))
def test_any_java_value_is_converted(text, kind):
    """Any text is converted, or stays text, after bounded work."""
    with measured() as work:
        convert_java(text, kind, "String" if kind.startswith("Array") else None)
    assert work.calls < LIMIT_CALLS


@given(_SOUP | _TEXT, st.sampled_from(["array", "dict", "Bigint", "float", "String", "any"]))
def test_any_javascript_value_is_converted(text, kind):
    """Any text is converted, or stays text, after bounded work."""
    with measured() as work:
        convert_javascript(text, kind, "float" if kind == "array" else None)
    assert work.calls < LIMIT_CALLS


@given(st.data())
def test_any_response_is_scored(entries, data):
    """Any answer to any entry has a verdict that can be written as UTF-8."""
    category = data.draw(st.sampled_from([*GROUPS["single_turn"], "format_sensitivity"]))
    entry = data.draw(st.sampled_from(entries(category)))
    mode = data.draw(st.sampled_from(list(Mode)))
    answer = data.draw(_answers_to(entry, mode))
    response = Response(
        entry.entry_id,
        category,
        mode,
        json.dumps(answer),
        name_style=data.draw(st.sampled_from([None, *NameStyle])),
    )
    for rules in Rules:
        verdict = Judge(entry).verdict(response, rules)
        assert isinstance(verdict, Verdict)
        if verdict.status is not Status.LEFT_OUT:
            assert verdict.valid is (verdict.error_type is None)
        (verdict.error_message or "").encode()


@st.composite
def _answers_to(draw: st.DrawFn, entry, mode: Mode):
    """Calls of the entry's own functions and parameters, with values of any kind."""
    calls = []
    for function in draw(st.lists(st.sampled_from(entry.functions), max_size=3)) if entry.functions else []:
        names = list(function["parameters"]["properties"])
        chosen = draw(st.lists(st.sampled_from(names), unique=True)) if names else []
        truth = [values for call in entry.truth or [] for values in call.values()]
        known = [v for values in truth for name in chosen for v in values.get(name, [])]
        pool = st.sampled_from(known) | _JSON | _SOUP if known else _JSON | _SOUP
        calls.append(Call(function["name"], {name: draw(pool) for name in chosen}))
    if mode is Mode.FC:
        return [{call.name.replace(".", "_"): json.dumps(dict(call.arguments))} for call in calls]
    return_format = draw(st.sampled_from(list(ReturnFormat)))
    text = write_calls(calls, return_format)
    seed = draw(st.integers(0, 9))
    cut = random.Random(seed).randint(0, len(text))
    return text if seed else text[:cut]
