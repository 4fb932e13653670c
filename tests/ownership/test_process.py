"""Which processes are seen to be alive, which to have ended, and of which nothing can be told."""

import os
import subprocess
import sys
from dataclasses import replace

import pytest

from bfcl_pipeline.ownership import is_alive, this_process


def test_one_that_runs_is_alive():
    """This process, and one that was told by its number alone."""
    assert is_alive(this_process())
    assert is_alive(replace(this_process(), started=None))


def test_one_that_has_ended_unnoticed_has_ended():
    """A process that its parent has not waited for counts as ended."""
    with subprocess.Popen([sys.executable, "-c", "input()"], stdin=subprocess.PIPE) as process:
        child = replace(this_process(), pid=process.pid, started=None)
        assert is_alive(child)
        process.kill()
        os.waitid(os.P_PID, process.pid, os.WEXITED | os.WNOWAIT)
        assert is_alive(child) is False
    assert is_alive(child) is False


def test_a_number_that_is_used_again_is_another_process():
    """What tells a process apart is not its number alone, but when it was started."""
    assert is_alive(replace(this_process(), started="1")) is False


@pytest.mark.parametrize(
    "changes",
    [{"host": "elsewhere"}, {"machine": "another"}, {"namespace": "another"}, {"boot": "another"}],
    ids=["host", "machine", "container", "before the last start, or a copy of this machine"],
)
def test_of_other_places_nothing_is_told(changes, ended):
    """Processes here say nothing about those there, alive or not, nor the other way round."""
    other = replace(this_process(), pid=ended, **changes)
    assert is_alive(other) is None
    assert is_alive(this_process(), here=other) is None
    assert is_alive(other, here=other) is False
    assert other.place != this_process().place


def test_a_job_is_told(monkeypatch):
    """A process of a batch job says which; others say nothing of it."""
    monkeypatch.delenv("SLURM_JOB_ID", raising=False)
    process = this_process()
    assert str(process) == f"process {os.getpid()} on {process.host}"
    monkeypatch.setenv("SLURM_JOB_ID", "4711")
    assert str(this_process()) == f"process {os.getpid()} on {process.host} (SLURM job 4711)"
