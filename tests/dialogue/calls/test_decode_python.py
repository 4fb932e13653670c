"""Calls written as Python."""

from keyword import kwlist

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from bfcl_pipeline.benchmark.definition import ReturnFormat
from bfcl_pipeline.benchmark.records import Call, DecodeFailure, Mode, Rules
from bfcl_pipeline.dialogue.calls import decode, is_prose


def read(text, rules=Rules.OFFICIAL, tag=False):
    return decode(text, mode=Mode.PROMPT, return_format=ReturnFormat.PYTHON, tool_call_tag=tag, rules=rules)


def value(source, rules=Rules.OFFICIAL):
    calls = read(f"[f(a={source})]", rules)
    assert not isinstance(calls, DecodeFailure), calls
    return calls[0].arguments["a"]


@pytest.mark.parametrize(
    "text", ["[f(a=1)]", "f(a=1)", "```\n[f(a=1)]\n```", "`f(a=1)`", "\n [f(a=1), ] \n", "[f(a=1)"]
)
def test_wrapping_is_removed(text):
    """Calls are found in fences, white space, and without outer brackets."""
    assert read(text) == (Call("f", {"a": 1}),)


def test_several_calls_keep_their_order():
    """All calls are read, with dotted names, in order."""
    calls = read("[a.b.c(x=1), d(), e(y='z')]")
    assert calls == (Call("a.b.c", {"x": 1}), Call("d", {}), Call("e", {"y": "z"}))


@pytest.mark.parametrize(
    ("source", "expected"),
    [
        ("'text'", "text"),
        ("None", None),
        ("...", "..."),
        ("name", "name"),
        ("(1, 2)", (1, 2)),
        ("[1, [2]]", [1, [2]]),
        ("{'k': {'l': True}}", {"k": {"l": True}}),
        ("-5", -5),
        ("2 * 3", 6),
        ("10 ** 3 / 4", 250.0),
        ("'a' + 'b'", "ab"),
        ("[0] * 3", [0, 0, 0]),
        ("-(-5) * 2", 10),
        ("round(10 / 3, 1) + 1", 4.3),
        ("g(1, 2)", "g(1, 2)"),
        ("g(b=1)", {"g": {"b": 1}}),
        ("x[0]", "x[0]"),
        ("x[:, 1]", "x[(:, 1)]"),
        ("b'raw'", b"raw"),
    ],
)
def test_values_keep_their_meaning(source, expected):
    """Literals, names, arithmetic and nested calls are read without evaluating anything."""
    found = value(source)
    assert found == expected
    assert type(found) is type(expected)


@pytest.mark.parametrize(
    "text",
    [
        *("I cannot help with that.", "[f(a=1)]. That is all.", "[1, 2]", "x = f(a=1)", "[f(a=b.c)]"),
        *("[f(a=lambda: 1)]", "[f(a=[x for x in y])]", "[f(a=f'{x}')]", "[f(a={1, 2})]", "[f(a=1 < 2)]"),
        *("[f(a=x if y else z)]", "[f(a=1 + x)]", "[f(a='%s' % 1)]", "[f(a=-'x')]", "[f(a=1 / 0)]"),
        *("[f(a={[]: 1})]", "[f(a='\ud800')]", "[f(a='\0')]"),
        # What is recognised as prose without parsing it cannot be decoded either.
        *(
            "None of the functions fits.",
            "[I don't know]",
            "```\nSorry, I can not",
            " Use f(x=1)",
            "a b'c'",
        ),
    ],
)
def test_anything_else_is_a_decode_failure(text):
    """Text that is not a list of calls with readable arguments fails, with the official error type."""
    failure = read(text)
    assert isinstance(failure, DecodeFailure)
    assert failure.error_type == "ast_decoder:decoder_failed"
    assert read("") == ()  # brackets are put around nothing: an empty list of calls


def test_arguments_without_a_keyword_are_ignored():
    """As in the release, positional arguments are dropped and an unpacked mapping has no name."""
    assert read("[f(1, 2, a=3, **{'b': 4})]") == (Call("f", {"a": 3, None: {"b": 4}}),)


def test_unary_operator_rule():
    """Official negates for every operator; corrected applies the written one."""
    assert value("+5") == -5
    assert value("not True") == -1
    assert value("+5", Rules.CORRECTED) == 5
    assert value("not True", Rules.CORRECTED) is False
    assert value("~(1 + 2)", Rules.CORRECTED) == -4


def test_tagged_calls():
    """With a tool-call tag only the text between the tags is read, and tags are required."""
    assert read("So: <TOOLCALL>[f(a=1)]</TOOLCALL> done", tag=True) == (Call("f", {"a": 1}),)
    assert isinstance(read("[f(a=1)]", tag=True), DecodeFailure)


@pytest.mark.parametrize(
    "source", ["1if 1else 2", "0x1for", "1or 2", "1.5in x", "1_0and 2", r"'\w'", "1jor 2"]
)
def test_no_text_raises_a_warning(source):
    """Text about which Python's parser warns (an error in these tests) is read or rejected silently."""
    assert read(f"[f(a={source})]") is not None
    assert read(f"[f(a=[x for x in {source}])]") is not None
    assert value(r"'\d'") == r"\d"


@pytest.mark.parametrize(
    "value", ["{}", "-{}", "+{}", "[{}]", "{{'a': {}}}", "{{{}: 1}}", "({},)", "g(a={})"]
)
@pytest.mark.parametrize("digits", ["0x" + "f" * 4_000, "0b" + "1" * 20_000, "0o" + "7" * 6_000])
def test_an_integer_that_cannot_be_printed_is_refused(value, digits):
    """An integer of more digits than Python converts to text is a decode failure in every notation."""
    assert isinstance(read(f"[f(x={value.format(digits)})]"), DecodeFailure)


@pytest.mark.parametrize(
    "text",
    ["[f(x=1)]", "[f (x=1)]", "[f(x=1) if y else g(x=1)]", "[not f]", "[x for x in y]", "[a if b else c]"],
)
def test_what_may_be_python_is_not_prose(text):
    """A name with an operator or a bracket after it may be Python."""
    assert not is_prose(text)


@settings(max_examples=500, derandomize=True, database=None, deadline=None)
@given(
    st.lists(
        st.sampled_from([*kwlist, "f", "print", "match", "_", "f(x=1)", "1", ",", " ", "'a'"]), max_size=5
    )
)
def test_prose_is_never_python(words):
    """No text that is recognised as prose is a Python expression."""
    text = " ".join(words)
    if is_prose(text):
        assert isinstance(read(text), DecodeFailure)
