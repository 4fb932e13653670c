"""The cluster resources of one model's jobs, as Snakemake resources: from its row, else by its kind.

On one machine they have no effect unless a limit is given (`--resources`). Further resources are set in the
profile.
"""

from collections.abc import Callable
from typing import Any, Protocol

from bfcl_pipeline.config.model_rows import ModelRow

RUNTIME = "runtime"
GENERATION_MINUTES = 480
"""Generating all responses of one model takes hours; at its limit a job is continued by the next one."""

SERVER_PROCESSORS = 4
"""CPUs for each GPU: the processes of vLLM wait for the GPU, tokenize and send."""

SERVER_MEGABYTES = 32_000
"""Memory for each GPU: weights pass through the memory of the machine."""

Value = int | str | Callable[..., int]


class GrowingResource(Protocol):
    """A resource that grows with each attempt; Snakemake calls it."""

    def __call__(self, _wildcards: Any, attempt: int) -> int: ...


def generation_resources(row: ModelRow, *, served: bool) -> dict[str, Value]:
    """The resources of a model's generation job; `served`: those that it must share with its server.

    The two are one cluster job (a Snakemake group): numbers are added, texts must be equal, and the longer
    runtime is used.
    """
    stated = {
        name: value
        for name, value in row.resources.items()
        if not served or isinstance(value, str) or name == RUNTIME
    }
    return {**stated, RUNTIME: _growing(row)}


def serving_resources(row: ModelRow) -> dict[str, Value]:
    """The resources of a model's server: those of its row, and defaults that suffice for a server."""
    gpus = row.vllm.gpus
    return {
        "cpus_per_task": SERVER_PROCESSORS * gpus,
        "mem_mb": SERVER_MEGABYTES * gpus,
        **row.resources,
        RUNTIME: _growing(row),
        "gpu": gpus,
    }


def _growing(row: ModelRow) -> int | str | GrowingResource:
    """Minutes for the first attempt, twice that for the second, ...; a text (`8h`) is unchanged."""
    minutes = row.resources.get(RUNTIME, GENERATION_MINUTES)
    if isinstance(minutes, str):
        return minutes

    def grown(_wildcards: Any, attempt: int) -> int:
        return minutes * attempt

    return grown
