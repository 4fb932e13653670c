"""A SLURM cluster of two nodes on this machine: real daemons on loopback, which end with the tests.

Needs root and Debian's packages (install.sh). All files are in one folder except the links in /etc/slurm,
the only place where programs inside a job find their cluster.
"""

from __future__ import annotations

import os
import re
import shutil
import signal
import socket
import subprocess
import time
from collections.abc import Callable, Iterator, Mapping
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass, field
from pathlib import Path

HERE = Path(__file__).parent
SYSTEM = Path("/etc/slurm")
NAME = "bfcl"  # of clusters, followed by the process that has them
NODES = ("node1", "node2")
PROGRAMS = ("munged", "slurmctld", "slurmd", "sbatch", "scancel", "scontrol", "sinfo", "squeue", "srun")
SECONDS = 60.0
"""Time limit of all waiting, far above the expected time; a test that exceeds it fails."""

POLL_SECONDS = 0.05
LEFT = ("PENDING", "RUNNING", "COMPLETING")
"""States of jobs that have not ended."""

_FORM = "%i|%T|%N|%j|%k|%l|%Z"


@dataclass(frozen=True, slots=True)
class QueuedJob:
    """A job as the queue shows it; also one that has ended."""

    id: str
    state: str  # PENDING, RUNNING, COMPLETED, CANCELLED...
    node: str  # empty if there is none
    name: str
    comment: str  # which rule or group it is
    limit: str  # of time: days-hours:minutes:seconds
    folder: str  # in which it runs


def until(holds: Callable[[], object], what: str, seconds: float = SECONDS) -> None:
    """Returns once `holds()` is true; fails with a description of the condition if it takes too long."""
    deadline = time.monotonic() + seconds
    while not holds():
        assert time.monotonic() < deadline, f"waited {seconds:g} s: {what}"
        time.sleep(POLL_SECONDS)


def lacking() -> str:
    """The reason why a cluster cannot be started here; empty if it can."""
    absent = [name for name in PROGRAMS if shutil.which(name, path=_path()) is None]
    if absent:
        return (
            f"not installed: {', '.join(absent)}; tests/slurm/install.sh installs them (Debian, as root)."
        )
    if os.geteuid() != 0:
        return "a node of a cluster needs root."
    conf = SYSTEM / "slurm.conf"
    if conf.exists() and not _is_left(conf):
        return f"this machine belongs to a cluster already: {conf}."
    return ""


def _is_left(conf: Path) -> bool:
    """Whether it is of tests that were killed."""
    named = re.search(rf"^ClusterName={NAME}(\d+)$", conf.read_text(), re.MULTILINE)
    return named is not None and not Path("/proc", named[1]).exists()


