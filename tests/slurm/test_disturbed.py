"""Runs that are disturbed on a cluster have the same results as undisturbed ones.

The model's server holds answers back until the disturbance has happened, so that a job is always running
then, and some of its requests were answered before.
"""

from __future__ import annotations

import signal
from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
import yaml

from tests.slurm.cluster_project import ClusterProject, different, finished, new_cluster_project
from tests.slurm.slurm_cluster import LEFT, Cluster, QueuedJob, until
from tests.support.local_chat import LocalChat, local_chat

MODEL = "api-FC"
RUN = {
    "run": "asked",
    "models": f"[{MODEL}]",
    "categories": "[simple_python,multi_turn_base,memory_kv]",
    "sample": "12",
}
ANSWERED = 6
"""Requests that are answered before the server holds its answers back..."""

IN_FLIGHT = 2
"""...and those that wait for one then."""


@pytest.fixture
def server() -> Iterator[LocalChat]:
    """A server that answers some requests, and holds back the answers to others."""
    with local_chat() as started:
        yield started


def new_project(folder: Path, staged: Path, cluster: Cluster, server: LocalChat) -> ClusterProject:
    """A project with a model behind the API of `server`."""
    folder.mkdir()
    project = new_cluster_project(folder, staged, cluster)
    row = {
        "name": MODEL,
        "kind": "openai_chat",
        "endpoint": server.endpoint,
        "limits": {"in_flight": IN_FLIGHT},
        "resources": {"runtime": 30},
    }
    (folder / "config/models.yaml").write_text(yaml.safe_dump({"models": [row]}))
    return project


@pytest.fixture(scope="module")
def undisturbed(
    cluster: Cluster, staged: Path, tmp_path_factory: pytest.TempPathFactory
) -> tuple[dict[str, list[dict[str, Any]]], Counter[str]]:
    """The undisturbed run on this machine: its tables without times, and its requests."""
    with local_chat() as server:
        here = new_project(tmp_path_factory.mktemp("here") / "project", staged, cluster, server)
        done = here.project.snakemake(**RUN)
    assert done.returncode == 0, done.stdout
    return here.responses("asked"), here.journaled(MODEL)


@pytest.fixture
def asking(tmp_path: Path, staged: Path, cluster: Cluster, server: LocalChat) -> Iterator[ClusterProject]:
    """A project with a job that has received some answers and waits for the next."""
    server.behave(held_after=ANSWERED)
    project = new_project(tmp_path / "project", staged, cluster, server)
    yield project
    cluster.end_jobs(project.folder)  # if the test has failed, there are some


@pytest.fixture
def check(
    asking: ClusterProject,
    server: LocalChat,
    undisturbed: tuple[dict[str, list[dict[str, Any]]], Counter[str]],
    tmp_path: Path,
) -> Iterator[list[int]]:
    """Afterwards the results equal the undisturbed run's; the number of repeated requests is appended."""
    again: list[int] = []
    yield again
    responses, journaled = undisturbed
    assert asking.responses("asked") == responses  # no answer is lost, and no additional request is sent
    assert asking.journaled(MODEL) == journaled  # every answer once
    twice = {
        digest: count for digest, count in server.counts()["bodies"].items() if count > journaled[digest]
    }
    assert len(twice) <= sum(again)
    assert different(asking.results("asked"), asking.derived_here(tmp_path / "here", **RUN)) == []


def waiting(asking: ClusterProject, server: LocalChat) -> QueuedJob:
    """The generation job, once it waits for answers that the server holds back."""
    server.wait_for(ANSWERED + IN_FLIGHT)
    (job,) = [job for job in asking.jobs() if job.state == "RUNNING"]
    return job


def ended(asking: ClusterProject, job: QueuedJob) -> str:
    """The state in which a job has ended, once it has."""
    states: list[str] = []

    def found() -> bool:
        states[:] = [one.state for one in asking.jobs() if one.id == job.id]
        return states[0] not in LEFT

    until(found, f"{job} ends", seconds=120)
    return states[0]


