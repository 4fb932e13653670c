"""What is cleared away after a run that was killed, and what is left alone."""

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

from bfcl_pipeline.config import clear_killed_run
from bfcl_pipeline.config.killed_run import RunHere
from bfcl_pipeline.ownership import Owner, Rhythm, this_process
from bfcl_pipeline.ownership.owner import renew

MARK = "locks/0.output.lock"
WORKER = Path(__file__).with_name("killed_run_worker.py")


@pytest.fixture
def state(tmp_path: Path) -> Path:
    """Snakemake's folder, marked by a run."""
    mark = tmp_path / ".snakemake" / MARK
    mark.parent.mkdir(parents=True)
    mark.write_text("results/r/report.html\n")
    return tmp_path / ".snakemake"


@pytest.fixture
def arrive() -> Iterator[Callable[..., RunHere]]:
    """Arrives in a folder as a run does; the run ends with the test, if not before."""
    with ExitStack() as alive:

        def arrived(state: Path, *written: Path, **more: object) -> RunHere:
            run = clear_killed_run(state, written, **more)
            assert run is not None
            alive.callback(run.close)
            return run

        yield arrived


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


def _left(state: Path, host: str, name: str = "a" * 32) -> Owner:
    """A run of another machine, of which there is only the file."""
    owner = Owner(name, "2026-10-01T12:00:00+00:00", replace(this_process(), host=host))
    (state / "runs").mkdir(exist_ok=True)
    (state / "runs" / name).write_text(json.dumps(asdict(owner)))
    return owner


def test_the_mark_of_a_dead_run_goes_with_its_half_written_files(
    tmp_path: Path, arrive: Callable[..., RunHere]
) -> None:
    """What it had not finished writing goes, all else stays; who was killed is told."""
    state, table = tmp_path / ".snakemake", tmp_path / "results/r/tables/leaderboard.csv"
    table.parent.mkdir(parents=True)
    table.write_text("kept\n")
    with _running(state, table) as killed:
        assert len([*table.parent.iterdir()]) == 2
    run = arrive(state, tmp_path / "results", tmp_path / "data")
    assert [*table.parent.iterdir()] == [table]
    assert not (state / "locks").exists()
    assert [(owner.process.pid, owner.process.host) for owner in run.killed] == [
        (killed.pid, this_process().host)
    ]
    run.settle()
    assert run.killed == ()
    run.close()
    assert [*(state / "runs").iterdir()] == []
    assert arrive(state).killed == ()


def test_the_killed_are_told_until_it_is_settled(tmp_path: Path, arrive: Callable[..., RunHere]) -> None:
    """A run that only plans, or is killed as well, leaves the word to the next."""
    state = tmp_path / ".snakemake"
    killed = []
    for _ in range(2):
        with _running(state, tmp_path / "table.csv") as run:
            killed.append(run.pid)
        planning = arrive(state)
        assert {owner.process.pid for owner in planning.killed} == {*killed}
        planning.close()
    assert {owner.process.pid for owner in arrive(state).killed} == {*killed}


def test_what_steps_write_that_outlived_their_run_stays(
    state: Path, tmp_path: Path, arrive: Callable[..., RunHere]
) -> None:
    """A half-written file of a process that is alive is not taken from it, though its run was killed."""
    with _running(tmp_path / "elsewhere", tmp_path / "results/table.csv"):
        arrive(state, tmp_path / "results")
        assert not (state / "locks").exists()
        assert len([*(tmp_path / "results").iterdir()]) == 1


def test_nothing_is_cleared_while_a_run_is_alive(state: Path, arrive: Callable[..., RunHere]) -> None:
    """The mark stays while anyone else is there, and is cleared by the first to come after that."""
    first = arrive(state)
    (state / MARK).parent.mkdir()
    (state / MARK).write_text("results/r/report.html\n")
    second = arrive(state)
    assert (first.alone, second.alone) == (True, False)
    first.close()
    last = arrive(state)
    second.close()
    assert (state / MARK).exists()
    assert last.killed == ()
    last.close()
    arrive(state)
    assert not (state / MARK).exists()


