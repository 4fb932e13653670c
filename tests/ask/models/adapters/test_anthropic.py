"""Anthropic Messages: bodies, answers and failures, against a real server on loopback."""

from __future__ import annotations

from typing import Any

import pytest

from bfcl_pipeline.ask.models.adapters.anthropic import Anthropic
from bfcl_pipeline.base.errors import (
    AccessDenied,
    ConfigError,
    ContextOverflow,
    Malformed,
    ModelError,
    RateLimited,
)
from bfcl_pipeline.benchmark.config import ModelRow
from bfcl_pipeline.benchmark.records import Exchange, Json, Message, Mode, Request
from tests.support import loopback
from tests.support.loopback import Answer, Loopback, answer

SYSTEM = {"role": "system", "content": "Be brief."}
USER = {"role": "user", "content": "Hi."}
TOOLS = ({"name": "cd", "input_schema": {}}, {"name": "ls", "input_schema": {}})
FC = Request(Mode.FC, (USER,), TOOLS)
PROMPT = Request(Mode.PROMPT, (SYSTEM, USER))
MARK = {"cache_control": {"type": "ephemeral"}}
TEXT = {"type": "text", "text": "Done."}
CALL = {"type": "tool_use", "id": "c1", "name": "ls", "input": {"a": "é"}}
THOUGHT = {"type": "thinking", "thinking": "Hm.", "signature": "s+/="}
HIDDEN = {"type": "redacted_thinking", "data": "xyz"}


def row(**values: Any) -> ModelRow:
    given = {"kind": "anthropic", "mode": Mode.FC, "endpoint": "http://127.0.0.1:1", **values}
    return ModelRow(name="m-FC", display_name="m", model="m", **given)


def raw(*content: Json, reason: Json = "end_turn") -> dict[str, Json]:
    usage = {"input_tokens": 10, "output_tokens": 5}
    return {"type": "message", "content": list(content), "stop_reason": reason, "usage": usage}


def read(*content: Json, request: Request = FC) -> Exchange:
    return Anthropic(row()).read(request, raw(*content))


def history(*messages: Message, mode: Mode = Mode.FC) -> Json:
    """The messages as they appear in the body of the next request."""
    tools = TOOLS if mode is Mode.FC else ()
    return Anthropic(row()).body(Request(mode, messages, tools, goes_on=True))["messages"]


def sent_back(exchange: Exchange) -> list[Json]:
    """The answer in the next request, between two messages of the user."""
    assert exchange.reply is not None
    between: list[Json] = history(USER, exchange.reply, USER, mode=exchange.request.mode)[1:-1]
    return between


def user(text: str) -> Message:
    return {"role": "user", "content": text}


def exchanged(answers: tuple[Answer, ...], **values: Any) -> tuple[Json, Loopback]:
    """The answer to one request, and the server."""
    return loopback.exchanged(
        lambda endpoint: Anthropic(row(endpoint=endpoint.removesuffix("/v1"), **values)), FC, answers
    )


def test_a_body_has_what_the_release_sends() -> None:
    """Model, tokens, temperature, messages in blocks; tools in one mode, a system prompt in the other."""
    start = {"model": "m", "max_tokens": 64_000, "temperature": 0.001}
    messages = [{"role": "user", "content": [{"type": "text", "text": "Hi."}]}]
    assert Anthropic(row()).body(FC) == {**start, "messages": messages, "tools": list(TOOLS)}
    system = [{"type": "text", "text": "Be brief."}]
    assert Anthropic(row()).body(PROMPT) == {**start, "messages": messages, "system": system}


def test_a_conversation_is_marked_for_the_cache() -> None:
    """If it continues: the system prompt, the last tool, and the user's last two messages."""
    messages = (SYSTEM, user("1"), answer_of("a"), user("2"), answer_of("b"), user("3"))
    body = Anthropic(row()).body(Request(Mode.FC, messages, TOOLS, goes_on=True))
    assert body["system"] == [{"type": "text", "text": "Be brief.", **MARK}]
    assert body["tools"] == [TOOLS[0], {**TOOLS[1], **MARK}]
    assert ["cache_control" in message["content"][0] for message in body["messages"]] == [
        False,
        False,
        True,
        False,
        True,
    ]
    assert "cache_control" not in str(Anthropic(row()).body(Request(Mode.FC, messages, TOOLS)))
    assert "cache_control" not in str((messages, TOOLS))


def answer_of(text: str) -> Message:
    reply = read({"type": "text", "text": text}).reply
    assert reply is not None
    return reply


