"""What holds for the API of each kind: bodies, keys, answers and failures, against a server on loopback."""

from __future__ import annotations

import json

import pytest

from bfcl_pipeline.ask.models import build_adapter
from bfcl_pipeline.base.errors import (
    ConfigError,
    ContextOverflow,
    Malformed,
    ModelError,
    RateLimited,
    Transient,
)
from bfcl_pipeline.benchmark.records import Json, Mode, Request
from tests.ask.models.adapters.kinds import (
    CALL,
    KINDS,
    PROMPT,
    PROMPT_TEXT,
    TEXT,
    TOOLS,
    USER,
    exchanged,
    failure,
    fc,
    made,
    row,
)
from tests.support.api_formats import FORMATS
from tests.support.api_server import answer

DECLARED = {
    **TOOLS["gemini"][0],
    "parameters": {"type": "OBJECT", "properties": {"a": {"type": "INTEGER"}}, "required": ["a"]},
}
CONFIG = {"temperature": 0.001, "thinkingConfig": {"includeThoughts": True}}
START: dict[str, Json] = {
    "openai_chat": {"model": "m", "temperature": 0.001},
    "openai_responses": {"model": "m", "temperature": 0.001, "store": False},
    "anthropic": {
        "model": "m",
        "max_tokens": 64_000,
        "temperature": 0.001,
        "messages": [{"role": "user", "content": [{"type": "text", "text": "Hi."}]}],
    },
    "gemini": {
        "model": "m",
        "contents": [{"role": "user", "parts": [{"text": "Hi."}]}],
        "generationConfig": CONFIG,
    },
    "vllm": {"model": "m", "prompt": PROMPT_TEXT, "temperature": 0.001},
}
"""What the bodies of both modes have."""
WITH_TOOLS: dict[str, Json] = {
    "openai_chat": {"messages": [USER], "tools": [*TOOLS["openai_chat"]]},
    "openai_responses": {"input": [USER], "tools": [*TOOLS["openai_responses"]]},
    "anthropic": {"tools": [*TOOLS["anthropic"]]},
    "gemini": {"tools": [{"functionDeclarations": [DECLARED]}]},
    "vllm": {},
}
PROMPTED: dict[str, Json] = {
    "openai_chat": {"messages": [{"role": "system", "content": "Be brief."}, USER]},
    "openai_responses": {"input": [{"role": "developer", "content": "Be brief."}, USER]},
    "anthropic": {"system": [{"type": "text", "text": "Be brief."}]},
    "gemini": {"systemInstruction": {"role": "user", "parts": [{"text": "Be brief."}]}},
    "vllm": {},
}


@pytest.mark.parametrize("kind", KINDS)
def test_a_body_has_what_the_release_sends(kind: str) -> None:
    """Model, messages and temperature; tools in one mode, a system prompt in the other."""
    assert made(kind).body(fc(kind)) == START[kind] | WITH_TOOLS[kind]
    assert made(kind).body(PROMPT) == START[kind] | PROMPTED[kind]
    assert kind == "anthropic" or "tools" not in made(kind).body(Request(Mode.FC, (USER,)))


@pytest.mark.parametrize("kind", [kind for kind in KINDS if kind != "gemini"])
def test_options_win_and_null_removes(kind: str) -> None:
    """An option of the row replaces a default in every body; null removes it."""
    options = {"temperature": None, "seed": 7, "model": "n", "top_p": None}
    expected = START[kind] | PROMPTED[kind] | {"seed": 7, "model": "n"}
    del expected["temperature"]
    assert made(kind, options=options).body(PROMPT) == expected


PATHS = {
    "openai_chat": "/v1/chat/completions",
    "openai_responses": "/v1/responses",
    "anthropic": "/v1/messages",
    "gemini": "/v1beta/models/m:generateContent",
    "vllm": "/v1/completions",
}
KEYS = {"anthropic": ("x-api-key", ""), "gemini": ("x-goog-api-key", "")}
"""The header of the key and what stands before it; of the others: authorization, Bearer."""


