"""What a SLURM cluster offers: its commands, and the largest node of a partition.

Resources that the workflow asks for by itself are limited to that node: a job that no node can take would
wait forever. Not covered: limits of accounts and of quality of service, whose effect is a pending reason
(`cluster_queue`).
"""

import re
import shutil
import subprocess
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import pairwise
from pathlib import Path
from typing import Any

from bfcl_pipeline.ask.orchestration.workflow_command import yaml_mapping
from bfcl_pipeline.base.errors import ConfigError
from bfcl_pipeline.base.text import unknown_name
from bfcl_pipeline.benchmark.config.model_rows import ModelRow

PROGRAMS = ("sbatch", "squeue", "sinfo", "scancel")
"""SLURM's commands that the submitting process needs."""

COMMAND_SECONDS = 60.0
"""Time limit of a SLURM command."""

_EXECUTOR = {"--executor", "-e"}
_PROFILE = {"--workflow-profile", "--profile"}
_FORMAT = "%P|%c|%m|%G|%l"
_GPUS = re.compile(r"gpu:(?:[^:,()]+:)?(\d+)")
_TIME = re.compile(r"(?:(?:(\d+)-)?(\d+):)?(\d+):(\d+)")


@dataclass(frozen=True, slots=True)
class NodeLimits:
    """The largest that one job can ask for on one kind of node."""

    processors: int
    megabytes: int  # of memory
    gpus: int
    minutes: int | None  # time limit of the partition; None: no limit


Partitions = Mapping[str, tuple[NodeLimits, ...]]
"""By partition, its kinds of node; by the empty name those of jobs that name no partition."""


def largest_node(partitions: Partitions, partition: str | None = None, gpus: int = 0) -> NodeLimits | None:
    """The largest node with at least `gpus` GPUs in a partition; None if it has no such node.

    Of several kinds of node, that with the most memory. A list such as `a,b` means any of its partitions.
    """
    nodes = [node for name in (partition or "").split(",") for node in partitions.get(name.strip(), ())]
    fitting = [node for node in nodes if node.gpus >= gpus]
    return max(fitting, key=lambda node: (node.megabytes, node.processors), default=None)


def check_slurm(missing: Callable[[str], bool] = lambda program: shutil.which(program) is None) -> None:
    """Raises ConfigError if SLURM's commands are not on PATH."""
    lacking = [program for program in PROGRAMS if missing(program)]
    if lacking:
        verb = "is" if len(lacking) == 1 else "are"
        raise ConfigError(
            f"{', '.join(lacking)} {verb} not on PATH: run this on a login node of the cluster, with its "
            "SLURM module loaded (module load slurm). With no cluster, leave out the profile slurm."
        )


def slurm_named(arguments: Sequence[str], folders: Iterable[Path]) -> bool:
    """Whether a call of Snakemake names SLURM as its executor, by an option or in a profile.

    Known before the jobs are planned, also of a dry run, in which Snakemake replaces the executor.

    Args:
        arguments: the command line.
        folders: where Snakemake looks for profiles.
    """
    words = [word for argument in arguments for word in argument.split("=", 1)]
    given = {
        option: value for option, value in pairwise(words) if option in _EXECUTOR or option in _PROFILE
    }
    if any(given[option] == "slurm" for option in _EXECUTOR & given.keys()):
        return True
    paths = [
        folder / place / name
        for profile in (given[option] for option in _PROFILE & given.keys())
        for folder in folders
        for place in (profile, f"profiles/{profile}")
        for name in ("config.yaml", "profile.yaml")
    ]
    return any(yaml_mapping(path).get("executor") == "slurm" for path in paths if path.is_file())


def slurm_output(*command: str) -> str | None:
    """The output of a SLURM command; None if it fails, as it does where SLURM has no cluster."""
    try:
        done = subprocess.run(command, capture_output=True, text=True, check=True, timeout=COMMAND_SECONDS)
    except (OSError, subprocess.SubprocessError):
        return None
    return done.stdout


