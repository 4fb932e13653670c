"""What is cleared after an interrupted run, and what is left unchanged."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager
from dataclasses import asdict, replace
from pathlib import Path

import pytest

from bfcl_pipeline.ask.orchestration.interrupted_run import ActiveRun, clear_interrupted_runs
from bfcl_pipeline.ask.orchestration.shared_folder import run_tag
from bfcl_pipeline.base.leases import Holder, LeaseTiming
from bfcl_pipeline.base.leases.holder import renew
from bfcl_pipeline.base.process import this_process

MARK = "locks/0.output.lock"
WORKER = Path(__file__).with_name("interrupted_run_worker.py")


@pytest.fixture
def state(tmp_path: Path) -> Path:
    """Snakemake's directory, with the lock file of a run."""
    mark = tmp_path / ".snakemake" / MARK
    mark.parent.mkdir(parents=True)
    mark.write_text("results/r/report.html\n")
    return tmp_path / ".snakemake"


@pytest.fixture
def start() -> Iterator[Callable[..., ActiveRun]]:
    """Starts a run in a directory; it ends with the test at the latest."""
    with ExitStack() as alive:

        def started(state: Path, *written: Path, **more: object) -> ActiveRun:
            run = clear_interrupted_runs(state, written, **more)
            assert run is not None
            alive.callback(run.close)
            return run

        yield started


@contextmanager
def _running(state: Path, table: Path, *host: str) -> Iterator[subprocess.Popen[str]]:
    """A run in another process."""
    command = [sys.executable, str(WORKER), str(state), str(table), *host]
    pipes = {"stdin": subprocess.PIPE, "stdout": subprocess.PIPE, "stderr": subprocess.PIPE}
    with subprocess.Popen(command, text=True, **pipes) as process:
        try:
            assert process.stdout.readline() == "ready\n", process.communicate()[1]
            yield process
        finally:
            process.kill()


def _left(state: Path, host: str, token: str = "a" * 32) -> Holder:
    """The file of a run `r` on another machine."""
    name = f"{run_tag('r')}-{token}"
    holder = Holder(name, "2026-10-01T12:00:00+00:00", replace(this_process(), host=host))
    (state / "runs").mkdir(exist_ok=True)
    (state / "runs" / name).write_text(json.dumps(asdict(holder)))
    return holder


def test_a_dead_runs_lock_and_half_written_files_are_deleted(
    tmp_path: Path, start: Callable[..., ActiveRun]
) -> None:
    """Only its unfinished files are deleted, and the file of the killed run."""
    state, table = tmp_path / ".snakemake", tmp_path / "results/r/tables/leaderboard.csv"
    table.parent.mkdir(parents=True)
    table.write_text("kept\n")
    with _running(state, table):
        assert len([*table.parent.iterdir()]) == 2
    run = start(state, tmp_path / "results", tmp_path / "data")
    assert [*table.parent.iterdir()] == [table]
    assert not (state / "locks").exists()
    assert run.alone
    run.close()
    assert [*(state / "runs").iterdir()] == []


def test_files_of_steps_that_are_still_running_are_kept(
    state: Path, tmp_path: Path, start: Callable[..., ActiveRun]
) -> None:
    """A half-written file of a process that is alive is not deleted, though its run was killed."""
    with _running(tmp_path / "elsewhere", tmp_path / "results/table.csv"):
        start(state, tmp_path / "results")
        assert not (state / "locks").exists()
        assert len([*(tmp_path / "results").iterdir()]) == 1


def test_nothing_is_cleared_while_a_run_is_active(state: Path, start: Callable[..., ActiveRun]) -> None:
    """The lock file of a run of an active name is cleared by the first run that starts alone."""
    first = start(state, name="r")
    (state / MARK).parent.mkdir()
    (state / MARK).write_text("results/r/report.html\n")
    second = start(state, name="r")
    assert (first.alone, second.alone) == (True, False)
    first.close()
    last = start(state, name="r")
    second.close()
    assert (state / MARK).exists()
    assert not last.alone
    last.close()
    start(state, name="r")
    assert not (state / MARK).exists()


