"""What each API's answers lead to: results, what is sent back, counts of tokens, and errors."""

from __future__ import annotations

from typing import Any

import pytest

from bfcl_pipeline.ask.models.adapters.gemini import SILENCE
from bfcl_pipeline.base.errors import AccessDenied, Malformed, ModelError, RequestRefused
from bfcl_pipeline.benchmark.records import Json, Mode
from tests.ask.models.adapters.kinds import CALL, TEXT, fc, made, read, sent_back
from tests.support.api_formats import FORMATS


def whole(kind: str, *items: Json, **more: Json) -> Json:
    return FORMATS[kind].whole(*items, **more)


@pytest.mark.parametrize(
    ("kind", "other", "result", "ids", "received", "reason"),
    [
        (
            "openai_chat",
            {"id": "c2", "type": "function", "function": {"name": "cd", "arguments": "{broken"}},
            {"cd": "{broken"},
            ["c1", "c2"],
            5,
            "tool_calls",
        ),
        (
            "openai_responses",
            {**CALL["openai_responses"], "call_id": "c2", "arguments": "{broken"},
            {"ls": "{broken"},
            ["c1", "c2"],
            5,
            "completed",
        ),
        (
            "anthropic",
            {**CALL["anthropic"], "id": "c2", "input": {"a": "é"}},
            {"ls": '{"a": "\\u00e9"}'},
            ["c1", "c2"],
            5,
            "end_turn",
        ),
        ("gemini", {"functionCall": {"name": "cd"}}, {"cd": "{}"}, ["c1", "call_1_1"], 8, "STOP"),
        ("vllm", FORMATS["vllm"].call("cd", {}, ""), {"cd": "{}"}, None, 5, "stop"),
    ],
)
def test_calls_are_read(
    kind: str, other: Json, result: Json, ids: list[str] | None, received: int, reason: str
) -> None:
    """Parallel calls in order, with arguments as JSON text; token counts and finish reason."""
    exchange = read(kind, CALL[kind], other)
    assert exchange.result == [{"ls": '{"a": 1}'}, result]
    assert exchange.reply is not None
    assert ids is None or [call["id"] for call in exchange.reply["tool_calls"]] == ids
    assert (exchange.input_tokens, exchange.output_tokens) == (10, received)
    assert exchange.finish_reason == reason


CHAT_CALL = CALL["openai_chat"]
REFUSED = {"type": "message", "role": "assistant", "content": [{"type": "refusal", "refusal": "No."}]}
REASONED = {"id": "rs_1", "type": "reasoning", "summary": [], "encrypted_content": "gAAA", "status": None}
THOUGHT = {"type": "thinking", "thinking": "Hm.", "signature": "s+/="}
HIDDEN = {"type": "redacted_thinking", "data": "xyz"}
G_THOUGHT = {"text": "Hm.", "thought": True}


def assistant(**values: Json) -> list[Json]:
    return [{"role": "assistant", **values}]


def model(*parts: Json) -> list[Json]:
    return [{"role": "model", "parts": [*parts]}]


