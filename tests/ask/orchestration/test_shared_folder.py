"""Runs of different names in one folder: lock files, and who stages."""

from __future__ import annotations

import os
import re
import threading
from base64 import urlsafe_b64encode
from dataclasses import replace
from pathlib import Path

import pytest
import snakemake.exceptions
from snakemake.exceptions import WorkflowError
from snakemake.persistence.file import FilePersistence

from bfcl_pipeline.ask.orchestration.interrupted_run import clear_interrupted_runs
from bfcl_pipeline.ask.orchestration.shared_folder import share_locks, stage_alone
from bfcl_pipeline.base.leases import Lease, LeaseTiming
from bfcl_pipeline.base.process import this_process

QUICK = LeaseTiming(poll_seconds=0.01)


@pytest.fixture
def state(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Snakemake's directory in the current one, with the lock files of the runs a and b."""
    monkeypatch.chdir(tmp_path)
    state = Path(".snakemake")
    (state / "locks").mkdir(parents=True)
    (state / "incomplete").mkdir()
    for number, run in enumerate("ab"):
        for kind in ("input", "output"):
            path = state / f"locks/{number}.{kind}.lock"
            path.write_text(f"data/release/texts.json\nresults/{run}/{kind}.csv\n")
    return state


def _locks(state: Path) -> set[str]:
    return {path.name for path in (state / "locks").iterdir()}


def test_lock_files_of_a_dead_run_are_deleted_beside_an_active_one(state: Path) -> None:
    """A killed run can be continued while another is active; the lock of that one stays."""
    first = clear_interrupted_runs(state, [], "b")
    assert first is not None
    (state / "locks").mkdir()
    for name in ("0.input.lock", "0.output.lock"):
        (state / "locks" / name).write_text("results/a/table.csv\n")
    (state / "locks/1.output.lock").write_text("results/b/table.csv\n")
    other = clear_interrupted_runs(state, [], "a")
    assert other is not None
    assert not other.alone
    assert _locks(state) == {"1.output.lock"}
    same = clear_interrupted_runs(state, [], "b")
    assert same is not None
    assert _locks(state) == {"1.output.lock"}
    for run in (first, other, same):
        run.close()


def test_the_end_of_a_run_keeps_the_lock_files_of_others(
    state: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Snakemake deletes the directory of all of them."""
    _share(state, "a", monkeypatch)
    ending = FilePersistence.__new__(FilePersistence)
    ending._lockfile = {"input": str(state / "locks/0.input.lock"), "output": "absent"}
    ending._delete_locks()
    assert _locks(state) == {"0.output.lock", "1.input.lock", "1.output.lock"}


@pytest.mark.parametrize(
    ("active", "who"),
    [
        ("b", r"is running \(process {pid} on {host} since \S+\):\nbfcl-pipeline watch b"),
        ("c", r"another run .* its files \(process {pid} on {host} since \S+\)"),
        (None, r"another run in this folder uses its files"),
    ],
)
def test_a_run_whose_files_are_locked_is_told_by_whom(
    state: Path, monkeypatch: pytest.MonkeyPatch, active: str | None, who: str
) -> None:
    """It is not advised to remove the lock, which may be that of an active run."""
    _share(state, "b", monkeypatch)
    other = replace(this_process(), pid=os.getppid(), started=None)
    runs = [clear_interrupted_runs(state, [], "b")]
    if active is not None:
        runs.append(clear_interrupted_runs(state, [], active, here=other))
    persistence = FilePersistence.__new__(FilePersistence)
    monkeypatch.setattr(FilePersistence, "locked", True)
    with pytest.raises(WorkflowError) as raised, persistence.lock():
        """Not reached."""
    who = who.format(pid=other.pid, host=re.escape(other.host))
    assert re.fullmatch(
        rf"results/b: {who}\nContinue this run when that has ended, or .*: --run NAME\.", str(raised.value)
    )
    assert "unlock" not in str(raised.value)
    for run in runs:
        assert run is not None
        run.close()


def _share(state: Path, run: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(FilePersistence, "_delete_locks", FilePersistence._delete_locks)  # restored
    monkeypatch.setattr(snakemake.exceptions, "LockException", snakemake.exceptions.LockException)
    share_locks(state, run)


def test_data_are_staged_by_one_run_and_then_used_by_all(state: Path) -> None:
    """The right to stage, and the lock of the data, end with the step that writes them: a step that has not
    ended, or was interrupted, has a mark of Snakemake."""
    staged = Path("data/release/texts.json")
    mark = state / "incomplete" / urlsafe_b64encode(str(staged).encode()).decode()
    staged.parent.mkdir(parents=True)
    mark.touch()
    staged.write_text("{}")
    stage_alone(state, "b", [staged], timing=QUICK)
    waiting = threading.Thread(target=stage_alone, args=(state, "a", [staged]), kwargs={"timing": QUICK})
    waiting.start()
    assert (state / "staging.owner").exists()
    mark.unlink()
    waiting.join()
    Lease(state / "staging.owner", "stages", wait=True, timing=QUICK).release()  # b has ended its part
    assert (state / "locks/0.output.lock").read_text() == "data/release/texts.json\nresults/a/output.csv\n"
    assert (state / "locks/1.output.lock").read_text() == "results/b/output.csv\n"
    assert (state / "locks/1.input.lock").read_text() == "data/release/texts.json\nresults/b/input.csv\n"


def test_staged_data_need_no_right(state: Path) -> None:
    """Nobody waits for a run that has staged its data."""
    with_data = Path("data/there")
    with_data.parent.mkdir()
    with_data.touch()
    held = Lease(state / "staging.owner", "stages", timing=QUICK)
    stage_alone(state, "a", [with_data], timing=QUICK)
    held.release()
