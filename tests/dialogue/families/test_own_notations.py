"""Families with prompts and calls of their own: Granite-20b, GLM-4, Mistral, FunctionGemma, MiniCPM."""

from __future__ import annotations

import json
import sys
from datetime import date

import pytest
import yaml

from bfcl_pipeline.base.errors import ConfigError
from bfcl_pipeline.dialogue.families.readers.objects import call_ids
from bfcl_pipeline.dialogue.families.rendering import FORMS
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
    talk = Talk("minicpm-fc", asked("Go."), ({**DOC, "name": "not_written_before"},))
    with pytest.raises(ConfigError, match=r"pip install 'bfcl-pipeline\[minicpm\]'"):
        talk.prompt()


def test_writing_python_code_leaves_yaml_as_it_was() -> None:
    """Dates in YAML stay dates after a function was written as Python code."""
    document = {"type": "object", "properties": {"day": {"type": "string"}}}
    (code,) = FORMS["python_code"]([{"name": "f", "description": "d", "parameters": document}], 0)
    assert code is not None
    assert yaml.safe_load("2026-01-01") == date(2026, 1, 1)
