"""A run with a small model in the process of the job: asked, journaled, replayed and scored."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
import yaml

from bfcl_pipeline.cli import main
from bfcl_pipeline.config import load_models, recorded_models
from bfcl_pipeline.generation.journal import JournalsReader, journals_in
from bfcl_pipeline.models.weights import identified
from bfcl_pipeline.records import Status
from bfcl_pipeline.tables import read_responses, read_table
from tests.support.offline import offline

MODEL = "tiny-FC"
CHOICE = ("--category", "simple_python", "--sample", "simple_python=3")


@pytest.fixture
def weights(tiny: Path, tmp_path: Path) -> Path:
    """A copy of the model that a test may change."""
    return Path(shutil.copytree(tiny, tmp_path / "weights"))


@pytest.fixture
def folder(weights: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A working directory with a models file; hashes of weights are kept below it."""
    row = {
        "name": MODEL,
        "kind": "transformers",
        "model": str(weights),
        "family": "qwen3-fc",
        "options": {"max_tokens": 12},
        "limits": {"in_flight": 2},
    }
    folder = tmp_path / "work"
    folder.mkdir()
    (folder / "models.yaml").write_text(yaml.safe_dump({"models": [row]}))
    monkeypatch.chdir(folder)
    return folder


def generate(staged: Path, out: str, *options: str, models: str = "models.yaml") -> None:
    command = ["generate", "--model", MODEL, "--models", models, "--data", str(staged), "--run", "r"]
    command += ["--cache", "exchanges", "--out", out, *CHOICE]
    assert main([*command, *options]) == 0


def answers(folder: Path) -> dict[str, Any]:
    found = {
        response.entry_id: response
        for table in sorted(folder.glob("*.parquet"))
        for response in read_responses(table)
    }
    assert all(response.status is Status.ANSWERED for response in found.values()), found
    return {name: response.result_json for name, response in found.items()}


def journaled(folder: Path) -> int:
    with JournalsReader(journals_in(folder / "exchanges" / MODEL)) as journals:
        return sum(1 for _ in journals)


def test_answers_are_journaled_replayed_and_scored(staged: Path, folder: Path, weights: Path) -> None:
    """A second run sends nothing, and a replay needs neither the weights nor the libraries."""
    staged = staged.resolve()
    generate(staged, "asked")
    asked, sent = answers(folder / "asked"), journaled(folder)
    assert len(asked) == sent == 3
    generate(staged, "again")
    assert (answers(folder / "again"), journaled(folder)) == (asked, sent)

    row = identified(load_models(["models.yaml"])[MODEL])
    (folder / "recorded.yaml").write_text(recorded_models([row]))
    shutil.rmtree(weights)
    command = [
        sys.executable,
        "-m",
        "bfcl_pipeline.cli",
        "generate",
        "--model",
        MODEL,
        "--run",
        "r",
        *CHOICE,
    ]
    command += [
        "--models",
        "recorded.yaml",
        "--data",
        str(staged),
        "--cache",
        "exchanges",
        "--out",
        "replayed",
    ]
    env = offline(folder / "offline", blocked=("torch", "transformers"), unset=())
    done = subprocess.run([*command, "--replay"], env={**os.environ, **env}, capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    for table in sorted((folder / "asked").glob("*.parquet")):
        assert (folder / "replayed" / table.name).read_bytes() == table.read_bytes()

    table = folder / "asked/simple_python.parquet"
    assert (
        main(["score", str(table), "--out", "verdicts", "--data", str(staged), "--rules", "official"]) == 0
    )
    assert read_table(folder / "verdicts").num_rows == 3


def test_changed_weights_at_the_same_path_are_asked_again(
    staged: Path, folder: Path, weights: Path
) -> None:
    """The keys of the journal have the digest of the files; a recorded digest finds the earlier answers."""
    staged = staged.resolve()
    generate(staged, "asked")
    sent = journaled(folder)
    before = identified(load_models(["models.yaml"])[MODEL])
    config = json.loads((weights / "config.json").read_text())
    (weights / "config.json").write_text(json.dumps({**config, "comment": "other weights"}))
    after = identified(load_models(["models.yaml"])[MODEL])
    assert before.asked != after.asked
    generate(staged, "changed")
    assert journaled(folder) == 2 * sent
    generate(staged, "recorded", "--weights", str(before.weights), "--replay")
    assert answers(folder / "recorded") == answers(folder / "asked")
