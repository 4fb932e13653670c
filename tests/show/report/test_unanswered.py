"""A model without any answer: no rank, no scores, its reason; and the mark of a sample."""

from __future__ import annotations

from pathlib import Path

import pyarrow.parquet as pq
import pytest

from bfcl_pipeline.base.errors import TableError
from bfcl_pipeline.benchmark.records import Rules
from bfcl_pipeline.runs.run import Run
from bfcl_pipeline.show.report.notes import NO_ANSWERS, short_reason
from bfcl_pipeline.show.report.tables.leaderboard import LEADERBOARD
from bfcl_pipeline.show.report.terminal import terminal_table
from bfcl_pipeline.show.screen.run_description import exit_without_answers
from tests.support.run_form import recorded
from tests.support.synthetic_run import MadeUpModel, made_up_tables, marks
from tests.support.written_run import page_of

DEAD = MadeUpModel("dead-FC", {"simple_python": marks(0, 0, 4), "irrelevance": marks(0, 0, 2)})
ALIVE = MadeUpModel("alive", {"simple_python": marks(1, 3), "irrelevance": marks(0, 2)})


@pytest.fixture(scope="module")
def half_dead(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return made_up_tables(tmp_path_factory.mktemp("half-dead"), [DEAD, ALIVE])


def test_it_has_no_rank_and_no_scores(half_dead: Path) -> None:
    """Null in the tables; the other model is first, however low its score."""
    rows = pq.read_table(half_dead / "tables/leaderboard.parquet").to_pylist()
    official = [row for row in rows if row["rules"] == "official"]
    assert [(row["rank"], row["model"]) for row in official] == [(1, "alive"), (None, "dead-FC")]
    assert {official[1][name] for name in ("overall", "overall_ci_low", "non_live")} == {None}
    (row,) = pq.read_table(half_dead / "tables/unanswered.parquet").to_pylist()
    assert (row["model"], row["entries"]) == ("dead-FC", 6)
    assert row["reason"]


def test_the_official_files_leave_it_out(half_dead: Path) -> None:
    """The official tool has no row for a model that it did not score."""
    for path in (half_dead / "tables/official").iterdir():
        assert "dead-FC" not in path.read_text()


def test_the_terminal_shows_no_number_and_the_reason(half_dead: Path) -> None:
    """A dash instead of a rank, N/A instead of 0.00 and its interval."""
    lines = terminal_table(Run(half_dead), Rules.OFFICIAL).splitlines()
    row, by_rules = (line for line in lines if "dead-FC " in line)
    assert row.split() == ["–", "dead-FC", *["N/A"] * 3]
    assert by_rules.split() == ["dead-FC", *["N/A"] * (len(by_rules.split()) - 1)]
    assert any(line.startswith("dead-FC: no answers: ") for line in lines)


def test_the_page_shows_no_number_and_the_reason(half_dead: Path) -> None:
    """The reason is in a notice; nothing claims that its answers were right."""
    page = page_of(half_dead)
    assert "<li>dead-FC: no answers: " in page
    assert "0.0–0.0" not in page
    assert "dead-FC: 6 entries without a verdict" not in page


def test_a_run_without_any_answer_says_so(tmp_path: Path) -> None:
    """Nothing was judged, so nothing was judged right."""
    run = made_up_tables(tmp_path, [DEAD])
    page = page_of(run)
    assert "No answers were judged." in page
    assert "No answer was scored as wrong" not in page
    assert "dead-FC: no answers: " in terminal_table(Run(run), Rules.OFFICIAL)


def test_the_run_ends_with_its_own_exit_status(
    half_dead: Path, tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    """2, with the reason in Snakemake's log; a run in which every model has answers goes on."""
    with pytest.raises(SystemExit) as end:
        exit_without_answers(half_dead)
    assert end.value.code == NO_ANSWERS == 2
    assert caplog.messages[0].startswith("dead-FC: no answers: ")
    exit_without_answers(made_up_tables(tmp_path / "alive", [ALIVE]))
    (tmp_path / "tables").mkdir()
    (tmp_path / "tables/unanswered.csv").write_text("x\ny\n")
    with pytest.raises(TableError, match=r"unanswered\.csv"):
        exit_without_answers(tmp_path)


def test_complete_runs_keep_their_tables(tmp_path: Path) -> None:
    """Without such a model there is no further table, and the rank cannot be null."""
    run = made_up_tables(tmp_path, [ALIVE])
    assert not (run / "tables/unanswered.parquet").exists()
    assert pq.read_schema(run / "tables/leaderboard.parquet").equals(
        LEADERBOARD.schema, check_metadata=True
    )


def test_a_long_reason_keeps_both_ends() -> None:
    """The reason of a server ends with its log."""
    text = short_reason("the server failed:\n" + "x" * 2000 + "\nValueError: the end\x1b")
    assert text.startswith("the server failed:\\n")
    assert text.endswith("ValueError: the end\\x1b")
    assert len(text) < 700


@pytest.mark.parametrize(
    ("config", "mark"),
    [
        ("sample: 6\nseed: 4\nentry_ids: null\n", "Sample: 6 of 640 entries, seed 4."),
        (
            "sample:\n  by: weight\n  entries: 6\nseed: 4\nentry_ids: null\n",
            "Sample: 6 of 640 entries by weight, seed 4.",
        ),
        ("sample: null\nseed: 4\nentry_ids: [a, b]\n", "Selection: 6 of 640 entries, by their ids."),
        (None, "Sample: 6 of 640 entries."),
    ],
)
def test_a_sample_is_marked(tmp_path: Path, config: str | None, mark: str) -> None:
    """Table and page state how many of how many entries ran, and the seed if it is recorded."""
    run = made_up_tables(tmp_path, [ALIVE])
    if config is not None:
        (run / "config.yaml").write_text(recorded(config))
    assert mark in terminal_table(Run(run), Rules.OFFICIAL).splitlines()
    assert f"<li>{mark}</li>" in page_of(run)
