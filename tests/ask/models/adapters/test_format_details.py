"""What only one API has: cache marks, beta features, dialects, streams, the tokens that vLLM states."""

from __future__ import annotations

import json
from dataclasses import replace

import pytest

from bfcl_pipeline.ask.models import build_adapter
from bfcl_pipeline.ask.models.adapters.gemini import SILENCE
from bfcl_pipeline.ask.models.adapters.response_validator import ResponseValidator
from bfcl_pipeline.base.errors import ConfigError, Malformed, ModelError, RateLimited
from bfcl_pipeline.benchmark.config.model_rows import Serving
from bfcl_pipeline.benchmark.records import Json, Message
from bfcl_pipeline.runs.provenance import ServerRecord
from tests.ask.models.adapters.kinds import (
    CALL,
    PROMPT,
    SYSTEM,
    TEXT,
    TOOLS,
    USER,
    exchanged,
    fc,
    history,
    made,
    read,
    row,
    sent_back,
)
from tests.support.api_formats import FORMATS
from tests.support.api_server import Answer, answer

MARK = {"cache_control": {"type": "ephemeral"}}


def reply(kind: str, *items: Json) -> Message:
    """The message for the history of an answer of these items."""
    found = read(kind, *items).reply
    assert found is not None
    return found


def test_a_conversation_with_anthropic_is_marked_for_the_cache() -> None:
    """If it continues: the system prompt, the last tool, and the user's last two messages."""
    said = reply("anthropic", TEXT["anthropic"])
    messages = (SYSTEM, USER, said, USER, said, USER)
    request = fc("anthropic", *messages)
    body = made("anthropic").body(replace(request, goes_on=True))
    assert body["system"] == [{"type": "text", "text": "Be brief.", **MARK}]
    assert body["tools"] == [TOOLS["anthropic"][0], {**TOOLS["anthropic"][1], **MARK}]
    marked = ["cache_control" in message["content"][0] for message in body["messages"]]
    assert marked == [False, False, True, False, True]
    assert "cache_control" not in str((made("anthropic").body(request), messages, TOOLS))


def test_beta_features_of_anthropic_are_sent_in_a_header() -> None:
    """The option `betas` is in the body of the journal, and is sent as a header."""
    said = answer(FORMATS["anthropic"].whole(TEXT["anthropic"]))
    _, server = exchanged("anthropic", said, options={"betas": ["a-1", "b-2"]})
    assert server.requests[0].headers["anthropic-beta"] == "a-1,b-2"
    assert "betas" not in server.requests[0].json
    with pytest.raises(ConfigError, match="betas must be a list"):
        made("anthropic", options={"betas": "a-1"})


def test_results_are_sent_as_those_of_their_calls() -> None:
    """Anthropic: by the id of the call; Gemini: by its name, and by its id if the API set one."""
    called = reply("anthropic", CALL["anthropic"])
    result = {"role": "tool", "tool_call_id": "c1", "name": "ls", "content": "[]"}
    sent = [{"type": "tool_result", "content": "[]", "tool_use_id": "c1"}]
    assert history("anthropic", USER, called, result)[-1]["content"] == sent
    called = reply("gemini", CALL["gemini"], {"functionCall": {"name": "ls", "args": {}}})
    results = [
        {"role": "tool", "tool_call_id": call["id"], "name": call["name"], "content": f"out {place}"}
        for place, call in enumerate(called["tool_calls"])
    ]
    first = {"name": "ls", "response": {"result": "out 0"}, "id": "c1"}
    second = {"name": "ls", "response": {"result": "out 1"}}
    assert history("gemini", USER, called, *results)[-1] == {
        "role": "user",
        "parts": [{"functionResponse": first}, {"functionResponse": second}],
    }


def test_a_history_of_another_model_has_the_form_of_gemini() -> None:
    """Its calls are sent with the API's keys."""
    calls = [{"id": "a", "name": "ls", "arguments": "{}"}]
    (sent,) = history("gemini", {"role": "assistant", "content": None, "tool_calls": calls})
    assert sent == {"role": "model", "parts": [{"functionCall": {"name": "ls", "args": {}}}]}


def test_schemas_are_in_the_dialect_of_gemini() -> None:
    """Types are in capital letters at every depth and nulls are removed; a property named type is
    unchanged."""
    inner = {"type": {"type": "string", "default": None, "enum": ["string"]}}
    listed = {"type": "array", "items": {"type": "object", "properties": inner}}
    tool = {**TOOLS["gemini"][0], "parameters": {"type": "object", "properties": {"items": listed}}}
    (sent,) = made("gemini").body(fc("gemini", tools=(tool,)))["tools"]
    (declared,) = sent["functionDeclarations"]
    inside = {"type": {"type": "STRING", "enum": ["string"]}}
    outside = {"type": "ARRAY", "items": {"type": "OBJECT", "properties": inside}}
    assert declared["parameters"] == {"type": "OBJECT", "properties": {"items": outside}}


