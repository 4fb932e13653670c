"""Calls written as JSON or XML, and native tool calls."""

import pytest

from bfcl_pipeline.benchmark.definition import ReturnFormat
from bfcl_pipeline.benchmark.records import Call, DecodeFailure, Mode, Rules
from bfcl_pipeline.dialogue.calls import decode


def read(text, return_format, rules=Rules.OFFICIAL, tag=False):
    return decode(text, mode=Mode.PROMPT, return_format=return_format, tool_call_tag=tag, rules=rules)


FAILED, WRONG_FORMAT = "ast_decoder:decoder_failed", "ast_decoder:decoder_wrong_output_format"


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        # The first list of objects is read, with or without text and fences around it.
        (
            'Here:\n```json\n[{"function": "a.b", "parameters": {"x": [1, null]}}]\n``` ok',
            (Call("a.b", {"x": [1, None]}),),
        ),
        # Text that is not JSON has no calls; a malformed call is a failure.
        ("No call here.", ()),
        ('{"function": "f"', ()),
        ("[1, 2]", ()),
        ('[{"function": "f"}]', FAILED),
        ('[{"function": ["f"], "parameters": {}}]', FAILED),
        ('[{"function": "f", "parameters": [1]}]', WRONG_FORMAT),
    ],
)
def test_json(text, expected):
    """Calls are objects with a function and parameters."""
    found = read(text, ReturnFormat.JSON)
    assert (found.error_type if isinstance(found, DecodeFailure) else found) == expected


def test_json_end_rule():
    """Official stops at the first `}]`, which may close an inner list; corrected reads the whole list."""
    text = '[{"function": "f", "parameters": {"x": [{"y": 1}], "z": 2}}]'
    assert read(text, ReturnFormat.JSON) == ()
    whole = (Call("f", {"x": [{"y": 1}], "z": 2}),)
    assert read(text, ReturnFormat.JSON, Rules.CORRECTED) == whole


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


def test_xml():
    """Values are attributes, converted by the type attribute, or text without the space around it."""
    verbose = (Call("f", {"a": 1, "b": [1, 2], "c": True, "d": " x "}),)
    assert read(f"Sure: {VERBOSE} done", ReturnFormat.VERBOSE_XML) == verbose
    assert read(f"<TOOLCALL>{VERBOSE}</TOOLCALL>", ReturnFormat.VERBOSE_XML, tag=True) == verbose
    concise = (Call("f", {"a": 1, "b": (1, 2), "c": None, "d": "text <"}),)
    assert read(CONCISE, ReturnFormat.CONCISE_XML) == concise


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
    assert found.error_type == FAILED


@pytest.mark.parametrize(
    ("result", "expected"),
    [
        ([{"f": '{"a": 1}'}, {"g": "{}"}], (Call("f", {"a": 1}), Call("g", {}))),
        ([], ()),
        ("", ()),
        ({}, ()),
        *(
            (result, FAILED)
            for result in ("text", None, 7, ["text"], [{}], [{"f": {"a": 1}}], [{"f": '{"a": '}])
        ),
        ([{"f": "[1]"}], WRONG_FORMAT),
        ([{"f": "{}", "ignored": "x"}], (Call("f", {}),)),
    ],
)
def test_native_calls(result, expected):
    """The official result form has arguments as JSON text; prompt mode needs text, native calls do not."""
    assert isinstance(decode([{"f": "{}"}], mode=Mode.PROMPT), DecodeFailure)
    found = decode(result, mode=Mode.FC)
    assert (found.error_type if isinstance(found, DecodeFailure) else found) == expected
