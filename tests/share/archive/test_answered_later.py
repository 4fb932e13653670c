"""A run with failures of every kind, and a later run that has the answers to most of them.

Requests failed at first, in the middle of a conversation and after a search; one model never answers.
"""

from __future__ import annotations

import shutil
from datetime import UTC, datetime
from pathlib import Path

import pytest
import yaml

from bfcl_pipeline.benchmark.records import Response, Status
from bfcl_pipeline.benchmark.tables import read_responses
from bfcl_pipeline.benchmark.tables.responses import read_sessions
from bfcl_pipeline.runs.archived.reading import SealedArchive
from bfcl_pipeline.share.archive.compare import answered_since
from bfcl_pipeline.world.tools.web_search.web import Hit, Hits
from bfcl_pipeline.world.web.cache import WebCache
from bfcl_pipeline.world.web.keys import SearchKey
from tests.share.archive.small_run import SmallRun
from tests.support.local_chat import local_chat
from tests.support.snakemake_project import make_project
from tests.support.web_record import record_outcome

CONFIG = {"categories": "[multi_turn_base,memory_kv,web_search_base]", "sample": "10", "web": "replay"}
HIT = Hit("A page", "https://a.example/page", "of a site")
TIME = datetime(2026, 1, 2, tzinfo=UTC)
LIMITS = {"in_flight": 4, "attempts": 1, "retry_seconds": 0.01}
JOURNAL = "cache/exchanges/near-FC/exchanges.jsonl"


@pytest.fixture(scope="module")
def runs(tmp_path_factory: pytest.TempPathFactory, staged: Path) -> tuple[SmallRun, SmallRun]:
    """A run with failures of every kind, and a later one without any, in one project."""
    project = make_project(tmp_path_factory.mktemp("later"))
    for part in ("release", "entries"):
        shutil.copytree(staged / part, project.folder / "data" / part)
    record = WebCache(project.folder / "cache/web")
    for letter in "abcdefgh":  # what the scripted model searches for
        record_outcome(record, SearchKey.of(f"keywords_{letter}", "wt-wt"), Hits((HIT,)), TIME)
    with local_chat() as server:
        row = {"name": "near-FC", "kind": "openai_chat", "endpoint": server.endpoint, "limits": LIMITS}
        gone = {**row, "name": "gone", "endpoint": "http://127.0.0.1:9"}
        (project.folder / "config/models.yaml").write_text(yaml.safe_dump({"models": [row, gone]}))
        server.behave(faults=0.12, only="500", seed=3)
        project.call(run="failed", models="[near-FC,gone]", **CONFIG)
        before = (project.folder / JOURNAL).read_bytes()
        server.behave()
        project.call(run="answered", models="[near-FC]", **CONFIG)
    assert (project.folder / JOURNAL).read_bytes().startswith(before)
    assert (project.folder / JOURNAL).read_bytes() != before
    (project.folder / "before.jsonl").write_bytes(before)
    return SmallRun(project.folder, "failed"), SmallRun(project.folder, "answered")


def journal_in(archive: Path) -> list[bytes]:
    with SealedArchive(archive) as opened:
        return b"".join(opened.chunks(JOURNAL)).splitlines(keepends=True)


def failures(run: SmallRun, model: str = "near-FC") -> list[Response]:
    """The responses of a model without an answer, those of memory sessions included."""
    found = [one for path in run.results.glob(f"responses/{model}/*") for one in read_responses(path)]
    found += [one.response for path in run.results.glob(f"memory/{model}/*") for one in read_sessions(path)]
    return [one for one in found if one.status is not Status.ANSWERED]


def test_later_answers_are_not_archived_and_failures_not_verified(
    runs: tuple[SmallRun, SmallRun], tmp_path: Path, capfd: pytest.CaptureFixture[str]
) -> None:
    """The archive has the exchanges and searches that the run had, so that it derives the same failures;
    these are counted, the exit status is 3. The number of entries with later answers is printed."""
    failed, answered = runs
    assert failures(answered) == []
    without, never = failures(failed), failures(failed, "gone")
    assert {bool(one.steps) for one in without} == {True, False}  # answered in part, and not at all
    assert any(one.steps and one.entry_id.startswith("web_search") for one in without)
    assert len(never) >= int(CONFIG["sample"])
    out = tmp_path / "failed.zip"
    assert failed.archive(out) == 0
    printed = capfd.readouterr().out
    assert f"Left out: later answers to {len(without):,} entries" in printed
    before = (failed.folder / "before.jsonl").read_bytes().splitlines(keepends=True)
    assert journal_in(out) == before
    assert failed.verify(out) == 3
    output = capfd.readouterr().out
    assert "verified      results" in output
    both = len(without) + len(never)
    assert f"not verified  failures   {both:,} entries or memory sessions" in output
    assert "DIFFERS" not in output


def test_the_later_run_is_archived_with_all_answers(
    runs: tuple[SmallRun, SmallRun], tmp_path: Path, capfd: pytest.CaptureFixture[str]
) -> None:
    """Answers that the earlier run received are archived with it too: both runs used them. A replay of the
    earlier one reads the journals themselves: its tables are those of the later run, which are counted."""
    failed, answered = runs
    out = tmp_path / "answered.zip"
    assert answered.archive(out) == 0
    assert "Left out" not in capfd.readouterr().out
    assert b"".join(journal_in(out)) == (answered.folder / JOURNAL).read_bytes()
    assert answered_since(failed.results, answered.results) == len(failures(failed))


def test_a_failure_without_its_exchanges_is_not_archived(
    runs: tuple[SmallRun, SmallRun], tmp_path: Path, capfd: pytest.CaptureFixture[str]
) -> None:
    """An entry that was answered in part cannot be derived without that part."""
    failed, _ = runs
    folder = tmp_path / "project"
    shutil.copytree(failed.folder, folder)
    run = SmallRun(folder, "failed")
    entry = next(one for one in failures(run) if one.steps)
    lines = (folder / JOURNAL).read_bytes().splitlines(keepends=True)
    name = f'"entry_id":"{entry.entry_id}"'.encode()
    (folder / JOURNAL).write_bytes(b"".join(line for line in lines if name not in line))
    capfd.readouterr()
    assert run.archive(tmp_path / "x.zip") == 1
    assert "no exchange of 1 entries that were answered, at least in part" in capfd.readouterr().err
    assert not (tmp_path / "x.zip").exists()