def test_a_cancelled_job_is_submitted_again(
    asking: ClusterProject, server: LocalChat, check: list[int]
) -> None:
    """The run itself submits it again, and it continues where it was."""
    with asking.started(**RUN) as run:
        job = waiting(asking, server)
        asking.cluster.command_output("scancel", job.id)
        assert ended(asking, job) == "CANCELLED"
        server.release()
        finished(run)
    check.append(IN_FLIGHT)


def test_a_job_past_its_time_limit_is_restarted_with_more_time(
    asking: ClusterProject, server: LocalChat, check: list[int]
) -> None:
    """The next job has twice the time, and continues where the first was."""
    with asking.started(**RUN) as run:
        job = waiting(asking, server)
        asking.cluster.command_output("scontrol", "update", f"jobid={job.id}", "endtime=now")
        assert ended(asking, job) == "TIMEOUT"
        server.release()
        finished(run)
    second = next(one for one in asking.jobs() if one.comment == job.comment and one.id != job.id)
    assert (job.limit, second.limit, second.state) == ("30:00", "1:00:00", "COMPLETED")
    check.append(IN_FLIGHT)


def test_a_job_whose_node_fails_starts_again_elsewhere(
    asking: ClusterProject, server: LocalChat, check: list[int]
) -> None:
    """SLURM itself restarts it; the process on the lost node holds the journal's lease until it has
    ended."""
    cluster = asking.cluster
    with asking.started(**RUN) as run:
        job = waiting(asking, server)
        lost = cluster.processes(SLURM_JOB_ID=job.id)
        cluster.kill_node(job.node)
        try:
            until(lambda: _running_elsewhere(asking, job), f"{job.id} runs elsewhere")
            log = asking.folder / f"results/asked/logs/generate/{MODEL}.log"
            until(lambda: "writes this journal" in _text(log), "it waits for the journal")
            server.release()
            finished(run)
            assert cluster.processes(SLURM_JOB_ID=job.id, SLURMD_NODENAME=job.node) == []
            assert len(lost) > 1
        finally:
            cluster.start_node(job.node)
    check.append(0)


def _text(log: Path) -> str:
    """The text of a log; empty if it does not exist, as before a step is repeated."""
    try:
        return log.read_text()
    except FileNotFoundError:
        return ""


def _running_elsewhere(asking: ClusterProject, job: QueuedJob) -> bool:
    return any(
        one.id == job.id and one.state == "RUNNING" and one.node != job.node for one in asking.jobs()
    )


def test_a_run_ends_the_jobs_left_by_a_killed_run(
    asking: ClusterProject, server: LocalChat, check: list[int]
) -> None:
    """The same command ends the job that still runs, then submits its work again."""
    with asking.started(**RUN) as killed:
        job = waiting(asking, server)
        killed.kill()
        killed.wait()
    assert [one.state for one in asking.jobs()] == ["RUNNING"]
    with asking.started(**RUN) as run:
        assert ended(asking, job) == "CANCELLED"
        until(lambda: asking.cluster.processes(SLURM_JOB_ID=job.id) == [], f"all of {job.id} ends")
        server.release()
        told = finished(run)
    assert (
        f"Cancelling jobs that an earlier run left in the queue: {job.id} (running on {job.node})." in told
    )
    check.append(IN_FLIGHT)


def test_answers_to_a_left_job_are_not_requested_again(
    asking: ClusterProject, server: LocalChat, check: list[int]
) -> None:
    """A job may end by itself after its run was killed and before the next starts."""
    with asking.started(**RUN) as killed:
        job = waiting(asking, server)
        killed.send_signal(signal.SIGKILL)
        killed.wait()
    server.release()
    assert ended(asking, job) == "COMPLETED"
    asked = server.counts()["requests"]
    told = asking.complete(**RUN)
    assert "Ending jobs" not in told
    assert server.counts()["requests"] == asked
    check.append(0)
