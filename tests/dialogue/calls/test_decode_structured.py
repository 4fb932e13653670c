"""Calls written as JSON or XML, and native tool calls."""

import pytest

from bfcl_pipeline.benchmark.definition import ReturnFormat
from bfcl_pipeline.benchmark.records import Call, DecodeFailure, Mode, Rules
from bfcl_pipeline.dialogue.calls import decode


def read(text, return_format, rules=Rules.OFFICIAL, tag=False):
    return decode(text, mode=Mode.PROMPT, return_format=return_format, tool_call_tag=tag, rules=rules)


def test_json_is_found_in_the_text():
    """The first list of objects is read, with or without text and fences around it."""
    text = 'Here:\n```json\n[{"function": "a.b", "parameters": {"x": [1, null]}}]\n``` ok'
    assert read(text, ReturnFormat.JSON) == (Call("a.b", {"x": [1, None]}),)


def test_json_end_rule():
    """Official stops at the first `}]`, which may close an inner list; corrected reads the whole list."""
    text = '[{"function": "f", "parameters": {"x": [{"y": 1}], "z": 2}}]'
    assert read(text, ReturnFormat.JSON) == ()
    whole = (Call("f", {"x": [{"y": 1}], "z": 2}),)
    assert read(text, ReturnFormat.JSON, Rules.CORRECTED) == whole


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("No call here.", ()),
        ('{"function": "f"', ()),
        ("[1, 2]", ()),
        ('[{"function": "f"}]', "ast_decoder:decoder_failed"),
        ('[{"function": ["f"], "parameters": {}}]', "ast_decoder:decoder_failed"),
        ('[{"function": "f", "parameters": [1]}]', "ast_decoder:decoder_wrong_output_format"),
    ],
)
def test_json_that_is_no_call(text, expected):
    """Text that is not JSON has no calls; a malformed call is a failure."""
    found = read(text, ReturnFormat.JSON)
    assert (found.error_type if isinstance(found, DecodeFailure) else found) == expected


VERBOSE = (
    '<functions><function name="f"><params><param name="a" value="1" type="integer"/>'
    '<param name="b" value="[1, 2]" type="array"/><param name="c" value="True" type="boolean"/>'
    '<param name="d" value=" x " type="odd"/></params></function></functions>'
)
CONCISE = (
    '<functions><function name="f"><param name="a" type="integer"> 1 </param>'
    '<param name="b" type="tuple">(1, 2)</param><param name="c" type="null">x</param>'
    '<param name="d"> text &lt; </param></function></functions>'
)


def test_verbose_xml():
    """Values are attributes, converted by the type attribute."""
    call = Call("f", {"a": 1, "b": [1, 2], "c": True, "d": " x "})
    assert read(f"Sure: {VERBOSE} done", ReturnFormat.VERBOSE_XML) == (call,)
    assert read(f"<TOOLCALL>{VERBOSE}</TOOLCALL>", ReturnFormat.VERBOSE_XML, tag=True) == (call,)


def test_concise_xml():
    """Values are text without the space around it."""
    call = Call("f", {"a": 1, "b": (1, 2), "c": None, "d": "text <"})
    assert read(CONCISE, ReturnFormat.CONCISE_XML) == (call,)


@pytest.mark.parametrize(
    "text",
    [
        "no xml",
        "<functions><function></function></functions>",
        "<functions><function name='f'></functions>",
        VERBOSE.replace('value="1"', 'value="one"'),
        VERBOSE.replace("[1, 2]", "__import__('os')"),
        VERBOSE.replace("[1, 2]", "&bomb;"),
    ],
)
def test_xml_failures(text):
    """Malformed XML, missing names, values not of their type and entities are failures."""
    found = read(text, ReturnFormat.VERBOSE_XML)
    assert isinstance(found, DecodeFailure)
    assert found.error_type == "ast_decoder:decoder_failed"


@pytest.mark.parametrize(
    ("result", "expected"),
    [
        ([{"f": '{"a": 1}'}, {"g": "{}"}], (Call("f", {"a": 1}), Call("g", {}))),
        ([], ()),
        ("", ()),
        ({}, ()),
        ("text", "ast_decoder:decoder_failed"),
        (None, "ast_decoder:decoder_failed"),
        (7, "ast_decoder:decoder_failed"),
        (["text"], "ast_decoder:decoder_failed"),
        ([{}], "ast_decoder:decoder_failed"),
        ([{"f": {"a": 1}}], "ast_decoder:decoder_failed"),
        ([{"f": '{"a": '}], "ast_decoder:decoder_failed"),
        ([{"f": "[1]"}], "ast_decoder:decoder_wrong_output_format"),
        ([{"f": "{}", "ignored": "x"}], (Call("f", {}),)),
    ],
)
def test_native_calls(result, expected):
    """The official result form has arguments as JSON text; text instead of calls is a failure."""
    found = decode(result, mode=Mode.FC)
    assert (found.error_type if isinstance(found, DecodeFailure) else found) == expected


def test_prompt_mode_needs_text():
    """A list of calls is not an answer of prompt mode."""
    assert isinstance(decode([{"f": "{}"}], mode=Mode.PROMPT), DecodeFailure)
