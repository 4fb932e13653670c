"""Google Gemini: bodies, answers and failures, against a real server on loopback."""

from __future__ import annotations

import json
from typing import Any

import pytest

from bfcl_pipeline.ask.models.adapters.gemini import SILENCE, Gemini
from bfcl_pipeline.base.errors import (
    AccessDenied,
    ConfigError,
    ContextOverflow,
    Malformed,
    ModelError,
    RateLimited,
    RequestRefused,
    Transient,
)
from bfcl_pipeline.benchmark.config import ModelRow
from bfcl_pipeline.benchmark.records import Exchange, Json, Message, Mode, Request
from tests.support import loopback
from tests.support.loopback import Answer, Loopback, answer

SYSTEM = {"role": "system", "content": "Be brief."}
USER = {"role": "user", "content": "Hi."}
PARAMETERS = {"type": "object", "properties": {"a": {"type": "integer"}}, "required": ["a"]}
TOOL = {"name": "ls", "description": "Lists.", "parameters": PARAMETERS}
FC = Request(Mode.FC, (USER,), (TOOL,))
PROMPT = Request(Mode.PROMPT, (SYSTEM, USER))
TEXT = {"text": "Done."}
CALL = {"functionCall": {"name": "ls", "args": {"a": "é"}}}
THOUGHT = {"text": "Hm.", "thought": True}


def row(**values: Any) -> ModelRow:
    given = {"kind": "gemini", "mode": Mode.FC, "endpoint": "http://127.0.0.1:1", **values}
    return ModelRow(name="m-FC", display_name="m", model="m", **given)


def raw(*parts: Json, reason: Json = "STOP") -> dict[str, Json]:
    content = {"role": "model", "parts": list(parts)}
    usage = {"promptTokenCount": 10, "candidatesTokenCount": 5, "thoughtsTokenCount": 3}
    candidate = {"content": content, "finishReason": reason, "index": 0}
    return {"candidates": [candidate], "usageMetadata": usage}


def read(*parts: Json, request: Request = FC) -> Exchange:
    return Gemini(row()).read(request, raw(*parts))


def contents(*messages: Message) -> Json:
    return Gemini(row()).body(Request(Mode.FC, messages, (TOOL,)))["contents"]


def sent_back(exchange: Exchange) -> Json:
    """The answer in the next request."""
    assert exchange.reply is not None
    (content,) = contents(exchange.reply)
    return content


def exchanged(answers: tuple[Answer, ...], **values: Any) -> tuple[Json, Loopback]:
    """The answer to one request, and the server."""
    return loopback.exchanged(
        lambda endpoint: Gemini(row(endpoint=endpoint.removesuffix("/v1"), **values)), FC, answers
    )


def test_a_body_has_what_the_release_sends() -> None:
    """Model, contents, temperature, thoughts; tools in one mode, a system prompt in the other."""
    config = {"temperature": 0.001, "thinkingConfig": {"includeThoughts": True}}
    start = {"model": "m", "contents": [{"role": "user", "parts": [{"text": "Hi."}]}]}
    properties = {"a": {"type": "INTEGER"}}
    declared = {**TOOL, "parameters": {"type": "OBJECT", "properties": properties, "required": ["a"]}}
    body = {**start, "generationConfig": config, "tools": [{"functionDeclarations": [declared]}]}
    assert Gemini(row()).body(FC) == body
    system = {"role": "user", "parts": [{"text": "Be brief."}]}
    body = {**start, "generationConfig": config, "systemInstruction": system}
    assert Gemini(row()).body(PROMPT) == body
    assert "tools" not in Gemini(row()).body(Request(Mode.FC, (USER,)))


