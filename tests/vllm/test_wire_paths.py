"""All kinds of requests to a real vLLM server, with a tiny model that `bfcl-pipeline serve` serves."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any
from urllib.request import urlopen

import pytest

from bfcl_pipeline.ask.models.serving.address import ready_endpoint
from bfcl_pipeline.benchmark.records import Entry, Status
from bfcl_pipeline.benchmark.tables import read_table
from bfcl_pipeline.cli import main
from tests.support.served_vllm import Ask, served
from tests.support.tiny_rows import RIGHT_CALL, RIGHT_TEXT

MEMORY = "memory_kv_132-notetaker-2"  # of the shortest chain: five sessions before it
TRADING, PRICES = "multi_turn_base_100", "multi_turn_base_101"
FILES = "multi_turn_base_0"  # two APIs: in the system prompt, more than the context


@pytest.fixture(scope="module")
def address(models_file: Path, variables: dict[str, str], scratch: Path) -> Iterator[Path]:
    """The address of a server."""
    with served("tiny-FC", models_file, variables, scratch) as path:
        yield path


@pytest.fixture
def ask(address: Path, models_file: Path, staged: Path, tmp_path: Path) -> Ask:
    """Runs `generate` with options; returns the responses by entry id."""
    return Ask(address, models_file, staged, tmp_path)


def verdicts(table: Path, staged: Path) -> list[dict[str, Any]]:
    out = table.with_name("verdicts")
    assert main(["score", str(table), "--out", str(out), "--data", str(staged), "--rules", "official"]) == 0
    found: list[dict[str, Any]] = read_table(out).to_pylist()
    return found


def test_the_address_file_describes_the_server(address: Path) -> None:
    """Where it is, which version of vLLM, and which command started it."""
    told = json.loads(address.read_text())
    assert ready_endpoint(address) == told["endpoint"]
    assert told["vllm"][0].isdigit()
    assert "--enable-prefix-caching" in told["command"]


def test_calls_are_read_by_the_servers_parser(ask: Ask, tmp_path: Path, staged: Path) -> None:
    """A call that the model writes becomes a tool call of the API, and a right call passes."""
    (response,) = ask(
        "tiny-told-FC", "--category", "simple_python", "--entry-ids", "simple_python_0"
    ).values()
    call = json.loads(RIGHT_CALL)
    ((name, arguments),) = json.loads(response.result_json or "")[0].items()
    assert (name, json.loads(arguments)) == (call["name"], call["arguments"])
    assert response.steps[0].finish_reason == "tool_calls"
    (verdict,) = verdicts(tmp_path / "asked/tiny-told-FC/simple_python.parquet", staged)
    assert verdict["valid"] is True


def test_calls_in_text_are_read_by_us(ask: Ask, tmp_path: Path, staged: Path) -> None:
    """In mode prompt the text itself is the result, and right text passes."""
    (response,) = ask("tiny-told", "--category", "simple_python", "--entry-ids", "simple_python_0").values()
    assert json.loads(response.result_json or "") == RIGHT_TEXT
    (verdict,) = verdicts(tmp_path / "asked/tiny-told/simple_python.parquet", staged)
    assert verdict["valid"] is True


def test_required_calls_are_of_the_functions_that_are_offered(
    ask: Ask, entries: Callable[[str], list[Entry]]
) -> None:
    """Schemas reach the server as it understands them: its grammar lets only valid calls through."""
    found = ask(
        "tiny-called-FC",
        "--category",
        "multiple",
        "live_multiple",
        "--sample",
        "multiple=3",
        "live_multiple=3",
    )
    known = {entry.entry_id: entry for name in ("multiple", "live_multiple") for entry in entries(name)}
    assert len(found) == 6
    for entry_id, response in found.items():
        offered = {str(doc["name"]).replace(".", "_"): doc for doc in known[entry_id].functions}
        (call,) = json.loads(response.result_json or "")
        ((name, arguments),) = call.items()
        parameters = offered[name]["parameters"]
        assert json.loads(arguments).keys() <= parameters["properties"].keys()
        assert json.loads(arguments).keys() >= set(parameters.get("required", ()))


def test_every_answer_has_tokens_and_an_end(ask: Ask) -> None:
    """Free text in both modes: no request fails with any text of a model."""
    for model in ("tiny", "tiny-FC"):
        found = ask(
            model, "--category", "simple_java", "irrelevance", "--sample", "simple_java=4", "irrelevance=4"
        )
        assert {response.status for response in found.values()} == {Status.ANSWERED}
        assert all(response.input_tokens and response.output_tokens for response in found.values())
        assert {step.finish_reason for one in found.values() for step in one.steps} <= {"stop", "length"}


def test_a_model_that_never_stops_calling_is_stopped(ask: Ask) -> None:
    """Results of calls go back to the server step by step, until a turn has all that it may have."""
    (response,) = ask("tiny-called-FC", "--category", "multi_turn_base", "--entry-ids", TRADING).values()
    assert response.status is Status.ANSWERED
    steps = [step for step in response.steps if step.turn == 0]
    assert len(steps) == 21
    sizes = [step.input_tokens for step in steps]
    assert sizes == sorted(sizes, key=lambda size: size or 0)
    assert len(set(sizes)) == len(sizes)


def test_a_conversation_is_not_read_anew_at_each_step(ask: Ask, address: Path) -> None:
    """The server finds most of a longer prompt in its prefix cache."""
    queries, hits = (counted(address, f"vllm:prefix_cache_{name}_total") for name in ("queries", "hits"))
    ask("tiny-called-FC", "--category", "multi_turn_base", "--entry-ids", PRICES)
    asked = counted(address, "vllm:prefix_cache_queries_total") - queries
    found = counted(address, "vllm:prefix_cache_hits_total") - hits
    assert found > 0.8 * asked > 0


def counted(address: Path, name: str) -> float:
    """A counter of the server."""
    with urlopen(f"{ready_endpoint(address).removesuffix('/v1')}/metrics") as answer:
        lines = answer.read().decode().splitlines()
    return sum(float(line.rpartition(" ")[2]) for line in lines if line.startswith(f"{name}{{"))


def test_a_prompt_that_is_too_long_is_a_status(ask: Ask) -> None:
    """The server's refusal is a status, not a technical failure, and is not tried again."""
    (response,) = ask("tiny", "--category", "multi_turn_base", "--entry-ids", FILES).values()
    assert response.status is Status.CONTEXT_OVERFLOW
    assert "maximum context length is 8192 tokens" in (response.status_detail or "")


