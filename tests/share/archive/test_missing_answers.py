"""Entries without an answer in a replayed run."""

from __future__ import annotations

from pathlib import Path

from bfcl_pipeline.benchmark.records import Mode, Response, Status
from bfcl_pipeline.benchmark.tables import write_responses
from bfcl_pipeline.share.archive.compare import (
    answered_since,
    copied_failures,
    missing_answers,
    missing_lines,
)

TABLE = "responses/m/simple_python.parquet"


def write_run(folder: Path, *statuses: Status) -> Path:
    rows = [
        Response(f"simple_python_{number}", "simple_python", Mode.FC, None, status)
        for number, status in enumerate(statuses)
    ]
    write_responses(folder / TABLE, rows)
    return folder


def test_copied_failures_and_unrecorded_answers_are_distinguished(tmp_path: Path) -> None:
    """A failure is copied from the run; an answer that is not recorded is missing."""
    run = write_run(
        tmp_path, Status.ANSWERED, Status.SKIPPED, Status.INFRASTRUCTURE_ERROR, Status.NOT_RECORDED
    )
    missing = missing_answers(run)
    assert (copied_failures(missing), missing.total()) == (2, 3)
    copied, not_recorded = missing_lines(missing)
    assert "why 2 entries" in copied
    assert "(1 infrastructure_error, 1 skipped)" in copied
    assert not_recorded.startswith("Not recorded: ")
    assert list(missing_lines(missing_answers(write_run(tmp_path, Status.ANSWERED)))) == []


def test_entries_that_were_answered_since_are_counted(tmp_path: Path) -> None:
    """Entries that failed in the run and have an answer in the replay; not those that either one lacks."""
    run = write_run(tmp_path / "run", Status.SKIPPED, Status.SKIPPED, Status.ANSWERED)
    now = write_run(tmp_path / "now", Status.ANSWERED, Status.SKIPPED, Status.ANSWERED)
    assert answered_since(run, now) == 1
    assert answered_since(run, run) == 0
    (now / TABLE).unlink()
    assert answered_since(run, now) == 0
    (run / TABLE).write_bytes(b"no table")  # an error of the comparison, not of this count
    assert answered_since(run, write_run(tmp_path / "later", Status.ANSWERED)) == 0
