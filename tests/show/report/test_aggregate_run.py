"""From verdict files to the tables of a run."""

from __future__ import annotations

import shutil
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from bfcl_pipeline.base.errors import TableError
from bfcl_pipeline.benchmark.records import Rules
from bfcl_pipeline.benchmark.tables.text_forms import csv_text
from bfcl_pipeline.runs.run import Run
from bfcl_pipeline.show.report.tables.aggregate_run import aggregate_run
from tests.support.synthetic_run import MadeUpModel, made_up_tables, marks, write_run
from tests.support.written_run import rows


def test_models_are_ranked_by_overall_then_name(made_up_run: Path) -> None:
    """Equal models are in the order of their names, not of their files."""
    official = rows(made_up_run, "leaderboard", rules="official")
    assert [row["rank"] for row in official] == [1, 2, 3, 4]
    assert official[0]["model"] == "oracle"
    ties = [row for row in official if row["model"].startswith("tie/")]
    assert [row["model"] for row in ties] == ["tie/a", "tie/b"]
    assert ties[0]["overall"] == ties[1]["overall"]


def test_unanswered_entries_are_counted_but_in_no_accuracy(made_up_run: Path) -> None:
    """Four entries, one right, two wrong and one unanswered, give an accuracy of a third."""
    (row,) = rows(made_up_run, "categories", model="tie/a", rules="official")
    assert (row["entries"], row["answered"], row["correct"], row["not_answered"]) == (4, 3, 1, 1)
    assert row["accuracy"] == 1 / 3
    assert row["ci_low"] < 1 / 3 < row["ci_high"]
    coverage = rows(made_up_run, "coverage", model="tie/a")
    assert {row["status"]: row["entries"] for row in coverage} == {"answered": 3, "infrastructure_error": 1}


def test_unevaluated_categories_are_null_and_count_zero(made_up_run: Path) -> None:
    """A group without evaluated categories is null; a partial group is averaged with zeros."""
    (row,) = rows(made_up_run, "leaderboard", model="oracle", rules="official")
    assert row["multi_turn"] is row["web_search"] is row["memory_kv"] is None
    assert row["simple_ast"] == pytest.approx(1 / 3)
    assert row["overall"] == pytest.approx(0.1 * (1 / 3) / 4 + 0.1 / 2)


def test_rules_are_compared_entry_by_entry(made_up_run: Path) -> None:
    """An entry that only the corrected rules accept is one flip; unanswered entries are not compared."""
    (row,) = rows(made_up_run, "rules", model="tie/a")
    assert (row["entries"], row["to_valid"], row["to_invalid"], row["flipped"]) == (3, 1, 0, 1)
    assert (row["official_accuracy"], row["corrected_accuracy"]) == (1 / 3, 2 / 3)


def test_error_types_are_counted_with_their_first_entry(made_up_run: Path) -> None:
    """Each error type has one row per category, commonest first, with an example."""
    found = rows(made_up_run, "error_types", model="tie/a", rules="official")
    assert [(row["error_type"], row["count"]) for row in found] == [
        ("type_error:simple", 1),
        ("value_error:string", 1),
    ]
    assert found[0]["example_entry_id"] == "simple_python_1"
    assert found[0]["example_message"] == "entry 1 is wrong"


def test_formats_are_read_from_the_staged_entries(made_up_run: Path) -> None:
    """If half of the formats fail one of two questions, best and worst differ by 50 points."""
    found = rows(made_up_run, "formats", model="tie/b", rules="official")
    assert len(found) == 26
    assert [row["accuracy"] for row in found] == [1.0] * 13 + [0.5] * 13
    (row,) = rows(made_up_run, "leaderboard", model="tie/b", rules="official")
    assert (row["format_max_delta"], row["format_std"]) == (50.0, 25.5)


def test_latencies_come_from_the_responses(made_up_run: Path) -> None:
    """The mean is of the measured latencies, and null if there are none."""
    found = {row["model"]: row for row in rows(made_up_run, "leaderboard", rules="official")}
    assert found["tie/a"]["latency_mean_seconds"] == 2.0
    assert found["oracle"]["latency_mean_seconds"] is None


def test_tables_do_not_depend_on_the_directory_or_the_order_of_writing(
    tmp_path: Path, made_up_run: Path, made_up_models: list[MadeUpModel]
) -> None:
    """The same verdicts, written to another directory in another order, give the same bytes."""
    again = made_up_tables(tmp_path / "elsewhere", made_up_models[::-1])
    for path in sorted(p for p in (made_up_run / "tables").rglob("*") if p.is_file()):
        assert path.read_bytes() == (again / path.relative_to(made_up_run)).read_bytes(), path.name


