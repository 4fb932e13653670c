"""OpenAI chat completions: bodies, answers and failures, against a real server on loopback."""

from __future__ import annotations

import json
from dataclasses import replace
from typing import Any

import pytest

from bfcl_pipeline.ask.models.adapters.completions import Completions
from bfcl_pipeline.ask.models.adapters.openai_chat import OpenAIChat
from bfcl_pipeline.base.errors import (
    ConfigError,
    ContextOverflow,
    Malformed,
    ModelError,
    RateLimited,
    Transient,
)
from bfcl_pipeline.benchmark.config import ModelRow
from bfcl_pipeline.benchmark.config.model_rows import Serving
from bfcl_pipeline.benchmark.records import Exchange, Json, Mode, Request
from bfcl_pipeline.dialogue.prompts import messages_for
from bfcl_pipeline.runs.provenance import ServerRecord
from tests.support import loopback
from tests.support.loopback import Answer, Loopback, answer

USER = {"role": "user", "content": "Hi."}
TOOL = {"type": "function", "function": {"name": "ls", "description": "", "parameters": {}}}
FC = Request(Mode.FC, (USER,), (TOOL,))
PROMPT = Request(Mode.PROMPT, (USER,))
CALL = {"id": "c1", "type": "function", "function": {"name": "ls", "arguments": '{"a": 1}'}}


def row(**values: Any) -> ModelRow:
    given = {"kind": "openai_chat", "mode": Mode.FC, "endpoint": "http://127.0.0.1:1/v1", **values}
    return ModelRow(name="m-FC", display_name="m", model="m", **given)


def raw(message: Json, **choice: Json) -> dict[str, Json]:
    usage = {"prompt_tokens": 10, "completion_tokens": 5}
    first = {"index": 0, "message": message, "finish_reason": "stop", **choice}
    return {"id": "x", "object": "chat.completion", "choices": [first], "usage": usage}


def read(message: Json, request: Request = FC) -> Exchange:
    return OpenAIChat(row()).read(request, raw({"role": "assistant", **message}))


def sent_back(exchange: Exchange) -> Json:
    """The answer in the next request."""
    assert exchange.reply is not None
    (message,) = messages_for(OpenAIChat(row()).wire, [exchange.reply]).messages
    return message


def exchanged(answers: tuple[Answer, ...], **values: Any) -> tuple[Json, Loopback]:
    """The answer to one request, and the server."""
    return loopback.exchanged(lambda endpoint: OpenAIChat(row(endpoint=endpoint, **values)), FC, answers)


def test_a_body_has_what_the_release_sends() -> None:
    """Model, messages, temperature and tools; `store: false` is sent to OpenAI only."""
    body = {"model": "m", "messages": [USER], "temperature": 0.001, "tools": [TOOL]}
    assert OpenAIChat(row()).body(FC) == body
    assert OpenAIChat(row(endpoint="https://api.openai.com/v1/")).body(FC) == {**body, "store": False}
    assert "tools" not in OpenAIChat(row()).body(PROMPT)


def test_options_win_and_null_removes() -> None:
    """An option of the row replaces a default in every body; null removes it."""
    options = {"temperature": None, "seed": 7, "store": False, "top_p": None}
    body = OpenAIChat(row(options=options)).body(PROMPT)
    assert body == {"model": "m", "messages": [USER], "seed": 7, "store": False}


@pytest.mark.parametrize(
    ("kind", "server", "options", "asked"),
    [
        ("openai_chat", None, {}, None),
        ("openai_chat", ServerRecord("llama.cpp", "b1"), {}, None),
        ("openai_chat", ServerRecord("vllm", "0.32.0"), {}, True),
        ("vllm", None, {}, True),
        ("vllm", None, {"return_token_ids": False}, False),
    ],
)
def test_vllm_alone_is_asked_for_tokens_and_the_key_does_not_depend_on_it(
    kind: str, server: ServerRecord | None, options: dict[str, Json], asked: bool | None
) -> None:
    """Tokens of the answer are kept, those of the prompt are not; the body is that of the row."""
    whole = {**raw({"role": "assistant", "content": "é"}, token_ids=[5, 6]), "prompt_token_ids": [1, 2]}

    def adapter(endpoint: str) -> OpenAIChat:
        made = OpenAIChat(row(kind=kind, endpoint=endpoint, options=options))
        made.server = server
        return made

    got, at = loopback.exchanged(adapter, FC, (answer(whole),))
    assert got["choices"][0]["token_ids"] == [5, 6]
    assert "prompt_token_ids" not in got
    assert at.requests[0].json.get("return_token_ids") is asked
    assert adapter("http://127.0.0.1:1/v1").body(FC).get("return_token_ids") is options.get(
        "return_token_ids"
    )


