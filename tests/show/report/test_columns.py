"""Every table of a run: its columns on disk and on the page, and that each column has values."""

from __future__ import annotations

import csv
import re
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any, cast

import pyarrow as pa
import pytest

from bfcl_pipeline.benchmark.definition import CATEGORIES, V4_CATEGORIES
from bfcl_pipeline.benchmark.errata import errata_of_id
from bfcl_pipeline.benchmark.records import AnswerClass, Rules
from bfcl_pipeline.benchmark.tables import read_table
from bfcl_pipeline.runs.run import Run
from bfcl_pipeline.show.report import v4_table
from bfcl_pipeline.show.report.page import scores, spec_tables
from bfcl_pipeline.show.report.page.render import render_page
from bfcl_pipeline.show.report.page.run_tables import RunTables, read_run_tables
from bfcl_pipeline.show.report.tables import errata_tables, spec
from bfcl_pipeline.show.report.tables import leaderboard as leaderboard_table
from bfcl_pipeline.show.report.tables.all_tables import TABLES
from tests.support.agentic_run import write_agentic_run
from tests.support.changed_tables import with_rows
from tests.support.column_docs import PAGE, document
from tests.support.executable_run import executable_models
from tests.support.made_up_models import typical_models
from tests.support.synthetic_run import MadeUpModel, Marks, made_up_tables, marks

WITHOUT_VALUES = {
    "omitted": {"official"},  # needs the checkers of the staged release: test_omitted.py
    "intervals": {"scenario_low", "scenario_high"},  # needs two memory scenarios, as the golden runs have
    "memory_questions": {"abstained"},  # needs classes of answers: test_memory_questions.py
    "executable": {"with_requests", "simulated"},  # needs staged entries: test_executable.py
}
"""Columns that no run of this module fills; every other column has a value in one of them."""


def varied_models() -> list[MadeUpModel]:
    """Trials, prices, classes of answers, unread calls, a listed defect, and a model without an answer."""
    classed = Marks([True, False], classes=[AnswerClass.ABSTAINED_IN_WORDS, AnswerClass.CALLED], unread=[1])
    remembered = Marks([True, False], classes=[AnswerClass.RIGHT, AnswerClass.WRONG])
    searched = Marks([True], classes=[AnswerClass.RIGHT])
    asked = {"irrelevance": classed, "memory_kv": remembered, "web_search_base": searched}
    measured: dict[str, Any] = {
        "latencies": {"irrelevance": [1.0, 2.5]},
        "tokens": {"irrelevance": [(10, 1), (20, 2)]},
        "ends": {"irrelevance": ["stop", "length"]},
        "webs": {"web_search_base": "simulated"},
    }
    return [
        MadeUpModel("priced", asked, **measured),
        MadeUpModel("priced~2", {**asked, "memory_kv": marks(2)}, **measured),
        MadeUpModel("oracle", {name: marks(38, 2) for name in V4_CATEGORIES if CATEGORIES[name].scored}),
        MadeUpModel("similar", {name: marks(37, 3) for name in V4_CATEGORIES if CATEGORIES[name].scored}),
        MadeUpModel("dead", {"simple_python": marks(0, 0, 2)}),
    ]


@pytest.fixture(scope="module")
def runs(tmp_path_factory: pytest.TempPathFactory) -> list[Path]:
    """A run on memory and web search, one with categories of V1, and two of all else; read-only."""
    listed = next(
        name for name in (f"simple_python_{number}" for number in range(40)) if errata_of_id(name)
    )
    own = tuple(replace(one, record="mine.yaml, record 1") for one in errata_of_id(listed))
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(errata_tables, "own_errata", lambda: own)
        patch.setattr(errata_tables, "errata_of_id", lambda entry_id, base=None: own)
        varied = made_up_tables(tmp_path_factory.mktemp("varied"), varied_models())
    return [
        write_agentic_run(tmp_path_factory.mktemp("agentic")),
        made_up_tables(tmp_path_factory.mktemp("executable"), executable_models()),
        made_up_tables(tmp_path_factory.mktemp("typical"), typical_models()),
        varied,
    ]


OF_RUNS = [name for name, table in TABLES.items() if table.rows or table.of_model]
"""All tables but those that steps of their own write."""


def written(runs: list[Path], name: str) -> Iterator[pa.Table]:
    """The table of each run that has it; CSV and Parquet agree on columns and number of rows."""
    for run in runs:
        path = run / "tables" / f"{name}.parquet"
        if path.exists():
            table = read_table(path)
            with path.with_suffix(".csv").open(newline="", encoding="utf-8") as lines:
                header, *body = csv.reader(lines)
            assert header == table.column_names
            assert len(body) == len(table)
            yield table


