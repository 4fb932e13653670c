"""Families with prompts and calls of their own: Granite-20b, GLM-4, Mistral, FunctionGemma, MiniCPM."""

from __future__ import annotations

import json
import sys
from datetime import date

import pytest
import yaml

from bfcl_pipeline.base.errors import ConfigError
from bfcl_pipeline.benchmark.config.families import load_families
from bfcl_pipeline.benchmark.records import Call, DecodeFailure, Json, Mode
from bfcl_pipeline.dialogue.calls import FAILED, decode
from bfcl_pipeline.dialogue.calls.decode import WRONG_FORMAT
from bfcl_pipeline.dialogue.families import READERS
from bfcl_pipeline.dialogue.families.functions import FORMS
from bfcl_pipeline.dialogue.families.readers.objects import call_ids
from tests.support.family_talk import DOC, Talk, asked

UNDERSCORED = {**DOC, "name": "m_f"}
UNDERSCORED["parameters"] = {**DOC["parameters"], "type": "object"}


def test_a_conversation_of_granite_20b():
    """Functions are in the first text, each message is under its role in capitals."""
    talk = Talk("granite-20b", asked("Go."))
    answer = '<function_call> {"name": "m_f", "arguments": {"a": 1}}'
    talk.answer(answer)
    assert talk.prompt() == (
        f"SYSTEM: You are. {json.dumps(UNDERSCORED)}\nUSER:\nGo.\n\nASSISTANT:\n{answer}\n\nTOOL:\n r0\n\n"
        "ASSISTANT: "
    )


def test_sentences_of_granite_20b_are_run():
    """A sentence ends no turn: the release evaluates it, and its error goes back to the model."""
    talk = Talk("granite-20b", asked("Go."))
    talk.answer('I am done. <function_call> {"name": "no_function", "arguments": {}}')
    assert [message["role"] for message in talk.messages] == ["user", "assistant", "tool", "tool"]
    talk.answer("")
    assert talk.messages[-1] == {"role": "assistant", "content": ""}


def test_a_conversation_of_glm():
    """Each function has a heading and indented JSON; a call is a name and a line of arguments."""
    talk = Talk("glm", asked("Go.", system="Help."))
    talk.answer('m_f\n{"a": 1}\nmore')
    assert talk.prompt() == (
        f"[gMASK]<sop><|system|>\nTools\n\n## m_f\n\n{json.dumps(UNDERSCORED, indent=4)}"
        "\n在调用上述函数时，请使用 Json 格式表示调用的参数。"
        '<|system|>\nHelp.<|user|>\nGo.<|assistant|>\nm_f\n{"a": 1}\nmore<|tool|>\n r0<|assistant|>'
    )


def test_a_conversation_of_mistral():
    """Functions stand before the last question; calls and results have the same ids."""
    talk = Talk("mistral-fc", asked("Go.", system="Help."))
    tools = (
        '[AVAILABLE_TOOLS][{"type": "function", "function": {"name": "m.f", "description": "é", '
        f'"parameters": {json.dumps(DOC["parameters"])}}}}}][/AVAILABLE_TOOLS]'
    )
    assert talk.prompt() == f"<s>{tools}[INST]Help.\n\nGo.[/INST]"
    talk.answer('[{"name": "m.f", "arguments": {"a": 1}}, {"name": "m.f", "arguments": "{}"}]')
    first, second = call_ids(2, 2)
    assert talk.prompt() == (
        f"<s>{tools}[INST]Go.[/INST][TOOL_CALLS]"
        f'[{{"name": "m.f", "arguments": {{"a": 1}}, "id": "{first}"}}, '
        f'{{"name": "m.f", "arguments": "{{}}", "id": "{second}"}}]</s>'
        f'[TOOL_RESULTS]{{"content": " r0", "call_id": "{first}"}}[/TOOL_RESULTS]'
        f'[TOOL_RESULTS]{{"content": " r1", "call_id": "{second}"}}[/TOOL_RESULTS]'
    )