def test_a_request_is_sent_and_its_answer_returned() -> None:
    """The body arrives unchanged, at the API's path and with the key; the raw answer is complete."""
    whole = raw({"role": "assistant", "content": "é"}, logprobs=None)
    got, server = exchanged((answer(whole),))
    assert got == whole
    (received,) = server.requests
    assert received.target == "/v1/chat/completions"
    assert received.json == OpenAIChat(row()).body(FC)
    assert received.headers["authorization"] == "Bearer none"


def test_the_key_of_the_row_is_sent(monkeypatch: pytest.MonkeyPatch) -> None:
    """The row names the variable of the key; no other variable of the vendor is sent elsewhere."""
    monkeypatch.setenv("MY_KEY", "sk-mine-01")
    monkeypatch.setenv("OPENAI_API_KEY", "sk-openai")
    monkeypatch.setenv("OPENAI_ORG_ID", "org")
    monkeypatch.setenv("OPENAI_PROJECT_ID", "project")
    _, server = exchanged((answer(raw({})),), key="MY_KEY")
    headers = server.requests[0].headers
    assert headers["authorization"] == "Bearer sk-mine-01"
    assert not {"openai-organization", "openai-project"} & set(headers)
    _, server = exchanged((answer(raw({})),))
    assert "sk-openai" not in str(server.requests[0].headers)


def test_a_missing_key_is_an_error_before_any_request(monkeypatch: pytest.MonkeyPatch) -> None:
    """The message names the variable."""
    monkeypatch.delenv("MY_KEY", raising=False)
    with pytest.raises(ConfigError, match="MY_KEY is not set"):
        OpenAIChat(row(key="MY_KEY"))


def test_calls_are_read() -> None:
    """Parallel calls in order, with unchanged arguments, JSON or not; token counts and finish reason."""
    other = {"id": "c2", "type": "function", "function": {"name": "cd", "arguments": "{broken"}}
    exchange = read({"content": None, "tool_calls": [CALL, other]})
    assert exchange.result == [{"ls": '{"a": 1}'}, {"cd": "{broken"}]
    assert exchange.reply is not None
    assert exchange.reply["tool_calls"] == [
        {"id": "c1", "name": "ls", "arguments": '{"a": 1}'},
        {"id": "c2", "name": "cd", "arguments": "{broken"},
    ]
    assert (exchange.input_tokens, exchange.output_tokens) == (10, 5)
    assert exchange.finish_reason == "stop"
    assert sent_back(exchange) == {"role": "assistant", "content": None, "tool_calls": [CALL, other]}


def test_text_beside_calls_is_sent_back_but_is_not_the_answer() -> None:
    """The result is the calls; the text stays in the history."""
    exchange = read({"content": "Let me see.", "tool_calls": [CALL]})
    assert exchange.result == [{"ls": '{"a": 1}'}]
    assert sent_back(exchange)["content"] == "Let me see."


@pytest.mark.parametrize("calls", [[], None])
def test_text_beside_an_empty_list_of_calls_is_the_answer(calls: Json) -> None:
    """Some servers send an empty list of calls, which is not sent back."""
    exchange = read({"content": "Done.", "tool_calls": calls})
    assert exchange.result == "Done."
    assert sent_back(exchange) == {"role": "assistant", "content": "Done."}


def test_a_call_without_an_id_is_given_one() -> None:
    """The id is the same in the history and in the result of the call."""
    exchange = read({"tool_calls": [{"function": {"name": "ls", "arguments": ""}}]})
    assert exchange.reply is not None
    (call,) = exchange.reply["tool_calls"]
    assert call["id"] == "call_1_0"
    assert sent_back(exchange)["tool_calls"] == [
        {"type": "function", "id": "call_1_0", "function": {"name": "ls", "arguments": ""}}
    ]


