"""Entries without a verdict: the scores that they allow, their causes, what official files count."""

from __future__ import annotations

from pathlib import Path

import pytest

from bfcl_pipeline.ask.results.import_run import Import, import_run
from bfcl_pipeline.base.markup import latex, markdown
from bfcl_pipeline.benchmark.records import Rules
from bfcl_pipeline.benchmark.tables import read_table
from bfcl_pipeline.runs.run import Run
from bfcl_pipeline.share.exports.v4_table import text_table
from bfcl_pipeline.show.report.tables.aggregate_run import aggregate_run
from bfcl_pipeline.show.report.terminal import terminal_table
from bfcl_pipeline.show.report.v4_table import read_v4_table
from tests.support.stored_errors import CATEGORIES, CONVERSATIONS, FOLDERS, digest, write_results
from tests.support.synthetic_run import MadeUpModel, Marks, made_up_tables, marks
from tests.support.written_run import page_of

pytestmark = pytest.mark.usefixtures("without_figures")

HARMONY = "m: HTTP 500: unexpected tokens remaining in message header"
LOST = Marks(
    [True] * 82 + [False] * 100 + [None] * 18,
    details={
        **dict.fromkeys(range(182, 191), HARMONY),
        **dict.fromkeys(range(191, 199), "CUDA out of memory"),
    },
    verified=[True] * 82 + [False] * 100 + [None] * 18,
    left_out=[199],
)


@pytest.fixture(scope="module")
def run(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A model with 18 entries of 200 without a verdict, one with 1 of 400, and one with verdicts only."""
    models = [
        MadeUpModel("lossy-FC", {"multi_turn_miss_func": LOST, "simple_python": marks(200, 200)}),
        MadeUpModel("nearly-FC", {"simple_python": marks(200, 199, 1)}),
        MadeUpModel("whole-FC", {"simple_python": marks(300, 100)}),
    ]
    return made_up_tables(tmp_path_factory.mktemp("omitted"), models)


def test_scores_have_the_values_that_the_omitted_entries_allow(run: Path) -> None:
    """By hand: 82 right of 200 with 18 omitted is 41 to 50 per cent, a fourth of it in the group."""
    table = read_table(run / "tables/omitted.parquet")
    rows = {(row["model"], row["rules"], row["score"]): row for row in table.to_pylist()}
    assert {model for model, _, _ in rows} == {"lossy-FC", "nearly-FC"}
    lossy = {score for model, _, score in rows if model == "lossy-FC"}
    assert lossy == {"overall", "multi_turn", "multi_turn_miss_func"}
    row = rows["lossy-FC", "official", "multi_turn_miss_func"]
    assert (row["entries"], row["omitted"], row["accuracy"]) == (200, 18, 82 / 182)
    assert (row["lowest"], row["highest"]) == (0.41, 0.5)
    group = rows["lossy-FC", "corrected", "multi_turn"]
    assert (group["lowest"], group["highest"]) == pytest.approx((0.41 / 4, 0.5 / 4), abs=1e-12)
    verified = rows["lossy-FC", "verified", "multi_turn_miss_func"]
    assert (verified["lowest"], verified["highest"]) == (82 / 199, 99 / 199)
    assert [row[name] for name in ("model_output", "harness", "other", "network")] == [9, 8, 1, 0]
    overall = rows["lossy-FC", "official", "overall"]
    simple = 0.1 * 0.5 / 3 / 4
    assert overall["lowest"] == pytest.approx(simple + 0.3 * 0.41 / 4, abs=1e-12)
    assert overall["highest"] == pytest.approx(simple + 0.3 * 0.5 / 4, abs=1e-12)


def test_a_line_names_the_model_whose_scores_may_move(run: Path) -> None:
    """More than half a point is a line in terminal, exports and page; a quarter of a point is not."""
    line = (
        "lossy-FC, if its entries without a verdict were wrong, or right: "
        "overall 3.49 to 4.17 (18 entries), multi_turn_miss_func 41.00 to 50.00 (18 entries), "
        "multi_turn 10.25 to 12.50 (18 entries)."
    )
    causes = (
        "In no score: 19 entries without a verdict, 9 refused by the server because of what the model "
        "wrote, 8 failed by the harness, 2 not asked, not recorded or of unknown cause."
    )
    page = page_of(run)
    exported = text_table(read_v4_table(Run(run), Rules.OFFICIAL), "r")
    for text in (terminal_table(Run(run), Rules.OFFICIAL), page, "\n".join(exported.notes)):
        assert line in text
        assert causes in text
        assert "nearly-FC, if" not in text
    assert "41.00 to 50.00 (18 entries)" in latex(exported)
    assert "41.00 to 50.00 (18 entries)" in markdown(exported)
    assert "10.25 to 12.50 if its 18 without a verdict were wrong, or right: 9 refused by" in page
    assert "41.00 to 50.00 if 18 without a verdict were wrong, or right" in page


@pytest.mark.parametrize("model", FOLDERS)
def test_official_files_count_stored_errors_as_the_official_tool_does(
    model: str, staged: Path, tmp_path: Path
) -> None:
    """As answers, which are right where no call is wanted and none is quoted; a note has both scores."""
    _, accuracy, official = FOLDERS[model]
    write_results(tmp_path / "result", model, staged)
    source = Import(result_dir=tmp_path / "result", run="r", data=staged, models=None)
    import_run(source, tmp_path / "r", lambda _line: None)
    run = Run(tmp_path / "r", data=staged)
    aggregate_run(run, None, Rules.OFFICIAL)
    assert digest(tmp_path / "r/tables/official") == official
    rows = read_table(tmp_path / "r/tables/omitted.parquet").to_pylist()
    (row,) = (row for row in rows if (row["rules"], row["score"]) == ("official", "irrelevance"))
    assert (row["accuracy"], row["stored"], row["official"]) == (0.5, 3, accuracy)
    note = f"tables/official counts {3 * len(set(CATEGORIES + CONVERSATIONS)) if accuracy == 0.8 else 18} "
    assert f"{note}stored errors as answers" in terminal_table(run, Rules.OFFICIAL)
    assert "tables/official counts" not in terminal_table(run, Rules.CORRECTED)
