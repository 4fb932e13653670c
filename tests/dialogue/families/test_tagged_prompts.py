"""Prompts of the families that write calls between tags, and of Phi, over short conversations."""

from __future__ import annotations

import pytest

from tests.support.family_talk import QUESTION, prompt_after

SYSTEM = {"role": "system", "content": "Rules."}
NEXT = {"role": "user", "content": "More."}
DOC = '{"name": "f", "description": "\\u00e9"}'
CALL = '<tool_call>\n{"name": "f", "arguments": {"a": "\\u00e9"}}\n</tool_call>'
OTHER = '<tool_call>\n{"name": "f", "arguments": {"a": 2}}\n</tool_call>'
TAGGED = ("arch", "granite-4", "nanbeige-fc", "pelican-fc", "qwen3-fc")
LISTED = ("granite-3", "phi-4-mini-fc")


def test_a_conversation_of_qwen3():
    """Reasoning is in the prompt from the user's last message on; results share a message of the user."""
    assert prompt_after("qwen3-fc", f"<think>\nold\n</think>\n\n{CALL}", "It is r0.", NEXT) == (
        f"<|im_start|>system\n# Tools\n\n<tools>\n{DOC}\n</tools>\n\nCall so.<|im_end|>\n"
        "<|im_start|>user\nGo.<|im_end|>\n"
        f"<|im_start|>assistant\n{CALL}<|im_end|>\n"
        "<|im_start|>user\n<tool_response>\nr0\n</tool_response><|im_end|>\n"
        "<|im_start|>assistant\nIt is r0.<|im_end|>\n"
        "<|im_start|>user\nMore.<|im_end|>\n"
        "<|im_start|>assistant\n"
    )
    assert prompt_after("qwen3-fc", f"<think>\nnew\n</think>\n\n{CALL}\n{OTHER}").endswith(
        f"<|im_start|>assistant\n<think>\nnew\n</think>\n\n{CALL}\n{OTHER}<|im_end|>\n"
        "<|im_start|>user\n<tool_response>\nr0\n</tool_response>\n<tool_response>\nr1\n</tool_response><|im_end|>\n"
        "<|im_start|>assistant\n"
    )


def test_qwen3_has_the_system_message_in_its_place():
    """The entry's system message is before the functions; without functions it is a message of its own."""
    asked = (SYSTEM, QUESTION)
    assert prompt_after("qwen3-fc", question=asked).startswith("<|im_start|>system\nRules.\n\n# Tools")
    for family in ("qwen3", "qwen3-fc"):
        assert prompt_after(family, question=asked, functions=()) == (
            "<|im_start|>system\nRules.<|im_end|>\n<|im_start|>user\nGo.<|im_end|>\n<|im_start|>assistant\n"
        )


def test_reasoning_of_qwen3_ends_with_its_mark():
    """Reasoning without an end is words of the answer; if they are last, empty reasoning precedes them."""
    assert prompt_after("qwen3", "<think>\nendless").endswith(
        "<|im_start|>assistant\n<think>\n\n</think>\n\n<think>\nendless<|im_end|>\n<|im_start|>assistant\n"
    )
    assert prompt_after("qwen3", "a</think>b<think>c</think>\n\nHi.", SYSTEM).endswith(
        "<|im_start|>assistant\n<think>\na\n</think>\n\nHi.<|im_end|>\n"
        "<|im_start|>system\nRules.<|im_end|>\n<|im_start|>assistant\n"
    )


def test_nanbeige_has_a_system_message_of_its_own():
    """It stands where the entry has none, with functions directly after it; otherwise it is as Qwen3."""
    assert prompt_after("nanbeige-fc", CALL) == prompt_after("qwen3-fc", CALL).replace(
        "system\n#", "system\n你是一位工具函数调用专家。#"
    )
    assert prompt_after("nanbeige-fc", functions=()).startswith(
        "<|im_start|>system\n 你<|im_end|>\n<|im_start|>user"
    )
    assert prompt_after("nanbeige-fc", question=(SYSTEM, QUESTION), functions=()).startswith(
        "<|im_start|>system\nRules.<|im_end|>\n<|im_start|>user"
    )