def test_further_keys_of_a_call_are_sent_back() -> None:
    """Signatures that a server adds to a call are in the history."""
    signed = {**CALL, "extra_content": {"signature": "s"}}
    assert sent_back(read({"tool_calls": [signed]}))["tool_calls"] == [signed]


@pytest.mark.parametrize("key", ["reasoning_content", "reasoning", "reasoning_details"])
def test_reasoning_is_not_sent_back(key: str) -> None:
    """A model's reasoning is in the raw answer only."""
    exchange = read({"content": "4", key: "2 + 2"})
    assert exchange.result == "4"
    assert sent_back(exchange) == {"role": "assistant", "content": "4"}


def test_a_refusal_is_sent_back_and_is_not_a_text() -> None:
    """A refusal is not an answer, as in the release, and stays in the history."""
    exchange = read({"content": None, "refusal": "I can't."})
    assert exchange.result is None
    assert sent_back(exchange) == {"role": "assistant", "content": None, "refusal": "I can't."}


def test_an_answer_without_content_is_sent_back_as_an_empty_text() -> None:
    """The API refuses a message without text, calls and refusal."""
    exchange = read({"content": None, "refusal": None, "annotations": []})
    assert exchange.result is None
    assert sent_back(exchange) == {"role": "assistant", "content": ""}


def test_a_prompted_answer_is_its_text() -> None:
    """In mode prompt, calls are neither read nor sent back."""
    exchange = read({"content": "[ls()]", "tool_calls": [CALL]}, PROMPT)
    assert exchange.result == "[ls()]"
    assert sent_back(exchange) == {"role": "assistant", "content": "[ls()]"}


def test_text_in_parts_is_joined() -> None:
    """If content has parts, only the texts are the answer."""
    parts = [
        {"type": "thinking", "thinking": []},
        {"type": "text", "text": "4"},
        {"type": "text", "text": "2"},
    ]
    assert read({"content": parts}).result == "42"


def test_an_incomplete_answer_is_an_answer() -> None:
    """Length and filters truncate an answer; its text counts, and the finish reason is stored."""
    for reason in ("length", "content_filter"):
        exchange = OpenAIChat(row()).read(FC, raw({"content": "Do"}, finish_reason=reason))
        assert (exchange.result, exchange.finish_reason) == ("Do", reason)


@pytest.mark.parametrize("usage", [None, {}, {"prompt_tokens": "many", "completion_tokens": True}, []])
def test_missing_token_counts_are_unknown(usage: Json) -> None:
    """An answer without token counts is valid."""
    exchange = OpenAIChat(row()).read(FC, {**raw({"content": "a"}), "usage": usage})
    assert (exchange.input_tokens, exchange.output_tokens) == (None, None)


@pytest.mark.parametrize(
    "broken",
    [
        [],
        {},
        {"choices": None},
        {"choices": []},
        {"choices": {}},
        {"choices": ["a"]},
        {"choices": [{}]},
        raw(None),
        raw("a"),
        raw({"content": 7}),
        raw({"content": [{"type": "text"}]}),
        raw({"tool_calls": {}}),
        raw({"tool_calls": [None]}),
        raw({"tool_calls": [{"id": "a"}]}),
        raw({"tool_calls": [{"id": 7, "function": {"name": "f", "arguments": ""}}]}),
        raw({"tool_calls": [{"id": "a", "function": {"name": None, "arguments": ""}}]}),
        raw({"tool_calls": [{"id": "a", "function": {"name": "f", "arguments": {}}}]}),
        raw({"content": ""}, finish_reason=7),
    ],
)
def test_an_answer_in_another_format_is_malformed(broken: Json) -> None:
    """Wrong types and missing parts are errors, and the message names them."""
    with pytest.raises(Malformed, match="expected"):
        OpenAIChat(row()).read(FC, broken)


@pytest.mark.parametrize(
    ("content", "said"),
    [
        (b"", "not JSON"),
        (b"<html>", "not JSON"),
        (b'{"choices": NaN}', "not JSON"),
        (b"[" * 100_000, "nested more than 200 levels deep"),
        (b'{"a": ' + b"9" * 5000 + b"}", "not JSON"),
        (b'{"a": "\xff"}', "not UTF-8"),
        (b"[]", "expected the answer to be a mapping"),
    ],
)
def test_content_that_is_not_an_object_is_malformed(content: bytes, said: str) -> None:
    """Bytes that are not a JSON object in UTF-8 are an error."""
    with pytest.raises(Malformed, match=said):
        exchanged((answer(content),))


