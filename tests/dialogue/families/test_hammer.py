"""The prompts of Hammer, whose function docs change from request to request."""

from __future__ import annotations

import json

import pytest

from bfcl_pipeline.dialogue.families.rendering import FORMS
from tests.support.family_talk import Talk, asked, first_messages

NESTED = {
    "name": "f",
    "description": "d",
    "parameters": {
        "properties": {
            "at": {"description": "when", "default": 1},
            "place": {"properties": {"city": {}, "zip": {}}, "required": ["zip"]},
        },
        "required": ["place"],
    },
}


def test_a_conversation_of_hammer():
    """Task, functions and format are a message of the user before all others, which are not stripped."""
    talk = Talk("hammer", asked(" Go."))
    talk.answer('[{"name": "m.f", "arguments": {"a": 1}}]')
    functions = [
        {"name": "m.f", "description": "é", "parameters": {"a": {"type": "integer", "required": True}}}
    ]
    assert talk.prompt() == (
        "<|im_start|>system\nHelp.<|im_end|>\n<|im_start|>user\n"
        "[BEGIN OF TASK INSTRUCTION]\nYou are a tool calling assistant.\n\n[END OF TASK INSTRUCTION]\n\n"
        f"[BEGIN OF AVAILABLE TOOLS]\n{json.dumps(functions)}\n[END OF AVAILABLE TOOLS]\n\n"
        "[BEGIN OF FORMAT INSTRUCTION]\n\nThe output MUST be JSON.\n\n[END OF FORMAT INSTRUCTION]\n\n"
        "<|im_end|>\n<|im_start|>user\n Go.<|im_end|>\n"
        '<|im_start|>assistant\n[{"name": "m.f", "arguments": {"a": 1}}]<|im_end|>\n'
        "<|im_start|>tool\n r0<|im_end|>\n<|im_start|>assistant\n"
    )


@pytest.mark.parametrize("earlier", [0, 1, 3])
def test_docs_change_with_every_request(earlier):
    """The text about a default is repeated as often as docs were written, as in the release."""
    before = json.dumps(NESTED)
    (function,) = FORMS["flat"]([NESTED], earlier)
    assert function == {
        "name": "f",
        "description": "d",
        "parameters": {
            "at": {"description": "when" + "default is '1'" * (earlier + 1), "default": 1},
            "place": {"city": {}, "zip": {"required": True}, "required": True},
        },
    }
    assert json.dumps(NESTED) == before


def test_docs_change_with_the_answers_of_a_conversation():
    """A request after one answer has the docs of the second request."""
    talk = Talk("hammer", asked("Go."), (NESTED,))
    assert talk.prompt().count("default is '1'") == 1
    talk.answer("[]")
    assert talk.prompt().count("default is '1'") == 2


def test_answers_in_a_question_are_not_requests():
    """A single turn is one request, whatever answers its question shows."""
    messages = [*asked("Go."), {"role": "assistant", "content": "Where?"}, *asked("On.")]
    talk = Talk("hammer", messages, (NESTED,), goes_on=False)
    assert talk.prompt().count("default is '1'") == 1


def test_system_messages_are_the_users():
    """Also beside another message of the user."""
    assert first_messages("hammer", ("system", "S"), ("user", "U")) == [("user", "S"), ("user", "U")]