def test_options_of_gemini_win_also_inside_mappings_and_null_removes() -> None:
    """A row changes a part of the generation config without repeating the rest."""
    options = {"generationConfig": {"temperature": None, "thinkingConfig": {"thinkingBudget": 0}}}
    body = made("gemini", options={**options, "safetySettings": []}).body(PROMPT)
    assert body["generationConfig"] == {"thinkingConfig": {"includeThoughts": True, "thinkingBudget": 0}}
    assert body["safetySettings"] == []


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
def test_an_empty_answer_of_gemini_is_an_answer(candidate: Json) -> None:
    """An answer without content has no call; the history has the text of the release."""
    answered = {"candidates": [candidate]}
    exchange = made("gemini").read(fc("gemini"), answered)
    assert (exchange.result, exchange.finish_reason) == ([], candidate["finishReason"])
    assert sent_back("gemini", exchange) == [{"role": "model", "parts": [{"text": SILENCE}]}]
    assert made("gemini").read(PROMPT, answered).result == SILENCE


def test_a_prompt_that_gemini_blocks_has_an_empty_answer() -> None:
    """The reason for the block is the finish reason."""
    blocked = {"promptFeedback": {"blockReason": "PROHIBITED_CONTENT"}, "usageMetadata": {}}
    exchange = made("gemini").read(PROMPT, blocked)
    assert (exchange.result, exchange.finish_reason) == (SILENCE, "PROHIBITED_CONTENT")
    assert (exchange.input_tokens, exchange.output_tokens) == (None, None)


def test_openai_itself_stores_nothing_and_tools_are_strict_if_the_row_says_so() -> None:
    """`store: false` is sent to OpenAI only; a stream's usage may be left out."""
    assert made("openai_chat", endpoint="https://api.openai.com/v1/").body(PROMPT)["store"] is False
    options = {"stream": True, "stream_options": None}
    body = made("openai_chat", strict=True, options=options).body(fc("openai_chat"))
    assert "stream_options" not in body
    assert [tool["function"]["strict"] for tool in body["tools"]] == [True]
    (tool,) = made("openai_responses", strict=False).body(fc("openai_responses"))["tools"]
    assert tool["strict"] is False


@pytest.mark.parametrize(
    ("kind", "record", "options", "asked"),
    [
        ("openai_chat", None, {}, None),
        ("openai_chat", ServerRecord("llama.cpp", "b1"), {}, None),
        ("openai_chat", ServerRecord("vllm", "0.32.0"), {}, True),
        ("vllm", None, {}, True),
        ("vllm", None, {"return_token_ids": False}, False),
    ],
)
def test_vllm_alone_is_asked_for_tokens_and_the_key_does_not_depend_on_it(
    kind: str, record: ServerRecord | None, options: dict[str, Json], asked: bool | None
) -> None:
    """Tokens of the answer are kept, those of the prompt are not; the body is that of the row."""
    whole = FORMATS["openai_chat"].whole({"content": "é"}, token_ids=[5, 6]) | {"prompt_token_ids": [1, 2]}
    values = {"options": options, "family": None}
    (got,), at = exchanged(kind, answer(whole), record=record, **values)
    assert got["choices"][0]["token_ids"] == [5, 6]
    assert "prompt_token_ids" not in got
    assert at.requests[0].json.get("return_token_ids") is asked
    key = made(kind, **values).body(fc(kind)).get("return_token_ids")
    assert key is options.get("return_token_ids")


def events(*pieces: Json, done: bytes = b"data: [DONE]\n\n") -> Answer:
    data = b"".join(b"data: %s\n\n" % json.dumps(piece).encode() for piece in pieces)
    return answer(b": comment\n\n" + data + done, headers=["X-Kind: event-stream"])


def piece(delta: Json, **choice: Json) -> Json:
    return {"id": "x", "usage": None, "choices": [{"index": 0, "delta": delta, **choice}]}


def called(index: Json, function: Json, **more: Json) -> Json:
    return piece({"tool_calls": [{"index": index, "function": function, **more}]})


def streamed(given: Answer) -> Json:
    """The raw answer to a request for a stream."""
    (got,), server = exchanged("openai_chat", given, options={"stream": True})
    assert server.requests[0].json["stream"] is True
    assert server.requests[0].json["stream_options"] == {"include_usage": True}
    return got