READ: list[tuple[str, Mode, list[Json], Json, list[Json]]] = [
    # The text beside calls is sent back and is not the answer; signatures of a call are kept.
    (
        "openai_chat",
        Mode.FC,
        [{"content": "Let me see."}, {**CHAT_CALL, "extra_content": {"signature": "s"}}],
        [{"ls": '{"a": 1}'}],
        assistant(content="Let me see.", tool_calls=[{**CHAT_CALL, "extra_content": {"signature": "s"}}]),
    ),
    (
        "openai_chat",
        Mode.FC,
        [CHAT_CALL],
        [{"ls": '{"a": 1}'}],
        assistant(content=None, tool_calls=[CHAT_CALL]),
    ),
    # Some servers send an empty list of calls, which is not sent back.
    *(
        (
            "openai_chat",
            Mode.FC,
            [{"content": "Done.", "tool_calls": calls}],
            "Done.",
            assistant(content="Done."),
        )
        for calls in ([], None)
    ),
    # A call without an id is given one.
    (
        "openai_chat",
        Mode.FC,
        [{"tool_calls": [{"function": {"name": "ls", "arguments": ""}}]}],
        [{"ls": ""}],
        assistant(
            content=None,
            tool_calls=[
                {"type": "function", "id": "call_1_0", "function": {"name": "ls", "arguments": ""}}
            ],
        ),
    ),
    # Reasoning is in the raw answer only.
    *(
        ("openai_chat", Mode.FC, [{"content": "4", key: "2 + 2"}], "4", assistant(content="4"))
        for key in ("reasoning_content", "reasoning", "reasoning_details")
    ),
    # A refusal is not an answer, and stays in the history.
    ("openai_chat", Mode.FC, [{"refusal": "No."}], None, assistant(content=None, refusal="No.")),
    ("openai_chat", Mode.FC, [{"refusal": None, "annotations": []}], None, assistant(content="")),
    ("openai_chat", Mode.PROMPT, [{"content": "[ls()]"}, CHAT_CALL], "[ls()]", assistant(content="[ls()]")),
    # Of content in parts, only the texts are the answer.
    (
        "openai_chat",
        Mode.FC,
        [{"content": [{"type": "thinking"}, {"type": "text", "text": "4"}, {"type": "text", "text": "2"}]}],
        "42",
        assistant(content="42"),
    ),
    # All items are sent back unchanged and in order.
    (
        "openai_responses",
        Mode.FC,
        [REASONED, TEXT["openai_responses"], CALL["openai_responses"]],
        [{"ls": '{"a": 1}'}],
        [REASONED, TEXT["openai_responses"], CALL["openai_responses"]],
    ),
    (
        "openai_responses",
        Mode.FC,
        [TEXT["openai_responses"]] * 2,
        "Done.Done.",
        [TEXT["openai_responses"]] * 2,
    ),
    ("openai_responses", Mode.FC, [REFUSED], "", [REFUSED]),
    (
        "openai_responses",
        Mode.PROMPT,
        [TEXT["openai_responses"], CALL["openai_responses"]],
        "Done.",
        [TEXT["openai_responses"], CALL["openai_responses"]],
    ),
    # The API checks signatures: all blocks of an answer with calls are sent back unchanged.
    (
        "anthropic",
        Mode.FC,
        [
            THOUGHT,
            HIDDEN,
            {**TEXT["anthropic"], "citations": None},
            {**CALL["anthropic"], "caller": {"type": "x"}},
        ],
        [{"ls": '{"a": 1}'}],
        assistant(
            content=[
                THOUGHT,
                HIDDEN,
                {**TEXT["anthropic"], "citations": None},
                {**CALL["anthropic"], "caller": {"type": "x"}},
            ]
        ),
    ),
    # In function-calling mode the result is the list of texts, as in the release, without thoughts.
    (
        "anthropic",
        Mode.FC,
        [THOUGHT, TEXT["anthropic"], TEXT["anthropic"]],
        ["Done.", "Done."],
        assistant(content=[THOUGHT, TEXT["anthropic"], TEXT["anthropic"]]),
    ),
    # Thoughts, and calls that were not offered, are neither read nor sent back.
    (
        "anthropic",
        Mode.PROMPT,
        [THOUGHT, {"type": "text", "text": "[ls("}, CALL["anthropic"], {"type": "text", "text": ")]"}],
        "[ls()]",
        assistant(content=[{"type": "text", "text": "[ls()]"}]),
    ),
    # The API refuses messages without content and blank texts: they are not sent back.
    *(
        ("anthropic", mode, [{"type": "text", "text": text}] * (text is not None), result, [])
        for text in (None, "", " \n")
        for mode, result in ((Mode.FC, [text] * (text is not None)), (Mode.PROMPT, text or ""))
    ),
    # The content of an answer is sent back unchanged: the API checks signatures.
    (
        "gemini",
        Mode.FC,
        [
            G_THOUGHT,
            {**TEXT["gemini"], "thoughtSignature": "s+/="},
            {**CALL["gemini"], "thoughtSignature": "t"},
        ],
        [{"ls": '{"a": 1}'}],
        model(
            G_THOUGHT,
            {**TEXT["gemini"], "thoughtSignature": "s+/="},
            {**CALL["gemini"], "thoughtSignature": "t"},
        ),
    ),
    (
        "gemini",
        Mode.FC,
        [G_THOUGHT, TEXT["gemini"], {"executableCode": {"code": "1"}}, TEXT["gemini"]],
        ["Done.", "Done."],
        model(G_THOUGHT, TEXT["gemini"], {"executableCode": {"code": "1"}}, TEXT["gemini"]),
    ),
    (
        "gemini",
        Mode.PROMPT,
        [G_THOUGHT, {"text": "[ls("}, CALL["gemini"], {"text": ")]", "thoughtSignature": "s"}],
        "[ls()]",
        model({"text": "[ls()]"}),
    ),
    # What Gemini writes around prompted calls is not a part of them.
    (
        "gemini",
        Mode.PROMPT,
        [{"text": "```tool_code\n[ls()]\n```"}],
        "[ls()]",
        model({"text": "```tool_code\n[ls()]\n```"}),
    ),
    ("gemini", Mode.FC, [], [], model({"text": SILENCE})),
    ("gemini", Mode.PROMPT, [], SILENCE, model({"text": SILENCE})),
]


