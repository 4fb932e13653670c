"""`bfcl-pipeline generate` as a user runs it."""

from pathlib import Path

import pytest

from bfcl_pipeline.benchmark.tables import read_table
from bfcl_pipeline.benchmark.tables.schemas import RESPONSES
from bfcl_pipeline.cli import main

MODELS = Path(__file__).parents[2] / "config" / "models.yaml"


@pytest.fixture
def generate(staged, tmp_path):
    """Runs the command and gives its exit status; the tables are in tmp_path/out."""

    def run(model, category, *options):
        command = ["generate", "--model", model, "--category", category, "--run", "mine"]
        command += ["--models", str(MODELS), "--data", str(staged)]
        return main([*command, "--out", str(tmp_path / "out"), *options])

    return run


def _table(tmp_path):
    (path,) = (tmp_path / "out").glob("*.parquet")
    return path


def _rows(tmp_path):
    return read_table(_table(tmp_path)).to_pylist()


@pytest.mark.parametrize("model", ["oracle-FC", "oracle", "lexical-FC", "lexical"])
def test_a_category_becomes_a_table(generate, entries, tmp_path, capsys, model):
    """One row per entry in entry order, with the documented columns; one line on stderr."""
    assert generate(model, "simple_javascript") == 0
    assert read_table(_table(tmp_path)).schema.names == RESPONSES.names
    rows = _rows(tmp_path)
    assert [row["entry_id"] for row in rows] == [entry.entry_id for entry in entries("simple_javascript")]
    assert {(row["run"], row["model"], row["mode"], row["status"]) for row in rows} == {
        ("mine", model, "fc" if model.endswith("-FC") else "prompt", "answered")
    }
    (line,) = capsys.readouterr().err.splitlines()
    assert line.startswith(f"{model} simple_javascript: 50 entries, ")


def test_two_runs_write_the_same_bytes(generate, tmp_path):
    """The table contains no time or other varying value."""
    generate("lexical", "simple_java")
    first = _table(tmp_path).read_bytes()
    generate("lexical", "simple_java")
    assert _table(tmp_path).read_bytes() == first


def test_a_sample_is_drawn_by_its_seed(generate, entries, tmp_path):
    """A sample keeps entry order, repeats for the same seed, differs for another, grows by adding."""
    drawn = {}
    for count, seed in ((10, 1), (20, 1), (10, 2)):
        assert generate("oracle-FC", "multiple", "--sample", str(count), "--seed", str(seed)) == 0
        drawn[count, seed] = [row["entry_id"] for row in _rows(tmp_path)]
    order = [entry.entry_id for entry in entries("multiple")]
    assert all(ids == sorted(ids, key=order.index) for ids in drawn.values())
    assert [len(ids) for ids in drawn.values()] == [10, 20, 10]
    assert set(drawn[10, 1]) < set(drawn[20, 1])
    assert drawn[10, 1] != drawn[10, 2]


def test_entries_can_be_chosen(generate, tmp_path):
    """Only the named entries run, in entry order whatever the order of the names."""
    assert generate("oracle-FC", "multiple", "--entry-ids", "multiple_7", "multiple_2") == 0
    assert [row["entry_id"] for row in _rows(tmp_path)] == ["multiple_2", "multiple_7"]


@pytest.mark.parametrize(
    ("model", "category", "options", "message"),
    [
        ("orcle", "multiple", (), "Did you mean 'oracle'?"),
        ("oracle", "multipel", (), "Did you mean 'multiple'?"),
        ("oracle-FC", "format_sensitivity", (), "Run it with a model of mode prompt."),
        (
            "oracle",
            "multiple",
            ("--entry-ids", "multiple_x"),
            "multiple: no entry 'multiple_x'. Did you mean",
        ),
        ("oracle", "multiple", ("--sample", "-1"), "--sample must be 0 or more"),
        ("oracle", "multiple", ("--data", "/nowhere"), "no such table"),
        ("oracle", "simple_java", ["--trial", "2"], "oracle is embedded and answers the same each time"),
        ("oracle", "simple_java", ["--trial", "0"], "trial must be 1 or more; got 0"),
    ],
)
def test_a_job_that_is_impossible_is_refused(generate, tmp_path, capsys, model, category, options, message):
    """A wrong name or pair is one line on stderr, exit status 1, and no table."""
    assert generate(model, category, *options) == 1
    (line,) = capsys.readouterr().err.splitlines()
    assert message in line
    assert not (tmp_path / "out").exists()