def test_options_win_and_null_removes() -> None:
    """An option of the row replaces a default in every body; null removes it."""
    thinking = {"type": "enabled", "budget_tokens": 1024}
    body = Anthropic(row(options={"temperature": None, "thinking": thinking, "max_tokens": 7})).body(PROMPT)
    assert (body["thinking"], body["max_tokens"]) == (thinking, 7)
    assert "temperature" not in body


def test_a_request_is_sent_and_its_answer_returned() -> None:
    """The body arrives unchanged, at the API's path and with the version that accepts a temperature."""
    whole = raw(TEXT, CALL)
    got, server = exchanged((answer(whole),))
    assert got == whole
    (received,) = server.requests
    assert received.target == "/v1/messages"
    assert received.json == Anthropic(row()).body(FC)
    assert received.headers["anthropic-version"] == "2023-06-01"
    assert "anthropic-beta" not in received.headers


def test_beta_features_are_sent_in_a_header() -> None:
    """The option `betas` is in the body of the journal, and is sent as a header."""
    _, server = exchanged((answer(raw(TEXT)),), options={"betas": ["a-1", "b-2"]})
    assert server.requests[0].headers["anthropic-beta"] == "a-1,b-2"
    assert "betas" not in server.requests[0].json
    with pytest.raises(ConfigError, match="betas must be a list"):
        Anthropic(row(options={"betas": "a-1"}))


def test_the_key_of_the_row_is_sent(monkeypatch: pytest.MonkeyPatch) -> None:
    """The row names the variable of the key; no other variable of the vendor is sent elsewhere."""
    monkeypatch.setenv("MY_KEY", "sk-mine-01")
    monkeypatch.setenv("ANTHROPIC_API_KEY", "sk-vendor")
    monkeypatch.setenv("ANTHROPIC_AUTH_TOKEN", "token-vendor")
    _, server = exchanged((answer(raw(TEXT)),), key="MY_KEY")
    headers = server.requests[0].headers
    assert headers["x-api-key"] == "sk-mine-01"
    assert "authorization" not in headers
    _, server = exchanged((answer(raw(TEXT)),))
    assert not {"x-api-key", "authorization"} & set(server.requests[0].headers)
    assert "vendor" not in str(server.requests[0].headers)


def test_a_missing_key_is_an_error_before_any_request(monkeypatch: pytest.MonkeyPatch) -> None:
    """The message names the variable."""
    monkeypatch.delenv("MY_KEY", raising=False)
    with pytest.raises(ConfigError, match="MY_KEY is not set"):
        Anthropic(row(key="MY_KEY"))


def test_the_identity_has_the_version_and_no_key(monkeypatch: pytest.MonkeyPatch) -> None:
    """The journal's key contains endpoint and version of the API."""
    monkeypatch.setenv("MY_KEY", "sk-mine-01")
    assert Anthropic(row(key="MY_KEY")).identity == {
        "kind": "anthropic",
        "endpoint": "http://127.0.0.1:1",
        "version": "2023-06-01",
    }


def test_calls_are_read() -> None:
    """Parallel calls in order, with arguments as JSON text; token counts and finish reason."""
    exchange = read(TEXT, CALL, {**CALL, "id": "c2", "input": {}})
    assert exchange.result == [{"ls": '{"a": "\\u00e9"}'}, {"ls": "{}"}]
    assert exchange.reply is not None
    assert [call["id"] for call in exchange.reply["tool_calls"]] == ["c1", "c2"]
    assert (exchange.input_tokens, exchange.output_tokens) == (10, 5)
    assert exchange.finish_reason == "end_turn"


def test_results_have_the_ids_of_their_calls() -> None:
    """Results of calls are sent in one message of the user, each with the id of its call."""
    exchange = read(CALL)
    assert exchange.reply is not None
    result = {"role": "tool", "tool_call_id": "c1", "name": "ls", "content": "[]"}
    *_, last = history(USER, exchange.reply, result)
    assert last["content"] == [{"type": "tool_result", "content": "[]", "tool_use_id": "c1", **MARK}]


def test_thinking_is_sent_back_with_its_calls() -> None:
    """All blocks of an answer with calls are sent back unchanged: the API checks signatures."""
    blocks = [THOUGHT, HIDDEN, {**TEXT, "citations": None}, {**CALL, "caller": {"type": "direct"}}]
    assert sent_back(read(*blocks)) == [{"role": "assistant", "content": blocks}]


def test_texts_without_calls_are_the_answer() -> None:
    """In function-calling mode the result is the list of texts, as in the release, without thoughts."""
    assert read(THOUGHT, TEXT, {**TEXT, "text": "Bye."}).result == ["Done.", "Bye."]


