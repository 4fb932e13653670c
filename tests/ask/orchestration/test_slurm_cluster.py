"""What `sinfo` prints about a cluster, as limits of jobs."""

from __future__ import annotations

import shutil
from pathlib import Path

import pytest
import yaml

from bfcl_pipeline.ask.orchestration import slurm_cluster
from bfcl_pipeline.ask.orchestration.slurm_cluster import (
    NodeLimits,
    SlurmLimits,
    check_slurm,
    default_partition,
    largest_node,
    parsed_partitions,
    slurm_named,
)
from bfcl_pipeline.base.errors import ConfigError
from bfcl_pipeline.benchmark.config import ModelRow, load_models

LINES = """\
cpu*|64|256000|(null)|2-00:00:00
cpu*|128|128000|(null)|2-00:00:00
gpu|32|512000|gpu:a100:4(S:0-1)|infinite
gpu|16|900000|gpu:h100:2,gpu:l4:1|infinite
short|8|16000|(null)|30:00
slurm_load_partitions: a warning
"""


def row(tmp_path: Path, gpus: int = 0, **resources: str) -> ModelRow:
    """A row of an embedded model, or of one that is served on so many GPUs."""
    served = {"kind": "vllm", "vllm": {"gpus": gpus}} if gpus else {"kind": "oracle"}
    path = tmp_path / "models.yaml"
    path.write_text(yaml.safe_dump({"models": [{"name": "m", **served, "resources": resources}]}))
    return load_models([path])["m"]


def limits(monkeypatch: pytest.MonkeyPatch, default: str | None = None) -> SlurmLimits:
    """Those of the cluster above, with its commands and a partition in the profile."""
    monkeypatch.setattr(slurm_cluster, "read_partitions", lambda: parsed_partitions(LINES))
    monkeypatch.setattr(shutil, "which", lambda program: f"/usr/bin/{program}")
    return SlurmLimits(lambda: "slurm", lambda: {"slurm_partition": default} if default else None)


def test_the_largest_node_has_enough_gpus_and_the_most_memory() -> None:
    """Nodes of one partition may differ; a partition list means any of its partitions."""
    cluster = parsed_partitions(LINES)
    assert largest_node(cluster) == NodeLimits(64, 256_000, 0, 2880)
    assert largest_node(cluster, "gpu", 3) == NodeLimits(16, 900_000, 3, None)
    assert largest_node(cluster, "gpu", 4) == NodeLimits(32, 512_000, 4, None)
    assert largest_node(cluster, "gpu", 5) is None
    assert largest_node(cluster, "short,cpu") == NodeLimits(64, 256_000, 0, 2880)
    assert largest_node(cluster, "short") == NodeLimits(8, 16_000, 0, 30)
    assert largest_node(cluster, "none") is None


def test_a_model_has_the_node_of_its_partition(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The partition of the row, else that of the profile, else the cluster's default."""
    assert limits(monkeypatch).largest_node(row(tmp_path)) == NodeLimits(64, 256_000, 0, 2880)
    assert limits(monkeypatch, "short").largest_node(row(tmp_path)) == NodeLimits(8, 16_000, 0, 30)
    stated = row(tmp_path, gpus=4, slurm_partition="gpu")
    assert limits(monkeypatch, "short").largest_node(stated) == NodeLimits(32, 512_000, 4, None)


def test_another_executor_asks_for_nothing(tmp_path: Path) -> None:
    """Without SLURM no command is called and nothing is limited."""
    local = SlurmLimits(lambda: "local", lambda: None)
    assert not local.used
    assert local.largest_node(row(tmp_path)) is None


@pytest.mark.parametrize(
    ("gpus", "partition", "message"),
    [
        (16, "gpu", "needs 16 GPUs on one node; the nodes of partition gpu have at most 4"),
        (1, "gpus", "slurm_partition: unknown partition 'gpus'. Did you mean 'gpu'"),
    ],
)
def test_what_no_node_can_take_is_refused(
    gpus: int, partition: str, message: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The error names the model and what the partition has."""
    with pytest.raises(ConfigError, match=message):
        limits(monkeypatch).check([row(tmp_path), row(tmp_path, gpus, slurm_partition=partition)])


def test_missing_commands_are_named() -> None:
    """One line says what to load."""
    with pytest.raises(
        ConfigError, match=r"^sbatch is not on PATH: .*\(module load slurm\).*profile slurm\.$"
    ):
        check_slurm(lambda program: program == "sbatch")
    check_slurm(lambda _program: False)


def test_the_partition_of_the_profile_is_read_in_each_form() -> None:
    """As text, as Snakemake's own record with the text in quotes, or absent."""

    class Recorded:
        raw = "'cpu'"

    assert default_partition({"slurm_partition": "cpu"}) == "cpu"
    assert default_partition({"slurm_partition": Recorded()}) == "cpu"
    assert default_partition({}) is default_partition(None) is None


@pytest.mark.parametrize(
    ("arguments", "named"),
    [
        ("--executor slurm", True),
        ("--executor=slurm -n", True),
        ("-n --workflow-profile mine", True),
        ("--workflow-profile=profiles/mine", True),
        ("--workflow-profile default", False),
        ("--workflow-profile absent", False),
        ("--executor local", False),
        ("--config run=slurm", False),
    ],
)
def test_the_executor_is_known_before_jobs_are_planned(tmp_path: Path, arguments: str, named: bool) -> None:
    """It is named by an option, or in the profile that an option names."""
    for name, text in {"mine": "jobs: 3\nexecutor: slurm\n", "default": "executor: local\n"}.items():
        (tmp_path / "profiles" / name).mkdir(parents=True)
        (tmp_path / "profiles" / name / "config.yaml").write_text(text)
    assert slurm_named(["snakemake", *arguments.split()], [tmp_path / "other", tmp_path]) is named
