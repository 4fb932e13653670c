"""Messages per wire format."""

from __future__ import annotations

import pytest

from bfcl_pipeline.prompts import WireFormat, WireMessages, messages_for

CHAT = (
    {"role": "system", "content": "Be brief."},
    {"role": "user", "content": "One."},
    {"role": "user", "content": "Two."},
    {"role": "assistant", "content": "Yes?"},
    {"role": "user", "content": "Three."},
)


def test_openai_chat_is_as_it_was() -> None:
    """Chat completions send the messages unchanged."""
    assert messages_for(WireFormat.OPENAI_CHAT, CHAT) == WireMessages(None, CHAT)


def test_openai_responses_has_a_developer() -> None:
    """Responses call the system role `developer`, wherever it stands."""
    sent = messages_for(WireFormat.OPENAI_RESPONSES, [*CHAT, CHAT[0]])
    assert [message["role"] for message in sent.messages] == (
        ["developer", "user", "user", "assistant", "user", "developer"]
    )
    assert sent.system is None


def test_anthropic_alternates() -> None:
    """Anthropic gets the system prompt apart, text in blocks, and neighbouring user messages as one."""
    assert messages_for(WireFormat.ANTHROPIC, CHAT) == WireMessages(
        [{"type": "text", "text": "Be brief."}],
        (
            {"role": "user", "content": [{"type": "text", "text": "One.\n\nTwo."}]},
            {"role": "assistant", "content": [{"type": "text", "text": "Yes?"}]},
            {"role": "user", "content": [{"type": "text", "text": "Three."}]},
        ),
    )


def test_gemini_has_a_model() -> None:
    """Gemini gets the system prompt apart, text in parts, and calls the assistant `model`."""
    sent = messages_for(WireFormat.GEMINI, CHAT)
    assert sent.system == "Be brief."
    assert sent.messages[2:] == (
        {"role": "model", "parts": [{"text": "Yes?"}]},
        {"role": "user", "parts": [{"text": "Three."}]},
    )


@pytest.mark.parametrize("wire", [WireFormat.ANTHROPIC, WireFormat.GEMINI])
def test_only_the_first_system_message_is_set_apart(wire: WireFormat) -> None:
    """A second system message stays among the others; the first is taken from any place."""
    sent = messages_for(wire, [CHAT[1], CHAT[0], {"role": "system", "content": "Be kind."}])
    assert "Be brief." in str(sent.system)
    assert [message["role"] for message in sent.messages] == ["user", "system"]


@pytest.mark.parametrize("wire", WireFormat)
def test_no_system_message_is_no_system_prompt(wire: WireFormat) -> None:
    """Without a system message none is sent."""
    sent = messages_for(wire, CHAT[1:2])
    assert sent.system is None
    assert len(sent.messages) == 1


def test_gemini_is_sent_no_empty_system_prompt() -> None:
    """Gemini: an empty system message is dropped."""
    empty = {"role": "system", "content": ""}
    assert messages_for(WireFormat.GEMINI, [empty, CHAT[1]]).system is None
