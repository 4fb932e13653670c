"""Messages per wire format: one conversation with all that a history may have, as every format sends it."""

from __future__ import annotations

import json
from typing import Any

import pytest

from bfcl_pipeline.benchmark.records import Json
from bfcl_pipeline.dialogue.prompts import WireFormat, messages_for

CHAT, RESPONSES, ANTHROPIC, GEMINI = WireFormat


def user(content: Json) -> dict[str, Json]:
    return {"role": "user", "content": content}


def said(content: Json, **more: Json) -> dict[str, Json]:
    return {"role": "assistant", "content": content, **more}


CD, LS = (
    {"id": "a", "name": "cd", "arguments": '{"folder": "x"}'},
    {"id": "b", "name": "ls", "arguments": "{}"},
)
ONE, TWO, THREE = map(user, ("One.", "Two.", "Three."))
BRIEF, KIND = ({"role": "system", "content": text} for text in ("Be brief.", "Be kind."))
CALLS = said(None, tool_calls=[CD, LS])
IN_FOLDER = {"role": "tool", "tool_call_id": "a", "name": "cd", "content": "x"}
LISTED = {"role": "tool", "tool_call_id": "b", "name": "ls", "content": "[]"}
CONVERSATION = (
    *(ONE, BRIEF, TWO, CALLS, IN_FOLDER, LISTED, said("Let me see.", tool_calls=[LS]), LISTED),
    *(THREE, said("Yes?"), KIND, said("")),
)
"""A system message that is not the first; adjacent messages of the user; two steps of calls, the second
with text; an answer; a further system message; an empty answer."""


def function(name: str, arguments: str) -> Json:
    return {"name": name, "arguments": arguments}


def blocks(role: str, *content: Json) -> Json:
    return {"role": role, "content": list(content)}


def text(content: str) -> Json:
    return {"type": "text", "text": content}


def parts(role: str, *content: Json) -> Json:
    return {"role": role, "parts": list(content)}


def result(name: str, content: str) -> Json:
    return {"function_response": {"name": name, "response": {"result": content}}}


CD_CALL = {"id": "a", "type": "function", "function": function("cd", '{"folder": "x"}')}
LS_CALL = {"id": "b", "type": "function", "function": function("ls", "{}")}
LS_ITEM = {"type": "function_call", "call_id": "b", **function("ls", "{}")}
LS_OUTPUT = {"type": "function_call_output", "call_id": "b", "output": "[]"}
LS_USE = {"type": "tool_use", "id": "b", "name": "ls", "input": {}}
LS_RESULT = {"type": "tool_result", "content": "[]", "tool_use_id": "b"}
LS_PART = {"function_call": {"name": "ls", "args": {}}}

SENT: dict[WireFormat, tuple[Json, tuple[Json, ...]]] = {
    CHAT: (
        None,
        (
            *(ONE, BRIEF, TWO, said(None, tool_calls=[CD_CALL, LS_CALL])),
            {"role": "tool", "content": "x", "tool_call_id": "a"},
            {"role": "tool", "content": "[]", "tool_call_id": "b"},
            said("Let me see.", tool_calls=[LS_CALL]),
            {"role": "tool", "content": "[]", "tool_call_id": "b"},
            *(THREE, said("Yes?"), KIND, said("")),
        ),
    ),
    # Every call, result and text is an item, system messages are the developer's.
    RESPONSES: (
        None,
        (
            *(ONE, {**BRIEF, "role": "developer"}, TWO),
            {"type": "function_call", "call_id": "a", **function("cd", '{"folder": "x"}')},
            LS_ITEM,
            {"type": "function_call_output", "call_id": "a", "output": "x"},
            *(LS_OUTPUT, said("Let me see."), LS_ITEM, LS_OUTPUT),
            *(THREE, said("Yes?"), {**KIND, "role": "developer"}),
        ),
    ),
    # The first system message is set apart, adjacent messages of the user are joined, except results.
    ANTHROPIC: (
        [text("Be brief.")],
        (
            blocks("user", text("One.\n\nTwo.")),
            blocks(
                "assistant", {"type": "tool_use", "id": "a", "name": "cd", "input": {"folder": "x"}}, LS_USE
            ),
            blocks("user", {"type": "tool_result", "content": "x", "tool_use_id": "a"}, LS_RESULT),
            blocks("assistant", text("Let me see."), LS_USE),
            blocks("user", LS_RESULT),
            blocks("user", text("Three.")),
            blocks("assistant", text("Yes?")),
            blocks("system", text("Be kind.")),
            blocks("assistant"),
        ),
    ),
    # Likewise, and the assistant is the model; results have the function's name.
    GEMINI: (
        "Be brief.",
        (
            parts("user", {"text": "One."}),
            parts("user", {"text": "Two."}),
            parts("model", {"function_call": {"name": "cd", "args": {"folder": "x"}}}, LS_PART),
            parts("user", result("cd", "x"), result("ls", "[]")),
            parts("model", {"text": "Let me see."}, LS_PART),
            parts("user", result("ls", "[]")),
            parts("user", {"text": "Three."}),
            parts("model", {"text": "Yes?"}),
            parts("system", {"text": "Be kind."}),
            parts("model", {"text": ""}),
        ),
    ),
}