def test_a_conversation_of_arch():
    """Calls are on lines of their own, also arguments that are text are written as JSON."""
    text = '<tool_call>\n{"name": "f", "arguments": "{}"}\n</tool_call>'
    assert prompt_after("arch", f"{text}\n{OTHER}", "Done.") == (
        f"<|im_start|>system\nYou are a helpful agent.\n\n# Tools"
        f"\n\n<tools>\n{DOC}\n</tools>\n\nCall so.<|im_end|>\n"
        "<|im_start|>user\nGo.<|im_end|>\n"
        f"<|im_start|>assistant\n{text}\n{OTHER}<|im_end|>\n"
        "<|im_start|>user\n<tool_response>\nr0\n</tool_response>\n<tool_response>\nr1\n</tool_response><|im_end|>\n"
        "<|im_start|>assistant\nDone.<|im_end|>\n"
        "<|im_start|>assistant\n"
    )
    assert prompt_after("arch", functions=()).startswith(
        "<|im_start|>system\nYou are a helpful agent.<|im_end|>\n"
    )
    assert prompt_after("arch", question=(SYSTEM, QUESTION)).startswith(
        "<|im_start|>system\nRules.\n\n# Tools"
    )


def test_a_conversation_of_granite_4():
    """Its marks name roles; reasoning is part of the text."""
    assert prompt_after("granite-4", f"Let me.{CALL}", "<think>a</think>b") == (
        "<|start_of_role|>system<|end_of_role|>You are a helpful assistant with access to"
        f"\n<tools>\n{DOC}\n</tools>\n\nCall so.<|end_of_text|>\n"
        "<|start_of_role|>user<|end_of_role|>Go.<|end_of_text|>\n"
        f"<|start_of_role|>assistant<|end_of_role|>{CALL}<|end_of_text|>\n"
        "<|start_of_role|>user<|end_of_role|>\n<tool_response>\nr0\n</tool_response><|end_of_text|>\n"
        "<|start_of_role|>assistant<|end_of_role|><think>a</think>b<|end_of_text|>\n"
        "<|start_of_role|>assistant<|end_of_role|>"
    )
    assert prompt_after("granite-4", question=(SYSTEM, QUESTION)).startswith(
        "<|start_of_role|>system<|end_of_role|>Rules.\n\nYou are a helpful assistant with access to"
    )
    assert prompt_after("granite-4", functions=()).startswith(
        "<|start_of_role|>system<|end_of_role|>You are a helpful assistant. Please.<|end_of_text|>\n"
    )


def test_a_conversation_of_pelican():
    """Calls follow each other without a new line and keep their characters; each result has its message."""
    assert prompt_after("pelican-fc", f"<think>a</think>{CALL}\n{OTHER}", "Hi.", SYSTEM) == (
        f"<|im_start|>system\n# Tools\n\nCall.\n\nYou are provided:\n<tools>\n{DOC}\n</tools>"
        "\n\nFor each function call:\n<tool_call>\n{}\n</tool_call><|im_end|>\n"
        "<|im_start|>user\nGo.<|im_end|>\n"
        "<|im_start|>assistant\n" + CALL.replace("\\u00e9", "é") + OTHER + "<|im_end|>\n"
        "<|im_start|>tool\n<tool_response>\nr0\n</tool_response><|im_end|>\n"
        "<|im_start|>tool\n<tool_response>\nr1\n</tool_response><|im_end|>\n"
        "<|im_start|>assistant\nHi.<|im_end|>\n"
        "<|im_start|>system\n<|im_end|>\n"
        "<|im_start|>assistant\n"
    )
    assert prompt_after("pelican-fc", functions=()).startswith(
        "<|im_start|>system\nYou are a helpful assistant.<|im_end|>\n<|im_start|>user"
    )


