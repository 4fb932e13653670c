"""How the readers of all families read right, broken and hostile answers: one table."""

from __future__ import annotations

import json
from typing import Any

import pytest

from bfcl_pipeline.benchmark.config.families import load_families
from bfcl_pipeline.benchmark.records import DecodeFailure, Json, Mode
from bfcl_pipeline.dialogue.calls import FAILED, decode, decode_step
from bfcl_pipeline.dialogue.calls.decode import WRONG_FORMAT
from bfcl_pipeline.dialogue.families import READERS

TEXT = "the text itself"
"""Expected: the uniform form is the answer as it is, which cannot be decoded, but may answer a question."""

CALL = {"name": "f.g", "arguments": {"a": [1, None, "é;"]}}
ONE = json.dumps(CALL)
UNIFORM = [{"f.g": json.dumps(CALL["arguments"])}]
ARRAY = f"[{ONE}]"
F, G = '{"name": "f", "arguments": {"a": 1}}', '{"name": "g", "arguments": {}}'
AS_TEXT = '{"name": "f", "arguments": "{\\"a\\": 1}"}'
FG = [{"f": '{"a": 1}'}, {"g": "{}"}]
TRUE_G = [{"f": '{"a": true}'}, FG[1]]
HOSTILE = "__import__('os').system('x')"
MARK = "<|tool_call|>"
ESCAPED = "<start_function_call>call:f{%s}<end_function_call>"
STATEMENTS = "<|tool_call_start|>%s<|tool_call_end|>"
LISTED = "arch granite_3 phi"
ARRAYS = "json_array json_array_or_semicolons"


def tagged(*written: str) -> str:
    return "\n".join(f"<tool_call>\n{each}\n</tool_call>" for each in written)


Row = tuple[str, str, Any, Any]
"""Readers, an answer, and what is expected of it where it is compared and where its calls run: the uniform
form, TEXT, or the error type of decoding it; None: nothing."""

