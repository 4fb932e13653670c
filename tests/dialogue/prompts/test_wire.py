"""Messages per wire format."""

from __future__ import annotations

import json

import pytest

from bfcl_pipeline.benchmark.records import Json
from bfcl_pipeline.dialogue.prompts import WireFormat, messages_for
from bfcl_pipeline.dialogue.prompts.wire import WireMessages

CHAT = (
    {"role": "system", "content": "Be brief."},
    {"role": "user", "content": "One."},
    {"role": "user", "content": "Two."},
    {"role": "assistant", "content": "Yes?"},
    {"role": "user", "content": "Three."},
)

CALLS = {
    "role": "assistant",
    "content": None,
    "tool_calls": [
        {"id": "a", "name": "cd", "arguments": '{"folder": "x"}'},
        {"id": "b", "name": "ls", "arguments": "{}"},
    ],
}
RESULTS = (
    {"role": "tool", "tool_call_id": "a", "name": "cd", "content": "x"},
    {"role": "tool", "tool_call_id": "b", "name": "ls", "content": "[]"},
)
ANSWER = {"role": "assistant", "content": "Empty."}
TURNS = (CHAT[1], CALLS, *RESULTS, ANSWER, CHAT[4])
"""Two turns: a question, two calls and their results, an answer; a question."""


def test_openai_chat_is_unchanged() -> None:
    """Chat completions send the messages unchanged."""
    assert messages_for(WireFormat.OPENAI_CHAT, CHAT) == WireMessages(None, CHAT)


def test_openai_responses_has_a_developer() -> None:
    """Responses: every system message has the role `developer`."""
    sent = messages_for(WireFormat.OPENAI_RESPONSES, [*CHAT, CHAT[0]])
    assert [message["role"] for message in sent.messages] == (
        ["developer", "user", "user", "assistant", "user", "developer"]
    )
    assert sent.system is None


def test_anthropic_alternates() -> None:
    """Anthropic: the system prompt is separate, text is in blocks, adjacent user messages are joined."""
    assert messages_for(WireFormat.ANTHROPIC, CHAT) == WireMessages(
        [{"type": "text", "text": "Be brief."}],
        (
            {"role": "user", "content": [{"type": "text", "text": "One.\n\nTwo."}]},
            {"role": "assistant", "content": [{"type": "text", "text": "Yes?"}]},
            {"role": "user", "content": [{"type": "text", "text": "Three."}]},
        ),
    )


def test_gemini_has_a_model() -> None:
    """Gemini: the system prompt is separate, text is in parts, the assistant is `model`."""
    sent = messages_for(WireFormat.GEMINI, CHAT)
    assert sent.system == "Be brief."
    assert sent.messages[2:] == (
        {"role": "model", "parts": [{"text": "Yes?"}]},
        {"role": "user", "parts": [{"text": "Three."}]},
    )


@pytest.mark.parametrize("wire", [WireFormat.ANTHROPIC, WireFormat.GEMINI])
def test_only_the_first_system_message_is_set_apart(wire: WireFormat) -> None:
    """The first system message is taken from any position; a second one stays among the others."""
    sent = messages_for(wire, [CHAT[1], CHAT[0], {"role": "system", "content": "Be kind."}])
    assert "Be brief." in str(sent.system)
    assert [message["role"] for message in sent.messages] == ["user", "system"]


@pytest.mark.parametrize("wire", WireFormat)
def test_no_system_message_is_no_system_prompt(wire: WireFormat) -> None:
    """Without a system message there is no system prompt."""
    sent = messages_for(wire, CHAT[1:2])
    assert sent.system is None
    assert len(sent.messages) == 1


def test_gemini_is_sent_no_empty_system_prompt() -> None:
    """Gemini: an empty system message is dropped."""
    empty = {"role": "system", "content": ""}
    assert messages_for(WireFormat.GEMINI, [empty, CHAT[1]]).system is None