def test_a_lone_surrogate_is_replaced() -> None:
    """Only the surrogate is replaced, which no table can store."""
    got, _ = exchanged((answer(rb'{"a": "\ud83d\ude00 \ud83d!", "b": ["\udc00"]}'),))
    assert got == {"a": "\N{GRINNING FACE} \ufffd!", "b": ["\ufffd"]}


@pytest.mark.parametrize(
    ("stated", "kind"),
    [
        ({"error": {"message": "Wait.", "code": 429}}, RateLimited),
        ({"error": "upstream"}, Transient),
        ({"object": "error", "message": "maximum context length is 5", "code": 400}, ContextOverflow),
        (raw({"content": ""}, error={"code": 502, "message": "upstream"}), Transient),
    ],
)
def test_an_error_in_an_answer_is_an_error(stated: Json, kind: type[ModelError]) -> None:
    """An error in place of an answer of status 200, or inside it, is that error."""
    with pytest.raises(kind, match="status 200"):
        OpenAIChat(row()).read(FC, stated)


def test_a_failed_request_is_not_repeated() -> None:
    """The error has the server's message and wait, after a single request."""
    with pytest.raises(RateLimited, match="HTTP 429") as raised:
        exchanged(
            (answer({"error": {"message": "Wait."}}, "429 Too Many Requests", ["retry-after-ms: 20"]),)
        )
    assert raised.value.wait_seconds == 0.02
    assert raised.value.__cause__ is None


def events(*pieces: Json, done: bytes = b"data: [DONE]\n\n") -> Answer:
    data = b"".join(b"data: %s\n\n" % json.dumps(piece).encode() for piece in pieces)
    return answer(b": comment\n\n" + data + done, headers=["X-Kind: event-stream"])


def piece(delta: Json, **choice: Json) -> Json:
    return {"id": "x", "usage": None, "choices": [{"index": 0, "delta": delta, **choice}]}


def test_a_stream_is_one_answer() -> None:
    """Pieces of reasoning, text and calls, and the usage at the end, form one answer."""
    got, server = exchanged(
        (
            events(
                piece({"role": "assistant", "content": None, "reasoning_content": "Hm"}),
                piece({"reasoning_content": "m."}),
                piece({"content": "Let me "}, token_ids=[7, 8]),
                piece({"content": "see."}, token_ids=[9]),
                piece(
                    {"tool_calls": [{"index": 0, "id": "c1", "function": {"name": "ls", "arguments": ""}}]}
                ),
                piece({"tool_calls": [{"index": 0, "id": "", "function": {"arguments": '{"a"'}}]}),
                piece({"tool_calls": [{"index": 0, "function": {"arguments": ": 1}"}}]}),
                piece({"tool_calls": [{"index": 1, "id": "c2", "function": {"name": "cd"}}]}),
                piece({}, finish_reason="tool_calls"),
                {"id": "x", "choices": [], "usage": {"prompt_tokens": 3, "completion_tokens": 4}},
            ),
        ),
        options={"stream": True},
    )
    assert server.requests[0].json["stream"] is True
    assert server.requests[0].json["stream_options"] == {"include_usage": True}
    exchange = OpenAIChat(row()).read(FC, got)
    assert exchange.result == [{"ls": '{"a": 1}'}, {"cd": ""}]
    assert (exchange.input_tokens, exchange.output_tokens) == (3, 4)
    assert exchange.finish_reason == "tool_calls"
    assert got["choices"][0]["token_ids"] == [7, 8, 9]
    assert got["choices"][0]["message"]["reasoning_content"] == "Hmm."
    assert sent_back(exchange)["content"] == "Let me see."