@pytest.mark.parametrize(("kind", "mode", "items", "result", "sent"), READ)
def test_an_answer_is_read_and_sent_back(
    kind: str, mode: Mode, items: list[Json], result: Json, sent: list[Json]
) -> None:
    """The result in the official form, and what the next request has of the answer."""
    exchange = read(kind, *items, mode=mode)
    assert exchange.result == result
    assert sent_back(kind, exchange) == sent


INCOMPLETE: list[tuple[str, dict[str, Any], Json]] = [
    *(("openai_chat", {"finish_reason": reason}, "Done.") for reason in ("length", "content_filter")),
    *(
        ("openai_responses", {"status": "incomplete", "incomplete_details": {"reason": reason}}, "Done.")
        for reason in ("max_output_tokens", "content_filter")
    ),
    *(
        ("anthropic", {"stop_reason": reason}, ["Done."])
        for reason in (
            "max_tokens",
            "refusal",
            "pause_turn",
            "model_context_window_exceeded",
            "stop_sequence",
        )
    ),
    *(
        ("gemini", {"finishReason": reason}, ["Done."])
        for reason in ("MAX_TOKENS", "SAFETY", "CONTINUATION")
    ),
]


@pytest.mark.parametrize(("kind", "ended", "result"), INCOMPLETE)
def test_an_incomplete_answer_is_an_answer(kind: str, ended: dict[str, Any], result: Json) -> None:
    """Limits and filters truncate an answer; its text counts, and the finish reason is stored."""
    exchange = read(kind, TEXT[kind], **ended)
    reason = ended.get("incomplete_details", {"reason": next(iter(ended.values()))})["reason"]
    assert (exchange.result, exchange.finish_reason) == (result, reason)


@pytest.mark.parametrize(
    ("kind", "usage", "counts"),
    [
        ("openai_chat", None, (None, None)),
        ("openai_chat", [], (None, None)),
        ("openai_chat", {"prompt_tokens": "many", "completion_tokens": True}, (None, None)),
        # Sums of plausible counts fit the tables of a run.
        *(
            ("openai_chat", {"prompt_tokens": count, "completion_tokens": 10**9}, (None, 10**9))
            for count in (-1, 10**9 + 1, 2**63, 10**400, 5.0, True, "7", None)
        ),
        ("anthropic", None, (None, None)),
        # Cached tokens are counted apart.
        (
            "anthropic",
            {"input_tokens": 1, "cache_creation_input_tokens": 20, "cache_read_input_tokens": 300},
            (321, None),
        ),
    ],
)
def test_missing_and_implausible_token_counts_are_unknown(
    kind: str, usage: Json, counts: tuple[int | None, int | None]
) -> None:
    """An answer without token counts is valid."""
    exchange = made(kind).read(fc(kind), {**whole(kind, TEXT[kind]), "usage": usage})
    assert (exchange.input_tokens, exchange.output_tokens) == counts


@pytest.mark.parametrize(
    ("reason", "error"),
    [
        ("MALFORMED_RESPONSE", Malformed),
        ("MISSING_THOUGHT_SIGNATURE", RequestRefused),
        ("PUP_LIMITED_DISABLED", AccessDenied),
    ],
)
def test_a_finish_reason_of_gemini_may_be_an_error(reason: str, error: type[ModelError]) -> None:
    """Defects of server, request or account are not empty answers."""
    failed = {"candidates": [{"finishReason": reason, "finishMessage": "Why."}]}
    with pytest.raises(error, match=f"{reason}: Why"):
        made("gemini").read(fc("gemini"), failed)
