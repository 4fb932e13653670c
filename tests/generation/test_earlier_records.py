"""Runs of models of kind vllm that earlier versions recorded, when all were asked by chat completions."""

from __future__ import annotations

from pathlib import Path

import yaml

from bfcl_pipeline.cli import main
from bfcl_pipeline.config import load_models, recorded_models
from bfcl_pipeline.tables import read_table
from tests.support.local_chat import local_chat

MODEL = "Qwen/Qwen3-8B-FC"


def _generate(folder: Path, staged: Path, models: Path, out: str, *options: str) -> int:
    """`bfcl-pipeline generate`; its exit status."""
    places = ["--models", str(models), "--data", str(staged), "--cache", str(folder / "exchanges")]
    entries = ["--category", "simple_python", "--sample", "simple_python=5"]
    tables = ["--out", str(folder / out), "--sessions-out", str(folder / f"{out}-sessions")]
    return main(["generate", "--model", MODEL, "--run", "r", *places, *entries, *tables, *options])


def test_a_replay_finds_the_answers_of_an_earlier_version(tmp_path: Path, staged: Path) -> None:
    """Its record has no `prompting`; by the prompts of the family, none of its answers would be found."""
    asked, record, now = tmp_path / "asked.yaml", tmp_path / "models.yaml", tmp_path / "now.yaml"
    with local_chat() as server:
        row = {"name": MODEL, "kind": "vllm", "backend": "endpoint", "endpoint": server.endpoint}
        asked.write_text(yaml.safe_dump({"models": [{**row, "prompting": "server"}]}))
        now.write_text(yaml.safe_dump({"models": [row]}))
        server.behave()
        assert _generate(tmp_path, staged, asked, "responses") == 0
        assert server.counts()["requests"] == 5
    document = yaml.safe_load(recorded_models(load_models(asked).values()))
    del document["models"][0]["prompting"]
    record.write_text(yaml.safe_dump(document))

    again = tmp_path / "again.yaml"
    again.write_text(recorded_models(load_models(record, recorded=True).values()))
    assert _generate(tmp_path, staged, again, "again", "--replay") == 0
    assert _table(tmp_path / "again") == _table(tmp_path / "responses")

    assert _generate(tmp_path, staged, now, "now", "--replay") == 0
    assert {row["status"] for row in _table(tmp_path / "now")} == {"not_recorded"}


def _table(folder: Path) -> list[dict[str, object]]:
    return read_table(folder / "simple_python.parquet").to_pylist()
