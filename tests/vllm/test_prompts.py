"""Prompts of families to a real vLLM server that was started for a model asked by them."""

from __future__ import annotations

import asyncio
import json
import shutil
from collections.abc import Callable, Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any
from urllib.request import Request as HttpRequest
from urllib.request import urlopen

import pytest

from bfcl_pipeline.ask.models.adapters.completions import NOTE, Completions
from bfcl_pipeline.ask.models.adapters.prompt_length import new_tokens
from bfcl_pipeline.ask.models.serving.address import ready_endpoint
from bfcl_pipeline.base.errors import ContextOverflow
from bfcl_pipeline.benchmark.config import load_models
from bfcl_pipeline.benchmark.config.families import load_families
from bfcl_pipeline.benchmark.records import Entry, Json, Mode, Request, Status
from bfcl_pipeline.benchmark.tables import read_table
from bfcl_pipeline.cli import main
from bfcl_pipeline.dialogue.release_texts import read_texts
from tests.support.served_vllm import Ask, served
from tests.support.tiny_rows import CONTEXT, RIGHT_CALL, RIGHT_TEXT, tiny_rows

MODEL = "tiny-prompted-FC"
TRADING = "multi_turn_base_100"
BEGINNING = "<|turn|>"
TEMPLATE = "{% for message in messages %}{{ message | tojson }}{% endfor %}{{ (tools or []) | tojson }}"
"""The model's own chat template, which families use that have none."""

ODD = "A\r\n\t é 𝄞 \u2028 \ufeff <|end|> <|im_start|> </s> \\n \x07 {{ x }} zero\u200bwidth  \n"
"""Text that a JSON body, a chat template or a tokenizer could change; with marks of special tokens."""


@pytest.fixture(scope="module")
def models_file(models_file: Path, scratch: Path) -> Path:
    """The rows of the tiny model with a tokenizer that begins every text with a token, as most do."""
    model = scratch / "beginning"
    shutil.copytree(models_file.parent / "tiny", model)
    path = model / "tokenizer.json"
    tokenizer = json.loads(path.read_text(encoding="utf-8"))
    (number,) = [token["id"] for token in tokenizer["added_tokens"] if token["content"] == BEGINNING]
    added = {"id": BEGINNING, "ids": [number], "tokens": [BEGINNING]}
    texts = [{"Sequence": {"id": name, "type_id": 0}} for name in ("A", "B")]
    first = {"SpecialToken": {"id": BEGINNING, "type_id": 0}}
    tokenizer["post_processor"] = {
        "type": "TemplateProcessing",
        "single": [first, texts[0]],
        "pair": [first, *texts],
        "special_tokens": {BEGINNING: added},
    }
    path.write_text(json.dumps(tokenizer), encoding="utf-8")
    config = json.loads((model / "tokenizer_config.json").read_text(encoding="utf-8"))
    config.pop("chat_template", None)
    (model / "tokenizer_config.json").write_text(json.dumps(config), encoding="utf-8")
    (model / "chat_template.jinja").write_text(TEMPLATE, encoding="utf-8")
    rows = scratch / "beginning.yaml"
    rows.write_text(json.dumps({"models": tiny_rows(model)}))
    return rows


@pytest.fixture(scope="module")
def address(models_file: Path, variables: dict[str, str], scratch: Path) -> Iterator[Path]:
    """The address of a server."""
    with served(MODEL, models_file, variables, scratch) as path:
        yield path


@pytest.fixture
def ask(address: Path, models_file: Path, staged: Path, tmp_path: Path) -> Ask:
    """Runs `generate` with options; returns the responses by entry id."""
    return Ask(address, models_file, staged, tmp_path)


@pytest.fixture
def endpoint(address: Path) -> str:
    """The URL of the server's API."""
    return ready_endpoint(address)


def answers(models_file: Path, endpoint: str, family: str, requests: list[Request]) -> list[Json]:
    """Raw answers to prompts of a family, with the tokens of the prompt as the engine got them.

    Without the family's stop tokens: vLLM refuses numbers that the tiny vocabulary does not have.
    """
    options = {"temperature": 0, "return_token_ids": True, "stop_token_ids": None}
    row = replace(load_models(models_file)[MODEL], family=family, options=options)

    async def run() -> list[Json]:
        adapter = Completions(row, endpoint)
        try:
            return list(await asyncio.gather(*(adapter.send(adapter.body(one)) for one in requests)))
        finally:
            await adapter.close()

    return asyncio.run(run())


def posted(endpoint: str, path: str, body: Json) -> Any:
    headers = {"Content-Type": "application/json"}
    url = f"{endpoint.removesuffix('/v1')}{path}"
    with urlopen(HttpRequest(url, json.dumps(body).encode(), headers)) as answer:
        return json.loads(answer.read())


def test_the_server_is_started_without_parsers(address: Path) -> None:
    """Nothing stands between the model's text and its family's reader."""
    command = json.loads(address.read_text())["command"]
    assert not {"--enable-auto-tool-choice", "--tool-call-parser", "--chat-template"} & set(command)