@pytest.mark.parametrize("name", OF_RUNS)
def test_every_column_is_as_its_spec_says_and_has_a_value_somewhere(runs: list[Path], name: str) -> None:
    """A column that is null in every row of all runs is not filled by the function that makes the rows."""
    tables = list(written(runs, name))
    assert tables
    filled = set()
    for table in tables:
        is_unranked = name == "leaderboard" and table["rank"].null_count
        schema = leaderboard_table.with_unranked(table).schema if is_unranked else TABLES[name].schema
        assert table.schema.equals(schema, check_metadata=True)
        filled |= {column for column in table.column_names if table[column].null_count < len(table)}
    assert {column.name for column in TABLES[name].columns} - filled == WITHOUT_VALUES.get(name, set())


def test_rows_that_do_not_fit_the_columns_are_refused() -> None:
    """A value without a column would be lost, and a column without its value would be null."""
    table = spec.TableSpec("t", "A row.", [spec.count("known", "."), spec.count("maybe?", ".")])
    assert table.row({"known": 1}) == {"known": 1, "maybe": None}
    with pytest.raises(KeyError, match="no column unknown"):
        table.row({"known": 1, "unknown": 2})
    with pytest.raises(KeyError, match="known"):
        table.row({"maybe": 1})


@pytest.fixture
def tables(runs: list[Path]) -> RunTables:
    """The tables of a run with all kinds of marks."""
    return read_run_tables(Run(runs[2]), Rules.OFFICIAL)


def test_a_column_with_a_heading_is_on_the_page(tables: RunTables, monkeypatch: pytest.MonkeyPatch) -> None:
    """Published rows may not have it; it is left out if no row of the run has a value."""
    asked = spec.count("entries", ".", heading="Asked", tooltip="of all categories")
    empty = spec.share("nowhere?", ".", heading="Nowhere")
    monkeypatch.setattr(scores, "_OTHERS", [asked, empty])
    published = dict.fromkeys(TABLES["published"].schema.names) | {"display_name": "P", "overall": 1.0}
    assert "entries" not in published
    table = scores.leaderboard(with_rows(tables, published=[published]))
    titles = [cell.plain_text for cell in table.head[-1]]
    place = titles.index("Asked")
    assert "Nowhere" not in [*titles, *table.left_out]
    assert table.head[-1][place].title == "of all categories"
    cells = {row[1].plain_text.partition(" ")[0]: row[place].plain_text for row in table.rows}
    assert (cells["A"], cells["P"]) == ("4", "N/A")


def test_a_column_with_a_short_heading_is_in_the_terminal(
    runs: list[Path], monkeypatch: pytest.MonkeyPatch
) -> None:
    """And so in LaTeX and Markdown, after the scores; published rows are empty there."""
    board = TABLES["leaderboard"]
    columns = [
        replace(column, short="Std" if column.name == "latency_std_seconds" else column.short)
        for column in board.columns
    ]
    monkeypatch.setattr(v4_table, "LEADERBOARD", replace(board, columns=columns))
    monkeypatch.setattr(v4_table, "HEADINGS", (*v4_table.HEADINGS, "Std"))
    rows = v4_table.read_v4_table(Run(runs[2]), Rules.OFFICIAL).rows
    assert {row[1].partition(" ")[0]: row[-1] for row in rows}["A"] == "1.00"
    published = {"display_name": "P", "overall": "0.5"}
    assert v4_table.published_cells(published, ("#", "Model", "Std"), {"live": "Live"}) == ["P", "P", ""]


@pytest.mark.parametrize(("section", "title"), [("errors", "Errors"), ("coverage", "What was answered")])
def test_a_table_with_a_view_has_its_place_on_the_page(
    tables: RunTables, monkeypatch: pytest.MonkeyPatch, section: str, title: str
) -> None:
    """At the end of a section of the page, or in one of its own, with its text and its headings."""
    view = spec.View(section, "Statuses", "What became of the entries.", "What was answered")
    columns = [spec.MODEL, spec.CATEGORY, spec.count("entries", ".", heading="Asked")]
    coverage = replace(TABLES["coverage"], columns=columns, view=view)
    monkeypatch.setitem(cast("dict[str, spec.TableSpec]", TABLES), "coverage", coverage)
    monkeypatch.setattr(spec_tables, "TABLES", TABLES)
    page = render_page(tables)
    part = page[page.index(f'<section id="{section}">') :].split("</section>")[0]
    assert f"<h2>{title}</h2>" in part
    assert part.index("What became of the entries.") < part.index('aria-label="Statuses"')
    assert re.search(r">Model</th>.*>Category</th>.*>Asked</th>", part[part.index("Statuses") :])
    assert f'<a href="#{section}">{title}</a>' in page


def test_the_documentation_is_up_to_date() -> None:
    """docs/tables.md has the tables that `python -m tests.support.column_docs` writes."""
    page = PAGE.read_text(encoding="utf-8")
    assert page == document(page)