@pytest.mark.parametrize("kind", KINDS)
def test_a_request_is_sent_once_with_the_key_of_the_row(kind: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """The body arrives at the API's path, the raw answer is complete; keys of vendors go nowhere else."""
    vendors = ("OPENAI_API_KEY", "ANTHROPIC_API_KEY", "ANTHROPIC_AUTH_TOKEN", "GOOGLE_API_KEY")
    for name in (*vendors, "OPENAI_ORG_ID", "OPENAI_PROJECT_ID", "GOOGLE_GENAI_USE_VERTEXAI"):
        monkeypatch.setenv(name, "of-the-vendor")
    monkeypatch.setenv("MY_KEY", "sk-mine-01")
    options = {"max_tokens": 9} if kind == "vllm" else {}
    whole = FORMATS[kind].whole(FORMATS[kind].text("é \N{GRINNING FACE} \N{REPLACEMENT CHARACTER}"))
    said = answer(json.dumps(whole, ensure_ascii=False).encode())
    header, before = KEYS.get(kind, ("authorization", "Bearer "))
    for key, sent in (("MY_KEY", f"{before}sk-mine-01"), (None, f"{before}none" if before else None)):
        (got,), server = exchanged(kind, said, key=key, options=options)
        assert got == whole
        (received,) = server.requests
        assert (received.target, received.headers.get(header)) == (PATHS[kind], sent)
        body = made(kind, options=options).body(fc(kind))
        assert received.json == {
            name: value for name, value in body.items() if (kind, name) != ("gemini", "model")
        }
        assert "of-the-vendor" not in str(received.headers)
        assert received.headers.get("anthropic-version") == ("2023-06-01" if kind == "anthropic" else None)


@pytest.mark.parametrize("kind", [*KINDS, "litellm"])
def test_a_missing_key_is_an_error_before_any_request(kind: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """The message names the variable; a key that is too short to be redacted is refused and not printed."""
    monkeypatch.delenv("MY_KEY", raising=False)
    with pytest.raises(ConfigError, match="MY_KEY is not set"):
        build_adapter(row(kind, key="MY_KEY"))
    monkeypatch.setenv("MY_KEY", "Zq8xVw3")
    with pytest.raises(ConfigError, match=r"MY_KEY has fewer than 8 characters.*`key: null`") as error:
        build_adapter(row(kind, key="MY_KEY"))
    assert "Zq8xVw3" not in str(error.value)


@pytest.mark.parametrize(
    ("kind", "more"),
    [
        ("openai_chat", {"endpoint": "http://127.0.0.1:1/v1"}),
        ("openai_responses", {"endpoint": "http://127.0.0.1:1/v1"}),
        ("anthropic", {"endpoint": "http://127.0.0.1:1", "version": "2023-06-01"}),
        ("gemini", {"endpoint": "http://127.0.0.1:1", "version": "v1beta"}),
    ],
)
def test_the_identity_has_endpoint_and_version_and_no_key(
    kind: str, more: Json, monkeypatch: pytest.MonkeyPatch
) -> None:
    """It is part of the journal's keys; the model is in the body."""
    monkeypatch.setenv("MY_KEY", "sk-mine-01")
    assert made(kind, key="MY_KEY").identity == {"kind": kind, **more}


@pytest.mark.parametrize("kind", KINDS)
def test_failures_of_a_request_are_errors_after_it_alone(kind: str) -> None:
    """Content that is not an object, and a status: with the server's message and the wait that it names."""
    options = {"max_tokens": 9} if kind == "vllm" else {}
    error, server = failure(kind, answer(b"[]"), options=options)
    assert (type(error), len(server.requests)) == (Malformed, 1)
    busy = answer({"error": {"message": "Slow."}}, "429 Too Many Requests", ["retry-after-ms: 20"])
    error, server = failure(kind, busy, options=options)
    assert isinstance(error, RateLimited)
    assert (error.wait_seconds, error.__cause__, len(server.requests)) == (0.02, None, 1)
    assert "HTTP 429 Too Many Requests: Slow." in str(error)


def whole(kind: str, *items: Json, **more: Json) -> Json:
    return FORMATS[kind].whole(*items, **more)


MALFORMED: dict[str, list[Json]] = {
    "openai_chat": [
        *(
            [],
            {},
            {"choices": None},
            {"choices": []},
            {"choices": {}},
            {"choices": ["a"]},
            {"choices": [{}]},
        ),
        *({"choices": [{"message": message}]} for message in (None, "a", {"content": 7})),
        *({"choices": [{"message": {"tool_calls": calls}}]} for calls in ({}, [None], [{"id": "a"}])),
        *(
            {"choices": [{"message": {"tool_calls": [{"id": id_, "function": function}]}}]}
            for id_, function in (
                (7, {"name": "f", "arguments": ""}),
                ("a", {"name": None, "arguments": ""}),
                ("a", {"name": "f", "arguments": {}}),
            )
        ),
        whole("openai_chat", {"content": [{"type": "text"}]}),
        whole("openai_chat", {"content": ""}, finish_reason=7),
    ],
    "openai_responses": [
        *([], {}, whole("openai_responses"), whole("openai_responses", "a")),
        *(whole("openai_responses", status=status) for status in ("in_progress", 7)),
        whole("openai_responses", output=None),
        whole("openai_responses", {"type": "message", "content": "Done."}),
        whole("openai_responses", {"type": "message", "content": [{"type": "output_text", "text": None}]}),
        *(
            whole("openai_responses", CALL["openai_responses"] | wrong)
            for wrong in ({"call_id": None}, {"name": 7}, {"arguments": {}})
        ),
        whole("openai_responses", status="incomplete", incomplete_details="length"),
    ],
    "anthropic": [
        *([], {}, *({"content": content} for content in (None, "Done.", []))),
        *(whole("anthropic", block) for block in ("Done.", {"type": "text"}, {"type": "text", "text": 7})),
        *(
            whole("anthropic", CALL["anthropic"] | each)
            for each in ({"id": None}, {"name": 7}, {"input": "{}"})
        ),
        whole("anthropic", TEXT["anthropic"], stop_reason=7),
    ],
    "gemini": [
        *([], {}, *({"candidates": candidates} for candidates in ([], {}, ["a"], [{}]))),
        *(
            {"candidates": [{"content": content, "finishReason": "STOP"}]}
            for content in ("a", {"parts": "a"})
        ),
        {"candidates": [], "promptFeedback": {"blockReason": 7}},
        *(whole("gemini", part) for part in ("a", {"text": 7}, {"functionCall": []})),
        *(
            whole("gemini", {"functionCall": {"name": name, **more}})
            for name, more in ((7, {}), ("f", {"args": "{}"}), ("f", {"id": 7}))
        ),
        whole("gemini", TEXT["gemini"], finishReason=7),
    ],
    "vllm": [
        *(
            [],
            {},
            *({"choices": choices} for choices in ([], None, ["x"], [{"message": {"content": "a"}}])),
        ),
        whole("vllm", None),
        whole("vllm", "a", finish_reason=3),
    ],
}


@pytest.mark.parametrize(
    ("kind", "broken"), [(kind, broken) for kind, each in MALFORMED.items() for broken in each]
)
def test_an_answer_in_another_format_is_malformed(kind: str, broken: Json) -> None:
    """Wrong types and missing parts are errors, and the message names them."""
    with pytest.raises(Malformed, match="expected"):
        made(kind).read(fc(kind), broken)


STATED: list[tuple[str, Json, type[ModelError]]] = [
    ("openai_chat", {"error": {"message": "Wait.", "code": 429}}, RateLimited),
    ("openai_chat", {"error": "upstream"}, Transient),
    (
        "openai_chat",
        {"object": "error", "message": "maximum context length is 5", "code": 400},
        ContextOverflow,
    ),
    ("openai_chat", whole("openai_chat", {"content": ""}, error={"code": 502, "message": "m"}), Transient),
    ("openai_responses", {"error": {"code": "server_error", "message": "m"}}, Transient),
    ("openai_responses", {"error": {"code": "rate_limit_exceeded", "message": "m"}}, RateLimited),
    ("anthropic", {"type": "error", "error": {"type": "overloaded_error", "message": "m"}}, RateLimited),
    ("gemini", {"error": {"code": 503, "message": "The model is overloaded."}}, RateLimited),
    ("vllm", {"error": {"message": "engine died", "code": 500}}, Transient),
    ("vllm", whole("vllm", "", error={"message": "engine died", "code": 500}), Transient),
]


@pytest.mark.parametrize(("kind", "stated", "error"), STATED)
def test_an_error_in_an_answer_is_an_error(kind: str, stated: Json, error: type[ModelError]) -> None:
    """An error in place of an answer of status 200, or inside it, is that error."""
    with pytest.raises(error, match="status 200"):
        made(kind).read(fc(kind), stated)