@pytest.mark.parametrize("wire", WireFormat)
def test_a_conversation(wire: WireFormat) -> None:
    """Every format has the whole history, which is not changed; without a system message none is sent."""
    before = json.dumps(CONVERSATION)
    sent = messages_for(wire, CONVERSATION)
    assert (sent.system, sent.messages) == SENT[wire]
    assert json.dumps(CONVERSATION) == before
    alone = messages_for(wire, [ONE])
    assert (alone.system, len(alone.messages)) == (None, 1)


def test_what_single_formats_drop_or_keep() -> None:
    """Gemini is sent no empty system prompt; an empty list of calls goes back to the server it is from."""
    assert messages_for(GEMINI, [{"role": "system", "content": ""}, ONE]).system is None
    done = said("Done.", tool_calls=[])
    assert messages_for(CHAT, [done]).messages == (done,)


@pytest.mark.parametrize("wire", [ANTHROPIC, GEMINI])
def test_arguments_that_are_no_json_cannot_be_sent_as_an_object(wire: WireFormat) -> None:
    """Invalid arguments raise an error instead of being changed."""
    with pytest.raises(ValueError, match="property name"):
        messages_for(wire, [said(None, tool_calls=[{**CD, "arguments": "{"}])])


@pytest.mark.parametrize(
    ("wire", "raw", "items"),
    [
        (CHAT, {"role": "assistant", "refusal": "No."}, None),
        (RESPONSES, [{"type": "reasoning", "id": "r"}, {"type": "function_call"}], None),
        (
            ANTHROPIC,
            [{"type": "thinking", "signature": "s"}],
            [blocks("assistant", {"type": "thinking", "signature": "s"})],
        ),
        (GEMINI, {"role": "model", "parts": [{"thought_signature": "s"}]}, None),
    ],
)
def test_a_raw_answer_is_sent_back_unchanged(wire: WireFormat, raw: Any, items: Any) -> None:
    """A raw answer replaces the rest of its message; results come after it."""
    messages = messages_for(wire, [ONE, {**CALLS, "raw": raw}, IN_FOLDER, LISTED]).messages
    plain = messages_for(wire, [ONE, CALLS, IN_FOLDER, LISTED]).messages
    sent = items or (raw if isinstance(raw, list) else [raw])
    assert messages == (plain[0], *sent, *plain[3 if wire is RESPONSES else 2 :])


@pytest.mark.parametrize("wire", WireFormat)
def test_a_lone_surrogate_is_replaced(wire: WireFormat) -> None:
    """Results of tools with lone surrogates can be sent; complete characters are unchanged."""
    told = {**IN_FOLDER, "content": "a\ud83d \N{GRINNING FACE}"}
    sent = json.dumps(messages_for(wire, [ONE, CALLS, told, LISTED]).messages, ensure_ascii=False)
    assert sent.encode("utf-8")
    assert "a\ufffd \N{GRINNING FACE}" in sent