def test_a_run_on_another_machine_is_seen_to_live(tmp_path: Path, arrive: Callable[..., RunHere]) -> None:
    """Its mark stays, whoever was killed before it and on whichever machine."""
    state = tmp_path / ".snakemake"
    with _running(state, tmp_path / "table.csv", "login1"):
        _left(state, "login2")
        run = arrive(state, rhythm=Rhythm(look=0.01))
        assert run.killed == ()
        assert (state / MARK).exists()


def test_a_run_that_was_killed_on_another_machine_is_told(
    state: Path, arrive: Callable[..., RunHere], capsys: pytest.CaptureFixture[str]
) -> None:
    """Once nothing was heard of it for a minute, its mark goes; that it is waited for is told, once."""
    dead = {_left(state, "login1", "a" * 32), _left(state, "login2", "b" * 32)}
    passed = [0.0]
    rhythm = Rhythm(now=lambda: passed[0], sleep=lambda seconds: passed.append(passed.pop() + seconds))
    run = arrive(state, rhythm=rhythm)
    assert set(run.killed) == dead
    assert not (state / "locks").exists()
    assert 60 <= passed[0] < 63
    (line,) = capsys.readouterr().err.splitlines()
    assert "on login1, since" in line


def test_of_two_on_other_machines_one_may_live(state: Path, arrive: Callable[..., RunHere]) -> None:
    """However many are dead: while one is heard of nothing is cleared, and nobody is told of as killed."""
    _left(state, "login1", "a" * 32)
    alive = _left(state, "login2", "b" * 32)
    passed = [0.0]

    def sleep(seconds: float) -> None:
        passed.append(passed.pop() + seconds)
        if passed[0] > 30:
            renew(state / "runs" / alive.token, alive)

    run = arrive(state, rhythm=Rhythm(now=lambda: passed[0], sleep=sleep))
    assert run.killed == ()
    assert (state / MARK).exists()
    assert len([*(state / "runs").iterdir()]) == 3


def test_an_unmarked_folder_is_not_searched(tmp_path: Path, arrive: Callable[..., RunHere]) -> None:
    """Where no run was killed, no file is touched; folders are made if needed."""
    theirs = tmp_path / ".table.parquet.x.tmp"
    theirs.write_text("")
    os.utime(theirs, (0, 0))
    state = tmp_path / "new/.snakemake"
    run = arrive(state, tmp_path)
    assert run.killed == ()
    assert theirs.exists()


def test_a_run_without_a_mark_is_told_as_well(tmp_path: Path, arrive: Callable[..., RunHere]) -> None:
    """Snakemake takes away all marks when one of several runs ends: who was killed is told all the same."""
    state = tmp_path / ".snakemake"
    with _running(state, tmp_path / "table.csv") as killed:
        (state / MARK).unlink()
    assert [owner.process.pid for owner in arrive(state).killed] == [killed.pid]


def test_a_place_that_cannot_be_written_is_left_to_snakemake(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """No error where no file can be made: Snakemake refuses or goes on as it would without us."""
    state = tmp_path / "file"
    state.write_text("")
    assert clear_killed_run(state, [tmp_path]) is None
    assert "whether a run was killed here is not seen" in capsys.readouterr().err


def test_a_run_that_was_taken_for_dead_ends(tmp_path: Path, arrive: Callable[..., RunHere]) -> None:
    """Suspended for so long that another took its place, it does not go on beside that one."""
    state = tmp_path / ".snakemake"
    with _running(state, tmp_path / "table.csv", "login1") as late:
        late.send_signal(signal.SIGSTOP)
        run = arrive(state, rhythm=Rhythm(look=0.01, silent=1))
        assert [owner.process.pid for owner in run.killed] == [late.pid]
        late.send_signal(signal.SIGCONT)
        told = late.stderr.read()
        assert late.wait(60) == -signal.SIGTERM
        assert "another has taken its place: it ends" in told


def test_a_run_that_ends_leaves_nothing(tmp_path: Path) -> None:
    """At the end of its process, without a word of its own, its file goes."""
    state = tmp_path / ".snakemake"
    with _running(state, tmp_path / "table.csv") as process:
        assert len([*(state / "runs").iterdir()]) == 1
        process.communicate(timeout=60)
    assert process.returncode == 0
    assert [*(state / "runs").iterdir()] == []
    assert not (state / "runs.owner").exists()
