"""A web question that failed after a search: its archive has that search, and derives the same failure."""

from __future__ import annotations

import shutil
from datetime import UTC, datetime
from pathlib import Path

import pytest
import yaml

from bfcl_pipeline.records import Status
from bfcl_pipeline.tables import read_responses
from bfcl_pipeline.tools.web_search.web import Hit, Hits
from bfcl_pipeline.web.cache import WebCache
from bfcl_pipeline.web.keys import SearchKey
from tests.archive.small_run import SmallRun
from tests.support.local_chat import local_chat
from tests.support.snakemake_project import make_project
from tests.support.web_record import record_outcome

LIMITS = {"in_flight": 1, "attempts": 1, "retry_seconds": 0.01}
CONFIG = {"models": "[near-FC]", "categories": "[web_search_base]", "sample": "30", "web": "replay"}
HIT = Hit("A page", "https://a.example/page", "of a site")
TIME = datetime(2026, 1, 2, tzinfo=UTC)


def test_searches_before_a_failure_are_archived(
    staged: Path, tmp_path: Path, capfd: pytest.CaptureFixture[str]
) -> None:
    """A failed response does not have its calls: they follow from the journal."""
    (tmp_path / "project").mkdir()
    project = make_project(tmp_path / "project")
    for part in ("release", "entries"):
        shutil.copytree(staged / part, project.folder / "data" / part)
    record = WebCache(project.folder / "cache/web")
    for letter in "abcdefgh":  # what the scripted model searches for
        record_outcome(record, SearchKey.of(f"keywords_{letter}", "wt-wt"), Hits((HIT,)), TIME)
    with local_chat() as server:
        row = {"name": "near-FC", "kind": "openai_chat", "endpoint": server.endpoint, "limits": LIMITS}
        (project.folder / "config/models.yaml").write_text(yaml.safe_dump({"models": [row]}))
        server.behave(faults=0.3, only="500", seed=3)
        done = project.snakemake(run="web", **CONFIG)
        assert done.returncode == 0, done.stdout
    run = SmallRun(project.folder, "web")
    responses = read_responses(run.results / "responses/near-FC/web_search_base.parquet")
    assert any(one.status is Status.INFRASTRUCTURE_ERROR and one.steps for one in responses)
    assert run.archive(tmp_path / "web.zip") == 0
    assert run.verify(tmp_path / "web.zip") == 3
    output = capfd.readouterr().out
    assert "verified      results" in output
    assert "DIFFERS" not in output
