"""Fixtures of the tests of `bfcl-pipeline show`: entries, answers of the oracle, printed pages."""

from __future__ import annotations

from functools import cache, partial
from pathlib import Path

import pytest

from bfcl_pipeline.benchmark.definition import category_of
from bfcl_pipeline.benchmark.records import Mode
from bfcl_pipeline.benchmark.tables import read_responses, write_responses
from bfcl_pipeline.cli import main


@pytest.fixture(scope="session")
def entry(entries):
    """A function that returns an entry by its id."""
    return lambda entry_id: next(
        one for one in entries(category_of(entry_id)) if one.entry_id.partition(":")[0] == entry_id
    )


@pytest.fixture(scope="session")
def generate_into(staged, tmp_path_factory):
    """A function that has the oracle answer an entry into a run; it returns the table of responses."""
    models = tmp_path_factory.mktemp("models") / "models.yaml"
    models.write_text("models: [{name: oracle-FC, kind: oracle}, {name: oracle, kind: oracle}]")

    def generated(run, entry_id, model, *words):
        words = ["--model", model, "--models", str(models), "--run", "r", *words]
        words += ["--category", category_of(entry_id), "--entry-ids", entry_id, "--data", str(staged)]
        assert main(["generate", *words, "--out", str(run / "responses" / model)]) == 0
        return run / "responses" / model / f"{category_of(entry_id)}.parquet"

    return generated


@pytest.fixture
def generate(generate_into, tmp_path):
    """The same, into the run of the `show` fixture."""
    return partial(generate_into, tmp_path / "run")


@pytest.fixture(scope="session")
def oracle(entry, generate_into, tmp_path_factory):
    """A function that returns the response of the oracle to an entry, which is made once."""
    run = tmp_path_factory.mktemp("oracle")

    @cache
    def respond(entry_id, mode=Mode.FC):
        model = "oracle" if mode is Mode.PROMPT else "oracle-FC"
        return read_responses(generate_into(run, entry(entry_id).entry_id, model))[0]

    return respond


@pytest.fixture
def show(tmp_path, staged, capsys, monkeypatch):
    """A function that returns what the command prints for a response, or for the entry alone.

    Paths are relative, so that lines break at the same places on every machine.
    """
    monkeypatch.chdir(tmp_path)
    Path("data").symlink_to(staged)

    def shown(entry_id, response=None, *words, model="org/some-FC"):
        if response is not None:
            folder = Path("run/responses", model.replace("/", "_"))
            write_responses(folder / f"{response.category}.parquet", [response])
            words += ("--model", model)
        run = ["--run", "run"] if "--model" in words else []
        capsys.readouterr()
        assert main(["show", entry_id, "--data", "data", *words, *run]) == 0
        return capsys.readouterr().out

    return shown


@pytest.fixture
def page(show, entry, transcript):
    """A function that compares the whole page of an entry with a file, without the benchmark's texts."""

    def compared(name, entry_id, response=None, *words, **options):
        asked = entry(entry_id)
        texts = [message["content"] for turn in asked.turns for message in turn]
        if isinstance(asked.source, str):
            texts.append(asked.source)
        elif asked.source:
            texts += [hop["subquestion"] for hop in asked.source]
        text = show(entry_id, response, *words, **options)
        transcript.same(name, text, {text: f"text {place}" for place, text in enumerate(texts, 1)})
        assert max(map(len, text.splitlines())) <= 100

    return compared
