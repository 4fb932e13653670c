"""How calls that are JSON objects without marks are read, from right and from broken answers."""

from __future__ import annotations

import json

import pytest

from bfcl_pipeline.benchmark.records import DecodeFailure, Mode
from bfcl_pipeline.dialogue.calls import FAILED, decode, decode_step
from bfcl_pipeline.dialogue.families import READERS

READ_ALIKE = ("json_array", "json_array_or_semicolons", "hammer")
CALL = {"name": "m.f", "arguments": {"a": [1, None, "é;"]}}
UNIFORM = [{"m.f": json.dumps(CALL["arguments"])}]
ARRAY = json.dumps([CALL])
TWO = '{"name": "f", "arguments": {}} ; {"name": "g", "arguments": {"a": true}}'
TWO_UNIFORM = [{"f": "{}"}, {"g": '{"a": true}'}]


def single(reader, text):
    """The uniform form of a single turn."""
    return READERS[reader].uniform(text, False)


def run(reader, text):
    """The uniform form in a conversation."""
    return READERS[reader].uniform(text, True)


def fails(reader, text):
    """Whether a single turn cannot be decoded."""
    decoded = decode(single(reader, text), mode=Mode.FC)
    return isinstance(decoded, DecodeFailure) and decoded.error_type == FAILED


@pytest.mark.parametrize("reader", READ_ALIKE)
def test_an_array_of_calls(reader):
    """It is read alike in single turns and in conversations."""
    assert single(reader, ARRAY) == run(reader, ARRAY) == UNIFORM


@pytest.mark.parametrize("reader", [*READ_ALIKE, "python_or_json", "think_agent"])
def test_the_whole_answer_is_stored_and_sent_back(reader):
    """Also if it has no calls."""
    answer = READERS[reader].split(" text\n", 3)
    assert (answer.stored, answer.reply) == (" text\n", {"role": "assistant", "content": " text\n"})


@pytest.mark.parametrize(
    "text",
    [
        "",
        "I cannot.",
        ARRAY[:-1],
        "5",
        "[1]",
        '["m.f"]',
        '[{"name": "f"}]',
        '[{"arguments": {}}]',
        f"Calls: {ARRAY}",
        "[" * 5000,
        "9" * 5000,
    ],
)
@pytest.mark.parametrize("reader", ["json_array", "json_array_or_semicolons", "python_or_json"])
def test_broken_answers_fail(reader, text):
    """Single turns fail to decode; a conversation keeps the text, also an empty one."""
    assert fails(reader, text)
    assert run(reader, text) == text


@pytest.mark.parametrize("reader", ["json_array", "json_array_or_semicolons"])
def test_one_call_without_an_array(reader):
    """It is read as an array of it."""
    assert single(reader, json.dumps(CALL)) == UNIFORM


def test_calls_between_semicolons():
    """xLAM's are read, BitAgent's are not."""
    assert single("json_array_or_semicolons", TWO) == TWO_UNIFORM
    assert fails("json_array", TWO)
    assert fails("json_array_or_semicolons", TWO + ";")


def test_names_that_are_not_text():
    """They stay calls, of functions that do not exist; lists only in conversations."""
    assert fails("json_array", '[{"name": ["f"], "arguments": {}}]')
    assert single("json_array", '[{"name": null, "arguments": {}}]') == [{"None": "{}"}]
    assert run("json_array", '[{"name": ["f"], "arguments": {}}]') == [{"['f']": "{}"}]


def test_arguments_that_are_not_an_object():
    """A single turn has the official error type of a wrong format, and a conversation keeps the text."""
    text = '[{"name": "f", "arguments": [1]}]'
    decoded = decode(single("json_array", text), mode=Mode.FC)
    assert isinstance(decoded, DecodeFailure)
    assert decoded.error_type == "ast_decoder:decoder_wrong_output_format"
    assert isinstance(decode_step(run("json_array", text), Mode.FC), DecodeFailure)
    assert run("json_array", text) == run("hammer", text) == text


@pytest.mark.parametrize(
    ("text", "calls"),
    [
        ("{'name': 'f', 'parameters': {'a': True}}", [{"f": '{"a": true}'}]),
        ('{"name": "f", "parameters": {}}, {"name": "g", "parameters": {}}', [{"f": "{}"}, {"g": "{}"}]),
        ('<|python_tag|>{"name": "f", "parameters": {"a": 1}}', [{"f": '{"a": 1}'}]),
        ('[{"name": "f", "parameters": {"a": 2 * 10**3}}]', [{"f": '{"a": 2000}'}]),
        ('{"name": "f", "parameters": {"a": float("1")}}', [{"f": '{"a": 1.0}'}]),
        (
            '{"name": "f", "parameters": {"a": true}}; {"name": "g", "parameters": {}}',
            [{"f": '{"a": true}'}, {"g": "{}"}],
        ),
        ('""', []),
        (
            '{"name": "f", "parameters": {}} | {"name": "g", "parameters": {"a": 1}}',
            [{"g": '{"a": 1}'}],
        ),
    ],
)
def test_llama_3_1_writes_python_or_json(text, calls):
    """Python without semicolons, which separate objects of JSON."""
    assert single("python_or_json", text) == calls
    assert run("python_or_json", text) == (calls or text)


