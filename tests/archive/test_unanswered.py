"""What is said of entries without an answer after a run was derived again."""

from __future__ import annotations

from pathlib import Path

from bfcl_pipeline.archive.unanswered import answered_since, unanswered
from bfcl_pipeline.records import Mode, Response, Status
from bfcl_pipeline.tables import write_responses

TABLE = "responses/m/simple_python.parquet"


def write_run(folder: Path, *statuses: Status) -> Path:
    """Results with a response of each of `statuses`."""
    rows = [
        Response(f"simple_python_{number}", "simple_python", Mode.FC, None, status)
        for number, status in enumerate(statuses)
    ]
    write_responses(folder / TABLE, rows)
    return folder


def test_what_is_taken_over_and_what_is_missing_are_told_apart(tmp_path: Path) -> None:
    """A failure is the run's word; an answer that is not recorded is nobody's."""
    run = write_run(
        tmp_path, Status.ANSWERED, Status.SKIPPED, Status.INFRASTRUCTURE_ERROR, Status.NOT_RECORDED
    )
    found = unanswered(run)
    assert (found.taken_over, found.not_recorded) == (2, 1)
    taken, missing = found.lines()
    assert "why 2 entries" in taken
    assert "(1 infrastructure_error, 1 skipped)" in taken
    assert missing.startswith("Not recorded: ")


def test_of_a_run_that_answered_everything_nothing_is_said(tmp_path: Path) -> None:
    """No line for what there is none of."""
    assert list(unanswered(write_run(tmp_path, Status.ANSWERED)).lines()) == []


def test_what_was_answered_since_is_counted(tmp_path: Path) -> None:
    """Entries that failed in the run and have an answer now; not those that the replay lacks."""
    run = write_run(tmp_path / "run", Status.SKIPPED, Status.SKIPPED, Status.ANSWERED)
    now = write_run(tmp_path / "now", Status.ANSWERED, Status.SKIPPED, Status.ANSWERED)
    assert answered_since(run, now) == 1
    assert answered_since(run, run) == 0
    (now / TABLE).unlink()
    assert answered_since(run, now) == 0


def test_a_damaged_table_of_the_run_is_counted_nowhere(tmp_path: Path) -> None:
    """That it is damaged is told by the comparison."""
    run, now = write_run(tmp_path / "run", Status.SKIPPED), write_run(tmp_path / "now", Status.ANSWERED)
    (run / TABLE).write_bytes(b"no table")
    assert answered_since(run, now) == 0
