"""Judged answers of runs and of scored tables."""

import pyarrow as pa
import pytest

from bfcl_pipeline.base.errors import TableError
from bfcl_pipeline.benchmark.records import Mode, Rules
from bfcl_pipeline.benchmark.tables import write_table
from bfcl_pipeline.judge.judged_answers import judged_answers

ROW = {"category": "simple_python", "entry_id": "simple_python_0", "mode": "fc"}


def test_a_table_of_scored_responses(tmp_path):
    """Rows of the rule set with an answer and a verdict are read; run, model and rules may be missing."""
    file, scored = tmp_path / "scored.parquet", {"result_json": "[]", "valid": False}
    rows = [
        ROW | scored | {"run": "a", "model": "m", "rules": "official"},
        ROW | scored | {"run": "b", "model": "m", "rules": "corrected"},
        ROW | scored | {"run": "c", "model": "m", "rules": "official", "valid": None},
        ROW | scored | {"run": "d", "model": "m", "rules": "official", "result_json": None},
    ]
    write_table(file, pa.Table.from_pylist(rows))
    (found,) = judged_answers(file, Rules.OFFICIAL)
    assert (found.system, found.entry_id, found.mode, found.valid) == (
        "a m",
        "simple_python_0",
        Mode.FC,
        False,
    )
    write_table(file, pa.Table.from_pylist([ROW | scored]))
    assert [each.system for each in judged_answers(file, Rules.VERIFIED)] == [str(file)]


def test_a_run(tmp_path):
    """The verdicts of a run are joined with its responses."""
    verdicts = [
        ROW | {"rules": rules, "valid": rules == "corrected"} for rules in ("official", "corrected")
    ]
    write_table(tmp_path / "verdicts/m.parquet", pa.Table.from_pylist(verdicts))
    response = ROW | {"model": "m", "result_json": "[1]"}
    write_table(tmp_path / "responses/m/simple_python.parquet", pa.Table.from_pylist([response]))
    for rules, valid in ((Rules.OFFICIAL, False), (Rules.CORRECTED, True)):
        (found,) = judged_answers(tmp_path, rules)
        assert (found.system, found.result_json, found.valid) == (f"{tmp_path} m", "[1]", valid)


def test_a_table_without_answers_is_an_error(tmp_path):
    """The message names the column that a table of verdicts alone does not have."""
    write_table(tmp_path / "v.parquet", pa.Table.from_pylist([ROW | {"valid": True}]))
    with pytest.raises(TableError, match="column 'result_json' is missing"):
        list(judged_answers(tmp_path / "v.parquet", Rules.OFFICIAL))


def test_an_unknown_mode_is_an_error_that_names_the_entry(tmp_path):
    """A mode is fc or prompt."""
    row = ROW | {"mode": "chat", "result_json": "[]", "valid": True}
    write_table(tmp_path / "v.parquet", pa.Table.from_pylist([row]))
    with pytest.raises(TableError, match="simple_python_0: 'chat'"):
        list(judged_answers(tmp_path / "v.parquet", Rules.OFFICIAL))