def test_a_prompted_answer_is_its_text() -> None:
    """The texts are joined; thoughts, and calls that were not offered, are neither read nor sent back."""
    exchange = read(THOUGHT, {**TEXT, "text": "[ls("}, CALL, {**TEXT, "text": ")]"}, request=PROMPT)
    assert exchange.result == "[ls()]"
    assert sent_back(exchange) == [{"role": "assistant", "content": [{"type": "text", "text": "[ls()]"}]}]


@pytest.mark.parametrize("request_", [FC, PROMPT])
@pytest.mark.parametrize("content", [(), ({**TEXT, "text": ""},), ({**TEXT, "text": " \n"},)])
def test_an_empty_answer_is_accepted_and_not_sent_back(
    request_: Request, content: tuple[Json, ...]
) -> None:
    """The API refuses messages without content and blank texts."""
    exchange = read(*content, request=request_)
    assert "".join(exchange.result).strip() == ""
    assert sent_back(exchange) == []


@pytest.mark.parametrize(
    "reason", ["max_tokens", "refusal", "pause_turn", "model_context_window_exceeded", "stop_sequence"]
)
def test_an_incomplete_answer_is_an_answer(reason: str) -> None:
    """Limits and refusals truncate an answer; its text counts, and the finish reason is stored."""
    exchange = Anthropic(row()).read(FC, raw(TEXT, reason=reason))
    assert (exchange.result, exchange.finish_reason) == (["Done."], reason)


def test_cached_tokens_count_as_sent() -> None:
    """The API counts them separately; the tokens of a request are the sum."""
    usage = {"input_tokens": 1, "cache_creation_input_tokens": 20, "cache_read_input_tokens": 300}
    exchange = Anthropic(row()).read(FC, {**raw(TEXT), "usage": usage})
    assert (exchange.input_tokens, exchange.output_tokens) == (321, None)
    assert Anthropic(row()).read(FC, {**raw(TEXT), "usage": None}).input_tokens is None


@pytest.mark.parametrize(
    "broken",
    [
        [],
        {},
        {"content": None},
        {"content": "Done."},
        {"content": []},
        raw("Done."),
        raw({"type": "text"}),
        raw({**TEXT, "text": 7}),
        raw({**CALL, "id": None}),
        raw({**CALL, "name": 7}),
        raw({**CALL, "input": "{}"}),
        raw(TEXT, reason=7),
    ],
)
def test_an_answer_in_another_format_is_malformed(broken: Json) -> None:
    """Wrong types and missing parts are errors, and the message names them."""
    with pytest.raises(Malformed, match="expected"):
        Anthropic(row()).read(FC, broken)


@pytest.mark.parametrize(
    ("content", "said"), [(b"<html>", "not JSON"), (b'{"a": "\xff"}', "not UTF-8"), (b"[]", "a mapping")]
)
def test_content_that_is_not_an_object_is_malformed(content: bytes, said: str) -> None:
    """Bytes that are not a JSON object in UTF-8 are an error."""
    with pytest.raises(Malformed, match=said):
        exchanged((answer(content),))


def stated(kind: str, message: str) -> Json:
    return {"type": "error", "error": {"type": kind, "message": message}}


@pytest.mark.parametrize(
    ("status", "error", "kind"),
    [
        ("400 Bad Request", ("invalid_request_error", "prompt is too long: 9 tokens > 8"), ContextOverflow),
        (
            "400 Bad Request",
            ("invalid_request_error", "input length and `max_tokens` exceed context limit: 9 + 64000 > 8"),
            ContextOverflow,
        ),
        ("413 Too Large", ("request_too_large", "Request exceeds the maximum size"), ContextOverflow),
        (
            "400 Bad Request",
            ("invalid_request_error", "Your credit balance is too low to access the API."),
            AccessDenied,
        ),
        ("401 Unauthorized", ("authentication_error", "invalid x-api-key"), AccessDenied),
        ("404 Not Found", ("not_found_error", "model: m"), AccessDenied),
        ("429 Too Many Requests", ("rate_limit_error", "This would exceed your limit"), RateLimited),
        ("529 Overloaded", ("overloaded_error", "Overloaded"), RateLimited),
    ],
)
def test_the_errors_of_the_api_are_distinguished(
    status: str, error: tuple[str, str], kind: type[ModelError]
) -> None:
    """Each known error of Anthropic has its type."""
    with pytest.raises(kind) as raised:
        exchanged((answer(stated(*error), status, ["retry-after: 3"]),))
    assert error[1] in str(raised.value)
    assert not isinstance(raised.value, RateLimited) or raised.value.wait_seconds == 3


def test_an_error_in_an_answer_is_an_error() -> None:
    """An answer of status 200 that contains an error is that error."""
    with pytest.raises(RateLimited, match="status 200"):
        Anthropic(row()).read(FC, stated("overloaded_error", "Overloaded"))