def test_schemas_are_in_the_dialect_of_the_api() -> None:
    """Types are in capital letters at every depth and nulls are removed; a property named type is
    unchanged."""
    inner = {"type": {"type": "string", "default": None, "enum": ["string"]}}
    listed = {"type": "array", "items": {"type": "object", "properties": inner}}
    tool = {**TOOL, "parameters": {"type": "object", "properties": {"items": listed}}}
    (sent,) = Gemini(row()).body(Request(Mode.FC, (USER,), (tool,)))["tools"]
    (declared,) = sent["functionDeclarations"]
    inside = {"type": {"type": "STRING", "enum": ["string"]}}
    outside = {"type": "ARRAY", "items": {"type": "OBJECT", "properties": inside}}
    assert declared["parameters"] == {"type": "OBJECT", "properties": {"items": outside}}


def test_options_win_also_inside_mappings_and_null_removes() -> None:
    """A row changes a part of the generation config without repeating the rest."""
    options = {"generationConfig": {"temperature": None, "thinkingConfig": {"thinkingBudget": 0}}}
    body = Gemini(row(options={**options, "safetySettings": []})).body(PROMPT)
    assert body["generationConfig"] == {"thinkingConfig": {"includeThoughts": True, "thinkingBudget": 0}}
    assert body["safetySettings"] == []


def test_a_request_is_sent_and_its_answer_returned() -> None:
    """The body arrives unchanged, with the model in the path; the raw answer is complete."""
    whole = raw({"text": "é\N{GRINNING FACE}\N{REPLACEMENT CHARACTER}"}, CALL)
    got, server = exchanged((answer(json.dumps(whole, ensure_ascii=False).encode()),))
    assert got == whole
    (received,) = server.requests
    assert received.target == "/v1beta/models/m:generateContent"
    body = Gemini(row()).body(FC)
    assert received.json == {key: value for key, value in body.items() if key != "model"}


def test_the_key_of_the_row_is_sent(monkeypatch: pytest.MonkeyPatch) -> None:
    """The row names the variable of the key; no other variable of the vendor is sent elsewhere."""
    monkeypatch.setenv("MY_KEY", "sk-mine-01")
    monkeypatch.setenv("GOOGLE_API_KEY", "sk-vendor")
    monkeypatch.setenv("GOOGLE_GENAI_USE_VERTEXAI", "true")
    _, server = exchanged((answer(raw(TEXT)),), key="MY_KEY")
    assert server.requests[0].headers["x-goog-api-key"] == "sk-mine-01"
    _, server = exchanged((answer(raw(TEXT)),))
    assert "sk-vendor" not in str(server.requests[0].headers)


def test_a_missing_key_is_an_error_before_any_request(monkeypatch: pytest.MonkeyPatch) -> None:
    """The message names the variable."""
    monkeypatch.delenv("MY_KEY", raising=False)
    with pytest.raises(ConfigError, match="MY_KEY is not set"):
        Gemini(row(key="MY_KEY"))


def test_the_identity_has_the_version() -> None:
    """The journal's key contains endpoint and version of the API; the model is in the body."""
    identity = {"kind": "gemini", "endpoint": "http://127.0.0.1:1", "version": "v1beta"}
    assert Gemini(row()).identity == identity


def test_calls_are_read() -> None:
    """Parallel calls in order, with arguments as JSON text; token counts with thoughts; finish reason."""
    exchange = read(TEXT, CALL, {"functionCall": {"name": "cd"}})
    assert exchange.result == [{"ls": '{"a": "\\u00e9"}'}, {"cd": "{}"}]
    assert exchange.reply is not None
    assert [call["id"] for call in exchange.reply["tool_calls"]] == ["call_1_0", "call_1_1"]
    assert (exchange.input_tokens, exchange.output_tokens) == (10, 8)
    assert exchange.finish_reason == "STOP"


def test_thoughts_and_signatures_are_sent_back_with_their_calls() -> None:
    """The content of an answer is sent back unchanged: the API checks signatures."""
    parts = [THOUGHT, {**TEXT, "thoughtSignature": "s+/="}, {**CALL, "thoughtSignature": "t"}]
    assert sent_back(read(*parts)) == {"role": "model", "parts": parts}


