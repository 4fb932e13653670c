"""The comparisons of a run on its page."""

from __future__ import annotations

from pathlib import Path

import pytest

from bfcl_pipeline.benchmark.records import Rules
from bfcl_pipeline.cli import main
from bfcl_pipeline.show.report.page.comparison import SHOWN
from tests.support.synthetic_run import MadeUpModel, Marks, made_up_tables, marks
from tests.support.written_run import page_of, section

HOSTILE = "<b>&"


@pytest.fixture
def run(tmp_path: Path) -> Path:
    """A run of three models with their tables."""
    models = [
        MadeUpModel("oracle", {"multiple": marks(8, 2), "parallel": marks(SHOWN + 5)}),
        MadeUpModel(
            "priced",
            {"multiple": Marks([True] * 7 + [False] * 2 + [True]), "parallel": marks(0, SHOWN + 5)},
        ),
        MadeUpModel(HOSTILE, {"multiple": marks(8, 2), "parallel": marks(SHOWN + 5)}),
    ]
    return made_up_tables(tmp_path, models)


def page(run: Path, *groups: str) -> str:
    """The page with the comparisons of some groups, as the workflow makes it."""
    tables = run / "tables"
    files = ["--out", str(tables / "comparisons.parquet"), "--flips", str(tables / "flips.parquet")]
    words = [word for group in groups for word in ("--group", *group.split())]
    assert main(["compare", str(run), *words, *files]) == 0
    return page_of(run)


def test_a_pair_has_its_differences_and_flips(run: Path) -> None:
    """The table has the difference with its interval; the ids of flips are folded, the first of many."""
    html = section(page(run, "oracle priced"), "comparisons")
    assert "Oracle (Prompt)" in html
    assert "-10.00" not in html
    assert ">+100.00<" in html
    assert f"Entries: {SHOWN + 6} that only Oracle (Prompt) has right, 1 that only priced has right" in html
    assert "multiple_9" in html
    assert f"parallel_{SHOWN - 1}</span></code> and 5 more" in html
    assert f"parallel_{SHOWN}<" not in html


def test_several_pairs_are_folded_with_their_overall(run: Path) -> None:
    """With more than one pair each table is folded beneath its overall difference."""
    html = section(page(run, "oracle priced", f"oracle {HOSTILE}"), "comparisons")
    assert html.count("<summary>") == 3
    assert "<b>" not in html
    assert "Oracle (Prompt) and &lt;b&gt;&amp;: overall 0.00 (" in html


def test_a_run_without_comparisons_has_no_section(run: Path) -> None:
    """The page of a run that compares nothing has neither the section nor a link to it."""
    html = page_of(run)
    assert "comparisons" not in html.partition("<body>")[2]


def test_comparisons_under_other_rules_are_left_out(run: Path) -> None:
    """The page shows the comparisons of its own rule set."""
    page(run, "oracle priced")
    assert section(page_of(run, Rules.CORRECTED), "comparisons") == ""