def test_prompts_arrive_byte_for_byte(
    models_file: Path, endpoint: str, staged: Path, entries: Callable[[str], list[Entry]]
) -> None:
    """The tokens that the engine got spell the prompt, of every family.

    Before them is the token that begins a text, which vLLM adds as in the official runs; the official limit
    does not count it.
    """
    texts = read_texts(staged)
    chosen = [entries("simple_python")[0], entries("live_simple")[3], entries("irrelevance")[5]]
    row = load_models(models_file)[MODEL]
    for family in load_families():
        asking = Completions(replace(row, family=family), endpoint).asking
        requests = [asking.written(asking.first(entry, texts), texts) for entry in chosen]
        requests.append(replace(requests[0], prompt=ODD))
        raws = answers(models_file, endpoint, family, requests)
        for request, raw in zip(requests, raws, strict=True):
            (choice,) = raw["choices"]
            first, *tokens = choice["prompt_token_ids"]
            assert (
                posted(endpoint, "/detokenize", {"model": row.model, "tokens": [first]})["prompt"]
                == BEGINNING
            )
            body = {"model": row.model, "tokens": tokens}
            assert posted(endpoint, "/detokenize", body)["prompt"] == request.prompt
            assert raw["usage"]["prompt_tokens"] == 1 + len(tokens)
            assert raw[NOTE]["max_tokens"] == new_tokens(CONTEXT, len(tokens))


def test_a_right_answer_passes_however_the_model_is_asked(ask: Ask, tmp_path: Path, staged: Path) -> None:
    """Tagged calls and calls in Python, read by the readers of two families."""
    options = ("--category", "simple_python", "--entry-ids", "simple_python_0")
    call = json.loads(RIGHT_CALL)
    (tagged,) = ask("tiny-prompted-told-FC", *options).values()
    ((name, arguments),) = json.loads(tagged.result_json or "")[0].items()
    assert (name, json.loads(arguments)) == (call["name"], call["arguments"])
    (written,) = ask("tiny-prompted-told", *options).values()
    assert json.loads(written.result_json or "") == RIGHT_TEXT
    for model in ("tiny-prompted-told-FC", "tiny-prompted-told"):
        table, out = tmp_path / f"asked/{model}/simple_python.parquet", tmp_path / f"{model}.parquet"
        command = ["score", str(table), "--out", str(out.with_suffix("")), "--data", str(staged)]
        assert main([*command, "--rules", "official"]) == 0
        (verdict,) = read_table(out.with_suffix("")).to_pylist()
        assert verdict["valid"] is True


def test_conversations_are_asked_turn_by_turn(ask: Ask) -> None:
    """Each turn's prompt is longer than the one before; every answer has tokens and an end."""
    (response,) = ask(MODEL, "--category", "multi_turn_base", "--entry-ids", TRADING).values()
    assert response.status is Status.ANSWERED
    sizes = [step.input_tokens or 0 for step in response.steps]
    assert sizes == sorted(set(sizes))
    assert {step.finish_reason for step in response.steps} <= {"stop", "length"}


def test_a_prompt_that_is_too_long_is_an_overflow(models_file: Path, endpoint: str) -> None:
    """The official tool then requests 1,000 tokens, and the server refuses them."""
    long = Request(Mode.FC, (), prompt="\U0001d11e " * CONTEXT)
    with pytest.raises(ContextOverflow, match="maximum context length is 8192 tokens"):
        answers(models_file, endpoint, "qwen3-fc", [long])


def test_a_prompt_that_nearly_fills_the_context_is_answered(models_file: Path, endpoint: str) -> None:
    """The two tokens that the official limit spares leave room for the one that begins the text."""
    sign, signs = "\u2028", 90
    (raw,) = answers(models_file, endpoint, "qwen3-fc", [Request(Mode.FC, (), prompt=sign * signs)])
    each = raw["usage"]["prompt_tokens"] // signs
    longest = Request(Mode.FC, (), prompt=sign * ((CONTEXT - 3) // each))
    (raw,) = answers(models_file, endpoint, "qwen3-fc", [longest])
    count = raw["usage"]["prompt_tokens"] - 1
    assert raw[NOTE] == {"max_tokens": CONTEXT - 2 - count, "context": CONTEXT, "prompt_tokens": count}
    assert 0 < CONTEXT - 2 - count <= each


def test_answers_are_replayed_without_a_server(ask: Ask, tmp_path: Path) -> None:
    """The limit on new tokens, which the server decides, is not part of the journal's key."""
    options = ("--category", "simple_python", "--sample", "simple_python=3")
    first = ask(MODEL, *options)
    shutil.rmtree(tmp_path / "asked" / MODEL)
    told = json.loads(ask.address.read_text())
    try:
        ask.address.write_text(json.dumps({**told, "endpoint": "http://127.0.0.1:9/v1"}))
        assert ask(MODEL, *options) == first
    finally:
        ask.address.write_text(json.dumps(told))