def test_results_have_the_names_of_their_calls_and_ids_if_there_are_any() -> None:
    """Results of calls are sent in one content, in order, with the id if the API set one."""
    exchange = read({"functionCall": {**CALL["functionCall"], "id": "x1"}}, CALL)
    assert exchange.reply is not None
    results = [
        {"role": "tool", "tool_call_id": call["id"], "name": call["name"], "content": f"out {place}"}
        for place, call in enumerate(exchange.reply["tool_calls"])
    ]
    first = {"name": "ls", "response": {"result": "out 0"}, "id": "x1"}
    second = {"name": "ls", "response": {"result": "out 1"}}
    assert contents(USER, exchange.reply, *results)[-1] == {
        "role": "user",
        "parts": [{"functionResponse": first}, {"functionResponse": second}],
    }


def test_a_history_without_raw_answers_has_the_form_of_the_api() -> None:
    """Calls of another model's history are sent with the API's keys."""
    called = {
        "role": "assistant",
        "content": None,
        "tool_calls": [{"id": "a", "name": "ls", "arguments": "{}"}],
    }
    assert contents(called) == [{"role": "model", "parts": [{"functionCall": {"name": "ls", "args": {}}}]}]


def test_texts_without_calls_are_the_answer() -> None:
    """In function-calling mode the result is the list of texts, as in the release, without thoughts."""
    exchange = read(THOUGHT, TEXT, {"text": "Bye."}, {"executableCode": {"code": "1"}})
    assert exchange.result == ["Done.", "Bye."]


def test_a_prompted_answer_is_its_text() -> None:
    """The texts are joined; thoughts, and calls that were not offered, are neither read nor sent back."""
    exchange = read(
        THOUGHT, {"text": "[ls("}, CALL, {"text": ")]", "thoughtSignature": "s"}, request=PROMPT
    )
    assert exchange.result == "[ls()]"
    assert sent_back(exchange) == {"role": "model", "parts": [{"text": "[ls()]"}]}


def test_a_fence_is_removed_from_the_result_and_kept_in_the_history() -> None:
    """What Gemini writes around prompted calls is not a part of them."""
    exchange = read({"text": "```tool_code\n[ls()]\n```"}, request=PROMPT)
    assert exchange.result == "[ls()]"
    assert sent_back(exchange)["parts"] == [{"text": "```tool_code\n[ls()]\n```"}]


@pytest.mark.parametrize(
    "candidate",
    [
        {"finishReason": "STOP"},
        {"content": {}, "finishReason": "SAFETY"},
        {"content": {"role": "model"}, "finishReason": "RECITATION"},
        {"content": {"parts": []}, "finishReason": "MAX_TOKENS"},
        {"finishReason": "MALFORMED_FUNCTION_CALL", "finishMessage": "Malformed function call: ls("},
    ],
)
def test_an_empty_answer_is_an_answer(candidate: Json) -> None:
    """An answer without content has no call; the history has the text of the release."""
    answered = {"candidates": [candidate]}
    exchange = Gemini(row()).read(FC, answered)
    assert (exchange.result, exchange.finish_reason) == ([], candidate["finishReason"])
    assert sent_back(exchange) == {"role": "model", "parts": [{"text": SILENCE}]}
    assert Gemini(row()).read(PROMPT, answered).result == SILENCE


def test_a_blocked_prompt_has_an_empty_answer() -> None:
    """The reason for the block is the finish reason."""
    blocked = {"promptFeedback": {"blockReason": "PROHIBITED_CONTENT"}, "usageMetadata": {}}
    exchange = Gemini(row()).read(PROMPT, blocked)
    assert (exchange.result, exchange.finish_reason) == (SILENCE, "PROHIBITED_CONTENT")
    assert (exchange.input_tokens, exchange.output_tokens) == (None, None)


@pytest.mark.parametrize("reason", ["MAX_TOKENS", "SAFETY", "CONTINUATION"])
def test_an_incomplete_answer_is_an_answer(reason: str) -> None:
    """Limits and filters truncate an answer; its text counts, and the finish reason is stored."""
    exchange = Gemini(row()).read(FC, raw(TEXT, reason=reason))
    assert (exchange.result, exchange.finish_reason) == (["Done."], reason)