@pytest.mark.parametrize(
    ("streamed", "kind"),
    [
        (events(piece({"content": "a"})), Malformed),
        (events({"choices": [], "usage": None}), Malformed),
        (events(piece({"content": 7}, finish_reason="stop")), Malformed),
        (events(piece({"tool_calls": [{"index": -1}]}, finish_reason="stop")), Malformed),
        (events(piece({"tool_calls": [{"index": "0"}]}, finish_reason="stop")), Malformed),
        (events(piece({"content": "a"}), {"error": {"message": "Wait.", "code": 429}}), RateLimited),
        (events(done=b"data: {\n\n"), Malformed),
        (answer({"error": {"message": "Wait.", "code": 429}}), RateLimited),
    ],
)
def test_an_incomplete_or_invalid_stream_is_an_error(streamed: Answer, kind: type[ModelError]) -> None:
    """A stream that ends early, pieces of wrong types, and errors among the pieces are failures."""
    with pytest.raises(kind):
        OpenAIChat(row()).read(FC, exchanged((streamed,), options={"stream": True})[0])


def test_calls_of_a_stream_are_joined_by_index_and_damage_to_their_order_is_kept() -> None:
    """Pieces of two calls may alternate; the order in which calls begin is kept if it is not 0, 1, ..."""

    def calls(*pieces: tuple[int, Json]) -> Answer:
        made = [piece({"tool_calls": [{"index": at, "function": one}]}) for at, one in pieces]
        return events(*made, piece({}, finish_reason="tool_calls"))

    first, second = {"name": "ls", "arguments": "{"}, {"name": "cd", "arguments": "{"}
    ends = [(0, {"arguments": "}"}), (1, {"arguments": "}"})]
    for begins, order in (([(0, first), (1, second)], None), ([(1, second), (0, first)], [1, 0])):
        got, _ = exchanged((calls(*begins, *ends),), options={"stream": True})
        assert OpenAIChat(row()).read(FC, got).result == [{"ls": "{}"}, {"cd": "{}"}]
        assert got.get("order_of_calls") == order


def test_strict_tools_and_streams_without_usage_follow_from_the_row() -> None:
    """A row asks for strict arguments with each function, and may leave `stream_options` out."""
    options = {"stream": True, "stream_options": None}
    body = OpenAIChat(row(strict=True, options=options)).body(FC)
    assert "stream_options" not in body
    assert [tool["function"]["strict"] for tool in body["tools"]] == [True] * len(FC.tools)


def test_an_answer_without_a_stream_is_read() -> None:
    """A complete answer to a request for a stream is accepted."""
    got, _ = exchanged((answer(raw({"content": "a"})),), options={"stream": True})
    assert OpenAIChat(row()).read(FC, got).result == "a"


def test_the_identity_is_the_endpoint_or_the_server() -> None:
    """A server of the run is identified by model and options, not by port or GPUs."""
    assert OpenAIChat(row()).identity == {"kind": "openai_chat", "endpoint": "http://127.0.0.1:1/v1"}
    served = row(kind="vllm", endpoint=None)
    one, other = (OpenAIChat(served, f"http://127.0.0.1:{port}/v1") for port in (1, 2))
    assert one.identity == other.identity
    assert one.identity["model"] == "m"
    assert one.identity["vllm"]["dtype"] is None
    assert "gpus" not in one.identity["vllm"]
    assert json.loads(json.dumps(one.identity)) == one.identity


@pytest.mark.parametrize("key", ["tool_parser", "reasoning_parser", "chat_template"])
def test_options_of_chat_completions_identify_only_what_they_change(key: str) -> None:
    """A model that is sent prompts is the same with another parser or template; others are not."""
    plain, set_ = (row(kind="vllm", endpoint=None, vllm=Serving(**{key: name})) for name in (None, "x"))
    assert OpenAIChat(plain, "http://a/v1").identity != OpenAIChat(set_, "http://a/v1").identity
    assert plain.asked != set_.asked
    plain, set_ = (replace(each, family="qwen3-fc") for each in (plain, set_))
    assert Completions(plain, "http://a/v1").identity == Completions(set_, "http://a/v1").identity
    assert plain.asked == set_.asked


@pytest.mark.parametrize("count", [-1, 10**9 + 1, 2**63, 10**400, 5.0, True, "7", None])
def test_an_implausible_token_count_is_unknown(count: Json) -> None:
    """Sums of plausible counts fit the tables of a run; others would end the job that writes its table."""
    usage = {"prompt_tokens": count, "completion_tokens": 10**9}
    exchange = OpenAIChat(row()).read(FC, {**raw({"role": "assistant", "content": "x"}), "usage": usage})
    assert (exchange.input_tokens, exchange.output_tokens) == (None, 10**9)