ROWS: list[Row] = [
    # JSON values between tags: what is not JSON is left out, one wrong value makes all undecodable.
    *(
        ("tool_call_tags tool_call_tags_only", text, calls, calls or TEXT)
        for text, calls in [
            (tagged(ONE), UNIFORM),
            (f"Words. {tagged(ONE, ONE)}", UNIFORM * 2),
            (tagged("{broken", ONE), UNIFORM),
            ("<tool_call>\n" + tagged(ONE), []),
            (tagged(ONE)[:-1], []),
            (tagged(json.dumps({**CALL, "type": "function"})), UNIFORM),
            (tagged('{"name": 5, "arguments": {}}'), [{"5": "{}"}]),
            ("", []),
            ("Words.", []),
        ]
    ),
    *(
        ("tool_call_tags", tagged(ONE, written), TEXT, TEXT)
        for written in (
            *("1", "[]", '"f"', '{"name": "f"}', '{"arguments": {}}'),
            *('{"name": ["f"], "arguments": {}}', '{"name": "f", "arguments": [1]}'),
        )
    ),
    ("tool_call_tags", tagged(AS_TEXT), TEXT, FG[:1]),
    *(
        ("tool_call_tags", tagged(f'{{"name": "f", "arguments": {arguments}}}'), TEXT, TEXT)
        for arguments in ('"{"', '"[1]"', "null")
    ),
    # Lists of calls, which may lack their brackets, ends of marks, or have calls as text.
    ("arch", f"Words. {tagged(ONE)}", UNIFORM, None),
    ("arch", tagged(repr(CALL)), UNIFORM, None),
    ("arch", tagged(json.dumps({**CALL, "more": 1})), UNIFORM, None),
    ("phi", f"{MARK}{ARRAY}<|/tool_call|>", UNIFORM, None),
    ("phi", f"{MARK}{ONE}\n", UNIFORM, None),
    ("phi", f"Words. {MARK}{json.dumps([F])}", FG[:1], None),
    ("phi", f"{MARK}{json.dumps([repr(CALL)])}", UNIFORM, None),
    ("granite_3", f"ASSISTANT: {MARK}{ARRAY}", UNIFORM, None),
    ("granite_3", f"<tool_call> {ONE} </tool_call>", UNIFORM, None),
    *(
        ("arch", tagged(*written), TEXT, TEXT)
        for written in (["{broken", ONE], ["1"], ['{"name": "f"}'], [HOSTILE])
    ),
    *(
        ("phi", MARK + written, TEXT, TEXT)
        for written in (
            *('["true"]', f"[{json.dumps({**CALL, 'type': 'function'})}]", ARRAY[:-1], "[]"),
            f"[9{'9' * 5000}]",
        )
    ),
    ("granite_3", f'{MARK}["f()"]', TEXT, TEXT),
    ("granite_3", f"{MARK}{ONE}{MARK}{ONE}", TEXT, TEXT),
    *((LISTED, text, TEXT, TEXT) for text in ("Words.", "", ONE)),
    # Arguments that are text: a wrong output format where they are compared, and JSON where they run.
    *(
        (reader, before + AS_TEXT + after, [{"f": json.dumps('{"a": 1}')}], FG[:1])
        for reader, before, after in [
            ("arch", "<tool_call>\n", "\n</tool_call>"),
            ("phi granite_3", MARK, ""),
        ]
    ),
    ("arch", tagged('{"name": "f", "arguments": "{\\"a\\": "}'), None, [{"f": '{"a": '}]),
    ("phi granite_3", f'{MARK}{{"name": "f", "arguments": "{{\\"a\\": "}}', None, [{"f": '{"a": '}]),
    # An array of calls, or one call, that is the whole answer.
    (f"{ARRAYS} hammer", ARRAY, UNIFORM, UNIFORM),
    (ARRAYS, ONE, UNIFORM, None),
    *(
        (f"{ARRAYS} python_or_json", text, FAILED, TEXT)
        for text in (
            *("", "I cannot.", ARRAY[:-1], "5", "[1]", '["m.f"]', '[{"name": "f"}]', '[{"arguments": {}}]'),
            *(f"Calls: {ARRAY}", "[" * 5000, "9" * 5000),
        )
    ),
    ("json_array_or_semicolons", f"{F} ; {G}", FG, None),
    ("json_array_or_semicolons", f"{F} ; {G};", FAILED, None),
    ("json_array", f"{F} ; {G}", FAILED, None),
    ("json_array", '[{"name": ["f"], "arguments": {}}]', FAILED, [{"['f']": "{}"}]),
    ("json_array", '[{"name": null, "arguments": {}}]', [{"None": "{}"}], None),
    ("json_array", '[{"name": "f", "arguments": [1]}]', WRONG_FORMAT, TEXT),
    ("hammer", '[{"name": "f", "arguments": [1]}]', WRONG_FORMAT, TEXT),
    # Python without semicolons, which separate objects of JSON; no name is looked up.
    *(
        ("python_or_json", text, calls, calls or TEXT)
        for text, calls in [
            ("{'name': 'f', 'parameters': {'a': True}}", [{"f": '{"a": true}'}]),
            ('{"name": "f", "parameters": {"a": 1}}, {"name": "g", "parameters": {}}', FG),
            ('<|python_tag|>{"name": "f", "parameters": {"a": 1}}', FG[:1]),
            ('[{"name": "f", "parameters": {"a": 2 * 10**3}}]', [{"f": '{"a": 2000}'}]),
            ('{"name": "f", "parameters": {"a": float("1")}}', [{"f": '{"a": 1.0}'}]),
            ('{"name": "f", "parameters": {"a": 1}}; {"name": "g", "parameters": {}}', FG),
            ('{"name": "f", "parameters": {"a": true}}; {"name": "g", "parameters": {}}', TRUE_G),
            ('""', []),
            ('{"name": "g", "parameters": {}} | {"name": "f", "parameters": {"a": 1}}', FG[:1]),
        ]
    ),
    *(
        ("python_or_json", text, FAILED, None)
        for text in (
            '{"name": "f", "parameters": {"a": true}}',
            '{"name": "f", "parameters": {"a": null}}',
            '{"name": "f", "parameters": {"a": "x; y"}}',
            '{"name": "f", "arguments": {}}',
            "{'name': 'f', 'parameters': {}}; {'name': 'g', 'parameters': {}}",
            HOSTILE,
            "[print()]",
            # Which the release evaluates, and this reader does not: sets, constructors, formatted text.
            '{"name": "f", "parameters": {"a": {1, 2}}}',
            '{"name": "f", "parameters": dict(a=1)}',
            '{"name": "f", "parameters": {"a": f\'x\'}}',
        )
    ),
    # In the release tuples stay tuples, keys stay numbers, and escapes of a pair stay two characters.
    (
        "python_or_json",
        '{"name": "f", "parameters": {"a": (1, {2: "\\ud83d\\ude00"})}}',
        [{"f": json.dumps({"a": [1, {"2": "\U0001f600"}]})}],
        None,
    ),
    # Hammer: text has no calls, fences are left out; more is read in conversations.
    *(
        ("hammer", text, [], TEXT)
        for text in ("I cannot.", "", ARRAY[:-1], "[" * 5000, f"```json\n{ARRAY}\n```")
    ),
    ("hammer", f"```{ARRAY}```", UNIFORM, None),
    ("hammer", json.dumps({"tool_calls": CALL}), None, UNIFORM),
    ("hammer", json.dumps({"tool_calls": [CALL]}), FAILED, None),
    (
        "hammer",
        json.dumps([1, CALL, {"arguments": {"a": 1}}, {"name": "g"}]),
        None,
        [*UNIFORM, {"": '{"a": 1}'}, {"g": "{}"}],
    ),
    ("hammer", "5", FAILED, TEXT),
    ("hammer", ONE, FAILED, TEXT),
    ("hammer", "{}", None, TEXT),
    ("hammer", '{"tool_calls": 5}', None, TEXT),
    ("hammer", '[{"name": "g"}]', FAILED, None),
    # ThinkAgent: calls after the reasoning only, single quotes count as double; none in conversations.
    ("think_agent", " it's so</think> [{'name': 'f', 'arguments': {'a': 1}}]\n", FG[:1], TEXT),
    ("think_agent", ARRAY, [], None),
    ("think_agent", "</think>[]", None, TEXT),
    ("think_agent", "", None, TEXT),
    *(
        ("think_agent", text, FAILED, None)
        for text in ("a</think>b</think>[]", "</think>it's", f"</think>{ONE}", "</think>5")
    ),
    # Granite-20b
    ("function_call_marks", f"<function_call> {F}" * 2, FG[:1] * 2, None),
    ("function_call_marks", "", [], None),
    ("function_call_marks", '<function_call> {"name": "no_function", "arguments": {}}', WRONG_FORMAT, None),
    ("function_call_marks", '<function_call> {"name": "f", "argum', WRONG_FORMAT, None),
    ("function_call_marks", "<function_call>" + "[" * 1000, WRONG_FORMAT, None),
    ("function_call_marks", "[1]", FAILED, None),
    # GLM
    ("two_lines", 'f\n{"a": 1}', FG[:1], None),
    *(("two_lines", text, WRONG_FORMAT, None) for text in ("f", "[" * 1000, "f" * 10**6, "f\n[1]")),
    ("two_lines", "f\n{'a': 1}", FAILED, None),
    ("two_lines", "Done.", None, TEXT),
    # Mistral
    ("mistral", f"[{F}]", FG[:1], None),
    ("mistral", '[{"name": "f", "arguments": "{}"}]', WRONG_FORMAT, None),
    ("mistral", "[]", [], None),
    ("mistral", "", FAILED, None),
    ("mistral", '[{"name": "f"', FAILED, None),
    ("mistral", "Done.", None, TEXT),
    # FunctionGemma
    ("function_gemma", f"{ESCAPED % 'a:1'} and", FG[:1], None),
    (
        "function_gemma",
        ESCAPED % "a:{b:[1.5,{c:2]},d:3}",
        [{"f": '{"a": {"b": [1.5, {"c": 2}], "d": 3}}'}],
        None,
    ),
    ("function_gemma", ESCAPED % "<escape>a<escape>:<escape>{x<escape>", [{"f": '{"a": "{x"}'}], None),
    ("function_gemma", ESCAPED[: -len("call>")] % "a:1", [], None),
    ("function_gemma", "<start_function_call>" * 50_000, [], None),
    ("function_gemma", "Done.", None, TEXT),
    # MiniCPM: statements of Python; JSON has no tuples.
    ("python_statements", STATEMENTS % "```python\nf(a=1)\nx = f(a=1)\n```", FG[:1] * 2, None),
    ("python_statements", STATEMENTS % f"f(a={HOSTILE})", [{"f": json.dumps({"a": HOSTILE})}], None),
    ("python_statements", STATEMENTS % "f(a=(1, 2))", [{"f": '{"a": "(1, 2)"}'}], None),
    ("python_statements", STATEMENTS % "f(a=(1, [(2,)]))", None, [{"f": '{"a": [1, [[2]]]}'}]),
    ("python_statements", STATEMENTS % "f(a=1", WRONG_FORMAT, None),
    ("python_statements", "{" * 1000, WRONG_FORMAT, None),
    ("python_statements", "<|tool_call_end|><|tool_call_start|>", FAILED, None),
    ("python_statements", "Done.", None, TEXT),
    # Falcon
    ("falcon", f"<tool_call>```json\n{F}\n```</tool_call>", FG[:1], None),
    ("falcon", f"<tool_call>[{F}]", FG[:1], None),
    ("falcon", "<tool_call>{}</tool_call>", FAILED, None),
    ("falcon", "", FAILED, None),
    ("falcon", "<tool_call>[]</tool_call>", None, TEXT),
    ("falcon", '<tool_call>{"name": "f", "arguments": []}</tool_call>', None, TEXT),
]