def test_a_conversation_of_function_gemma():
    """Keys are in order, texts between marks; parameters with the name of a keyword are left out."""
    schema = {
        "type": "dict",
        "properties": {
            "b": {"type": "array", "description": "é", "items": {"type": "string", "enum": ["x"]}},
            "a": {"type": "object", "properties": {"c": {"type": "float"}}, "required": ["c"]},
            "type": {"type": "string"},
        },
        "required": ["b"],
    }
    talk = Talk(
        "functiongemma", asked(" Go. "), ({"name": "m.f", "description": "d", "parameters": schema},)
    )
    talk.answer("<start_function_call>call:m.f{b:[<escape>x<escape>],n:1}<end_function_call>")
    talk.messages[-1]["content"] = '{"z": {"k": [true, null]}, "A": 1.5}'
    assert talk.prompt() == (
        "<start_of_turn>developer\nYou are a model.\n<start_function_declaration>"
        "declaration:m.f{description:"
        "<escape>d<escape>,properties:{a:{description:<escape><escape>,properties:{c:{description:"
        "<escape><escape>,type:<escape>FLOAT<escape>}},required:[<escape>c<escape>],"
        "type:<escape>OBJECT<escape>},"
        "b:{description:<escape>é<escape>,items:{enum:[<escape>x<escape>],type:<escape>STRING<escape>},"
        "type:<escape>ARRAY<escape>}},required:[<escape>b<escape>],type:<escape>DICT<escape>}"
        "<end_function_declaration><end_of_turn>\n"
        "<start_of_turn>user\nGo.<end_of_turn>\n<start_of_turn>model\n"
        "<start_function_call>call:m.f{b:[<escape>x<escape>],n:1}<end_function_call><end_of_turn>\n"
        "<start_function_response>response:m.f(b=['x'], n=1)"
        "{A:1.5,z:{k:[true,null]}}<end_function_response>"
        "<start_of_turn>model\n"
    )


def test_a_conversation_of_minicpm():
    """Every request writes the functions into the system message again, and strips all messages."""
    talk = Talk("minicpm-fc", asked(" Go."))
    code = 'def m_f(a):\n    """\n    é\n    Args:\n\n    a: int\n\n    """'
    functions = f"# Functions\nfrom enum import Enum\n\n\n{code}\n\n{{explain}}"
    assert talk.prompt() == (
        f"<|im_start|>system\n{functions}<|im_end|>\n<|im_start|>user\nGo.<|im_end|>\n<|im_start|>assistant\n"
    )
    calls = "<|tool_call_start|>\n```python\nm_f(a=1)\n```\n<|tool_call_end|>\n"
    talk.answer(calls)
    assert talk.prompt() == (
        f"<|im_start|>system\n{functions}\n{functions}<|im_end|>\n<|im_start|>user\nGo.<|im_end|>\n"
        f"<|im_start|>assistant\n{calls.strip()}<|im_end|>\n<|im_start|>tool\nr0<|im_end|>\n"
        "<|im_start|>assistant\n"
    )


def test_functions_that_the_package_cannot_write_are_left_out():
    """As in the release, which still shows the others."""
    broken = {
        "name": "m.g",
        "description": "",
        "parameters": {"type": "dict", "properties": {"a": {"type": "string", "enum": 5}}},
    }
    talk = Talk("minicpm-fc", asked("Go."), (broken, DOC))
    assert talk.prompt().count("def ") == talk.prompt().count("def m_f(a):") == 1


def test_a_missing_package_is_named(monkeypatch: pytest.MonkeyPatch):
    """The functions of MiniCPM need an extra, and the error says how to install it."""
    monkeypatch.setitem(sys.modules, "datamodel_code_generator", None)
    monkeypatch.delitem(sys.modules, "bfcl_pipeline.dialogue.families.written_classes", raising=False)
    talk = Talk("minicpm-fc", asked("Go."), ({**DOC, "name": "not_written_before"},))
    with pytest.raises(ConfigError, match=r"pip install 'bfcl-pipeline\[minicpm\]'"):
        talk.prompt()


CALL = Call("f", {"a": 1})
ESCAPED = "<start_function_call>call:f{%s}<end_function_call>"
STATEMENTS = "<|tool_call_start|>%s<|tool_call_end|>"


