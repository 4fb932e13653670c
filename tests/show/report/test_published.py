"""Published scores beside a run: reading the files, and where their rows stand."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from datetime import date
from functools import partial
from pathlib import Path
from typing import Any

import pyarrow.parquet as pq
import pytest

from bfcl_pipeline.base.errors import ConfigError
from bfcl_pipeline.benchmark.config.published_scores import dates_as_text, identify_files
from bfcl_pipeline.runs.run import Run
from bfcl_pipeline.show.report.tables.published import copy_published, write_published
from bfcl_pipeline.show.report.v4_table import (
    published_cells,
    published_notes,
    published_rows,
    with_published,
)

SITE = """\
\ufeffModel,Rank,Overall Acc,Web Search Acc,Model Link,Extra,Total Cost ($)
Low (FC),2,12.5%,N/A,https://example.org,?,1.25
"High, Inc (FC)",1,77.47%,84.5%,,?,N/A
"""


def source(path: Path, text: str = SITE) -> dict[str, str]:
    """A file of the site, as the config names it."""
    path.write_text(text, encoding="utf-8")
    return {"path": str(path), "date": "2025-12-16", "source": "https://example.org/data.csv"}


def beside(
    cells: Sequence[Sequence[str]],
    overall: Sequence[float | None],
    published: Sequence[Mapping[str, Any]],
    headings: Sequence[str],
    scores: Mapping[str, str],
) -> list[Sequence[str]]:
    """The rows of the run with the published ones as the terminal has them."""
    made = partial(published_cells, headings=headings, scores=scores)
    return with_published(cells, overall, published, scores, made)


def test_columns_are_found_by_name_in_any_order(tmp_path: Path) -> None:
    """Unknown columns are ignored, missing ones are null, per cent become shares; highest first."""
    write_published(tmp_path, [source(tmp_path / "site.csv")])
    high, low = pq.read_table(tmp_path / "published.parquet").to_pylist()
    assert (high["display_name"], high["overall"], high["web_search"]) == ("High, Inc (FC)", 0.7747, 0.845)
    assert (high["cost_usd"], high["url"], high["published_rank"], high["live"]) == (None, None, 1, None)
    assert (low["web_search"], low["cost_usd"], low["file"]) == (None, 1.25, "site.csv")
    (tmp_path / "tables").mkdir()
    write_published(tmp_path / "tables", [source(tmp_path / "site.csv")])
    assert [row["overall"] for row in published_rows(Run(tmp_path))] == ["0.7747", "0.125"]


def test_a_copy_has_the_same_bytes(tmp_path: Path) -> None:
    """A replay writes the recorded table again."""
    write_published(tmp_path / "one", [source(tmp_path / "site.csv")])
    copy_published(tmp_path / "two", tmp_path / "one/published.parquet")
    for name in ("published.parquet", "published.csv"):
        assert (tmp_path / "one" / name).read_bytes() == (tmp_path / "two" / name).read_bytes()


def test_without_files_an_earlier_table_is_removed(tmp_path: Path) -> None:
    """What is no longer in the config is not shown."""
    write_published(tmp_path / "t", [source(tmp_path / "site.csv")])
    write_published(tmp_path / "t", [])
    assert not list((tmp_path / "t").iterdir())


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("Model,Score\nA,1\n", "no column 'Model', or none with scores, such as 'Overall Acc'"),
        ("Overall Acc\n1%\n", "no column 'Model'"),
        ("", "no column 'Model'"),
        ("Model,Overall Acc\nA,N/A\n", "model 1 has no score. Correct the file"),
        ("Model,Memory KV,Date\nA,1%,soon\n", "model 1 has no date (YYYY-MM-DD), or no source"),
        ("Model,Overall Acc\nA,good\n", "model 1, column 'Overall Acc': expected per cent, as 77.47%, got"),
        ("Model,Overall Acc\nA,101%\n", "got '101%'"),
        ("Model,Overall Acc\nA,nan%\n", "got 'nan%'"),
        ("Model,Overall Acc\n,7%\n", "column 'Model': expected a name"),
        ('Model,Overall Acc\n"A,7%\n', "not readable as CSV"),
        ("Model,Overall Acc, Overall Acc\nA,7%,8%\n", "column 'Overall Acc' is there twice"),
        ("Model,Overall Acc,Total Cost ($)\nA,7%,1e300\n", "column 'Total Cost ($)': expected a number"),
        ("Model,Overall Acc\n" + "A,7%\n" * 300_000, "more than 1,048,576 bytes"),
    ],
)
def test_a_file_in_another_form_is_refused(tmp_path: Path, text: str, message: str) -> None:
    """The message names the file, the place and what is expected."""
    with pytest.raises(ConfigError) as refused:
        write_published(tmp_path / "t", [source(tmp_path / "site.csv", text)])
    assert message in str(refused.value)
    assert "site.csv" in str(refused.value)
    assert not (tmp_path / "t").exists()
    with pytest.raises(ConfigError) as early:  # when the config is read
        identify_files([{"path": str(tmp_path / "site.csv"), "date": "2025-12-16", "source": "there"}])
    assert str(early.value) == str(refused.value)


def test_a_file_is_identified_by_its_content(tmp_path: Path) -> None:
    """A given sha256 must be that of the file; dates that YAML reads without quotes become texts."""
    one = source(tmp_path / "site.csv")
    (found,) = identify_files([one])
    assert identify_files([found]) == [found]
    source(tmp_path / "site.csv", SITE + "\n")
    with pytest.raises(ConfigError, match="expected sha256"):
        identify_files([found])
    (tmp_path / "site.csv").unlink()
    with pytest.raises(ConfigError, match=r"site\.csv: cannot be read"):
        identify_files([one])
    assert dates_as_text([{"date": date(2025, 12, 16)}, 3]) == [{"date": "2025-12-16"}, 3]
    assert dates_as_text("typed") == "typed"


def test_the_shipped_figures_have_their_sources(tmp_path: Path) -> None:
    """A row may have any score alone, with a date and a source of its own; such rows come last."""
    write_published(tmp_path / "tables", [{"path": "config/published_scores.csv"}])
    rows = pq.read_table(tmp_path / "tables/published.parquet").to_pylist()
    assert rows[0]["overall"] == 0.7747
    post = {row["display_name"]: row for row in rows if row["overall"] is None}
    assert [*post] == [row["display_name"] for row in rows[-3:]]
    sonnet = post["Claude 3 Sonnet"]
    memories = (sonnet["memory_kv"], sonnet["memory_vector"], sonnet["memory_rec_sum"], sonnet["memory"])
    assert memories == (0.5355, 0.6387, 0.6774, None)
    assert (sonnet["date"], "16_bfcl_v4_memory" in sonnet["source"]) == ("2025-07-17", True)
    texts = published_rows(Run(tmp_path))
    assert len(published_notes(texts)) == 2
    shown = beside([["1", "own", "50.00"]], [0.5], texts, ("#", "Model", "Mem"), {"memory": "Mem"})
    assert [row[1] for row in shown][9:] == ["Grok-4-0709 (FC)", "own"]  # no row without a shown score


def test_rows_stand_by_their_overall_and_without_a_rank(tmp_path: Path) -> None:
    """A model of the run stands before a published one with the same score; models without a score last."""
    write_published(tmp_path / "tables", [source(tmp_path / "site.csv")])
    rows = published_rows(Run(tmp_path))
    cells = [["1", "equal", "77.47", "new"], ["2", "low", "1.00", "new"], ["-", "none", "N/A", "new"]]
    headings = ("#", "Model", "Overall", "another column")
    shown = beside(cells, [0.7747, 0.01, None], rows, headings, {"overall": "Overall"})
    assert [row[1] for row in shown] == ["equal", "High, Inc (FC)", "Low (FC)", "low", "none"]
    assert shown[1] == ["P", "High, Inc (FC)", "77.47", ""]
    (note,) = published_notes(rows)
    assert "2 published rows" in note
    assert "site.csv of 2025-12-16, https://example.org/data.csv" in note
