"""Completions: bodies, limits and answers of open weights, against a real server on loopback."""

from __future__ import annotations

import asyncio
from dataclasses import replace
from typing import Any

import pytest

from bfcl_pipeline.ask.models.adapters.completions import NOTE, Completions
from bfcl_pipeline.base.errors import (
    AccessDenied,
    ConfigError,
    ContextOverflow,
    Malformed,
    ModelError,
    Transient,
)
from bfcl_pipeline.benchmark.config import ModelRow
from bfcl_pipeline.benchmark.config.model_rows import Serving
from bfcl_pipeline.benchmark.records import Exchange, Json, Mode, Request
from bfcl_pipeline.dialogue.families import FamilyAsking
from tests.support.loopback import Answer, Loopback, answer

PROMPT = "<s>Hi.\n\tÜ\u2028 \\n {{x}} 𝄞"
ASKED = Request(Mode.FC, ({"role": "user", "content": "Hi."},), prompt=PROMPT)
CALL = '<tool_call>\n{"name": "ls", "arguments": {"a": 1}}\n</tool_call>'

COUNT = answer({"count": 30, "max_model_len": 8192, "tokens": []})
MODELS = answer({"object": "list", "data": [{"id": "m", "max_model_len": 8192}]})
VLLM = (COUNT, MODELS, COUNT)  # what a first request asks for before it is sent


def row(family: str = "qwen3-fc", **values: Any) -> ModelRow:
    given = {"mode": Mode.FC, "endpoint": "http://127.0.0.1:1/v1", "backend": "endpoint", **values}
    return ModelRow(name="m-FC", kind="vllm", display_name="m", model="m", family=family, **given)


def raw(text: Json, **choice: Json) -> dict[str, Json]:
    usage = {"prompt_tokens": 31, "completion_tokens": 5}
    first = {"index": 0, "text": text, "finish_reason": "stop", **choice}
    return {"id": "x", "object": "text_completion", "choices": [first], "usage": usage}


def read(text: Json, **choice: Json) -> Exchange:
    return Completions(row()).read(ASKED, raw(text, **choice))


def exchanged(*answers: Answer, times: int = 1, **values: Any) -> tuple[list[Json], Loopback]:
    """The answers to one request that is sent several times, and the server."""

    async def run() -> tuple[list[Json], Loopback]:
        async with Loopback(*answers) as server:
            adapter = Completions(row(**{"endpoint": server.endpoint, **values}))
            body = adapter.body(ASKED)
            try:
                return [await adapter.send(body) for _ in range(times)], server
            finally:
                await adapter.close()

    return asyncio.run(run())


def test_a_body_has_what_the_release_sends_but_for_the_limit() -> None:
    """Model, prompt and temperature; stop tokens and special tokens where the family has them."""
    assert Completions(row()).body(ASKED) == {"model": "m", "prompt": PROMPT, "temperature": 0.001}
    with_tokens = Completions(row())
    special = replace(with_tokens.family.row, stop_token_ids=(2, 7), skip_special_tokens=False)
    with_tokens.family = FamilyAsking(special)
    body = with_tokens.body(ASKED)
    assert body["stop_token_ids"] == [2, 7]
    assert body["skip_special_tokens"] is False


def test_options_win_and_null_removes() -> None:
    """An option of the row replaces a value of every body; null removes it."""
    body = Completions(row(options={"temperature": None, "seed": 7, "max_tokens": 64})).body(ASKED)
    assert body == {"model": "m", "prompt": PROMPT, "seed": 7, "max_tokens": 64}


def test_the_limit_is_counted_by_the_server_added_and_noted() -> None:
    """The prompt arrives unchanged; the limit is what the context leaves, and is noted in the answer."""
    (got,), server = exchanged(*VLLM, answer(raw(CALL)))
    counted, _, again, asked = server.requests
    assert [one.target for one in server.requests] == [
        "/tokenize",
        "/v1/models",
        "/tokenize",
        "/v1/completions",
    ]
    assert counted.json == again.json == {"model": "m", "prompt": PROMPT, "add_special_tokens": False}
    assert asked.json == {**Completions(row()).body(ASKED), "max_tokens": 4096}
    assert got == {**raw(CALL), NOTE: {"max_tokens": 4096, "context": 8192, "prompt_tokens": 30}}
    assert Completions(row()).read(ASKED, got) == read(CALL)


def test_all_requests_share_connections() -> None:
    """Counts and completions are sent one after the other over one connection."""
    _, server = exchanged(*VLLM, answer(raw("a")), COUNT, answer(raw("b")), times=2)
    assert len(server.requests) == 6
    assert {one.connection for one in server.requests} == {0}


def test_an_endpoint_need_not_end_in_v1() -> None:
    """Then its root is where tokens are counted."""
    assert Completions(row(endpoint="http://x/api/v1/")).base == "http://x/api"
    assert Completions(row(endpoint="http://x/openai")).base == "http://x/openai"


def test_a_limit_of_the_row_is_sent_as_it_is() -> None:
    """With `max_tokens` in the options nothing is counted."""
    (got,), server = exchanged(answer(raw("a")), options={"max_tokens": 64})
    (received,) = server.requests
    assert received.json["max_tokens"] == 64
    assert got == raw("a")


