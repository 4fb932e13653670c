"""The columns on ranks in the table, the terminal, the page and the exports."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

import pyarrow.parquet as pq
import pytest

from bfcl_pipeline.benchmark.records import Rules
from bfcl_pipeline.runs.run import Run
from bfcl_pipeline.share.exports.forms import ExportOptions, export_run
from bfcl_pipeline.show.compare.compare import Comparer
from bfcl_pipeline.show.compare.sides import Choice, read_sides
from bfcl_pipeline.show.report.tables.leaderboard import RANK_COLUMNS
from bfcl_pipeline.show.report.terminal import terminal_table
from bfcl_pipeline.show.report.v4_table import GROUP_NOTE
from tests.support.synthetic_run import MadeUpModel, Marks, made_up_tables, marks
from tests.support.written_run import page_of

NAMES = [column.name for column in RANK_COLUMNS]


def answers(right: int, wrong: int, places: int = 100) -> Marks:
    """As many right as `right`, but for the first `wrong` entries, of so many entries."""
    return Marks([wrong <= place < wrong + right for place in range(places)])


@pytest.fixture(scope="module")
def models() -> list[MadeUpModel]:
    """Two models of about 90 %, one of 50 % and one without verdicts."""
    return [
        MadeUpModel("good", {"simple_python": answers(92, 8)}),
        MadeUpModel("similar", {"simple_python": answers(90, 0)}),
        MadeUpModel("poor", {"simple_python": answers(50, 25)}),
        MadeUpModel("silent", {"simple_python": marks(0, 0, 100)}),
    ]


@pytest.fixture(scope="module")
def run(tmp_path_factory: pytest.TempPathFactory, models: list[MadeUpModel]) -> Path:
    """A run of these models; read-only."""
    return made_up_tables(tmp_path_factory.mktemp("ranks"), models)


def ranks(run: Path, rules: str = "official") -> dict[str, list[Any]]:
    """The columns of each model under one rule set."""
    rows = pq.read_table(run / "tables" / "leaderboard.parquet").to_pylist()
    return {row["model"]: [row[name] for name in NAMES] for row in rows if row["rules"] == rules}


def test_similar_models_share_a_group_and_ranks(run: Path) -> None:
    """Models of 92 and 90 % may have either rank; that of 50 % is third; one without verdicts has none."""
    found = ranks(run)
    assert {name: columns[:3] for name, columns in found.items()} == {
        "good": [1, 2, 1],
        "similar": [1, 2, 1],
        "poor": [3, 3, 2],
        "silent": [None, None, None],
    }
    assert found["silent"][3] is found["poor"][3] is None


def test_the_detectable_difference_is_that_of_compare(run: Path) -> None:
    """The table has for a model and the next what the comparison of the two states."""
    numbering, sides = read_sides([Choice(Run(run), "good"), Choice(Run(run), "similar")], Rules.OFFICIAL)
    overall = Comparer(numbering, Rules.OFFICIAL).compare(*sides).of("overall")
    assert overall is not None
    assert ranks(run)["good"][3] == overall.detectable == 0.000966


def test_ranks_say_no_more_than_compare(tmp_path: Path) -> None:
    """Four entries that only one model has right do not separate two models, nor do five."""
    for wrong in (4, 5, 6):
        pair = [
            MadeUpModel("all", {"simple_python": marks(400)}),
            MadeUpModel("less", {"simple_python": marks(400 - wrong, wrong)}),
        ]
        (tmp_path / str(wrong)).mkdir()
        found = ranks(made_up_tables(tmp_path / str(wrong), pair))
        assert [columns[:3] for columns in found.values()] == (
            [[1, 1, 1], [2, 2, 2]] if wrong == 6 else [[1, 2, 1], [1, 2, 1]]
        )


def test_a_single_model_has_no_interval_of_its_rank(tmp_path: Path) -> None:
    """Nothing can be compared with it: its columns are null and nothing is shown."""
    run = made_up_tables(tmp_path, [MadeUpModel("alone", {"simple_python": answers(60, 0)})])
    assert ranks(run) == {"alone": [None] * 4}
    text = terminal_table(Run(run), Rules.OFFICIAL)
    assert text.splitlines()[2].startswith("1  alone")
    assert "Smallest overall difference" not in text


def test_every_rule_set_has_its_own_ranks(tmp_path: Path) -> None:
    """A difference that only the corrected rules show changes only the ranks under these rules."""
    right = [True] * 100
    same, better = Marks(right[:50] + [False] * 50), Marks(right[:50] + [False] * 50, right)
    run = made_up_tables(
        tmp_path,
        [MadeUpModel("a", {"simple_python": same}), MadeUpModel("b", {"simple_python": better})],
    )
    assert [columns[:3] for columns in ranks(run).values()] == [[1, 2, 1], [1, 2, 1]]
    assert ranks(run, "corrected")["b"][:3] == [1, 1, 1]
    assert ranks(run, "corrected")["a"][:3] == [2, 2, 2]


def test_the_terminal_shows_intervals_groups_and_the_smallest_difference(run: Path) -> None:
    """The interval is beside the rank, a line stands between groups, and the notes say what they mean."""
    lines = terminal_table(Run(run), Rules.OFFICIAL, 80).splitlines()
    starts = [line[:9].rstrip() for line in lines[2:7]]
    assert starts == ["1 (1–2)", "2 (1–2)", "· · · · ·", "3 (3)", "–"]
    assert max(map(len, lines)) <= 80
    text = " ".join(" ".join(lines).split())
    said = (
        r"that this run could show \(80 % power\): 0\.1\d points \(median of neighbours; 0\.10 to 0\.1\d\)"
    )
    assert re.search(f"Smallest overall difference {said}", text)
    assert GROUP_NOTE in text


def test_models_with_other_categories_are_compared_as_shown(tmp_path: Path) -> None:
    """What a model did not run counts 0 in the comparison, and a note says so."""
    run = made_up_tables(
        tmp_path,
        [
            MadeUpModel("both", {"simple_python": answers(80, 0), "irrelevance": answers(80, 0)}),
            MadeUpModel("one", {"simple_python": answers(90, 0)}),
        ],
    )
    assert {name: columns[:2] for name, columns in ranks(run).items()} == {"both": [1, 1], "one": [2, 2]}
    assert "categories that a model did not run count 0" in terminal_table(Run(run), Rules.OFFICIAL)


def test_the_page_shows_intervals_and_marks_groups(run: Path) -> None:
    """The interval is beneath the rank; the first model of a group has a class and a tooltip."""
    page = page_of(run)
    cells = re.findall(
        r'<td class="(rank[^"]*)"[^>]*?(?:title="([^"]*)")?>([^<]*)(?:<small>([^<]*))?', page
    )
    assert [(style, text, note) for style, _, text, note in cells] == [
        ("rank", "1", "1–2"),
        ("rank", "2", "1–2"),
        ("rank begins", "3", "3"),
        ("rank", "–", ""),
    ]
    assert "shown to be worse than the first model of the group above" in cells[2][1]
    assert "Smallest overall difference that this run could show (80 % power)" in page
    assert GROUP_NOTE in page


def test_exports_have_the_interval_of_the_rank(run: Path, tmp_path: Path) -> None:
    """LaTeX and Markdown have it beside the rank; LaTeX draws the lines between groups."""
    texts = {}
    for form in ("latex", "markdown"):
        out = tmp_path / form
        export_run(Run(run), form, ExportOptions(out), lambda line: None)
        texts[form] = out.read_text(encoding="utf-8")
    assert "2 (1--2) & similar (FC) & " in texts["latex"]
    assert [texts["latex"].count(mark) for mark in (r"\cmidrule", "Below a line")] == [1, 1]
    assert "| 2 (1–2) | similar (FC) |" in texts["markdown"]
    assert all("Smallest overall difference" in text for text in texts.values())
