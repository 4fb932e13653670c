"""OpenAI Responses: bodies, answers and failures, against a real server on loopback."""

from __future__ import annotations

import asyncio
from typing import Any

import pytest
from loopback import Loopback, answer

from bfcl_pipeline.config import ModelRow
from bfcl_pipeline.errors import Malformed, RateLimited, Transient
from bfcl_pipeline.models.wires.openai_responses import OpenAIResponses
from bfcl_pipeline.prompts import messages_for
from bfcl_pipeline.records import Exchange, Json, Mode, Request

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
    """Model, input with a developer in the system's place, temperature and tools; nothing is stored."""
    assert OpenAIResponses(row()).body(FC) == {
        "model": "m",
        "input": [{"role": "developer", "content": "Be brief."}, USER],
        "temperature": 0.001,
        "store": False,
        "tools": [TOOL],
    }
    assert "tools" not in OpenAIResponses(row()).body(PROMPT)


def test_a_reasoning_model_is_asked_by_its_options() -> None:
    """No temperature, a summary and encrypted reasoning: what the release does by the model's name."""
    options = {"temperature": None, "reasoning": {"summary": "auto"}, "include": ["x"]}
    body = OpenAIResponses(row(options=options)).body(PROMPT)
    assert body == {
        "model": "m",
        "input": [USER],
        "store": False,
        "reasoning": {"summary": "auto"},
        "include": ["x"],
    }


def test_a_request_and_its_answer_go_over_the_wire() -> None:
    """The body arrives as it is at the path of the API; the raw answer is all of it."""

    async def run() -> None:
        async with Loopback(answer(raw(TEXT))) as server:
            model = OpenAIResponses(row(endpoint=server.endpoint))
            assert await model.send(model.body(FC)) == raw(TEXT)
            await model.close()
            assert server.requests[0].target == "/v1/responses"
            assert server.requests[0].json == model.body(FC)

    asyncio.run(run())


def test_a_failure_comes_through_the_client() -> None:
    """The vendor's client neither repeats a request nor hides what it failed of."""

    async def run() -> None:
        async with Loopback(answer(b"", "503 Service Unavailable", ["Retry-After: 2"])) as server:
            model = OpenAIResponses(row(endpoint=server.endpoint))
            with pytest.raises(RateLimited, match="HTTP 503") as raised:
                await model.send(model.body(FC))
            await model.close()
            assert raised.value.wait_seconds == 2
            assert len(server.requests) == 1

    asyncio.run(run())


def test_calls_are_read_and_all_items_go_back() -> None:
    """Reasoning, text and calls are sent back as they came, in order; the result is the calls."""
    other = {**CALL, "call_id": "c2", "arguments": "{broken"}
    exchange = read(THOUGHT, TEXT, CALL, other)
    assert exchange.result == [{"ls": '{"a": 1}'}, {"ls": "{broken"}]
    assert exchange.reply is not None
    assert [call["id"] for call in exchange.reply["tool_calls"]] == ["c1", "c2"]
    assert sent_back(exchange) == [THOUGHT, TEXT, CALL, other]
    assert (exchange.input_tokens, exchange.output_tokens) == (10, 5)
    assert exchange.finish_reason == "completed"


def test_text_is_that_of_all_messages() -> None:
    """An answer without calls is its texts, joined."""
    exchange = read(THOUGHT, TEXT, {**TEXT, "content": [{"type": "output_text", "text": " Yes."}]})
    assert exchange.result == "Done. Yes."


def test_a_refusal_is_no_text() -> None:
    """What a model refuses to say is no answer, as in the release, and stays in the history."""
    refused = {**TEXT, "content": [{"type": "refusal", "refusal": "I can't."}]}
    exchange = read(refused)
    assert exchange.result == ""
    assert sent_back(exchange) == [refused]


def test_a_prompted_answer_is_its_text() -> None:
    """In prompt mode a call that was not offered is not read."""
    assert read(TEXT, CALL, request=PROMPT).result == "Done."


@pytest.mark.parametrize("reason", ["max_output_tokens", "content_filter"])
def test_what_is_cut_off_is_an_answer(reason: str) -> None:
    """An incomplete answer counts as far as it goes, even if it never got beyond thoughts."""
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
    """The error that an answer of status 200 holds is told as such."""
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
def test_what_is_not_in_the_format_is_malformed(broken: Json) -> None:
    """Wrong types and missing parts are no answer, and the message says which."""
    with pytest.raises(Malformed, match="expected"):
        OpenAIResponses(row()).read(FC, broken)