def test_openai_chat_has_functions_in_calls() -> None:
    """Chat completions: each call's function is in its own mapping, each result in a message."""
    sent = messages_for(WireFormat.OPENAI_CHAT, TURNS).messages
    assert sent[1]["content"] is None
    assert sent[1]["tool_calls"] == [
        {"id": "a", "type": "function", "function": {"name": "cd", "arguments": '{"folder": "x"}'}},
        {"id": "b", "type": "function", "function": {"name": "ls", "arguments": "{}"}},
    ]
    assert sent[2:] == (
        {"role": "tool", "content": "x", "tool_call_id": "a"},
        {"role": "tool", "content": "[]", "tool_call_id": "b"},
        ANSWER,
        CHAT[4],
    )


def test_openai_responses_has_items() -> None:
    """Responses: every call, result and text is a separate item."""
    sent = messages_for(WireFormat.OPENAI_RESPONSES, TURNS).messages
    assert sent == (
        CHAT[1],
        {"type": "function_call", "call_id": "a", "name": "cd", "arguments": '{"folder": "x"}'},
        {"type": "function_call", "call_id": "b", "name": "ls", "arguments": "{}"},
        {"type": "function_call_output", "call_id": "a", "output": "x"},
        {"type": "function_call_output", "call_id": "b", "output": "[]"},
        ANSWER,
        CHAT[4],
    )


def test_anthropic_has_the_results_of_a_step_in_one_user_message() -> None:
    """Anthropic: calls and results are blocks; a user message after results is separate."""
    sent = messages_for(WireFormat.ANTHROPIC, [*TURNS[:4], CHAT[4]]).messages
    assert sent[1:] == (
        {
            "role": "assistant",
            "content": [
                {"type": "tool_use", "id": "a", "name": "cd", "input": {"folder": "x"}},
                {"type": "tool_use", "id": "b", "name": "ls", "input": {}},
            ],
        },
        {
            "role": "user",
            "content": [
                {"type": "tool_result", "content": "x", "tool_use_id": "a"},
                {"type": "tool_result", "content": "[]", "tool_use_id": "b"},
            ],
        },
        {"role": "user", "content": [{"type": "text", "text": "Three."}]},
    )


def test_gemini_has_the_results_of_a_step_in_one_content() -> None:
    """Gemini: calls and results are parts; results are from the user, with the function's name."""
    sent = messages_for(WireFormat.GEMINI, TURNS).messages
    assert sent[1:3] == (
        {
            "role": "model",
            "parts": [
                {"function_call": {"name": "cd", "args": {"folder": "x"}}},
                {"function_call": {"name": "ls", "args": {}}},
            ],
        },
        {
            "role": "user",
            "parts": [
                {"function_response": {"name": "cd", "response": {"result": "x"}}},
                {"function_response": {"name": "ls", "response": {"result": "[]"}}},
            ],
        },
    )


def test_the_results_of_two_steps_stay_apart() -> None:
    """Only adjacent results are sent together: an answer ends a step."""
    steps = [CHAT[1], CALLS, *RESULTS, CALLS, *RESULTS]
    for wire in (WireFormat.ANTHROPIC, WireFormat.GEMINI):
        assert len(messages_for(wire, steps).messages) == 5


@pytest.mark.parametrize(
    ("wire", "key", "kinds"),
    [
        (WireFormat.OPENAI_RESPONSES, None, ["role", "type", "type"]),
        (WireFormat.ANTHROPIC, "content", ["text", "tool_use", "tool_use"]),
        (WireFormat.GEMINI, "parts", ["text", "function_call", "function_call"]),
    ],
)
def test_text_comes_before_the_calls_beside_it(wire: WireFormat, key: str | None, kinds: list[str]) -> None:
    """An answer of text and calls keeps both, with the text first."""
    sent = messages_for(wire, [{**CALLS, "content": "Let me see."}]).messages
    parts = sent if key is None else sent[0][key]
    told = [part.get("type") if key == "content" else next(iter(part)) for part in parts]
    assert told == kinds
    assert "Let me see." in str(parts[0])