def test_the_context_of_the_row_limits() -> None:
    """`max_model_len` of the row is the context of a server that does not state one."""
    (got,), server = exchanged(COUNT, COUNT, answer(raw("a")), vllm=Serving(max_model_len=40))
    assert server.requests[-1].json["max_tokens"] == 8
    assert got[NOTE] == {"max_tokens": 8, "context": 40, "prompt_tokens": 30}


def test_a_prompt_that_leaves_no_room_is_not_sent() -> None:
    """An answer of no tokens is no answer."""
    with pytest.raises(ContextOverflow, match=r"30 tokens and leaves no room .* context of 32"):
        exchanged(COUNT, COUNT, answer(raw("a")), vllm=Serving(max_model_len=32))


@pytest.mark.parametrize(
    ("status", "error"),
    [
        (
            "400 Bad Request",
            {
                "error": {
                    "message": "This model's maximum context length is 8192 tokens. However, you requested "
                    "1000 output tokens and your prompt contains at least 7193 input tokens.",
                    "type": "BadRequestError",
                    "code": 400,
                }
            },
        ),
        (
            "400 Bad Request",
            {
                "object": "error",
                "message": "The input (9000 tokens) is longer than the model's context length",
            },
        ),
        (
            "400 Bad Request",
            {
                "error": {
                    "code": 400,
                    "message": "request (9000 tokens) exceeds the available context size (8192 tokens)",
                    "type": "exceed_context_size_error",
                }
            },
        ),
        (
            "422 Unprocessable Entity",
            {
                "error": "Input validation error: `inputs` tokens + `max_new_tokens` must be <= 8192.",
                "error_type": "validation",
            },
        ),
    ],
)
def test_a_prompt_that_is_too_long_is_recognized(status: str, error: Json) -> None:
    """The refusals of vLLM, SGLang, llama.cpp and TGI, after 1,000 tokens were requested."""
    long = answer({"count": 9000, "max_model_len": 8192})
    with pytest.raises(ContextOverflow):
        exchanged(long, MODELS, long, answer(error, status))


@pytest.mark.parametrize(
    ("status", "kind"),
    [("401 Unauthorized", AccessDenied), ("500 Internal Server Error", Transient), ("200 OK", Malformed)],
)
def test_failures_are_those_of_the_transport(status: str, kind: type[ModelError]) -> None:
    """A refused key, a broken server, an answer that is not JSON."""
    with pytest.raises(kind):
        exchanged(*VLLM, answer(b"broken", status))


def test_a_count_that_fails_fails_the_attempt() -> None:
    """It is sent again with the request, not replaced by another limit."""
    with pytest.raises(Transient, match="500"):
        exchanged(answer({"error": "x"}, "500 Internal Server Error"), answer(raw("a")))
    with pytest.raises(Malformed, match="number of tokens from /tokenize"):
        exchanged(COUNT, MODELS, answer({"count": "many"}), answer(raw("a")))


def test_what_a_server_does_not_state_is_logged_once() -> None:
    """The line names the model and the endpoint."""
    unknown = answer({"detail": "Not Found"}, "404 Not Found")
    said: list[str] = []

    async def run() -> list[Json]:
        async with Loopback(*[unknown] * 4, answer(raw("a"))) as server:
            adapter = Completions(row(endpoint=server.endpoint))
            adapter.open(said.append)
            try:
                return [await adapter.send(adapter.body(ASKED)) for _ in range(2)]
            finally:
                await adapter.close()

    for got in asyncio.run(run()):
        assert got[NOTE] == {"max_tokens": 4096, "context": None, "prompt_tokens": None}
    (line,) = said
    assert line.startswith("model 'm' at http://127.0.0.1:")


def test_calls_are_read_as_the_family_reads_them() -> None:
    """The result, the message for the history, tokens and the reason of the end."""
    exchange = read(CALL)
    assert exchange.result == [{"ls": '{"a": 1}'}]
    assert (exchange.input_tokens, exchange.output_tokens, exchange.finish_reason) == (31, 5, "stop")
    assert exchange.reply is not None
    assert read("In words.").result == []


@pytest.mark.parametrize(
    ("broken", "reason"),
    [
        ({"choices": []}, "it is empty"),
        ({"choices": None}, "`choices` to be a list"),
        ({"choices": ["x"]}, "to be a mapping"),
        ({"choices": [{"text": None}]}, "`text` to be a text"),
        ({"choices": [{"text": "a", "finish_reason": 3}]}, "`finish_reason`"),
        ({"choices": [{"message": {"content": "a"}}]}, "`text` to be a text"),
    ],
)
def test_an_answer_in_another_form_is_malformed(broken: dict[str, Json], reason: str) -> None:
    """Also one in the form of chat completions."""
    with pytest.raises(Malformed, match=reason):
        Completions(row()).read(ASKED, {**raw("a"), **broken})


def test_an_error_inside_an_answer_is_raised() -> None:
    """Servers state errors of the engine in answers of status 200."""
    with pytest.raises(Transient):
        Completions(row()).read(ASKED, {"error": {"message": "engine died", "code": 500}})
    with pytest.raises(Transient):
        read("", error={"message": "engine died", "code": 500})


def test_a_row_without_a_family_is_refused() -> None:
    """The message names both keys that help."""
    with pytest.raises(ConfigError, match="set `family`, or `prompting: server`"):
        Completions(row(family=None))  # type: ignore[arg-type]