def test_a_run_on_another_machine_is_seen_as_active(
    tmp_path: Path, start: Callable[..., ActiveRun]
) -> None:
    """Its lock file is kept, even if other runs were killed before it."""
    state = tmp_path / ".snakemake"
    with _running(state, tmp_path / "table.csv", "login1"):
        _left(state, "login2")
        run = start(state, timing=LeaseTiming(poll_seconds=0.01))
        assert not run.alone
        assert (state / MARK).exists()


def test_runs_that_were_killed_on_other_machines_are_cleared(
    state: Path, start: Callable[..., ActiveRun], capsys: pytest.CaptureFixture[str]
) -> None:
    """After a minute without a heartbeat its lock file is deleted; the wait is logged once."""
    _left(state, "login1", "a" * 32)
    _left(state, "login2", "b" * 32)
    passed = [0.0]
    timing = LeaseTiming(now=lambda: passed[0], sleep=lambda seconds: passed.append(passed.pop() + seconds))
    run = start(state, timing=timing)
    assert run.alone
    assert not (state / "locks").exists()
    assert 60 <= passed[0] < 63
    (line,) = capsys.readouterr().err.splitlines()
    assert "on login1, since" in line


def test_one_active_run_among_dead_ones_prevents_clearing(
    state: Path, start: Callable[..., ActiveRun]
) -> None:
    """While one run on another machine has a heartbeat, nothing is cleared."""
    _left(state, "login1", "a" * 32)
    alive = _left(state, "login2", "b" * 32)
    passed = [0.0]

    def sleep(seconds: float) -> None:
        passed.append(passed.pop() + seconds)
        if passed[0] > 30:
            renew(state / "runs" / alive.token, alive)

    run = start(state, timing=LeaseTiming(now=lambda: passed[0], sleep=sleep))
    assert not run.alone
    assert (state / MARK).exists()
    assert len([*(state / "runs").iterdir()]) == 3


def test_a_directory_without_lock_files_is_not_searched(
    tmp_path: Path, start: Callable[..., ActiveRun]
) -> None:
    """Where no run was killed, no file is deleted; directories are created if needed."""
    theirs = tmp_path / ".table.parquet.x.tmp"
    theirs.write_text("")
    os.utime(theirs, (0, 0))
    state = tmp_path / "new/.snakemake"
    run = start(state, tmp_path)
    assert run.alone
    assert theirs.exists()


def test_an_unwritable_directory_is_left_to_snakemake(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """If files cannot be created there is a warning, and Snakemake decides on its own."""
    state = tmp_path / "file"
    state.write_text("")
    assert clear_interrupted_runs(state, [tmp_path]) is None
    assert "cannot check for interrupted runs" in capsys.readouterr().err


def test_a_run_that_lost_its_lease_exits(tmp_path: Path, start: Callable[..., ActiveRun]) -> None:
    """Suspended until another run took over, it does not continue beside that one."""
    state = tmp_path / ".snakemake"
    with _running(state, tmp_path / "table.csv", "login1") as late:
        late.send_signal(signal.SIGSTOP)
        run = start(state, timing=LeaseTiming(poll_seconds=0.01, timeout_seconds=1))
        assert run.alone
        late.send_signal(signal.SIGCONT)
        printed = late.stderr.read()
        assert late.wait() == -signal.SIGTERM
        assert "another run has taken over. Exiting." in printed


def test_a_run_that_ends_leaves_no_files(tmp_path: Path) -> None:
    """Its file is deleted when its process exits, without an explicit close."""
    state = tmp_path / ".snakemake"
    with _running(state, tmp_path / "table.csv") as process:
        assert len([*(state / "runs").iterdir()]) == 1
        process.communicate()
    assert process.returncode == 0
    assert [*(state / "runs").iterdir()] == []
    assert not (state / "runs.owner").exists()