def read_partitions() -> Partitions:
    """The cluster as `sinfo` describes it; empty if it cannot be asked."""
    return parsed_partitions(slurm_output("sinfo", "--noheader", "--exact", f"--format={_FORMAT}") or "")


def parsed_partitions(listing: str) -> Partitions:
    """Those in lines `partition|CPUs|megabytes|generic resources|time limit`; others are skipped."""
    nodes: dict[str, tuple[NodeLimits, ...]] = {}
    for line in listing.splitlines():
        fields = line.strip().split("|")
        if len(fields) != 5 or not (fields[1].isdecimal() and fields[2].isdecimal()):
            continue
        gpus = sum(map(int, _GPUS.findall(fields[3])))
        limits = NodeLimits(int(fields[1]), int(fields[2]), gpus, _minutes(fields[4]))
        for name in {fields[0].removesuffix("*"), "" if fields[0].endswith("*") else fields[0]}:
            nodes[name] = (*nodes.get(name, ()), limits)
    return nodes


def default_partition(default_resources: Mapping[str, Any] | None) -> str | None:
    """The partition in the profile's `default-resources`, in the form in which Snakemake has them."""
    value = (default_resources or {}).get("slurm_partition")
    text = getattr(value, "raw", value)
    return text.strip("'\"") if isinstance(text, str) else None


def _minutes(text: str) -> int | None:
    """A time of SLURM (`2-00:30:00`, `30:00`) in whole minutes; None if it is unlimited."""
    match = _TIME.fullmatch(text)
    if match is None:
        return None
    days, hours, minutes, _ = (int(part or 0) for part in match.groups())
    return (24 * days + hours) * 60 + minutes


class SlurmLimits:
    """What the cluster of a workflow offers to the jobs of a model; nothing is asked before it is needed.

    Args:
        executor: the name of Snakemake's executor, which is known once the jobs are planned.
        default_resources: those of the profile, in the form in which Snakemake has them.
    """

    def __init__(
        self, executor: Callable[[], str | None], default_resources: Callable[[], Mapping[str, Any] | None]
    ) -> None:
        self._executor = executor
        self._default_resources = default_resources

    @property
    def used(self) -> bool:
        """Whether the workflow submits its jobs to SLURM."""
        return self._executor() == "slurm"

    @cached_property
    def _partitions(self) -> Partitions:
        return read_partitions() if self.used else {}

    def largest_node(self, row: ModelRow) -> NodeLimits | None:
        """The largest node that can take the jobs of a model; None without SLURM, or if there is none."""
        return largest_node(self._partitions, self._partition(row), row.vllm.gpus if row.served else 0)

    def check(self, rows: Iterable[ModelRow]) -> None:
        """Raises ConfigError if SLURM's commands are missing, or no node can take the jobs of a model."""
        check_slurm()
        for row in rows if self._partitions else ():
            names = (self._partition(row) or "").split(",")
            for name in names:
                if name and name not in self._partitions:
                    known = filter(None, self._partitions)
                    raise ConfigError(
                        f"{row.name}: slurm_partition: {unknown_name('partition', name, known)}"
                    )
            # A cluster without a default partition refuses such jobs itself.
            if row.served and names[0] in self._partitions and self.largest_node(row) is None:
                place = f"partition {','.join(names)}" if names[0] else "the default partition"
                most = max(node.gpus for name in names for node in self._partitions.get(name, ()))
                raise ConfigError(
                    f"{row.name}: its server needs {row.vllm.gpus} GPUs on one node; the nodes of {place} "
                    f"have at most {most}. Set slurm_partition in the resources of its row, or start a "
                    "server on several nodes yourself and use `backend: endpoint`."
                )

    def _partition(self, row: ModelRow) -> str | None:
        stated = row.resources.get("slurm_partition")
        return str(stated) if stated is not None else default_partition(self._default_resources())