@pytest.mark.parametrize(
    "text",
    [
        '{"name": "f", "parameters": {"a": true}}',
        '{"name": "f", "parameters": {"a": null}}',
        '{"name": "f", "parameters": {"a": "x; y"}}',
        '{"name": "f", "arguments": {}}',
        "{'name': 'f', 'parameters': {}}; {'name': 'g', 'parameters': {}}",
        "__import__('os').system('true')",
        "[print()]",
    ],
)
def test_what_llama_3_1_may_not_write(text):
    """Words of JSON are no Python, semicolons separate wherever they are, and no name is looked up."""
    assert fails("python_or_json", text)


@pytest.mark.parametrize(
    "text",
    [
        '{"name": "f", "parameters": {"a": {1, 2}}}',
        '{"name": "f", "parameters": dict(a=1)}',
        '{"name": "f", "parameters": {"a": f\'x\'}}',
    ],
)
def test_python_that_the_release_evaluates_and_this_reader_does_not(text):
    """Sets, constructors and formatted text fail here, and in the release they are values."""
    assert fails("python_or_json", text)


def test_python_values_become_those_of_json():
    """In the release tuples stay tuples, keys stay numbers, and escapes of a pair stay two characters."""
    text = '{"name": "f", "parameters": {"a": (1, {2: "\\ud83d\\ude00"})}}'
    ((arguments,),) = (call.values() for call in single("python_or_json", text))
    assert json.loads(arguments) == {"a": [1, {"2": "\U0001f600"}]}


@pytest.mark.parametrize("text", ["I cannot.", "", ARRAY[:-1], "[" * 5000, f"```json\n{ARRAY}\n```"])
def test_text_of_hammer_has_no_calls(text):
    """A single turn has an empty list of calls, and a conversation keeps the text as its answer."""
    assert single("hammer", text) == []
    assert run("hammer", text) == text


def test_fences_of_hammer_are_left_out():
    """Also inside of the calls."""
    assert single("hammer", f"```{ARRAY}```") == UNIFORM


def test_hammer_reads_more_in_conversations():
    """Calls under a key, and calls without a name or arguments; other values are left out."""
    assert run("hammer", json.dumps({"tool_calls": CALL})) == UNIFORM
    assert run("hammer", json.dumps([1, CALL, {"arguments": {"a": 1}}, {"name": "g"}])) == [
        *UNIFORM,
        {"": '{"a": 1}'},
        {"g": "{}"},
    ]
    for text in ("5", "{}", '{"tool_calls": 5}', json.dumps(CALL)):
        assert run("hammer", text) == text
    for text in ("5", json.dumps({"tool_calls": [CALL]}), '[{"name": "g"}]', json.dumps(CALL)):
        assert fails("hammer", text)


@pytest.mark.parametrize("reader", [*READ_ALIKE, "python_or_json", "think_agent"])
def test_results_that_are_not_text(reader):
    """What no official handler stores here fails, or has no calls."""
    for stored in (None, 5, {"a": 1}):
        assert fails(reader, stored)
        assert isinstance(decode_step(run(reader, stored), Mode.FC), DecodeFailure)


def test_think_agent_answers_after_its_reasoning():
    """Without reasoning there are no calls, and single quotes count as double ones."""
    assert single("think_agent", " it's so</think> [{'name': 'f', 'arguments': {'a': 1}}]\n") == [
        {"f": '{"a": 1}'}
    ]
    assert single("think_agent", ARRAY) == []
    for text in ("a</think>b</think>[]", "</think>it's", f"</think>{json.dumps(CALL)}", "</think>5"):
        assert fails("think_agent", text)


def test_think_agent_makes_no_calls_in_conversations():
    """The official handler fails over every call, so that the answer stays text."""
    for text in ("</think>[{'name': 'f', 'arguments': {}}]", "</think>[]", ""):
        assert run("think_agent", text) == text


def test_deepseek_r1_answers_after_its_reasoning():
    """The answer is what follows the last end mark; all of the text is sent back."""
    text = "<think>a</think>b</think>\n[f()]"
    answer = READERS["text_after_reasoning"].split(text, 1)
    assert (answer.stored, answer.reply["content"]) == ("\n[f()]", text)
    assert answer.reasoning == "<think>a</think>b"
    assert READERS["text_after_reasoning"].split("[f()]", 1).stored == "[f()]"
