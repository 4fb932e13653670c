"""The prompt of a family after a scripted conversation, with short texts in the place of the release's."""

from __future__ import annotations

from bfcl_pipeline.calls import decode_step
from bfcl_pipeline.config.families import load_families
from bfcl_pipeline.families import FamilyAsking
from bfcl_pipeline.prompts import Texts
from bfcl_pipeline.records import DecodeFailure, Json, Message, Request

_TOOLS = ["# Tools\n\n<tools>", "\n</tools>\n\nCall so.<|im_end|>\n"]

TEXTS = {
    "arch": ["You are a helpful agent.", "\n\n# Tools\n\n<tools>", "\n</tools>\n\nCall so.<|im_end|>\n"],
    "granite_3": ["Knowledge Cutoff Date: 1.", " You are a helpful AI assistant with tools."],
    "granite_4": [
        "You are a helpful assistant with access to\n<tools>",
        "\n</tools>\n\nCall so.",
        "You are a helpful assistant. Please.",
    ],
    "nanbeige_fc": ["你是一位工具函数调用专家。", *_TOOLS, "<|im_start|>system\n 你<|im_end|>\n"],
    "pelican_vl_fc": [
        "# Tools\n\nCall.",
        "\n\nYou are provided:",
        "\n\nFor each function call:",
        "\n<tool_call>\n{}\n</tool_call>",
    ],
    "qwen_fc": _TOOLS,
}
"""Beginnings as in the release."""

FUNCTION = {"name": "f", "description": "é"}

QUESTION: Message = {"role": "user", "content": "Go."}


def prompt_after(
    family: str,
    *said: str | Message,
    question: tuple[Message, ...] = (QUESTION,),
    functions: tuple[Json, ...] = (FUNCTION,),
) -> str:
    """The prompt after `question` and what was `said`: a text is an answer, whose calls have the results
    r0, r1, ...; a mapping is a further message."""
    asking = FamilyAsking(load_families()[family])
    messages = list(question)
    for each in said:
        if not isinstance(each, str):
            messages.append(each)
            continue
        result, answer = asking.read(request_of(family, messages), each)
        messages.append(answer.reply)
        calls = decode_step(result, asking.mode)
        if not isinstance(calls, DecodeFailure):
            outcomes = [f"r{place}" for place in range(len(calls))]
            messages += asking.outcomes(answer.reply, calls, outcomes)
    request = request_of(family, messages, functions)
    prompt = asking.written(request, Texts({}, {}, {}, {}, "", "", {}, "", "", families=TEXTS)).prompt
    assert prompt is not None
    return prompt


def request_of(family: str, messages: list[Message], functions: tuple[Json, ...] = ()) -> Request:
    """A request in a conversation."""
    mode = load_families()[family].mode
    return Request(mode, tuple(messages), functions, goes_on=True)
