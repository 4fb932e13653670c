"""The prompts of BitAgent and xLAM, which differ in marks and in the system's message."""

from __future__ import annotations

import json

import pytest

from tests.support.family_talk import DOC, Talk, asked

INSTRUCTIONS = (
    'You have access. [{"name"}] If no tool. Do not interpret. For tasks:\n'
    + json.dumps(DOC, indent=4)
    + "\n\n"
)
CALLS = '[{"name": "m.f", "arguments": {"a": 1}}, {"name": "g", "arguments": {}}]'


@pytest.mark.parametrize("family", ["bitagent", "xlam-llama"])
def test_a_conversation_with_the_marks_of_llama(family):
    """An own system message replaces that of the family; results are not stripped."""
    talk = Talk(family, asked("Go. ", system=" Be brief."))
    talk.answer(f"\n{CALLS}")
    assert talk.prompt() == (
        "<|begin_of_text|><|start_header_id|>system<|end_header_id|>\n\nBe brief.\n"
        f"{INSTRUCTIONS}<|eot_id|>"
        "<|start_header_id|>user<|end_header_id|>\n\nGo.<|eot_id|>"
        f"<|start_header_id|>assistant<|end_header_id|>\n\n{CALLS}<|eot_id|>"
        "<|start_header_id|>ipython<|end_header_id|>\n\n r0<|eot_id|>"
        "<|start_header_id|>ipython<|end_header_id|>\n\n r1<|eot_id|>"
        "<|start_header_id|>assistant<|end_header_id|>\n\n"
    )


def test_a_conversation_of_xlam_on_qwen():
    """Marks of ChatML without new lines after them, and results in the role tool."""
    talk = Talk("xlam-qwen", asked("Go."))
    talk.answer(CALLS)
    assert talk.prompt() == (
        f"<|im_start|>system\nYou are a helpful xLAM.\n{INSTRUCTIONS}<|im_end|>"
        f"<|im_start|>user\nGo.<|im_end|><|im_start|>assistant\n{CALLS}<|im_end|>"
        "<|im_start|>tool\n r0<|im_end|><|im_start|>tool\n r1<|im_end|><|im_start|>assistant\n"
    )


@pytest.mark.parametrize(("family", "name"), [("bitagent", "BitAgent"), ("xlam-llama", "xLAM")])
def test_a_family_has_a_system_message(family, name):
    """Without an own one, the prompt begins with that of the family."""
    assert f"\n\nYou are a helpful {name}.\nYou have access." in Talk(family, asked("Go.")).prompt()
