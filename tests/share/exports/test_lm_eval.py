"""Result files of lm-evaluation-harness."""

from __future__ import annotations

import json
import statistics
from pathlib import Path
from typing import Any

import pytest

from bfcl_pipeline.runs.run import Run
from bfcl_pipeline.share.exports import lm_eval
from bfcl_pipeline.share.exports.forms import ExportOptions
from bfcl_pipeline.share.exports.run_scores import standard_error
from tests.share.exports.conftest import HOSTILE, MADE_AT


def _document(run: Path, model: str, tmp_path: Path) -> dict[str, Any]:
    assert lm_eval.write(Run(run), ExportOptions(tmp_path, models=[model]), lambda line: None) == 1
    (path,) = tmp_path.glob("*/results_2023-11-14T22-13-20.json")
    document: dict[str, Any] = json.loads(path.read_text(encoding="utf-8"))
    return document


def test_a_category_is_a_task(hostile_run: Path, tmp_path: Path) -> None:
    """A task has the accuracy on the answered entries, its standard error and both numbers of entries."""
    document = _document(hostile_run, HOSTILE, tmp_path)
    task = document["results"]["bfcl_v4_simple_python"]
    assert task["acc,none"] == 0.75
    deviation = statistics.stdev([1, 1, 1, 0])
    assert task["acc_stderr,none"] == pytest.approx(deviation / 2, abs=1e-12)
    assert document["n-samples"]["bfcl_v4_simple_python"] == {"original": 400, "effective": 4}
    assert document["results"]["bfcl_v4_live_relevance"]["acc_stderr,none"] == "N/A"
    assert document["date"] == MADE_AT


def test_a_standard_error_counts_clusters() -> None:
    """It grows with the root of the design effect; without one, entries are taken as independent."""
    independent = standard_error(0.75, 4, None)
    assert independent == pytest.approx(statistics.stdev([1, 1, 1, 0]) / 2)
    assert standard_error(0.75, 4, 4.0) == pytest.approx(2 * (independent or 0))
    assert standard_error(1.0, 1, None) is None


def test_a_score_is_a_group(hostile_run: Path, tmp_path: Path) -> None:
    """Groups nest as on the leaderboard, and list only what was evaluated."""
    document = _document(hostile_run, HOSTILE, tmp_path)
    assert set(document["groups"]) == {"bfcl_v4", "bfcl_v4_non_live", "bfcl_v4_simple_ast"}
    assert document["group_subtasks"]["bfcl_v4"] == ["bfcl_v4_non_live"]
    assert document["group_subtasks"]["bfcl_v4_non_live"] == ["bfcl_v4_simple_ast"]
    assert document["group_subtasks"]["bfcl_v4_simple_ast"] == ["bfcl_v4_simple_python"]
    assert document["groups"]["bfcl_v4_simple_ast"]["acc,none"] == 0.25
    assert document["groups"]["bfcl_v4"]["alias"] == "Overall (partial)"
    names = set(document["results"])
    for part in ("versions", "higher_is_better", "configs", "group_subtasks"):
        assert set(document[part]) == names


def test_a_simulated_web_is_in_the_name(hostile_run: Path, tmp_path: Path) -> None:
    """A score that is not comparable with the leaderboard says so where a table shows it."""
    document = _document(hostile_run, "seeker", tmp_path)
    assert document["results"]["bfcl_v4_web_search"]["alias"] == "Web search (web: simulated)"
    assert document["results"]["bfcl_v4"]["alias"] == "Overall (web: simulated; partial)"
    assert document["configs"]["bfcl_v4_web_search_base"]["metadata"]["unreal_web"] == ["simulated"]
    assert document["results"]["bfcl_v4_simple_python"]["alias"] == "simple_python"


def test_the_limits_of_intervals_are_in_the_metadata(hostile_run: Path, tmp_path: Path) -> None:
    """The metadata of a task has the 95 % interval of the tables."""
    metadata = _document(hostile_run, "seeker", tmp_path)["configs"]["bfcl_v4_simple_python"]["metadata"]
    assert metadata["ci_low"] < 0.5 < metadata["ci_high"]
    assert (metadata["rules"], metadata["mode"]) == ("official", "fc")
