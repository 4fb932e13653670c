"""What a dry run says of the work of each model."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import yaml

from bfcl_pipeline.ask.jobs.planned_work import planned_work
from bfcl_pipeline.ask.jobs.selection import select
from bfcl_pipeline.benchmark.config import RunConfig, load_models, load_run

ROOT = Path(__file__).resolve().parents[3]
CONFIG = yaml.safe_load((ROOT / "config/config.yaml").read_text())
ROWS = load_models(Path(__file__).parent / "models.yaml")


def load(**changes: Any) -> RunConfig:
    return load_run({**CONFIG, **changes}, ROWS)


def test_entries_sessions_and_requests_are_counted(staged: Path, tmp_path: Path) -> None:
    """The counts are those of the job; a turn is at least one request."""
    run = load(
        models=["org/chat-FC"], categories=["simple_java", "memory_kv", "multi_turn_base"], sample=30
    )
    (job,) = run.jobs
    entries = select(staged, job.categories, job.selection)
    sessions = sum(entry.prerequisite for entry in entries)
    turns = sum(len(entry.turns) for entry in entries)
    (line,) = planned_work(run, (), staged)
    assert sessions > 0
    assert line == f"org/chat-FC: 30 entries + {sessions} sessions, at least {turns} requests"


def test_a_sample_by_weight_is_counted(staged: Path, tmp_path: Path) -> None:
    """Both modes have the same entries, and share a line."""
    sample = {"entries": 10, "by": "weight"}
    run = load(
        models=["oracle", "oracle-FC"], categories=["simple_java", "format_sensitivity"], sample=sample
    )
    assert planned_work(run, (), staged) == ["oracle, oracle-FC: 10 entries"]


def test_models_with_the_same_work_share_a_line(staged: Path, tmp_path: Path) -> None:
    """Embedded models send no requests; a served model counts once, whatever its servers."""
    run = load(models=["oracle", "oracle-FC", "local"], categories=["simple_java"], sample=5)
    assert planned_work(run, (), staged) == [
        "oracle, oracle-FC: 5 entries",
        "local: 5 entries, at least 5 requests",
    ]


def test_nothing_is_said_before_the_release_is_staged(tmp_path: Path) -> None:
    """The entries are not known yet."""
    assert planned_work(load(models=["oracle"]), (), tmp_path) == []


def test_searches_of_the_real_web_are_estimated(staged: Path, tmp_path: Path) -> None:
    """From the hops of the questions and the pause, of embedded models too; nothing is said of a simulated
    web."""
    changes = {"models": ["org/chat-FC"], "categories": ["web_search_base"]}
    (line,) = planned_work(load(**changes, web="record"), (), staged)
    assert line == (
        "org/chat-FC: 100 entries, at least 100 requests; about 314 searches and as many pages, at least "
        "31 min by duckduckgo at web_pause 2 (one of each for a hop, less what is recorded)"
    )
    (embedded,) = planned_work(load(**changes | {"models": ["oracle"]}, web="record"), (), staged)
    assert embedded.startswith("oracle: 100 entries; about 314 searches and as many pages, at least 31 min")
    (simulated,) = planned_work(load(**changes), (), staged)
    assert simulated == "org/chat-FC: 100 entries, at least 100 requests"
