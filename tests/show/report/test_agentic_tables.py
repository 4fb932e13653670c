"""The tables on memory and web search, and their sections on the page."""

from __future__ import annotations

import shutil
from pathlib import Path

import pyarrow.parquet as pq
import pytest

from bfcl_pipeline.benchmark.records import Rules
from bfcl_pipeline.judge.scoring.web_use import FAILURES, NONE_OF_THESE
from bfcl_pipeline.runs.run import Run
from bfcl_pipeline.show.report.page.memory import memory_use
from bfcl_pipeline.show.report.page.run_tables import read_run_tables
from bfcl_pipeline.show.report.page.web import calls
from bfcl_pipeline.show.report.tables.aggregate_run import aggregate_run
from tests.support.agentic_run import write_agentic_run
from tests.support.run_form import recorded
from tests.support.synthetic_run import MadeUpModel, made_up_tables, marks
from tests.support.written_run import page_of, rows


@pytest.fixture(scope="module")
def run(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return write_agentic_run(tmp_path_factory.mktemp("agentic"))


def test_a_scenario_has_its_own_accuracy(run: Path) -> None:
    """Three questions, one right, one wrong and one unanswered, give an accuracy of one half."""
    (row,) = rows(run, "memory_domains")
    assert (row["category"], row["scenario"]) == ("memory_kv", "student")
    assert (row["entries"], row["answered"], row["correct"], row["accuracy"]) == (3, 2, 1, 0.5)
    assert row["ci_low"] < 0.5 < row["ci_high"]


def test_the_use_of_a_memory_is_counted(run: Path) -> None:
    """Sessions and questions apart; a call that fails again is an error, and a deleted fact is lost."""
    (row,) = rows(run, "memory_use")
    assert {name: value for name, value in row.items() if isinstance(value, int)} == {
        **{"sessions": 2, "sessions_held": 2, "questions": 3, "without_look_up": 1},
        **{"adds": 3, "replaces": 0, "removes": 0, "clears": 1, "searches": 0, "retrievals": 0},
        **{"core_calls": 3, "archival_calls": 1, "errors": 1},
        **{"core_entries": 0, "archival_entries": 1, "characters": len("pet: a cat")},
        **{"question_searches": 1, "question_retrievals": 1, "question_changes": 0, "question_errors": 1},
        **{"stored": 2, "kept": 1, "lost": 1, "lost_within": 0, "lost_while_full": 1},
    }


def test_web_questions_are_grouped_by_hops(run: Path) -> None:
    """Accuracy, web and means of each number of hops; those of right answers are null without one."""
    columns = ("hops", "entries", "accuracy", "web", "mean_steps", "mean_searches", "mean_fetches")
    correct = ("mean_steps_correct", "mean_searches_correct", "mean_fetches_correct", "abstained")
    assert [[row[name] for name in (*columns, *correct)] for row in rows(run, "web_hops")] == [
        [2, 2, 0.0, "simulated", 1.5, 0.5, 0.0, None, None, None, 0],
        [3, 2, 0.5, "simulated", 2.5, 1.0, 0.5, 2.0, 1.0, 0.0, 0],
    ]


def test_only_failures_of_wrong_answers_are_counted(run: Path) -> None:
    """A right answer without a fetch is not counted; a wrong answer may have several failures."""
    found = {row["failure"]: (row["count"], row["example_entry_id"]) for row in rows(run, "web_failures")}
    assert {failure: count for failure, count in found.items() if count[0]} == {
        "no_search": (1, "web_search_base_0"),
        "pasted_question": (1, "web_search_base_1"),
        "never_fetched": (1, "web_search_base_1"),
        "misread_page": (1, "web_search_base_2"),
    }
    assert set(found) == {*FAILURES, NONE_OF_THESE}
    assert {(row["wrong"], row["known"]) for row in rows(run, "web_failures")} == {(3, 3)}


def test_every_web_question_has_its_counts(run: Path) -> None:
    """What was called, what it returned, and where an acceptable answer stood are in one row."""
    found = {row["entry_id"]: row for row in rows(run, "web_questions")}
    read = found["web_search_base_2"]
    assert (read["valid"], read["steps"], read["searches"], read["fetches"]) == (False, 3, 1, 1)
    assert (read["known"], read["failed_searches"], read["failed_fetches"]) == (
        True,
        1,
        0,
    )  # so small a web finds nothing
    assert (read["answer_in_page"], read["answer_in_title"]) == (True, False)
    assert read["failures"] == "misread_page"
    assert (read["mean_results_asked"], read["regions"]) == (10, "wt-wt")
    assert [read[f"fetched_{mode}"] for mode in ("raw", "markdown", "truncate")] == [0, 0, 1]
    right = found["web_search_base_3"]
    assert (right["valid"], right["failures"], right["answer_in_page"]) == (True, None, False)
    assert (right["mean_results_asked"], right["regions"], right["fetches"]) == (4, "no-no", 0)


def test_results_that_cannot_be_played_are_not_known(tmp_path: Path, run: Path) -> None:
    """Of a live web nothing is recorded: the kinds of failure that need results are not counted."""
    copied = tmp_path / "run"
    shutil.copytree(run, copied)
    path = copied / "responses" / "m" / "web_search_base.parquet"
    table = pq.read_table(path)
    place = table.schema.get_field_index("web")
    live = table.set_column(place, table.schema.field(place), [["live"] * len(table)])
    pq.write_table(live, path)
    aggregate_run(Run(copied, data=run.parent / "data"), run.parent / "models.yaml", Rules.OFFICIAL)
    found = {row["failure"]: (row["count"], row["known"]) for row in rows(copied, "web_failures")}
    assert found["misread_page"] == (0, 1)  # one answer has no calls, so there is nothing to record
    assert found["pasted_question"] == (1, 3)
    assert [row["answer_in_page"] for row in rows(copied, "web_questions")] == [False, None, None, None]
    assert "Where the answer stood" in page_of(copied)


def test_calls_of_tools_that_were_not_offered_are_not_searches(tmp_path: Path, run: Path) -> None:
    """A run that names its search tool otherwise did not offer the tool that was called."""
    copied = tmp_path / "run"
    shutil.copytree(run, copied)
    (copied / "config.yaml").write_text(recorded("web: simulated\nsearch_tool: duckduckgo_search\n"))
    aggregate_run(Run(copied, data=run.parent / "data"), run.parent / "models.yaml", Rules.OFFICIAL)
    assert [row["searches"] for row in rows(copied, "web_questions")] == [0, 0, 0, 0]
    assert [row["fetches"] for row in rows(copied, "web_questions")] == [0, 0, 1, 0]


def test_the_page_shows_memory_and_web_search(run: Path) -> None:
    """The page has both sections, and numbers from the simulated web are marked."""
    page = page_of(run)
    assert 'id="memory"' in page
    section = page[page.index('id="web"') :]
    assert "50.0†" in section
    assert "web_search_base†<small>web: simulated</small>" in section


def test_groups_of_columns_have_their_headings(run: Path) -> None:
    """Each group stands once, above its columns; those on searches and fetches in the order of the work."""
    tables = read_run_tables(Run(run), Rules.OFFICIAL)
    heads = [[(cell.plain_text, cell.width) for cell in made.head[0]] for made in
             (memory_use(tables), calls(tables)) if made]  # fmt: skip
    assert heads == [
        [("", 3), ("Calls in the sessions", 9), ("Contents", 2), ("Facts", 5), ("At the questions", 4)],
        [("", 2), ("", 1), ("Searches", 3), ("Fetches", 5), ("After a failed fetch", 5)],
    ]
    found = calls(tables)
    assert found is not None
    titles = [cell.plain_text for cell in found.head[1]]
    assert titles[3:7] == ["Searches", "Nothing found", "Repeated", "Fetches"]


def test_a_run_without_agentic_categories_has_no_agentic_tables_or_sections(tmp_path: Path) -> None:
    """A run of one single-turn category has no table and no section on memory or web search."""
    run = made_up_tables(tmp_path, [MadeUpModel("m", {"multiple": marks(1)})])
    assert not [*(run / "tables").glob("memory_*"), *(run / "tables").glob("web_*")]
    page = page_of(run)
    assert 'id="memory"' not in page
    assert 'id="web"' not in page


def test_tables_that_an_earlier_configuration_left_are_removed(tmp_path: Path, run: Path) -> None:
    """Without sessions the table on the use of memory is deleted and its section is gone."""
    copied = tmp_path / "run"
    shutil.copytree(run, copied)
    shutil.rmtree(copied / "memory")
    aggregate_run(Run(copied, data=run.parent / "data"), run.parent / "models.yaml", Rules.OFFICIAL)
    assert not (copied / "tables" / "memory_use.csv").exists()
    assert (copied / "tables" / "memory_domains.csv").exists()
    assert "At the questions" not in page_of(copied)


def test_verdicts_without_answers_have_accuracy_but_no_calls(tmp_path: Path, run: Path) -> None:
    """Accuracy by hops is there; means of calls and failures are not, as no answer is recorded."""
    copied = tmp_path / "run"
    shutil.copytree(run, copied)
    shutil.rmtree(copied / "responses")
    aggregate_run(Run(copied, data=run.parent / "data"), run.parent / "models.yaml", Rules.OFFICIAL)
    found = [(row["accuracy"], row["mean_steps"]) for row in rows(copied, "web_hops")]
    assert found == [(0.0, None), (0.5, None)]
    assert not (copied / "tables" / "web_failures.parquet").exists()
    assert "steps N/A" in page_of(copied)


def test_scores_need_no_staged_entries(tmp_path: Path, run: Path) -> None:
    """Without staged entries the verdicts are tabulated; only the agentic tables are missing."""
    copied = tmp_path / "run"
    shutil.copytree(run, copied)
    aggregate_run(Run(copied, data=tmp_path), run.parent / "models.yaml", Rules.OFFICIAL)
    assert (copied / "tables" / "leaderboard.csv").exists()
    assert not (copied / "tables" / "web_hops.csv").exists()