@pytest.mark.parametrize(
    ("reason", "kind"),
    [
        ("MALFORMED_RESPONSE", Malformed),
        ("MISSING_THOUGHT_SIGNATURE", RequestRefused),
        ("PUP_LIMITED_DISABLED", AccessDenied),
    ],
)
def test_a_failure_of_the_machinery_is_not_an_answer(reason: str, kind: type[ModelError]) -> None:
    """Defects of server, request or account are errors, not empty answers."""
    failed = {"candidates": [{"finishReason": reason, "finishMessage": "Why."}]}
    with pytest.raises(kind, match=f"{reason}: Why"):
        Gemini(row()).read(FC, failed)


@pytest.mark.parametrize(
    "broken",
    [
        [],
        {},
        {"candidates": []},
        {"candidates": {}},
        {"candidates": ["a"]},
        {"candidates": [{}]},
        {"candidates": [{"content": "a", "finishReason": "STOP"}]},
        {"candidates": [{"content": {"parts": "a"}, "finishReason": "STOP"}]},
        {"candidates": [], "promptFeedback": {"blockReason": 7}},
        raw("a"),
        raw({"text": 7}),
        raw({"functionCall": []}),
        raw({"functionCall": {"name": 7}}),
        raw({"functionCall": {"name": "f", "args": "{}"}}),
        raw({"functionCall": {"name": "f", "id": 7}}),
        raw(TEXT, reason=7),
    ],
)
def test_an_answer_in_another_format_is_malformed(broken: Json) -> None:
    """Wrong types and missing parts are errors, and the message names them."""
    with pytest.raises(Malformed, match="expected"):
        Gemini(row()).read(FC, broken)


@pytest.mark.parametrize(
    ("content", "said"),
    [
        (b"", "not JSON"),
        (b"<html>", "not JSON"),
        (b'{"a": "\xff"}', "not UTF-8"),
        (b"[]", "expected the answer to be a mapping"),
    ],
)
def test_content_that_is_not_an_object_is_malformed(content: bytes, said: str) -> None:
    """Bytes that are not a JSON object in UTF-8 are an error."""
    with pytest.raises(Malformed, match=said):
        exchanged((answer(content),))


@pytest.mark.parametrize(
    ("status", "message", "kind"),
    [
        (
            "400 Bad Request",
            "The input token count (9) exceeds the maximum number of tokens allowed (8).",
            ContextOverflow,
        ),
        ("400 Bad Request", "API key not valid. Please pass a valid API key.", AccessDenied),
        ("400 Bad Request", "Invalid value at 'tools[0]'", RequestRefused),
        ("403 Forbidden", "Method doesn't allow unregistered callers", AccessDenied),
        ("404 Not Found", "models/m is not found for API version v1beta", AccessDenied),
        ("429 Too Many Requests", "You exceeded your current quota.", RateLimited),
        ("500 Internal Server Error", "An internal error has occurred.", Transient),
        ("503 Service Unavailable", "The model is overloaded.", RateLimited),
    ],
)
def test_the_errors_of_the_api_are_distinguished(status: str, message: str, kind: type[ModelError]) -> None:
    """Each known error of Google has its type, after a single request."""
    details = [{"@type": "type.googleapis.com/google.rpc.RetryInfo", "retryDelay": "34.5s"}]
    error = {"error": {"code": int(status[:3]), "message": message, "details": details}}
    with pytest.raises(kind) as raised:
        exchanged((answer(error, status), answer(raw(TEXT))))
    assert message in str(raised.value)
    assert not isinstance(raised.value, RateLimited) or raised.value.wait_seconds == 34.5


def test_an_error_in_an_answer_is_an_error() -> None:
    """An answer of status 200 that contains an error is that error."""
    with pytest.raises(RateLimited, match="status 200"):
        Gemini(row()).read(FC, {"error": {"code": 503, "message": "The model is overloaded."}})
