"""Clustered intervals in the tables of a run, on its page and in the terminal."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from bfcl_pipeline.benchmark.records import Mode, Rules
from bfcl_pipeline.judge.scoring.statistics.clustered import wilson
from bfcl_pipeline.runs.run import Run
from bfcl_pipeline.show.report.page.memory import memory_accuracy
from bfcl_pipeline.show.report.page.run_tables import read_run_tables
from bfcl_pipeline.show.report.terminal import terminal_table
from tests.support.changed_tables import with_rows
from tests.support.synthetic_run import MadeUpModel, Marks, made_up_tables, marks
from tests.support.written_run import page_of, rows

VARIANTS = ("base", "miss_func", "miss_param", "long_context")


@pytest.fixture(scope="module")
def run(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A model whose four variants of each scenario have equal verdicts, and one without some answers."""
    same = Marks([number % 3 > 0 for number in range(30)])
    formats = Marks([index < 26 for index in range(52)])
    models = [
        MadeUpModel(
            "same",
            {
                **{f"multi_turn_{name}": same for name in VARIANTS},
                "simple_python": marks(3, 5),
                "format_sensitivity": formats,
            },
            Mode.PROMPT,
        ),
        MadeUpModel("gaps", {"simple_python": marks(2, 4, 2)}),
    ]
    return made_up_tables(tmp_path_factory.mktemp("intervals"), models)


def test_a_group_of_equal_variants_is_as_uncertain_as_one(run: Path) -> None:
    """The multi-turn interval of the leaderboard counts the four variants of a scenario together."""
    (row,) = rows(run, "leaderboard", model="same", rules="official")
    limits = wilson(20 / 30, 30)
    interval = (row["multi_turn_ci_low"], row["multi_turn_ci_high"])
    assert interval == pytest.approx((limits.low, limits.high), abs=1e-9)
    (found,) = rows(run, "intervals", model="same", rules="official", score="multi_turn")
    assert (found["entries"], found["clusters"], found["design_effect"]) == (120, 30, pytest.approx(4))
    assert (found["ci_low"], found["ci_high"], found["accuracy"]) == (*interval, row["multi_turn"])


def test_categories_have_their_clusters_and_design_effects(run: Path) -> None:
    """All restatements of an entry are one cluster; unanswered entries are in none."""
    (formats,) = rows(run, "categories", model="same", rules="official", category="format_sensitivity")
    assert (formats["answered"], formats["clusters"]) == (52, 2)
    assert formats["design_effect"] > 26
    (gaps,) = rows(run, "categories", model="gaps", rules="official", category="simple_python")
    assert (gaps["answered"], gaps["clusters"], gaps["design_effect"]) == (6, 6, 1.0)
    limits = wilson(2 / 6, 6)
    assert (gaps["ci_low"], gaps["ci_high"]) == pytest.approx((limits.low, limits.high), abs=1e-12)


def test_intervals_has_a_row_for_each_score_with_verdicts(run: Path) -> None:
    """Groups from the overall on, then categories; none for what was not evaluated."""
    found = [row["score"] for row in rows(run, "intervals", model="gaps", rules="official")]
    assert found == ["overall", "non_live", "simple_ast", "simple_python"]
    assert {row["scenario_low"] for row in rows(run, "intervals")} == {None}


def test_every_interval_contains_its_score(run: Path) -> None:
    """Also where sums in another order are rounded differently, as for perfect scores."""
    for row in rows(run, "intervals"):
        assert 0 <= row["ci_low"] <= row["accuracy"] <= row["ci_high"] <= 1


def test_the_page_shows_design_effects_and_says_what_intervals_count(run: Path) -> None:
    """A folded table of the scores with clusters, tooltips of the heat map, and the note on intervals."""
    page = page_of(run)
    folded = page[page.index("<summary>Design effects") :].split("</table>")[0]
    assert "120 entries in 30 clusters, as precise as 30 independent entries" in folded
    assert re.findall(r"<th[^>]*><span>([a-z_]+)</span>", folded) == [
        "overall",
        "multi_turn",
        "format_sensitivity",
    ]
    assert "; 2 clusters, design effect" in page
    assert "count together" in page


def test_the_terminal_says_that_entries_of_a_scenario_count_together(run: Path) -> None:
    """One note beneath the table; of a sample, one more on the intervals of the whole benchmark."""
    text = terminal_table(Run(run), Rules.OFFICIAL)
    assert "; intervals count entries of one scenario together." in text
    assert "For the overall of all entries of this benchmark, the intervals are \N{PLUS-MINUS SIGN}" in text
    assert "If it had other APIs, function docs and memory scenarios, those of the overall" in text


def test_memory_has_a_column_without_single_scenarios(run: Path) -> None:
    """Each row of memory on the page has the range of its accuracy with one scenario left out."""
    tables = read_run_tables(Run(run), Rules.OFFICIAL)
    counts = {"answered": 2, "correct": 1, "accuracy": 0.5, "ci_low": 0.1, "ci_high": 0.9}
    domains = [
        {"model": "same", "category": "memory_kv", "scenario": name, **counts}
        for name in ("customer", "student")
    ]
    known = {"model": "same", "score": "memory_kv", "scenario_low": 0.25, "scenario_high": 0.75}
    shown = memory_accuracy(with_rows(tables, memory_domains=domains, intervals=[known]))
    assert shown is not None
    assert [cell.text for cell in shown.head[0]][2:] == ["customer", "student", "Without one"]
    assert shown.rows[0][-1].text == "25.0\N{EN DASH}75.0"
