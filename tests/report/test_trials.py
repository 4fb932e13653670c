"""The table of trials, and its section on the page."""

from __future__ import annotations

import csv
from pathlib import Path
from typing import Any

import pyarrow.parquet as pq
import pytest

from bfcl_pipeline.records import Rules
from bfcl_pipeline.report.page.render import render_page
from bfcl_pipeline.report.page.run_tables import read_run_tables
from bfcl_pipeline.report.tables.aggregate_run import aggregate_run
from bfcl_pipeline.report.tables.columns import TRIALS_TABLE
from tests.support.synthetic_run import MadeUpModel, made_up_tables, marks


@pytest.fixture(scope="module")
def run(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A model with three trials, the last without one category, and a model with one."""
    web = {"web_search_base": "simulated"}
    models = [
        MadeUpModel("priced", {"multiple": marks(2, 2), "web_search_base": marks(1)}, webs=web),
        MadeUpModel("priced~2", {"multiple": marks(3, 1), "web_search_base": marks(0, 1)}, webs=web),
        MadeUpModel("priced~3", {"multiple": marks(4)}),
        MadeUpModel("oracle", {"multiple": marks(1)}),
    ]
    return made_up_tables(tmp_path_factory.mktemp("trials"), models)


def rows(run: Path, table: str = "trials") -> list[dict[str, Any]]:
    return pq.read_table(run / "tables" / f"{table}.parquet").to_pylist()


def test_scores_have_their_mean_and_spread(run: Path) -> None:
    """Accuracies of 0.5, 0.75 and 1 have a mean of 0.75 and a standard deviation of 0.25."""
    found = {(row["rules"], row["score"]): row for row in rows(run)}
    assert found["official", "multiple"] == {
        "run": "made-up",
        "rules": "official",
        "model": "priced",
        "score": "multiple",
        "trials": 3,
        "mean": 0.75,
        "std": pytest.approx(0.25),
        "min": 0.5,
        "max": 1.0,
    }
    assert found["corrected", "multiple"]["mean"] == 0.75


def test_a_trial_without_a_score_is_left_out_of_its_mean(run: Path) -> None:
    """Two of three trials have the web category; a score of no trial has no row."""
    found = {row["score"]: row for row in rows(run) if row["rules"] == "official"}
    assert (found["web_search_base"]["trials"], found["web_search_base"]["mean"]) == (2, 0.5)
    assert "memory" not in found


def test_parquet_and_csv_have_the_documented_columns(run: Path) -> None:
    """Both files have exactly the documented columns and the same number of rows."""
    assert pq.read_table(run / "tables/trials.parquet").schema.equals(TRIALS_TABLE)
    with (run / "tables/trials.csv").open(newline="", encoding="utf-8") as lines:
        header, *body = csv.reader(lines)
    assert header == TRIALS_TABLE.names
    assert len(body) == len(rows(run))


def test_each_trial_is_a_model_of_the_leaderboard(run: Path) -> None:
    """Each trial has a row with its own name and the properties of its model."""
    official = [row for row in rows(run, "leaderboard") if row["rules"] == "official"]
    shown = {row["model"]: (row["display_name"], row["kind"]) for row in official}
    assert shown["priced"] == ("priced", "openai_chat")
    assert shown["priced~2"] == ("priced (trial 2)", "openai_chat")
    assert shown["priced~3"] == ("priced (trial 3)", "openai_chat")


def test_the_page_shows_mean_deviation_and_limits(run: Path) -> None:
    """The section has the columns and marks of the leaderboard."""
    page = render_page(read_run_tables(run, Rules.OFFICIAL))
    section = page[page.index('<section id="trials">') :].split("</section>")[0]
    assert section.count('scope="row"') == 1
    assert "18.75* ± 6.25<small>12.5–25.0</small>" in section  # non-live: multiple is a quarter of it
    assert "25.00*† ± 35.36" in section  # web search: half of two categories, in one of two trials


def test_without_trials_there_is_neither_table_nor_section(run: Path, tmp_path: Path) -> None:
    """The table that an earlier configuration left is deleted."""
    alone = made_up_tables(tmp_path, [MadeUpModel("priced", {"multiple": marks(1)})])
    (alone / "tables/trials.csv").write_text("left\n")
    aggregate_run(alone, tmp_path / "data", tmp_path / "models.yaml", Rules.OFFICIAL)
    assert not list((alone / "tables").glob("trials.*"))
    assert 'id="trials"' not in render_page(read_run_tables(alone, Rules.OFFICIAL))