PLAIN_TEXT: list[tuple[str, str, str, str]] = [
    ("text", " [f()]\n", " [f()]\n", " [f()]\n"),
    ("text_after_reasoning", "<think>a</think>b</think>\n[f()]", "\n[f()]", "\n[f()]"),
    ("text_after_reasoning", "[f()]", "[f()]", "[f()]"),
    ("reasoned_text", "<think>\na\n</think>\n\n[f()]", "[f()]", "[f()]"),
    *(
        row
        for language in ("json", "python")
        for row in [
            ("fenced_text", f"```{language}\n[f(a=1)]\n```", "\n[f(a=1)]\n```", "\n[f(a=1)]\n```"),
            (
                "fenced_text",
                f"\n ```{language}\n[f(a=1)]\n```",
                "\n[f(a=1)]\n```",
                f"\n ```{language}\n[f(a=1)]\n```",
            ),
        ]
    ),
    ("fenced_text", "```json\nIt is 5.", "\nIt is 5.", "```json\nIt is 5."),
    ("fenced_text", "```json(a=1)", "(a=1)", "(a=1)"),
]
"""Readers of families in mode prompt, an answer, and its text where it is compared and where it runs.

A fence around words stays where calls run, as they may answer a question.
"""


def uniform(reader: str, text: str, *, runs: bool) -> Json:
    """The uniform form of an answer after one message."""
    return READERS[reader].uniform(READERS[reader].split(text, 1).stored, runs)


