"""Completions: the limits of open weights, against a server on loopback. `test_formats` has the rest."""

from __future__ import annotations

from dataclasses import replace

import pytest

from bfcl_pipeline.ask.models.adapters.completions import NOTE, Completions
from bfcl_pipeline.base.errors import ConfigError, ContextOverflow, Malformed, ModelError, Transient
from bfcl_pipeline.benchmark.config.model_rows import Serving
from bfcl_pipeline.benchmark.records import Json
from bfcl_pipeline.dialogue.families import FamilyAsking
from tests.ask.models.adapters.kinds import PROMPT_TEXT, exchanged, failure, fc, made, row
from tests.support.api_formats import FORMATS
from tests.support.api_server import Answer, answer

COUNT = answer({"count": 30, "max_model_len": 8192, "tokens": []})
MODELS = answer({"object": "list", "data": [{"id": "m", "max_model_len": 8192}]})
VLLM = (COUNT, MODELS, COUNT)  # what a first request asks for before it is sent
RAW = FORMATS["vllm"].whole("a")
BODY = {"model": "m", "prompt": PROMPT_TEXT, "temperature": 0.001}


def test_a_family_adds_its_stop_tokens_and_special_tokens() -> None:
    """Where it has them."""
    adapter = made("vllm")
    special = replace(adapter.family.row, stop_token_ids=(2, 7), skip_special_tokens=False)
    adapter.family = FamilyAsking(special)
    more = {"stop_token_ids": [2, 7], "skip_special_tokens": False}
    assert adapter.body(fc("vllm")) == BODY | more


def test_the_limit_is_counted_by_the_server_added_and_noted() -> None:
    """The prompt arrives unchanged; the limit is what the context leaves, and is noted in the answer.

    All requests share one connection.
    """
    got, server = exchanged("vllm", *VLLM, answer(RAW), COUNT, answer(RAW), times=2)
    counted, _, again, asked, *_ = server.requests
    targets = ["/tokenize", "/v1/models", "/tokenize", "/v1/completions", "/tokenize", "/v1/completions"]
    assert [one.target for one in server.requests] == targets
    assert {one.connection for one in server.requests} == {0}
    assert counted.json == again.json == {"model": "m", "prompt": PROMPT_TEXT, "add_special_tokens": False}
    assert asked.json == BODY | {"max_tokens": 4096}
    assert got == [{**RAW, NOTE: {"max_tokens": 4096, "context": 8192, "prompt_tokens": 30}}] * 2
    assert made("vllm").read(fc("vllm"), got[0]) == made("vllm").read(fc("vllm"), RAW)


@pytest.mark.parametrize(
    ("endpoint", "base"), [("http://x/api/v1/", "http://x/api"), ("http://x/openai", "http://x/openai")]
)
def test_the_root_where_tokens_are_counted_is_the_endpoint_without_v1(endpoint: str, base: str) -> None:
    """An endpoint need not end in /v1."""
    assert made("vllm", endpoint=endpoint).base == base


def test_a_prompt_that_leaves_no_room_is_not_sent() -> None:
    """An answer of no tokens is no answer."""
    with pytest.raises(ContextOverflow, match=r"30 tokens and leaves no room .* context of 32"):
        exchanged("vllm", COUNT, COUNT, answer(RAW), vllm=Serving(max_model_len=32))


BROKEN = answer({"error": "x"}, "500 Internal Server Error")


@pytest.mark.parametrize(
    ("answers", "kind", "said"),
    [
        ((BROKEN, answer(RAW)), Transient, "500"),
        (
            (COUNT, MODELS, answer({"count": "many"}), answer(RAW)),
            Malformed,
            "number of tokens from /tokenize",
        ),
        ((*VLLM, BROKEN), Transient, "500"),
    ],
)
def test_a_count_that_fails_fails_the_attempt(
    answers: tuple[Answer, ...], kind: type[ModelError], said: str
) -> None:
    """It is sent again with the request, not replaced by another limit."""
    error, _ = failure("vllm", *answers)
    assert type(error) is kind
    assert said in str(error)


def test_what_a_server_does_not_state_is_logged_once() -> None:
    """The line names the model and the endpoint."""
    unknown = answer({"detail": "Not Found"}, "404 Not Found")
    said: list[str] = []
    got, _ = exchanged("vllm", *[unknown] * 4, answer(RAW), times=2, said=said)
    limit: dict[str, Json] = {"max_tokens": 4096, "context": None, "prompt_tokens": None}
    assert [one[NOTE] for one in got] == [limit] * 2
    (line,) = said
    assert line.startswith("model 'm' at http://127.0.0.1:")


def test_words_of_a_model_of_function_calls_are_no_calls() -> None:
    """As the family reads them."""
    assert made("vllm").read(fc("vllm"), FORMATS["vllm"].whole("In words.")).result == []


def test_a_row_without_a_family_is_refused() -> None:
    """The message names both keys that help."""
    with pytest.raises(ConfigError, match="set `family`, or `prompting: server`"):
        Completions(row("vllm", family=None))
