"""Web questions joined one by one."""

from __future__ import annotations

from pathlib import Path

import pytest
import yaml

from bfcl_pipeline.base.errors import TableError
from bfcl_pipeline.benchmark.records import Rules
from bfcl_pipeline.judge.scoring.statistics.paired import difference_limits
from bfcl_pipeline.runs.run import Run
from bfcl_pipeline.show.compare.question_forms import questions_text
from bfcl_pipeline.show.compare.questions import HopScores, WebQuestions, read_hops, web_questions
from bfcl_pipeline.show.compare.sides import Choice, read_sides
from tests.support.run_form import recorded
from tests.support.synthetic_run import MadeUpModel, Marks, write_run

BASE, NO_SNIPPET = "web_search_base", "web_search_no_snippet"
HOPS = {"web_search:0": 2, "web_search:1": 2, "web_search:2": 3, "web_search:3": 3}


def made(folder: Path, web: str = "simulated", failing: float = 0, **marks: list[bool | None]) -> Choice:
    """A run of one model with these verdicts by category."""
    model = MadeUpModel(
        "m", {name: Marks(valid) for name, valid in marks.items()}, webs=dict.fromkeys(marks, web)
    )
    write_run(folder, [model])
    (folder / "config.yaml").write_text(recorded(yaml.safe_dump({"web": web, "fetch_failures": failing})))
    return Choice(Run(folder))


def joined(*choices: Choice) -> WebQuestions:
    numbering, sides = read_sides(choices, Rules.OFFICIAL)
    return web_questions(numbering, sides, Rules.OFFICIAL, HOPS)


def test_a_model_is_compared_with_itself_without_snippets(tmp_path: Path) -> None:
    """Questions are joined by number; those that only one of the categories has right are listed."""
    found = joined(
        made(tmp_path / "r", **{BASE: [True, True, False, False], NO_SNIPPET: [True, False, True, False]})
    )
    assert [column.category for column in found.columns] == [BASE, NO_SNIPPET]
    assert found.scores == (
        HopScores(2, 2, (2, 1)),
        HopScores(3, 2, (0, 1)),
        HopScores(None, 4, (2, 2)),
    )
    (difference,) = found.differences
    assert difference.only_first == (f"{BASE}_1",)
    assert difference.only_second == (f"{NO_SNIPPET}_2",)
    assert difference.difference == 0
    limits = difference_limits(1, 1, 4, 4)
    assert (difference.limits.low, difference.limits.high) == pytest.approx((limits.low, limits.high))
    assert "(only without snippets): 1 question: web_search_no_snippet_2." in questions_text(found, 5)


def test_three_failure_rates_are_three_columns(tmp_path: Path) -> None:
    """Several runs are one table; each is compared with the first."""
    runs = [
        made(tmp_path / f"f{share}", failing=share, **{BASE: [True] * (4 - wrong) + [False] * wrong})
        for wrong, share in enumerate((0, 0.5, 1))
    ]
    found = joined(*runs)
    assert found.scores[-1] == HopScores(None, 4, (4, 3, 2))
    assert [(each.first, each.second, list(map(str, each.settings))) for each in found.differences] == [
        (0, 1, ["fetches that are made to fail: 0 % / 50 %"]),
        (0, 2, ["fetches that are made to fail: 0 % / 100 %"]),
    ]
    text = questions_text(found, 1)
    assert "B: f0.5:m, web_search_base (simulated web, 50 % of fetches fail)" in text
    assert "Only A right: 2 questions: web_search_base_2, and 1 more" in text


def test_what_a_model_knows_without_tools_is_listed(tmp_path: Path) -> None:
    """Questions right without web tools are named, those that are right with tools, too."""
    tools = made(tmp_path / "on", **{BASE: [True, True, False, False]})
    none = made(tmp_path / "off", web="off", **{BASE: [True, False, True, False]})
    found = joined(tools, none)
    assert found.without_tools == {1: (f"{BASE}_0", f"{BASE}_2")}
    assert "B right without web tools, so from memory: 2 questions" in questions_text(found, 5)


def test_runs_of_different_categories_are_joined(tmp_path: Path) -> None:
    """A run with snippets and one without are compared, although they have no entry in common."""
    found = joined(
        made(tmp_path / "base", **{BASE: [True, False]}),
        made(tmp_path / "bare", **{NO_SNIPPET: [False, False]}),
    )
    assert [list(map(str, each.settings)) for each in found.differences] == [["snippets: on / off"]]


def test_a_question_without_a_verdict_is_left_out_of_every_column(tmp_path: Path) -> None:
    """Only questions with a verdict in every column count, and the others are counted."""
    found = joined(
        made(tmp_path / "a", **{BASE: [True, None, True, True]}), made(tmp_path / "b", **{BASE: [True] * 3})
    )
    assert (found.scores[-1].questions, found.left_out) == (2, 2)


def test_one_column_and_different_webs_are_refused(tmp_path: Path) -> None:
    """There is nothing to join in one column, and the simulated web is not the real one."""
    simulated = made(tmp_path / "a", **{BASE: [True]})
    with pytest.raises(TableError, match="expected web questions of two or more sides"):
        joined(simulated)
    with pytest.raises(TableError, match="searched different webs: simulated web, real web"):
        joined(simulated, made(tmp_path / "b", web="live", **{BASE: [True]}))
    with pytest.raises(TableError, match="no web question has a verdict in all"):
        joined(simulated, made(tmp_path / "c", **{BASE: [None]}))


def test_the_release_has_the_hops(staged: Path, tmp_path: Path) -> None:
    """Each of the 100 questions has its number of hops; without the release the error names the command."""
    hops = read_hops(staged)
    assert len(hops) == 100
    assert min(hops.values()) >= 1
    with pytest.raises(TableError, match="not staged"):
        read_hops(tmp_path)
