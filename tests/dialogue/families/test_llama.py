"""The prompts of Llama 3, 3.1 and 4 over short conversations."""

from __future__ import annotations

import json

import pytest

from tests.support.family_talk import DOC, Talk, asked


@pytest.mark.parametrize(
    ("family", "role", "content", "end"),
    [
        ("llama", "<|start_header_id|>", "<|end_header_id|>", "<|eot_id|>"),
        ("llama-4", "<|header_start|>", "<|header_end|>", "<|eot|>"),
    ],
)
def test_a_conversation_in_prompt_mode(family, role, content, end):
    """Contents are stripped, and each result is a message in the role ipython."""
    talk = Talk(family, asked(" Go.\n", system="Be brief. "))
    talk.answer(" [m.f(a=1), g()]\n")
    said = (
        ("system", "Be brief."),
        ("user", "Go."),
        ("assistant", "[m.f(a=1), g()]"),
        ("ipython", "r0"),
        ("ipython", "r1"),
    )
    written = "".join(f"{role}{who}{content}\n\n{what}{end}" for who, what in said)
    assert talk.prompt() == f"<|begin_of_text|>{written}{role}assistant{content}\n\n"


def test_a_conversation_of_llama_3_1_with_functions():
    """The functions are in the first message of the user, and results are not stripped."""
    talk = Talk("llama-3.1-fc", asked(" Go.", system=" Be brief."))
    talk.answer('<|python_tag|>{"name": "m.f", "parameters": {"a": 1}} ')
    talk.messages += asked("More.")
    assert talk.prompt() == (
        "<|begin_of_text|><|start_header_id|>system<|end_header_id|>\n\nEnvironment: ipython\n"
        "Cutting Knowledge Date: December 2023\nToday Date: 26 Jul 2024\n\nBe brief.<|eot_id|>"
        "<|start_header_id|>user<|end_header_id|>\n\nGiven the following functions, call with its proper "
        "arguments.\n\nRespond in the format {}.Do not use variables.\n\n"
        f"{json.dumps(DOC, indent=4)}\n\nGo.<|eot_id|>"
        "<|start_header_id|>assistant<|end_header_id|>\n\n"
        '<|python_tag|>{"name": "m.f", "parameters": {"a": 1}}<|eot_id|>'
        "<|start_header_id|>ipython<|end_header_id|>\n\n r0<|eot_id|>"
        "<|start_header_id|>user<|end_header_id|>\n\nMore.<|eot_id|>"
        "<|start_header_id|>assistant<|end_header_id|>\n\n"
    )


def test_llama_3_1_without_a_system_message():
    """The system's part ends with the date."""
    assert "Today Date: 26 Jul 2024\n\n<|eot_id|>" in Talk("llama-3.1-fc", asked("Go.")).prompt()