@pytest.mark.parametrize(
    ("wire", "sent"),
    [
        (WireFormat.OPENAI_CHAT, ({"role": "assistant", "content": ""},)),
        (WireFormat.OPENAI_RESPONSES, ()),
        (WireFormat.ANTHROPIC, ({"role": "assistant", "content": []},)),
        (WireFormat.GEMINI, ({"role": "model", "parts": [{"text": ""}]},)),
    ],
)
def test_an_empty_answer_stays_empty(wire: WireFormat, sent: tuple[Json, ...]) -> None:
    """An answer without text and calls is not replaced."""
    assert messages_for(wire, [{"role": "assistant", "content": ""}]).messages == sent


def test_an_empty_list_of_calls_is_sent_back() -> None:
    """Chat completions: servers that answer with an empty list of calls receive it back."""
    message = {"role": "assistant", "content": "Done.", "tool_calls": []}
    assert messages_for(WireFormat.OPENAI_CHAT, [message]).messages == (message,)


@pytest.mark.parametrize("wire", [WireFormat.ANTHROPIC, WireFormat.GEMINI])
def test_arguments_that_are_no_json_cannot_be_sent_as_an_object(wire: WireFormat) -> None:
    """Invalid arguments raise an error instead of being changed."""
    broken = {
        "role": "assistant",
        "content": None,
        "tool_calls": [{**CALLS["tool_calls"][0], "arguments": "{"}],
    }
    with pytest.raises(ValueError, match="property name"):
        messages_for(wire, [broken])


@pytest.mark.parametrize("wire", WireFormat)
def test_the_input_messages_are_not_changed(wire: WireFormat) -> None:
    """Writing a history in a wire format does not change it."""
    before = json.dumps([*CHAT, *TURNS])
    history = json.loads(before)
    messages_for(wire, history)
    assert json.dumps(history) == before


@pytest.mark.parametrize(
    ("wire", "raw", "sent"),
    [
        (WireFormat.OPENAI_CHAT, {"role": "assistant", "refusal": "No."}, None),
        (WireFormat.OPENAI_RESPONSES, [{"type": "reasoning", "id": "r"}, {"type": "function_call"}], None),
        (
            WireFormat.ANTHROPIC,
            [{"type": "thinking", "signature": "s"}],
            {"role": "assistant", "content": [{"type": "thinking", "signature": "s"}]},
        ),
        (WireFormat.GEMINI, {"role": "model", "parts": [{"thought_signature": "s"}]}, None),
    ],
)
def test_a_raw_answer_is_sent_back_unchanged(wire: WireFormat, raw: Json, sent: Json) -> None:
    """A raw answer replaces the rest of its message; results come after it."""
    messages = messages_for(wire, [CHAT[1], {**CALLS, "raw": raw}, *RESULTS]).messages
    plain = messages_for(wire, [CHAT[1], CALLS, *RESULTS]).messages
    items = raw if isinstance(raw, list) and sent is None else [raw if sent is None else sent]
    shaped = 2 if wire is WireFormat.OPENAI_RESPONSES else 1
    assert messages == (plain[0], *items, *plain[1 + shaped :])


@pytest.mark.parametrize("wire", WireFormat)
def test_a_lone_surrogate_is_replaced(wire: WireFormat) -> None:
    """Results of tools with lone surrogates can be sent; complete characters are unchanged."""
    told = {**RESULTS[0], "content": "a\ud83d \N{GRINNING FACE}"}
    sent = messages_for(wire, [CHAT[1], CALLS, told, RESULTS[1]]).messages
    text = json.dumps(sent, ensure_ascii=False)
    assert text.encode("utf-8")
    assert "a\ufffd \N{GRINNING FACE}" in text
