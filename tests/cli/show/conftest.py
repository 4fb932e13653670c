"""Fixtures of the tests of `bfcl-pipeline show`: entries, answers of the oracle, printed pages."""

from __future__ import annotations

from pathlib import Path

import pytest

from bfcl_pipeline.benchmark.definition import category_of
from bfcl_pipeline.benchmark.records import Mode
from bfcl_pipeline.benchmark.tables import read_responses, write_responses
from bfcl_pipeline.cli import main

MODELS = Path(__file__).parents[3] / "config" / "models.yaml"


@pytest.fixture
def entry(entries):
    """A function that returns an entry by its id."""
    return lambda entry_id: next(
        one for one in entries(category_of(entry_id)) if one.entry_id.partition(":")[0] == entry_id
    )


@pytest.fixture
def oracle(entry, staged, tmp_path):
    """A function that returns the response of the oracle to an entry."""

    def respond(entry_id, mode=Mode.FC):
        asked, out = entry(entry_id), tmp_path / "generated"
        words = ["--model", "oracle" if mode is Mode.PROMPT else "oracle-FC", "--models", str(MODELS)]
        words += ["--category", asked.category, "--entry-ids", asked.entry_id, "--run", "r"]
        assert main(["generate", *words, "--out", str(out), "--data", str(staged)]) == 0
        return read_responses(out / f"{asked.category}.parquet")[0]

    return respond


@pytest.fixture
def show(tmp_path, staged, capsys):
    """A function that returns what the command prints for a response, or for the entry alone."""

    def shown(entry_id, response=None, *words, model="org/some-FC"):
        words = [entry_id, "--data", str(staged), *words]
        if response is not None:
            folder = tmp_path / "responses" / model.replace("/", "_")
            write_responses(folder / f"{response.category}.parquet", [response])
            words += ["--model", model]
        if "--model" in words:
            words += ["--run", str(tmp_path)]
        assert main(["show", *words]) == 0
        return capsys.readouterr().out

    return shown