HOSTILE = "__import__('os').system('x')"
CASES: list[tuple[str, str, str | list[Call]]] = [
    ("granite-20b", '<function_call> {"name": "f", "arguments": {"a": 1}}' * 2, [CALL, CALL]),
    ("granite-20b", "", []),
    ("granite-20b", '<function_call> {"name": "no_function", "arguments": {}}', WRONG_FORMAT),
    ("granite-20b", '<function_call> {"name": "f", "argum', WRONG_FORMAT),
    ("granite-20b", "[1]", FAILED),
    ("glm", 'f\n{"a": 1}', [CALL]),
    ("glm", "f", WRONG_FORMAT),
    ("glm", "[" * 1000, WRONG_FORMAT),
    ("glm", "f" * 10**6, WRONG_FORMAT),
    ("granite-20b", "<function_call>" + "[" * 1000, WRONG_FORMAT),
    ("glm", "f\n{'a': 1}", FAILED),
    ("glm", "f\n[1]", WRONG_FORMAT),
    ("mistral-fc", '[{"name": "f", "arguments": {"a": 1}}]', [CALL]),
    ("mistral-fc", '[{"name": "f", "arguments": "{}"}]', WRONG_FORMAT),
    ("mistral-fc", "[]", []),
    ("mistral-fc", "", FAILED),
    ("mistral-fc", '[{"name": "f"', FAILED),
    ("functiongemma", ESCAPED % "a:1" + " and", [CALL]),
    (
        "functiongemma",
        ESCAPED % "a:{b:[1.5,{c:2]},d:3}",
        [Call("f", {"a": {"b": [1.5, {"c": 2}], "d": 3}})],
    ),
    ("functiongemma", ESCAPED % "<escape>a<escape>:<escape>{x<escape>", [Call("f", {"a": "{x"})]),
    ("functiongemma", ESCAPED[: -len("call>")] % "a:1", []),
    ("functiongemma", "<start_function_call>" * 50_000, []),
    ("minicpm-fc", STATEMENTS % "```python\nf(a=1)\nx = f(a=1)\n```", [CALL, CALL]),
    (
        "minicpm-fc",
        STATEMENTS % f"f(a={HOSTILE})",
        [Call("f", {"a": HOSTILE})],
    ),
    ("minicpm-fc", STATEMENTS % "f(a=(1, 2))", [Call("f", {"a": "(1, 2)"})]),
    ("minicpm-fc", STATEMENTS % "f(a=1", WRONG_FORMAT),
    ("minicpm-fc", "{" * 1000, WRONG_FORMAT),
    ("minicpm-fc", "<|tool_call_end|><|tool_call_start|>", FAILED),
    ("falcon3-fc", '<tool_call>```json\n{"name": "f", "arguments": {"a": 1}}\n```</tool_call>', [CALL]),
    ("falcon3-fc", '<tool_call>[{"name": "f", "arguments": {"a": 1}}]', [CALL]),
    ("falcon3-fc", "<tool_call>{}</tool_call>", FAILED),
    ("falcon3-fc", "", FAILED),
]


@pytest.mark.parametrize(("family", "text", "expected"), CASES)
def test_single_turns(family: str, text: str, expected: str | list[Call]):
    """Right, broken and hostile answers are read as by the release's handler."""
    decoded = decode(_uniform(family, text, runs=False), mode=Mode.FC)
    assert (decoded.error_type if isinstance(decoded, DecodeFailure) else list(decoded)) == expected


@pytest.mark.parametrize(
    ("family", "text"),
    [
        ("glm", "Done."),
        ("mistral-fc", "Done."),
        ("functiongemma", "Done."),
        ("minicpm-fc", "Done."),
        ("falcon3-fc", "<tool_call>[]</tool_call>"),
        ("falcon3-fc", '<tool_call>{"name": "f", "arguments": []}</tool_call>'),
    ],
)
def test_answers_of_a_conversation_without_calls_stay(family: str, text: str):
    """They may be the answer to a question."""
    assert _uniform(family, text, runs=True) == text


def test_tuples_of_minicpm_are_run_as_lists():
    """JSON has no tuples."""
    assert _uniform("minicpm-fc", STATEMENTS % "f(a=(1, [(2,)]))", runs=True) == [
        {"f": '{"a": [1, [[2]]]}'}
    ]


def _uniform(family: str, text: str, *, runs: bool) -> Json:
    reader = READERS[load_families()[family].reader]
    return reader.uniform(reader.split(text, 1).stored, runs)


def test_writing_python_code_leaves_yaml_as_it_was() -> None:
    """Dates in YAML stay dates after a function was written as Python code."""
    document = {"type": "object", "properties": {"day": {"type": "string"}}}
    (code,) = FORMS["python_code"]([{"name": "f", "description": "d", "parameters": document}], 0)
    assert code is not None
    assert yaml.safe_load("2026-01-01") == date(2026, 1, 1)