def test_results_from_elsewhere_need_no_run_name_model_name_or_responses(tmp_path: Path) -> None:
    """A table without model names gets the name of its file; a model without a row has only its name."""
    run = made_up_tables(tmp_path, [MadeUpModel("mine", {"multiple": marks(1, 1)})], run=None)
    path = run / "verdicts" / "mine.parquet"
    table = pq.read_table(path)
    nameless = table.set_column(
        table.column_names.index("model"), "model", pa.nulls(len(table), pa.string())
    )
    pq.write_table(nameless, run / "verdicts" / "mine.parquet")
    shutil.rmtree(run / "responses")
    aggregate_run(Run(run, data=tmp_path / "data"), tmp_path / "models.yaml", Rules.OFFICIAL)
    row = rows(run, "leaderboard")[0]
    assert (row["run"], row["model"], row["display_name"], row["org"]) == (None, "mine", "mine", "Unknown")


def test_a_model_that_an_earlier_configuration_left_can_be_excluded(tmp_path: Path) -> None:
    """Only the named models are tabulated; the error for an unknown name suggests one with verdicts."""
    models = [MadeUpModel(name, {"multiple": marks(1)}) for name in ("new", "old")]
    run = made_up_tables(tmp_path, models)
    given = (Run(run, data=tmp_path / "data"), tmp_path / "models.yaml", Rules.OFFICIAL)
    aggregate_run(*given, only=["new"])
    assert {row["model"] for row in rows(run, "leaderboard")} == {"new"}
    with pytest.raises(TableError, match=r"unknown model 'odl'\. Did you mean 'old'"):
        aggregate_run(*given, only=["odl"])


def change(folder: Path, values: dict[str, Any]) -> None:
    """Overwrites columns in the first row of the first verdict file."""
    path = min((folder / "verdicts").iterdir())
    table = pq.read_table(path)
    changed = table.to_pylist()
    changed[0].update(values)
    pq.write_table(pa.Table.from_pylist(changed, schema=table.schema), path)


@pytest.mark.parametrize(
    ("values", "message"),
    [
        ({"category": "simple_pyton"}, "unknown category 'simple_pyton'. Did you mean 'simple_python'"),
        ({"rules": "mine"}, "unknown rule set 'mine'"),
        ({"run": "other"}, "different runs"),
        ({"entry_id": "multiple_1"}, "has several verdicts under official rules"),
        ({"valid": None}, "has status 'answered' and verdict None"),
    ],
)
def test_verdicts_that_cannot_be_added_up_are_refused(
    tmp_path: Path, values: dict[str, Any], message: str
) -> None:
    """A row that would lead to wrong numbers is an error that names the problem."""
    run = made_up_tables(tmp_path, [MadeUpModel("m", {"multiple": marks(2)})])
    change(run, values)
    with pytest.raises(TableError, match=message):
        aggregate_run(Run(run, data=tmp_path / "data"), tmp_path / "models.yaml", Rules.OFFICIAL)


def test_a_format_entry_that_the_release_does_not_have_is_refused(tmp_path: Path) -> None:
    """Verdicts of another release are not tabulated with the formats of the staged one."""
    run = made_up_tables(tmp_path, [MadeUpModel("m", {"format_sensitivity": marks(2)})])
    change(run, {"entry_id": "format_sensitivity_999"})
    with pytest.raises(TableError, match=r"'format_sensitivity_999'.*not in the staged release"):
        aggregate_run(Run(run, data=tmp_path / "data"), tmp_path / "models.yaml", Rules.OFFICIAL)


def test_without_verdicts_the_error_names_the_missing_step(tmp_path: Path) -> None:
    """The error for an empty run names the command that makes verdicts."""
    (tmp_path / "models.yaml").write_text("models: []")
    with pytest.raises(TableError, match=r"no verdicts.*bfcl-pipeline score"):
        aggregate_run(Run(tmp_path, data=tmp_path), tmp_path / "models.yaml", Rules.OFFICIAL)


def test_a_rule_set_without_verdicts_is_refused(tmp_path: Path) -> None:
    """Corrected files of a run with only official verdicts are an error, not an empty file."""
    run = write_run(tmp_path / "run", [MadeUpModel("m", {"multiple": marks(2)})])
    path = run / "verdicts" / "m.parquet"
    table = pq.read_table(path)
    pq.write_table(table.slice(0, 2), path)
    (tmp_path / "models.yaml").write_text("models: []")
    with pytest.raises(TableError, match="no verdict under corrected rules, only under official"):
        aggregate_run(Run(run, data=tmp_path), tmp_path / "models.yaml", Rules.CORRECTED)


def test_csv_writes_nulls_empty_booleans_small_and_floats_in_full() -> None:
    """Nulls are empty fields, booleans are lower case, and floats keep all digits."""
    table = pa.table({"a": [None, "x,\ny"], "b": [True, False], "c": [0.1 + 0.2, None]})
    assert csv_text(table) == 'a,b,c\n,true,0.30000000000000004\n"x,\ny",false,\n'