def test_two_runs_give_the_same_answers(ask: Ask, tmp_path: Path) -> None:
    """A second run with an empty journal and many concurrent requests has the same texts."""
    options = ["--category", "simple_python", "multi_turn_base", "memory_kv"]
    options += ["--entry-ids", *(f"simple_python_{number}" for number in range(8)), TRADING, MEMORY]
    first, second = (ask("tiny-FC", *options, folder=folder) for folder in ("first", "second"))
    assert len(first) == 8 + 1 + 1
    assert {one.entry_id: one.result_json for one in first.values()} == {
        one.entry_id: one.result_json for one in second.values()
    }
    sessions, again = (
        [
            (row["entry_id"], row["result_json"], row["snapshot_json"])
            for row in read_table(tmp_path / folder / "sessions/memory_kv.parquet").to_pylist()
        ]
        for folder in ("first", "second")
    )
    assert len(sessions) == 5
    assert sessions == again


def test_no_request_is_sent_twice(ask: Ask, address: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """Journaled answers are found again when the server listens on another port."""
    options = ["--category", "simple_python", "--sample", "simple_python=3"]
    first = ask("tiny-FC", *options)
    capsys.readouterr()
    told = json.loads(address.read_text())
    try:
        address.write_text(json.dumps({**told, "endpoint": "http://127.0.0.1:9/v1"}))
        assert ask("tiny-FC", *options) == first
    finally:
        address.write_text(json.dumps(told))