def test_a_stream_is_one_answer() -> None:
    """Pieces of reasoning, text and calls, and the usage at the end, form one answer."""
    got = streamed(
        events(
            piece({"role": "assistant", "content": None, "reasoning_content": "Hm"}),
            piece({"reasoning_content": "m."}),
            piece({"content": "Let me "}, token_ids=[7, 8]),
            piece({"content": "see."}, token_ids=[9]),
            called(0, {"name": "ls", "arguments": ""}, id="c1"),
            called(0, {"arguments": '{"a"'}, id=""),
            called(0, {"arguments": ": 1}"}),
            called(1, {"name": "cd"}, id="c2"),
            piece({}, finish_reason="tool_calls"),
            {"id": "x", "choices": [], "usage": {"prompt_tokens": 3, "completion_tokens": 4}},
        )
    )
    exchange = made("openai_chat").read(fc("openai_chat"), got)
    assert exchange.result == [{"ls": '{"a": 1}'}, {"cd": ""}]
    assert (exchange.input_tokens, exchange.output_tokens) == (3, 4)
    assert exchange.finish_reason == "tool_calls"
    assert got["choices"][0]["token_ids"] == [7, 8, 9]
    assert got["choices"][0]["message"]["reasoning_content"] == "Hmm."
    assert sent_back("openai_chat", exchange)[0]["content"] == "Let me see."


@pytest.mark.parametrize(
    ("given", "kind"),
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
def test_an_incomplete_or_invalid_stream_is_an_error(given: Answer, kind: type[ModelError]) -> None:
    """A stream that ends early, pieces of wrong types, and errors among the pieces are failures."""
    with pytest.raises(kind):
        made("openai_chat").read(fc("openai_chat"), streamed(given))


def test_calls_of_a_stream_are_joined_by_index_and_damage_to_their_order_is_kept() -> None:
    """Pieces of two calls may alternate; the order in which calls begin is kept if it is not 0, 1, ..."""
    first, second = {"name": "ls", "arguments": "{"}, {"name": "cd", "arguments": "{"}
    ends = [called(place, {"arguments": "}"}) for place in (0, 1)]
    for begins, order in (([(0, first), (1, second)], None), ([(1, second), (0, first)], [1, 0])):
        pieces = [called(place, function) for place, function in begins]
        got = streamed(events(*pieces, *ends, piece({}, finish_reason="tool_calls")))
        assert made("openai_chat").read(fc("openai_chat"), got).result == [{"ls": "{}"}, {"cd": "{}"}]
        assert got.get("order_of_calls") == order


def test_a_complete_answer_to_a_request_for_a_stream_is_read() -> None:
    """Some servers have no streams."""
    got = streamed(answer(FORMATS["openai_chat"].whole({"content": "a"})))
    assert made("openai_chat").read(fc("openai_chat"), got).result == "a"


def test_a_served_model_is_identified_by_model_and_options() -> None:
    """Not by port or GPUs."""
    served = row("vllm", endpoint=None, backend="vllm", family=None)
    one, other = (build_adapter(served, f"http://127.0.0.1:{port}/v1") for port in (1, 2))
    assert one.identity == other.identity
    assert one.identity["model"] == "m"
    assert one.identity["vllm"]["dtype"] is None
    assert "gpus" not in one.identity["vllm"]
    assert json.loads(json.dumps(one.identity)) == one.identity


@pytest.mark.parametrize("key", ["tool_parser", "reasoning_parser", "chat_template"])
def test_options_of_chat_completions_identify_only_what_they_change(key: str) -> None:
    """A model that is sent prompts is the same with another parser or template; others are not."""
    for family, same in ((None, False), ("qwen3-fc", True)):
        rows = [
            row("vllm", endpoint=None, backend="vllm", family=family, vllm=Serving(**{key: name}))
            for name in (None, "x")
        ]
        plain, changed = (build_adapter(each, "http://a/v1").identity for each in rows)
        assert (plain == changed) is same
        assert (rows[0].asked == rows[1].asked) is same


@pytest.mark.parametrize(
    ("content", "said"),
    [
        (b"", "not JSON"),
        (b"<html>", "not JSON"),
        (b'{"choices": NaN}', "not JSON"),
        (b'{"a": "\xff"}', "not UTF-8"),
        (b"[]", "expected the answer to be a mapping"),
    ],
)
def test_content_that_is_not_an_object_is_malformed(content: bytes, said: str) -> None:
    """Bytes that are not a JSON object in UTF-8 are an error."""
    with pytest.raises(Malformed, match=said):
        ResponseValidator("m").body(content)


def test_a_lone_surrogate_is_replaced() -> None:
    """Only the surrogate is replaced, which no table can store."""
    got = ResponseValidator("m").body(rb'{"a": "\ud83d\ude00 \ud83d!", "b": ["\udc00"], "\udfff": 1}')
    assert got == {"a": "\N{GRINNING FACE} \ufffd!", "b": ["\ufffd"], "\ufffd": 1}
