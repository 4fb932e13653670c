"""How calls between tags, in lists and in code fences are read, from right and from broken answers."""

from __future__ import annotations

import json

import pytest

from bfcl_pipeline.dialogue.families import READERS

TAGS = READERS["tool_call_tags"]
FENCED = READERS["fenced_text"]
LISTED = ("arch", "granite_3", "phi")
MARK = "<|tool_call|>"
CALL = {"name": "f.g", "arguments": {"a": [1, None, "é"]}}
UNIFORM = [{"f.g": json.dumps(CALL["arguments"])}]


def tagged(*written):
    return "\n".join(f"<tool_call>\n{each}\n</tool_call>" for each in written)


def uniform(reader, text, *, runs=False):
    """The uniform form of an answer."""
    return READERS[reader].uniform(READERS[reader].split(text, 0).stored, runs)


@pytest.mark.parametrize(
    ("text", "calls"),
    [
        (tagged(json.dumps(CALL)), UNIFORM),
        ("Words. " + tagged(json.dumps(CALL), json.dumps(CALL)), UNIFORM * 2),
        (tagged("{broken", json.dumps(CALL)), UNIFORM),
        ("<tool_call>\n" + tagged(json.dumps(CALL)), []),
        (tagged(json.dumps(CALL))[:-1], []),
        (tagged(json.dumps({**CALL, "type": "function"})), UNIFORM),
        (tagged('{"name": 5, "arguments": {}}'), [{"5": "{}"}]),
        ("", []),
        ("Words.", []),
    ],
)
def test_tagged_calls_that_are_compared(text, calls):
    """What is not JSON between tags is left out, and further keys of a call are ignored."""
    assert uniform("tool_call_tags", text) == calls
    assert uniform("tool_call_tags_only", text) == calls


@pytest.mark.parametrize(
    "written",
    [
        "1",
        "[]",
        '"f"',
        '{"name": "f"}',
        '{"arguments": {}}',
        '{"name": ["f"], "arguments": {}}',
        '{"name": "f", "arguments": [1]}',
    ],
)
def test_one_wrong_value_makes_a_tagged_answer_undecodable(written):
    """It stays text, also if other calls are right."""
    text = tagged(json.dumps(CALL), written)
    assert uniform("tool_call_tags", text) == text
    assert uniform("tool_call_tags", text, runs=True) == text


def test_arguments_that_are_text_are_read_only_where_calls_run():
    """Compared calls need a mapping; for calls that run, JSON text is as good."""
    text = tagged('{"name": "f", "arguments": "{\\"a\\": 1}"}')
    assert uniform("tool_call_tags", text) == text
    assert uniform("tool_call_tags", text, runs=True) == [{"f": '{"a": 1}'}]
    for arguments in ('"{"', '"[1]"', "null"):
        text = tagged(f'{{"name": "f", "arguments": {arguments}}}')
        assert uniform("tool_call_tags", text, runs=True) == text


def test_an_answer_in_words_stays_text_where_calls_run():
    """It may be the answer to a question, which is compared with the truth."""
    assert uniform("tool_call_tags", "It is 5.", runs=True) == "It is 5."


def test_calls_of_the_reasoning_are_in_the_history_only():
    """The result is what follows the reasoning; the history has all calls, and no words with them."""
    answer = TAGS.split(f"<think>\n{tagged(json.dumps(CALL))}\n</think>\n\nHi.", 0)
    assert (answer.stored, TAGS.uniform(answer.stored, False)) == ("Hi.", [])
    assert answer.reply["tool_calls"] == [CALL]
    assert answer.reply["content"] == ""
    assert READERS["tool_call_tags_only"].split("a</think>b", 0).stored == "a</think>b"


@pytest.mark.parametrize(
    ("reader", "text"),
    [
        ("arch", "Words. " + tagged(json.dumps(CALL))),
        ("arch", tagged(repr(CALL))),
        ("arch", tagged(json.dumps({**CALL, "more": 1}))),
        ("phi", f"{MARK}[{json.dumps(CALL)}]<|/tool_call|>"),
        ("phi", f"{MARK}{json.dumps(CALL)}\n"),
        ("phi", f"Words. {MARK}{json.dumps([json.dumps({'name': 'f.g', 'arguments': {'a': 1}})])}"),
        ("phi", f"{MARK}{json.dumps([repr(CALL)])}"),
        ("granite_3", f"ASSISTANT: {MARK}[{json.dumps(CALL)}]"),
        ("granite_3", f"<tool_call> {json.dumps(CALL)} </tool_call>"),
    ],
)
def test_listed_calls(reader, text):
    """Each is kept under its name; lists may lack their brackets, ends of marks, or have calls as text."""
    (call,) = READERS[reader].split(text, 0).stored
    assert call in ({"f.g": CALL["arguments"]}, {"f.g": {"a": 1}})
    assert uniform(reader, text) == [{"f.g": json.dumps(call["f.g"])}]


