"""The messages that a conversation adds to its history: answers, outcomes of calls, new functions.

Covers both modes, as `records.Message`; `prompts.wire` converts them to a wire format.
"""

from collections.abc import Sequence

from bfcl_pipeline.benchmark.records import Call, FunctionDoc, Json, Message, Mode
from bfcl_pipeline.dialogue.calls import executed_text
from bfcl_pipeline.dialogue.prompts import Texts


def answer_message(result: Json, step: int) -> Message:
    """The assistant's message of a result in the official form. step: part of the ids of its calls."""
    if not isinstance(result, list):
        return {"role": "assistant", "content": result}
    written = [item for named in result for item in named.items()]
    calls = [
        {"id": f"call_{step}_{place}", "name": name, "arguments": arguments}
        for place, (name, arguments) in enumerate(written)
    ]
    return {"role": "assistant", "content": None, "tool_calls": calls}


def outcome_messages(
    mode: Mode, answer: Message, calls: Sequence[Call], outcomes: Sequence[str]
) -> list[Message]:
    """The outcomes of the calls of one step: a tool message each, or one user message in prompt mode.

    answer: the assistant's message that made the calls.
    """
    if mode is Mode.FC:
        return [
            {"role": "tool", "tool_call_id": call["id"], "name": call["name"], "content": outcome}
            for call, outcome in zip(answer["tool_calls"], outcomes, strict=False)
        ]
    messages = [
        {"role": "tool", "name": executed_text(call), "content": outcome}
        for call, outcome in zip(calls, outcomes, strict=True)
    ]
    return [{"role": "user", "content": repr(messages)}]


def more_functions_message(mode: Mode, appeared: Sequence[FunctionDoc], texts: Texts) -> Message:
    """The user's message of a turn at which held-out functions appear."""
    if mode is Mode.FC:
        return {"role": "user", "content": texts.more_functions_fc}
    return {"role": "user", "content": texts.more_functions_prompt.format(functions=list(appeared))}
