"""`bfcl-pipeline categories`: what the benchmark tests."""

from __future__ import annotations

from pathlib import Path

import pytest

from bfcl_pipeline.benchmark.definition import GROUPS, V4_CATEGORIES
from bfcl_pipeline.cli import main


def printed(capsys: pytest.CaptureFixture[str], *words: str) -> str:
    """What the command prints."""
    assert main(["categories", *words]) == 0
    return capsys.readouterr().out


def test_every_category_is_a_row(staged: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """The first table has the version, entries, weight, purpose and example of each category of V4."""
    lines = printed(capsys, "--data", str(staged)).splitlines()
    assert lines[0].split() == ["category", "since", "entries", "weight", "tests", "example"]
    rows = lines[1 : lines.index("")]
    assert [row.split()[0] for row in rows] == list(V4_CATEGORIES)
    assert rows[0].split()[1:5] == ["V1", "400", "0.83", "%"]
    assert "one call of the one Python function" in rows[0]
    assert "Find the area of a triangle" in rows[0]
    assert rows[-1].split()[1:4] == ["V4", "5,200", "-"]
    assert "V4 totals do not compare with V3's" in " ".join(lines)


def test_the_retired_categories_have_a_table_of_their_own(
    staged: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """The second table has the group executable, without weights, after a line that says what it is."""
    _, table, *_ = printed(capsys, "--data", str(staged)).split("\n\n")[0:3]
    about, rows = table.split("\ncategory ")
    assert "dropped" in about
    assert "in no score of V4" in " ".join(about.split())
    assert [row.split()[0] for row in rows.splitlines()[1:]] == list(GROUPS["executable"])
    assert all(" - " in row for row in rows.splitlines()[1:])
    one = " ".join(printed(capsys, "rest", "--data", str(staged)).split())
    assert "Weight in no score Retired Group executable" in one


def test_without_the_release_there_are_no_examples(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """The command needs nothing staged."""
    lines = printed(capsys, "--data", str(tmp_path)).splitlines()
    assert lines[0].split() == ["category", "since", "entries", "weight", "tests"]
    assert "Example" not in printed(capsys, "multiple", "--data", str(tmp_path))


def test_one_category_is_described(staged: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """A name gives the composition, the weight, the groups and the command that shows the example."""
    text = printed(capsys, "web_search_base", "--data", str(staged))
    assert "100: 27 of 2 hops, 33 of 3 hops, 39 of 4 hops, 1 of 5 hops" in text
    assert "10.00 % of the overall score" in text
    assert "all, all_scoring, agentic, web_search" in text
    assert "bfcl-pipeline show web_search_base_5" in text
    assert "How many floors" in text


def test_a_group_describes_its_categories(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """Each category of a group is described, in the order of the benchmark."""
    text = printed(capsys, "memory", "--data", str(tmp_path))
    assert [line for line in text.splitlines() if line and line[0] != " "] == list(GROUPS["memory"])
    assert " ".join(text.split()).count("after 37 sessions that are not scored") == 3


def test_a_name_of_an_earlier_version_is_explained(capsys: pytest.CaptureFixture[str]) -> None:
    """Names of V1 are refused with those of today."""
    assert main(["categories", "simple"]) == 1
    assert "It is 'simple_python' now." in capsys.readouterr().err
    assert main(["categories", "executable_simple"]) == 1
    assert "It is 'exec_simple' now." in capsys.readouterr().err