def test_a_conversation_of_granite_3():
    """The prompt ends with the last message, without a beginning of the answer."""
    call = '<|tool_call|>[{"name": "f", "arguments": {}}]'
    assert prompt_after("granite-3", call) == (
        "<|start_of_role|>system<|end_of_role|>Knowledge Cutoff Date: 1."
        " You are a helpful AI assistant with tools.<|end_of_text|>\n"
        '<|start_of_role|>tools<|end_of_role|>[\n    {\n        "name": "f",\n'
        '        "description": "\\u00e9"\n    }\n]<|end_of_text|>\n'
        "<|start_of_role|>user<|end_of_role|>Go.<|end_of_text|>\n"
        f"<|start_of_role|>assistant<|end_of_role|>{call}<|end_of_text|>\n"
        "<|start_of_role|>tool<|end_of_role|>r0<|end_of_text|>\n"
    )
    assert prompt_after("granite-3", question=(SYSTEM, QUESTION), functions=()) == (
        "<|start_of_role|>system<|end_of_role|>Rules.<|end_of_text|>\n"
        "<|start_of_role|>user<|end_of_role|>Go.<|end_of_text|>\n"
    )


def test_conversations_of_phi():
    """Phi-4 and Phi-4-mini have different marks; functions are between marks of the system message."""
    answer = "```python\n[f()]\n```"
    assert prompt_after("phi-4", answer) == (
        "<|im_start|>user<|im_sep|>Go.<|im_end|>\n"
        f"<|im_start|>assistant<|im_sep|>{answer}<|im_end|>\n"
        "<|im_start|>tool<|im_sep|>r0<|im_end|>\n"
        "<|im_start|>assistant<|im_sep|>"
    )
    assert prompt_after("phi-4-mini", answer) == (
        f"<|user|>Go.<|end|><|assistant|>{answer}<|end|><|tool|>r0<|end|><|assistant|>"
    )
    call = '<|tool_call|>[{"name": "f", "arguments": {}}]<|/tool_call|>'
    assert prompt_after("phi-4-mini-fc", call) == (
        f"<|system|>You are a helpful assistant with some tools.<|tool|>{DOC}\n<|/tool|><|end|>"
        f"<|user|>Go.<|end|><|assistant|>{call}<|end|><|tool|>r0<|end|><|assistant|>"
    )
    assert prompt_after("phi-4-mini-fc", question=(SYSTEM, QUESTION)).startswith(
        f"<|system|>Rules.<|tool|>{DOC}\n<|/tool|><|end|><|user|>"
    )


@pytest.mark.parametrize("family", ["granite-4", "qwen3-fc"])
def test_a_repeated_first_call_is_written_without_a_new_line(family):
    """The release puts a new line before each call that differs from the first."""
    assert f"{CALL}{CALL}\n{OTHER}" in prompt_after(family, f"{CALL}\n{CALL}\n{OTHER}")


@pytest.mark.parametrize("family", TAGGED)
@pytest.mark.parametrize("written", ["1", "null", "{}", '"f"', '{"name": "f"}', '{"function": 1}'])
def test_values_that_are_not_calls_are_in_the_history_as_they_were_written(family, written):
    """The release ends the whole conversation over them; here the answer stays in the prompt."""
    assert f"<tool_call>\n{written}\n</tool_call>" in prompt_after(
        family, f"<tool_call>\n{written}\n</tool_call>", NEXT
    )


@pytest.mark.parametrize("family", LISTED)
def test_the_history_of_listed_calls_is_the_text(family):
    """Also an answer that is not calls is sent back as it is."""
    for answer in ("<|tool_call|>[1, 2", "", "Words.</tool_call>"):
        assert answer in prompt_after(family, answer, NEXT)