def error_type(result: Json) -> str | None:
    """The error of decoding a uniform form where it is compared, if there is one."""
    decoded = decode(result, mode=Mode.FC)
    return decoded.error_type if isinstance(decoded, DecodeFailure) else None


@pytest.mark.parametrize(
    ("reader", "text", "compared", "run"),
    [(reader, *row) for readers, *row in ROWS for reader in readers.split()],
)
def test_an_answer_is_read(reader: str, text: str, compared: Any, run: Any) -> None:
    """Calls are in the uniform form; what the release's handler cannot decode has its error type."""
    for expected, runs in ((compared, False), (run, True)):
        found = uniform(reader, text, runs=runs)
        if expected is TEXT:
            assert found == (text if runs else text or " ")
        elif isinstance(expected, str):
            assert error_type(found) == expected
        elif expected is not None:
            assert found == expected


@pytest.mark.parametrize(("reader", "text", "compared", "run"), PLAIN_TEXT)
def test_text_is_read(reader: str, text: str, compared: str, run: str) -> None:
    """Reasoning and the beginning of a fence are left out of an answer that is scored as text."""
    assert (uniform(reader, text, runs=False), uniform(reader, text, runs=True)) == (compared, run)


def test_every_reader_is_in_the_tables_and_used() -> None:
    """A reader without a row here, or without a family, fails."""
    tested = {reader for readers, *_ in [*ROWS, *PLAIN_TEXT] for reader in readers.split()}
    assert tested == READERS.keys() == {family.reader for family in load_families().values()}