@pytest.mark.parametrize(
    ("reader", "text"),
    [
        ("arch", tagged("{broken", json.dumps(CALL))),
        ("arch", tagged("1")),
        ("arch", tagged('{"name": "f"}')),
        ("arch", tagged("__import__('os').getcwd()")),
        ("phi", f'{MARK}["true"]'),
        ("phi", f"{MARK}[{json.dumps({**CALL, 'type': 'function'})}]"),
        ("phi", f"{MARK}[{json.dumps(CALL)}"),
        ("phi", f"{MARK}[]"),
        ("phi", f"{MARK}[9{'9' * 5000}]"),
        ("granite_3", f'{MARK}["f()"]'),
        ("granite_3", f"{MARK}{json.dumps(CALL)}{MARK}{json.dumps(CALL)}"),
        *((reader, text) for reader in LISTED for text in ("Words.", "", json.dumps(CALL))),
    ],
)
def test_answers_without_listed_calls_are_text_that_is_not_decoded(reader, text):
    """Calls of functions, which the release evaluates, are not read. Compared empty text is a blank."""
    assert READERS[reader].split(text, 0).stored == text
    assert uniform(reader, text) == (text or " ")
    assert uniform(reader, text, runs=True) == text


@pytest.mark.parametrize("reader", LISTED)
def test_arithmetic_in_listed_calls_is_computed(reader):
    """In texts that the release evaluates; bounded, as in answers that are Python."""
    written = "{'name': 'f', 'arguments': {'a': 2 * 3, 'b': (1, -2 ** 2)}}"
    text = tagged(written) if reader == "arch" else f"{MARK}{json.dumps([written])}"
    assert READERS[reader].split(text, 0).stored == [{"f": {"a": 6, "b": [1, -4]}}]
    endless = text.replace("2 * 3", "9 ** 9 ** 9")
    assert READERS[reader].split(endless, 0).stored == endless


@pytest.mark.parametrize("reader", LISTED)
def test_the_work_of_all_texts_of_an_answer_is_bounded(reader):
    """A long text is made once, but an answer that makes it often has no calls."""
    long = "{'name': 'f', 'arguments': {'a': 'x' * 9_000}}"

    def made(times):
        parts = tagged(*[long] * times) if reader == "arch" else MARK + json.dumps([long] * times)
        return READERS[reader].split(parts, 0).stored

    assert len(made(2)) == 2
    assert isinstance(made(300), str)


@pytest.mark.parametrize("reader", LISTED)
def test_listed_arguments_that_are_text(reader):
    """They are a wrong output format where they are compared, and JSON where they run."""
    written = '{"name": "f", "arguments": "{\\"a\\": 1}"}'
    text = tagged(written) if reader == "arch" else MARK + written
    assert uniform(reader, text) == [{"f": json.dumps('{"a": 1}')}]
    assert uniform(reader, text, runs=True) == [{"f": '{"a": 1}'}]
    broken = text.replace("1}", "")
    assert uniform(reader, broken, runs=True) == [{"f": '{\\"a\\": '.replace("\\", "")}]


@pytest.mark.parametrize("language", ["json", "python"])
def test_a_fence_with_a_language(language):
    """Its beginning is removed; compared text may have white space before it."""
    text = f"```{language}\n[f(a=1)]\n```"
    assert FENCED.uniform(text, True) == FENCED.uniform(f"\n {text}", False) == "\n[f(a=1)]\n```"
    assert FENCED.uniform(f"\n {text}", True) == f"\n {text}"


def test_a_fence_around_words_stays_where_calls_run():
    """Such text may be the answer to a question; but a language that would be read as a call is removed."""
    assert FENCED.uniform("```json\nIt is 5.", True) == "```json\nIt is 5."
    assert FENCED.uniform("```json\nIt is 5.", False) == "\nIt is 5."
    assert FENCED.uniform("```json(a=1)", True) == "(a=1)"
    assert FENCED.uniform([], True) == []
