"""Calls as JSON objects with name and arguments, between <tool_call> tags.

Source: the handlers qwen_fc, granite_4, nanbeige_fc and pelican_vl_fc.
"""

import re

from bfcl_pipeline.calls import parse_json
from bfcl_pipeline.families.readers.answers import Answer, Reader, named_calls
from bfcl_pipeline.families.readers.reasoning import without_reasoning
from bfcl_pipeline.records import Json

_CALL = re.compile(r"<tool_call>\n(.*?)\n</tool_call>", re.DOTALL)


def tagged_values(text: str) -> list[Json]:
    """The JSON values between the tags; others are left out."""
    values = []
    for written in _CALL.findall(text):
        try:
            values.append(parse_json(written))
        except (ValueError, RecursionError):
            continue
    return values


def _split(text: str, _earlier: int) -> Answer:
    answer, reasoning = without_reasoning(text)
    calls = tagged_values(text)
    reply: dict[str, Json] = {
        "role": "assistant",
        "content": "" if calls else answer,
        "reasoning_content": reasoning,
    }
    if calls:
        reply["tool_calls"] = calls
    return Answer(answer, reply, reasoning)


def _uniform(stored: Json, _runs: bool) -> Json:
    if not isinstance(stored, str):
        return stored
    calls = tagged_values(stored)
    named = []
    for call in calls:
        match call:
            case {"name": str(name), "arguments": dict(arguments)}:
                named.append((name, arguments))
            case _:
                return stored
    return named_calls(named)


TOOL_CALL_TAGS = Reader(_split, _uniform)
