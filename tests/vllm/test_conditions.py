"""A real vLLM server, asked in streams and under load: the tiny model gives the same answers."""

from __future__ import annotations

import csv
import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from bfcl_pipeline.ask.models.serving.address import ready_endpoint
from bfcl_pipeline.benchmark.records import Response
from bfcl_pipeline.benchmark.tables import read_responses
from bfcl_pipeline.cli import main
from tests.support.served_vllm import served
from tests.support.snakemake_project import make_project

ENTRIES = 12


@pytest.fixture(scope="module")
def address(models_file: Path, variables: dict[str, str], scratch: Path) -> Iterator[Path]:
    with served("tiny-FC", models_file, variables, scratch) as path:
        yield path


def calls(response: Response) -> list[tuple[str, Any]]:
    """Names and arguments, parsed: vLLM writes arguments anew, but in a stream sends them as written."""
    listed = json.loads(response.result_json or "[]")
    return [(name, json.loads(text)) for call in listed for name, text in call.items()]


def test_streams_and_load_change_no_answer_of_a_sound_server(
    address: Path, models_file: Path, staged: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Calls that vLLM streams are put together to those that it sends at once, with their tokens."""
    project = make_project(tmp_path)
    (tmp_path / "data").symlink_to(staged)
    monkeypatch.chdir(tmp_path)
    called = next(row for row in json.loads(models_file.read_text())["models"] if "called" in row["name"])
    row = {key: called[key] for key in ("model", "options", "limits")}
    row |= {"name": "near-FC", "kind": "openai_chat", "endpoint": ready_endpoint(address)}
    Path("config/models.yaml").write_text(json.dumps({"models": [row]}))
    project.call(
        run="asked",
        models="[near-FC]",
        categories="[simple_python]",
        sample=str(ENTRIES),
        conditions="[stream, load=1]",
    )
    base, *others = (
        {
            one.entry_id: one
            for one in read_responses(Path(f"results/asked/responses/{name}/simple_python.parquet"))
        }
        for name in ("near-FC", "near-FC+again", "near-FC+stream", "near-FC+load=1")
    )
    assert len(base) == ENTRIES
    for other in others:
        for entry_id, response in other.items():
            assert calls(response) == calls(base[entry_id]), entry_id
            assert response.output_tokens == base[entry_id].output_tokens, entry_id
    assert main(["conditions", "asked", "--out", "effects.csv"]) == 0
    with Path("effects.csv").open(newline="") as lines:
        rows = list(csv.DictReader(lines))
    assert not any(row["shown"] == "true" for row in rows)
    assert all(float(row["tokens_per_second"]) > 0 for row in rows)