@dataclass(slots=True)
class Cluster:
    """A running cluster."""

    name: str
    folder: Path
    variables: Mapping[str, str]  # of the environment: by these its commands find it
    _daemons: dict[str, subprocess.Popen[bytes]] = field(default_factory=dict)

    def command_output(self, *command: str) -> str:
        """The output of one of SLURM's commands. Fails if the command fails."""
        done = subprocess.run(
            command, env={**os.environ, **self.variables}, capture_output=True, text=True, check=False
        )
        assert done.returncode == 0, f"{command}: {done.stderr}"
        return done.stdout

    def jobs(self, folder: Path | None = None) -> list[QueuedJob]:
        """All jobs in the cluster, the oldest first; with `folder`, only its jobs."""
        listing = self.command_output(
            "squeue", "--states=all", "--noheader", "--sort=i", f"--format={_FORM}"
        )
        found = [QueuedJob(*line.split("|")) for line in listing.splitlines()]
        return [job for job in found if folder is None or job.folder == str(folder)]

    def gpus(self, job: QueuedJob) -> int:
        """How many GPUs a job has requested."""
        asked = re.search(
            r"TresPerJob=gres:gpu:(\d+)", self.command_output("scontrol", "show", "job", job.id)
        )
        return int(asked[1]) if asked else 0

    def end_jobs(self, folder: Path) -> None:
        """Ends all jobs of a folder, and returns when they have ended."""

        def left() -> list[str]:
            return [job.id for job in self.jobs(folder) if job.state in LEFT]

        if numbers := left():
            self.command_output("scancel", *numbers)
            until(lambda: not left(), f"jobs of {folder} end")

    def start_node(self, node: str) -> None:
        """Starts a node, and returns when it accepts jobs."""
        self._start(node, "slurmd", "-D", "-N", node)
        until(lambda: self._takes_jobs(node), f"{node} takes jobs")

    def kill_node(self, node: str) -> None:
        """Kills the daemon of a node and marks the node as down; its processes continue, unwatched."""
        self._end(node, signal.SIGKILL)
        self.command_output("scontrol", "update", f"nodename={node}", "state=down", "reason=killed")

    def processes(self, **variables: str) -> list[int]:
        """The processes of jobs; if variables are given, only those with these in their environment."""
        wanted = {"SLURM_CLUSTER_NAME": self.name, **variables}
        words = {f"{name}={value}".encode() for name, value in wanted.items()}
        found = []
        for folder in Path("/proc").glob("[0-9]*"):
            try:
                if words <= set((folder / "environ").read_bytes().split(b"\0")):
                    found.append(int(folder.name))
            except OSError:  # ended meanwhile
                continue
        return found

    def _start(self, name: str, *command: str) -> None:
        log = (self.folder / f"{name}.out").open("ab")
        with log:
            self._daemons[name] = subprocess.Popen(
                # However the tests end, their daemons do.
                ("setpriv", "--pdeathsig", "KILL", *command),
                env={**os.environ, **self.variables},
                stdin=subprocess.DEVNULL,
                stdout=log,
                stderr=log,
                start_new_session=True,  # an interrupt is for the tests alone
            )

    def _end(self, name: str, number: int) -> None:
        daemon = self._daemons.pop(name, None)
        if daemon is None:
            return
        daemon.send_signal(number)
        try:
            daemon.wait(SECONDS)
        except subprocess.TimeoutExpired:
            daemon.kill()
            daemon.wait()

    def _takes_jobs(self, node: str) -> bool:
        assert self._daemons[node].poll() is None, (self.folder / f"{node}.out").read_text()
        return self.command_output("sinfo", "--noheader", f"--nodes={node}", "--format=%t").split()[0] in (
            "idle",
            "mix",
            "alloc",
        )

    def _answers(self, *command: str) -> bool:
        return (
            subprocess.run(
                command, env={**os.environ, **self.variables}, capture_output=True, check=False
            ).returncode
            == 0
        )

    def start(self) -> None:
        """Starts all daemons, and returns when both nodes take jobs."""
        socket_path = self.folder / "munge.socket"
        key = self.folder / "munge.key"
        key.touch(mode=0o600)
        key.write_bytes(os.urandom(128))
        options = {
            "socket": socket_path,
            "key-file": key,
            "pid-file": self.folder / "munged.pid",
            "seed-file": self.folder / "munged.seed",
            "log-file": self.folder / "munged.log",
        }
        words = [f"--{name}={path}" for name, path in options.items()]
        self._start("munged", "munged", "--foreground", "--force", "--num-threads=2", *words)
        until(lambda: self._answers("munge", f"--socket={socket_path}", "--no-input"), "munged answers")
        self._start("slurmctld", "slurmctld", "-D")
        until(
            lambda: self._answers("scontrol", "ping") and "UP" in self.command_output("scontrol", "ping"),
            "slurmctld",
        )
        for node in NODES:
            self._start(node, "slurmd", "-D", "-N", node)
        for node in NODES:
            until(lambda node=node: self._takes_jobs(node), f"{node} takes jobs")

    def stop(self) -> None:
        """Ends all jobs and all daemons; kills the processes that remain."""
        with ExitStack() as last:
            last.callback(self._kill_all)
            if "slurmctld" in self._daemons:
                running = [job.id for job in self.jobs() if job.state in LEFT]
                if running:
                    self._answers("scancel", *running)

    def _kill_all(self) -> None:
        for name in [*NODES, "slurmctld", "munged"]:
            self._end(name, signal.SIGTERM)
        for pid in self.processes():
            try:
                os.kill(pid, signal.SIGKILL)
            except ProcessLookupError:
                continue


def _path() -> str:
    return os.pathsep.join([os.environ.get("PATH", ""), "/usr/sbin", "/sbin"])


def _free_ports(count: int) -> list[int]:
    with ExitStack() as held:
        sockets = [held.enter_context(socket.socket()) for _ in range(count)]
        for one in sockets:
            one.bind(("127.0.0.1", 0))
        return [one.getsockname()[1] for one in sockets]


@contextmanager
def running_cluster(folder: Path) -> Iterator[Cluster]:
    """A cluster, until the block is left. `folder` is its own, with a short name: sockets lie in it."""
    name = f"{NAME}{os.getpid()}"
    ports = _free_ports(1 + len(NODES))
    for part in ("state", *(f"spool-{node}" for node in NODES)):
        (folder / part).mkdir()
    (folder / "slurm.conf").write_text(
        (HERE / "slurm.conf.in")
        .read_text()
        .format(
            name=name,
            host=socket.gethostname(),
            folder=folder,
            controller_port=ports[0],
            node1_port=ports[1],
            node2_port=ports[2],
        )
    )
    (folder / "gres.conf").write_text("NodeName=node1 Name=gpu Count=2 File=/dev/null,/dev/zero\n")
    variables = {"PATH": _path(), "SLURM_CONF": str(folder / "slurm.conf")}
    links = [SYSTEM / file for file in ("slurm.conf", "gres.conf")]
    cluster = Cluster(name, folder, variables)
    with ExitStack() as last:
        SYSTEM.mkdir(exist_ok=True)
        for link in links:
            link.unlink(missing_ok=True)
            link.symlink_to(folder / link.name)
            last.callback(link.unlink)
        last.callback(cluster.stop)
        cluster.start()
        yield cluster
