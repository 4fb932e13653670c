"""OpenAI Responses: bodies, answers and failures, against a real server on loopback."""

from __future__ import annotations

import asyncio
from typing import Any

import pytest

from bfcl_pipeline.ask.models.adapters.openai_responses import OpenAIResponses
from bfcl_pipeline.base.errors import Malformed, RateLimited, Transient
from bfcl_pipeline.benchmark.config import ModelRow
from bfcl_pipeline.benchmark.records import Exchange, Json, Mode, Request
from bfcl_pipeline.dialogue.prompts import messages_for
from tests.support.loopback import Loopback, answer

SYSTEM = {"role": "system", "content": "Be brief."}
USER = {"role": "user", "content": "Hi."}
TOOL = {"type": "function", "name": "ls", "description": "", "parameters": {}}
FC = Request(Mode.FC, (SYSTEM, USER), (TOOL,))
PROMPT = Request(Mode.PROMPT, (USER,))

THOUGHT = {"id": "rs_1", "type": "reasoning", "summary": [], "encrypted_content": "gAAA", "status": None}
CALL = {"id": "fc_1", "type": "function_call", "call_id": "c1", "name": "ls", "arguments": '{"a": 1}'}
TEXT = {
    "id": "msg_1",
    "type": "message",
    "role": "assistant",
    "status": "completed",
    "content": [
        {"type": "output_text", "text": "Do", "annotations": []},
        {"type": "output_text", "text": "ne."},
    ],
}


def row(**values: Any) -> ModelRow:
    given = {"mode": Mode.FC, "endpoint": "http://127.0.0.1:1/v1", **values}
    return ModelRow(name="m-FC", kind="openai_responses", display_name="m", model="m", **given)


def raw(*items: Json, **values: Json) -> dict[str, Json]:
    usage = {"input_tokens": 10, "output_tokens": 5}
    return {
        "id": "resp_1",
        "status": "completed",
        "error": None,
        "output": [*items],
        "usage": usage,
        **values,
    }


def read(*items: Json, request: Request = FC, **values: Json) -> Exchange:
    return OpenAIResponses(row()).read(request, raw(*items, **values))


def sent_back(exchange: Exchange) -> list[Json]:
    """The items of the answer as the next request has them."""
    assert exchange.reply is not None
    return list(messages_for(OpenAIResponses(row()).wire, [exchange.reply]).messages)


def test_a_body_has_what_the_release_sends() -> None:
    """Model, input with the role developer instead of system, temperature and tools; nothing is stored."""
    assert OpenAIResponses(row()).body(FC) == {
        "model": "m",
        "input": [{"role": "developer", "content": "Be brief."}, USER],
        "temperature": 0.001,
        "store": False,
        "tools": [TOOL],
    }
    assert "tools" not in OpenAIResponses(row()).body(PROMPT)


def test_options_make_requests_for_a_reasoning_model() -> None:
    """No temperature, a summary and encrypted reasoning; the release decides by the model's name."""
    options = {"temperature": None, "reasoning": {"summary": "auto"}, "include": ["x"]}
    body = OpenAIResponses(row(options=options)).body(PROMPT)
    assert body == {
        "model": "m",
        "input": [USER],
        "store": False,
        "reasoning": {"summary": "auto"},
        "include": ["x"],
    }


def test_a_request_is_sent_and_its_answer_returned() -> None:
    """The body arrives unchanged at the path of the API; the raw answer is complete."""

    async def run() -> None:
        async with Loopback(answer(raw(TEXT))) as server:
            model = OpenAIResponses(row(endpoint=server.endpoint))
            assert await model.send(model.body(FC)) == raw(TEXT)
            await model.close()
            assert server.requests[0].target == "/v1/responses"
            assert server.requests[0].json == model.body(FC)

    asyncio.run(run())


def test_a_failed_request_is_not_repeated() -> None:
    """The error has the server's message and wait, after a single request."""

    async def run() -> None:
        async with Loopback(answer(b"", "503 Service Unavailable", ["Retry-After: 2"])) as server:
            model = OpenAIResponses(row(endpoint=server.endpoint))
            with pytest.raises(RateLimited, match="HTTP 503") as raised:
                await model.send(model.body(FC))
            await model.close()
            assert raised.value.wait_seconds == 2
            assert len(server.requests) == 1

    asyncio.run(run())


def test_calls_are_read_and_all_items_are_sent_back() -> None:
    """Reasoning, text and calls are sent back unchanged and in order; the result is the calls."""
    other = {**CALL, "call_id": "c2", "arguments": "{broken"}
    exchange = read(THOUGHT, TEXT, CALL, other)
    assert exchange.result == [{"ls": '{"a": 1}'}, {"ls": "{broken"}]
    assert exchange.reply is not None
    assert [call["id"] for call in exchange.reply["tool_calls"]] == ["c1", "c2"]
    assert sent_back(exchange) == [THOUGHT, TEXT, CALL, other]
    assert (exchange.input_tokens, exchange.output_tokens) == (10, 5)
    assert exchange.finish_reason == "completed"


def test_the_text_is_that_of_all_messages() -> None:
    """The result of an answer without calls is the joined texts."""
    exchange = read(THOUGHT, TEXT, {**TEXT, "content": [{"type": "output_text", "text": " Yes."}]})
    assert exchange.result == "Done. Yes."


def test_a_refusal_is_not_a_text() -> None:
    """A refusal is not an answer, as in the release, and stays in the history."""
    refused = {**TEXT, "content": [{"type": "refusal", "refusal": "I can't."}]}
    exchange = read(refused)
    assert exchange.result == ""
    assert sent_back(exchange) == [refused]


def test_a_prompted_answer_is_its_text() -> None:
    """In mode prompt a call is not read."""
    assert read(TEXT, CALL, request=PROMPT).result == "Done."


@pytest.mark.parametrize("reason", ["max_output_tokens", "content_filter"])
def test_an_incomplete_answer_is_an_answer(reason: str) -> None:
    """Its text counts, even if it has only reasoning."""
    details = {"status": "incomplete", "incomplete_details": {"reason": reason}}
    assert (read(TEXT, **details).result, read(**details).result) == ("Done.", "")
    assert read(TEXT, **details).finish_reason == reason


@pytest.mark.parametrize(
    ("error", "kind"),
    [
        ({"code": "server_error", "message": "m"}, Transient),
        ({"code": "rate_limit_exceeded", "message": "m"}, RateLimited),
    ],
)
def test_a_failed_answer_is_an_error(error: Json, kind: type[Exception]) -> None:
    """An error in an answer of status 200 is that error."""
    with pytest.raises(kind, match="status 200"):
        read(status="failed", error=error)


@pytest.mark.parametrize(
    "broken",
    [
        [],
        {},
        raw(),
        raw(status="in_progress"),
        raw(status=7),
        raw(TEXT, output=None),
        raw("a"),
        raw({"type": "message", "content": "Done."}),
        raw({"type": "message", "content": [{"type": "output_text", "text": None}]}),
        raw({**CALL, "call_id": None}),
        raw({**CALL, "name": 7}),
        raw({**CALL, "arguments": {}}),
        raw(TEXT, status="incomplete", incomplete_details="length"),
    ],
)
def test_an_answer_in_another_format_is_malformed(broken: Json) -> None:
    """Wrong types and missing parts are errors, and the message names them."""
    with pytest.raises(Malformed, match="expected"):
        OpenAIResponses(row()).read(FC, broken)
