"""The cluster resources of one model's jobs, as Snakemake resources: from its row, else by its kind.

On one machine they have no effect unless a limit is given (`--resources`). On a cluster they are limited to
the largest node that can take the job. Further resources are set in the profile.
"""

from collections.abc import Callable, Mapping
from typing import Any

from bfcl_pipeline.ask.orchestration.slurm_cluster import NodeLimits
from bfcl_pipeline.benchmark.config.model_rows import ModelRow

RUNTIME = "runtime"
GENERATION_MINUTES = 480
"""Generating all responses of one model takes hours; at its limit a job is continued by the next one."""

SERVER_PROCESSORS = 4
"""CPUs for each GPU: the processes of vLLM wait for the GPU, tokenize and send."""

SERVER_MEGABYTES = 32_000
"""Memory for each GPU: weights pass through the memory of the machine."""

LargestNode = Callable[[ModelRow], NodeLimits | None]
"""The largest node that can take the jobs of a model; None: not known. Asked when jobs are submitted."""


Value = int | str | Callable[[Any, int], int]
"""A resource, or what evaluates it for the wildcards and the number of an attempt."""


def generation_resources(
    row: ModelRow, *, served: bool, largest: LargestNode = lambda _row: None
) -> dict[str, Value]:
    """The resources of a model's generation job; `served`: those that it must share with its server.

    The two are one cluster job (a Snakemake group): numbers are added, texts must be equal, and the longer
    runtime is used. So beside a server the job asks for no memory of its own.
    """
    stated = {
        name: value
        for name, value in row.resources.items()
        if not served or isinstance(value, str) or name == RUNTIME
    }
    own: dict[str, Value] = {"mem_mb": 0} if served else {}
    return {**_limited({**stated, RUNTIME: _minutes(row)}, row, largest), **own}


def serving_resources(row: ModelRow, largest: LargestNode = lambda _row: None) -> dict[str, Value]:
    """The resources of a model's server: those of its row, and defaults that suffice for a server."""
    gpus = row.vllm.gpus
    wanted = {
        "cpus_per_task": SERVER_PROCESSORS * gpus,
        "mem_mb": SERVER_MEGABYTES * gpus,
        **row.resources,
        RUNTIME: _minutes(row),
    }
    return {**_limited(wanted, row, largest), "gpu": gpus}


def _minutes(row: ModelRow) -> int | str:
    """The time limit of the first attempt; a text is in Snakemake's units (`8h`)."""
    return row.resources.get(RUNTIME, GENERATION_MINUTES)


def _limited(wanted: Mapping[str, int | str], row: ModelRow, largest: LargestNode) -> dict[str, Value]:
    """`wanted`, with time that grows with each attempt, and no more than the largest node has.

    Texts are unchanged.
    """

    def limited(name: str, value: int) -> Value:
        def resource(_wildcards: Any, attempt: int) -> int:
            node = largest(row)
            limit = None if node is None else getattr(node, _LIMITS[name])
            growing = value * attempt if name == RUNTIME else value
            return growing if limit is None else min(growing, limit)

        return resource

    return {
        name: limited(name, value) if isinstance(value, int) and name in _LIMITS else value
        for name, value in wanted.items()
    }


_LIMITS = {"cpus_per_task": "processors", "mem_mb": "megabytes", RUNTIME: "minutes"}
"""Resources that a node or its partition limits, and the field of NodeLimits that says to how much."""
