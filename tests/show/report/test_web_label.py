"""Scores from a web that is not the real one are marked everywhere, and are in no official file."""

from __future__ import annotations

import csv
import re
from pathlib import Path
from typing import Any

import pyarrow.parquet as pq
import pytest

from bfcl_pipeline.base.errors import TableError
from bfcl_pipeline.benchmark.config.job import WEB_MODES
from bfcl_pipeline.benchmark.records import Rules
from bfcl_pipeline.runs.run import Run
from bfcl_pipeline.runs.web_label import (
    UNKNOWN,
    UNREAL,
    join_webs,
    mark,
    note,
    score_mark,
)
from bfcl_pipeline.show.report.tables.aggregate_run import aggregate_run
from bfcl_pipeline.show.report.terminal import terminal_table
from tests.support.synthetic_run import MadeUpModel, made_up_tables, marks
from tests.support.written_run import page_of

WEBS = ("web_search_base", "web_search_no_snippet")


def searching(name: str, web: str | None) -> MadeUpModel:
    asked = {"web_search_base": marks(3, 1), "web_search_no_snippet": marks(1, 1), "multiple": marks(1)}
    latencies = {"web_search_base": [9.0] * 4, "web_search_no_snippet": [9.0] * 2, "multiple": [1.0]}
    webs = dict.fromkeys(WEBS, web) if web else {}
    return MadeUpModel(name, asked, latencies=latencies, webs=webs)


@pytest.fixture(scope="module")
def run(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A model for each web, one without a recorded web, and one without web categories."""
    models = [searching(web, web) for web in WEB_MODES]
    models += [searching("untold", None), MadeUpModel("asks-not", {"multiple": marks(1)})]
    return made_up_tables(tmp_path_factory.mktemp("webs"), models)


def official(run: Path, name: str) -> dict[str, dict[str, str]]:
    with (run / "tables" / "official" / name).open(newline="", encoding="utf-8") as lines:
        return {row["Model"]: row for row in csv.DictReader(lines)}


def leaderboard(run: Path) -> dict[str, dict[str, Any]]:
    rows = pq.read_table(run / "tables" / "leaderboard.parquet").to_pylist()
    return {row["model"]: row for row in rows if row["rules"] == "official"}


def test_every_web_is_either_real_or_marked() -> None:
    """The modes simulated and off and an unrecorded web are marked; the others are the real web."""
    assert {*UNREAL} - {UNKNOWN} < {*WEB_MODES}
    assert mark(UNKNOWN)
    assert {web for web in WEB_MODES if not mark(web)} == {"record", "replay", "live"}


def test_several_webs_are_joined_in_one_column() -> None:
    """Each web is named once, in alphabetical order; one that is not real marks them all."""
    webs = join_webs(["simulated", "replay", "simulated"])
    assert webs == "replay, simulated"
    assert mark(webs) == "†"
    assert join_webs([]) is None


def test_only_scores_that_contain_web_search_are_marked(run: Path) -> None:
    """Web search, agentic and overall are marked if they were evaluated; other scores are not."""
    row = leaderboard(run)["simulated"]
    marked = [name for name in ("overall", "agentic", "web_search", *WEBS, "memory", "non_live")
              if score_mark(row, name, row["web"])]  # fmt: skip
    assert marked == ["overall", "agentic", "web_search", *WEBS]
    assert not score_mark(leaderboard(run)["asks-not"], "overall", "simulated")


def test_the_note_names_the_webs_that_are_not_real() -> None:
    """There is one note for all marks, and none if nothing is marked."""
    assert note(["simulated"]) == ("† simulated web, not the real one: not comparable with the leaderboard")
    assert note(["off", None, "live"]) == "† no web tools: not comparable with the leaderboard"
    assert note(["replay", None]) == ""


def test_the_leaderboard_table_has_the_web(run: Path) -> None:
    """The column `web` names the web of each model that searched; the score itself is unchanged."""
    found = leaderboard(run)
    assert {name: row["web"] for name, row in found.items()} == {
        **{web: web for web in WEB_MODES},
        "untold": None,
        "asks-not": None,
    }
    assert found["simulated"]["web_search"] == found["live"]["web_search"] == 0.625


def test_official_files_have_no_number_from_an_unreal_web(run: Path) -> None:
    """Its categories are N/A there, count 0 in the overall, and their latency is left out."""
    agentic, overall = official(run, "data_agentic.csv"), official(run, "data_overall.csv")
    for web in WEB_MODES:
        row = agentic[web]
        shown = [row["Web Search Base"], row["Web Search Summary"], row["Agentic Overall Acc"]]
        assert shown == (["N/A", "N/A", "0.00%"] if web in UNREAL else ["75.00%", "62.50%", "31.25%"])
    assert overall["simulated"]["Overall Acc"] == overall["asks-not"]["Overall Acc"] == "2.50%"
    assert overall["live"]["Overall Acc"] == overall["untold"]["Overall Acc"] == "15.00%"
    assert overall["simulated"]["Latency Mean (s)"] == "1.0"
    assert overall["live"]["Latency Mean (s)"] == str(round(55 / 7, 2))


def test_the_terminal_has_marks_and_a_note(run: Path) -> None:
    """Overall and Web have a dagger if the web was not real, and the note explains it."""
    text = terminal_table(Run(run), Rules.OFFICIAL)
    lines = {line.split()[2]: line.split() for line in text.splitlines() if re.match(r"\d", line)}
    assert {name: line.count("62.50†") for name, line in lines.items()} == {
        **{web: int(web in UNREAL) for web in WEB_MODES},
        "untold": 0,
        "asks-not": 0,
    }
    assert lines["simulated"][4] == "15.00*†"
    assert lines["live"][4] == "15.00*"
    assert "\n† simulated web, not the real one, or no web tools: not comparable" in text


def test_the_page_marks_every_number_of_an_unreal_web(run: Path) -> None:
    """The leaderboard, the heat map and the examples have marks; the top names the webs and explains."""
    page = page_of(run)
    assert "<dd>live, off, record, replay, simulated†</dd>" in page
    tables = 1 + len(Rules)  # the leaderboard, and each rule set in the scores by rules
    unreal = sum(web in UNREAL for web in WEB_MODES)
    assert page.count(">75.0†<") == unreal
    assert page.count(">62.50†<") == page.count(">15.00*†<") == tables * unreal
    assert page.count(">62.50<") == tables * (len(WEB_MODES) + 1 - unreal)
    assert "web_search_base†</td>" in page
    assert "counts as not evaluated." in page


def test_a_page_of_real_webs_has_no_mark(tmp_path: Path) -> None:
    """The web is named without a mark or a notice."""
    run = made_up_tables(tmp_path, [searching("m", "replay")])
    page = page_of(run)
    assert "<dd>replay</dd>" in page
    assert "†" not in page


def test_responses_without_a_web_are_refused(tmp_path: Path) -> None:
    """The error names the file and the column."""
    run = made_up_tables(tmp_path, [searching("m", "simulated")])
    for path in (run / "responses" / "m").iterdir():
        pq.write_table(pq.read_table(path).drop_columns(["web"]), path)
    with pytest.raises(TableError, match="column 'web' is missing"):
        aggregate_run(Run(run, data=tmp_path / "data"), tmp_path / "models.yaml", Rules.OFFICIAL)
