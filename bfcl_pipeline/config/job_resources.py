"""What the jobs of one model take on a cluster, in Snakemake's terms: by its row, else by what it is.

On one machine nothing here has an effect unless a limit is given (`--resources`). What jobs take besides
stands in the profile.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Protocol

from bfcl_pipeline.config.model_rows import ModelRow

RUNTIME = "runtime"
ASKING_MINUTES = 480
"""Asking one model everything takes hours; a job at its limit goes on in the next, where it was."""

SERVER_PROCESSORS = 4
"""For each GPU: those of vLLM wait for it, tokenize and send."""

SERVER_MEGABYTES = 32_000
"""For each GPU: weights pass through the memory of the machine."""

Value = int | str | Callable[..., int]


class Growing(Protocol):
    """A resource that grows with each attempt, as Snakemake calls it."""

    def __call__(self, _wildcards: Any, attempt: int) -> int: ...


def asking_resources(row: ModelRow, *, served: bool) -> dict[str, Value]:
    """Of the job that asks a model; beside a server of its own, only what the two must say alike.

    They are one job of the cluster: what is counted is added up, what is said in words must be equal, and
    the longer runtime holds.
    """
    given = {
        name: value
        for name, value in row.resources.items()
        if not served or isinstance(value, str) or name == RUNTIME
    }
    return {**given, RUNTIME: _growing(row)}


def serving_resources(row: ModelRow) -> dict[str, Value]:
    """Of the job that serves a model: what its row says, and enough for a server where it says nothing."""
    gpus = row.vllm.gpus
    return {
        "cpus_per_task": SERVER_PROCESSORS * gpus,
        "mem_mb": SERVER_MEGABYTES * gpus,
        **row.resources,
        RUNTIME: _growing(row),
        "gpu": gpus,
    }


def _growing(row: ModelRow) -> int | str | Growing:
    """Minutes for the first attempt, twice that for the second...; a text (`8h`) is left as it is."""
    minutes = row.resources.get(RUNTIME, ASKING_MINUTES)
    if isinstance(minutes, str):
        return minutes

    def grown(_wildcards: Any, attempt: int) -> int:
        return minutes * attempt

    return grown
