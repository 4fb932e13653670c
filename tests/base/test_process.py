"""Which processes are alive, which have ended, and for which that cannot be determined."""

import os
import subprocess
import sys
from dataclasses import replace

import pytest

from bfcl_pipeline.base.process import is_alive, this_process


def test_a_running_process_is_alive():
    """With and without a known start time."""
    assert is_alive(this_process())
    assert is_alive(replace(this_process(), started=None))


def test_a_zombie_is_not_alive():
    """A process that has ended and that its parent has not waited for counts as ended."""
    with subprocess.Popen([sys.executable, "-c", "input()"], stdin=subprocess.PIPE) as process:
        child = replace(this_process(), pid=process.pid, started=None)
        assert is_alive(child)
        process.kill()
        os.waitid(os.P_PID, process.pid, os.WEXITED | os.WNOWAIT)
        assert is_alive(child) is False
    assert is_alive(child) is False


def test_a_reused_process_id_is_another_process():
    """A process is identified by its id and its start time."""
    assert is_alive(replace(this_process(), started="1")) is False


@pytest.mark.parametrize(
    "changes",
    [{"host": "elsewhere"}, {"machine": "another"}, {"namespace": "another"}, {"boot": "another"}],
    ids=["host", "machine", "container", "before the last boot, or a copy of this machine"],
)
def test_nothing_is_known_about_other_places(changes, ended):
    """Whether a process of another machine or container is alive cannot be determined from here."""
    other = replace(this_process(), pid=ended, **changes)
    assert is_alive(other) is None
    assert is_alive(this_process(), here=other) is None
    assert is_alive(other, here=other) is False
    assert other.place != this_process().place


def test_the_slurm_job_is_named(monkeypatch):
    """The text of a process in a batch job has its number."""
    monkeypatch.delenv("SLURM_JOB_ID", raising=False)
    process = this_process()
    assert str(process) == f"process {os.getpid()} on {process.host}"
    monkeypatch.setenv("SLURM_JOB_ID", "4711")
    assert str(this_process()) == f"process {os.getpid()} on {process.host} (SLURM job 4711)"
