"""What a dry run says of the work of each model."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
import yaml

from bfcl_pipeline.ask.jobs.main_process import planned_work
from bfcl_pipeline.benchmark.config import RunConfig, load_models, load_run

ROOT = Path(__file__).resolve().parents[3]
CONFIG = yaml.safe_load((ROOT / "config/config.yaml").read_text())
ROWS = load_models(Path(__file__).parent / "models.yaml")
SEARCHES = (
    "about 314 searches and as many pages, at least 31 min by duckduckgo at web_pause 2 (one of each for a "
    "hop, less what is recorded)"
)


def load(**changes: Any) -> RunConfig:
    return load_run({**CONFIG, **changes}, ROWS)


@pytest.mark.parametrize(
    ("changes", "lines"),
    [
        # Both modes have the same entries, and share a line; embedded models send no requests.
        (
            {
                "models": ["oracle", "oracle-FC"],
                "categories": ["simple_java", "format_sensitivity"],
                "sample": {"entries": 10, "by": "weight"},
            },
            ["oracle, oracle-FC: 10 entries"],
        ),
        # A served model counts once, whatever its servers.
        (
            {"models": ["oracle", "local"], "categories": ["simple_java"], "sample": 5},
            ["oracle: 5 entries", "local: 5 entries, about 5 requests, 1,355 tokens in, 1,140 out, 9 s"],
        ),
        # Any question of memory needs the 37 sessions before it.
        (
            {"models": ["org/chat-FC"], "categories": ["memory_kv"], "sample": 1},
            [
                "org/chat-FC: 1 entry, about 1,373 requests, 8,596,800 tokens in, 300,004 out, 9.20 US "
                "dollars, 39 min"
            ],
        ),
        # Searches of the real web are estimated, of embedded models too; not those of a simulated one.
        (
            {"models": ["org/chat-FC"], "categories": ["web_search_base"], "web": "record"},
            [
                "org/chat-FC: 100 entries, about 900 requests, 20,700,000 tokens in, 117,000 out, 20.93 "
                f"US dollars, 3 min; {SEARCHES}"
            ],
        ),
        (
            {"models": ["oracle"], "categories": ["web_search_base"], "web": "record"},
            [f"oracle: 100 entries; {SEARCHES}"],
        ),
        ({"models": ["oracle"], "categories": ["web_search_base"]}, ["oracle: 100 entries"]),
    ],
)
def test_each_model_has_the_estimate_of_its_jobs(changes: dict[str, Any], lines: list[str]) -> None:
    """Models with the same work share a line."""
    assert planned_work(load(**changes), ()) == lines


def test_complete_models_are_left_out() -> None:
    """They are asked nothing."""
    run = load(models=["oracle", "oracle-FC"], categories=["simple_java"], sample=5)
    assert planned_work(run, {"oracle"}) == ["oracle-FC: 5 entries"]