@pytest.mark.parametrize("reader", [*ARRAYS.split(), "hammer", "python_or_json", "think_agent"])
def test_the_whole_answer_is_stored_and_sent_back(reader: str) -> None:
    """Also if it has no calls. Results that are not text, which no handler stores, cannot be decoded."""
    answer = READERS[reader].split(" text\n", 3)
    assert (answer.stored, answer.reply) == (" text\n", {"role": "assistant", "content": " text\n"})
    for stored in (None, 5, {"a": 1}):
        assert error_type(READERS[reader].uniform(stored, False)) == FAILED
        assert isinstance(decode_step(READERS[reader].uniform(stored, True), Mode.FC), DecodeFailure)


def test_reasoning_is_split_off() -> None:
    """The result is what follows it; calls in the reasoning of tagged answers are in the history only."""
    answer = READERS["tool_call_tags"].split(f"<think>\n{tagged(ONE)}\n</think>\n\nHi.", 0)
    assert (answer.stored, answer.reply["tool_calls"], answer.reply["content"]) == ("Hi.", [CALL], "")
    assert READERS["tool_call_tags_only"].split("a</think>b", 0).stored == "a</think>b"
    text = "<think>a</think>b</think>\n[f()]"
    answer = READERS["text_after_reasoning"].split(text, 1)
    assert (answer.reply["content"], answer.reasoning) == (text, "<think>a</think>b")
    assert READERS["fenced_text"].uniform([], True) == []


@pytest.mark.parametrize("reader", LISTED.split())
def test_the_work_of_evaluated_texts_is_bounded(reader: str) -> None:
    """Arithmetic is computed; an answer that makes an endless number, or a long text often, stays text."""

    def stored(written: str, times: int = 1) -> Json:
        text = tagged(*[written] * times) if reader == "arch" else MARK + json.dumps([written] * times)
        found = READERS[reader].split(text, 0).stored
        return TEXT if found == text else found

    computed = "{'name': 'f', 'arguments': {'a': 2 * 3, 'b': (1, -2 ** 2)}}"
    long = "{'name': 'f', 'arguments': {'a': 'x' * 9_000}}"
    assert stored(computed) == [{"f": {"a": 6, "b": [1, -4]}}]
    assert stored(computed.replace("2 * 3", "9 ** 9 ** 9")) == TEXT
    assert len(stored(long, 2)) == 2
    assert stored(long, 300) == TEXT
