"""The limit on new tokens, and the forms in which servers state what it follows from."""

from __future__ import annotations

import asyncio
import json
from collections.abc import Callable, Mapping

import pytest

from bfcl_pipeline.ask.models.adapters.prompt_length import Limit, PromptLength, new_tokens
from bfcl_pipeline.base.errors import AccessDenied, Malformed, Transient
from bfcl_pipeline.benchmark.records import Json

PROMPT = "é" * 10  # not ASCII: its tokens are always counted
WHOLE_LIST = {"object": "list", "data": [{"id": "other"}, {"id": "m", "max_model_len": 100}]}

VLLM = {"/tokenize": {"count": 30, "max_model_len": 100, "tokens": [1] * 30}, "/v1/models": WHOLE_LIST}
SGLANG = {"/tokenize": {"count": 30, "max_model_len": 10**30}, "/v1/models": WHOLE_LIST}
LLAMA = {
    "/tokenize": lambda body: {"tokens": [7] * 30 if body.get("content") else []},
    "/v1/models": {"object": "list", "data": [{"id": "m", "meta": {"n_ctx_train": 8192}}]},
    "/props": {"default_generation_settings": {"n_ctx": 100}},
}

Answers = Mapping[str, Json | Callable[[Json], Json] | Exception]


class Server:
    """Answers by path, as a server of open weights; counts requests."""

    def __init__(self, answers: Answers, context: int | None = None) -> None:
        self.answers = dict(answers)
        self.asked: list[tuple[str, str, Json]] = []
        self.said: list[str] = []
        self.length = PromptLength(self._ask, "/v1", "m", "model 'm' at x", context)
        self.length.log = self.said.append

    async def _ask(self, method: str, path: str, body: Json) -> bytes:
        self.asked.append((method, path, body))
        await asyncio.sleep(0)
        answer = self.answers.get(path, AccessDenied("404", 404))
        answer = answer(body) if callable(answer) else answer
        if isinstance(answer, Exception):
            raise answer
        return answer if isinstance(answer, bytes) else json.dumps(answer).encode()

    def limit(self, prompt: str = PROMPT) -> Limit:
        return asyncio.run(self.length.limit(prompt))

    def paths(self) -> list[str]:
        return [path for _, path, _ in self.asked]


@pytest.mark.parametrize(
    ("context", "prompt", "limit"),
    [
        (32_768, 100, 4096),
        (4198, 100, 4096),
        (4197, 100, 4095),
        (103, 100, 1),
        (102, 100, 0),
        (101, 100, 1000),
        (100, 5000, 1000),
    ],
)
def test_the_limit_is_the_official_one(context: int, prompt: int, limit: int) -> None:
    """What the context leaves but for two tokens, at most 4,096; 1,000 if the prompt fills the context."""
    assert new_tokens(context, prompt) == limit


@pytest.mark.parametrize("answers", [VLLM, SGLANG, LLAMA])
def test_each_server_states_count_and_context_in_its_form(answers: Answers) -> None:
    """vLLM, SGLang and llama.cpp: nothing is said in the log."""
    server = Server(answers)
    assert server.limit() == Limit(68, 100, 30)
    assert server.said == []


def test_the_context_of_the_row_is_not_asked_for() -> None:
    """`max_model_len` of the row wins."""
    server = Server(VLLM, context=100)
    assert server.limit() == Limit(68, 100, 30)
    assert server.said == []
    assert "/v1/models" not in server.paths()


def test_the_server_counts_the_prompt_without_further_tokens() -> None:
    """The text is sent unchanged, and vLLM is told not to add a token that begins it."""
    server = Server(VLLM)
    server.limit()
    assert server.asked[0] == (
        "POST",
        "/tokenize",
        {"model": "m", "prompt": PROMPT, "add_special_tokens": False},
    )


def test_form_and_context_are_found_once() -> None:
    """A second prompt needs one request, and concurrent first ones do not all search."""

    async def limits(server: Server) -> list[Limit]:
        found = await asyncio.gather(*(server.length.limit(PROMPT) for _ in range(3)))
        return [*found, await server.length.limit(PROMPT)]

    server = Server(LLAMA)
    assert asyncio.run(limits(server)) == [Limit(68, 100, 30)] * 4
    found = server.paths()
    assert found.count("/props") == found.count("/v1/models") == 1
    assert found.count("/tokenize") == 2 + 4  # two forms tried, then a count for each prompt


def test_a_short_ascii_prompt_is_not_counted() -> None:
    """No tokenizer makes more tokens of ASCII than characters, so the greatest limit is certain."""
    server = Server(VLLM, context=5000)
    assert server.limit("x" * 901) == Limit(4096, 5000)
    asked = len(server.asked)
    assert server.limit("x" * 901) == Limit(4096, 5000)
    assert len(server.asked) == asked
    assert server.limit("x" * 902) == Limit(4096, 5000, 30)


def test_a_server_that_states_no_context_is_named_once() -> None:
    """The greatest limit holds for all prompts, and the line says which key states the context."""
    server = Server({"/tokenize": {"count": 30}})
    assert [server.limit(), server.limit()] == [Limit(4096), Limit(4096)]
    (line,) = server.said
    assert "set `vllm: {max_model_len: N}` in the model's row" in line
    assert "4,096 new tokens" in line


@pytest.mark.parametrize("answer", [b"<html>", b"[" * 100_000, {"error": "no such path"}, [], "x", None])
def test_a_server_that_does_not_count_is_named_once(answer: Json) -> None:
    """Whatever it answers instead, the greatest limit holds."""
    server = Server({"/tokenize": answer, "/v1/models": WHOLE_LIST})
    assert [server.limit(), server.limit()] == [Limit(4096, 100), Limit(4096, 100)]
    (line,) = server.said
    assert "does not state how many tokens a prompt has (/tokenize)" in line


@pytest.mark.parametrize("context", [True, -1, 0, 10**12, "100", None, 1.5])
def test_a_context_that_is_no_length_is_not_used(context: Json) -> None:
    """Only a positive whole number below a billion is a context."""
    server = Server(
        {"/tokenize": {"count": 3}, "/v1/models": {"data": [{"id": "m", "max_model_len": context}]}}
    )
    assert server.limit() == Limit(4096)


def test_the_context_of_another_model_is_not_used() -> None:
    """Hosts list many models, each with its context; a server with one model may call it otherwise."""
    data = [{"id": "other", "context_length": 100}, {"id": "m", "context_window": 200}, "x", None]
    assert Server({"/tokenize": {"count": 30}, "/v1/models": {"data": data}}).limit() == Limit(168, 200, 30)
    assert Server({"/tokenize": {"count": 30}, "/v1/models": {"data": data[:1] * 2}}).limit() == Limit(4096)
    assert Server({"/tokenize": {"count": 30}, "/v1/models": {"data": data[:1]}}).limit() == Limit(
        68, 100, 30
    )


def test_a_failure_of_the_search_is_a_failure_of_the_attempt() -> None:
    """The next attempt searches again: an outage does not make a limit."""
    server = Server({**VLLM, "/tokenize": Transient("broken")})
    with pytest.raises(Transient, match="broken"):
        server.limit()
    server.answers["/tokenize"] = VLLM["/tokenize"]
    assert server.limit() == Limit(68, 100, 30)


def test_a_count_that_fails_later_is_not_replaced_by_a_guess() -> None:
    """A server that counted before and now answers without a count is tried again."""
    server = Server(VLLM)
    server.limit()
    server.answers["/tokenize"] = {"count": None}
    with pytest.raises(Malformed, match="expected the number of tokens from /tokenize"):
        server.limit()
