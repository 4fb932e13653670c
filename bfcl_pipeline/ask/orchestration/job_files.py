"""One `bfcl-pipeline generate` in the workflow: its files, its command, its resources, what repeats it.

Resources are those of a cluster: from the model's row, else by its kind. On one machine they have no effect
unless a limit is given (`--resources`). On a cluster they are limited to the largest node that can take the
job. Further resources are set in the profile.
"""

from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass, replace
from itertools import groupby
from pathlib import Path
from typing import Any

from bfcl_pipeline.ask.jobs.options import to_argv
from bfcl_pipeline.ask.jobs.result_paths import result_inputs
from bfcl_pipeline.ask.orchestration.slurm_cluster import NodeLimits
from bfcl_pipeline.benchmark.config import Job, ModelRow, RunConfig, model_folder, trial_name
from bfcl_pipeline.benchmark.config.conditions import split_condition
from bfcl_pipeline.benchmark.definition import CATEGORIES
from bfcl_pipeline.runs.provenance import BESIDE_LOG

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

TEXTS = "data/release/texts.json"
FAMILY_TEXTS = "data/release/family_texts.json"
"""Texts of the staged release, for all models and for those of families."""

ENCODER = "data/encoder/model.safetensors"
"""The staged sentence encoder."""


@dataclass(frozen=True, slots=True, kw_only=True)
class JobFiles:
    """The step of one job; paths are relative to the folder of the workflow."""

    job: Job
    name: str  # as a file name: of its rule, log and server
    entries: list[str]  # the tables of the benchmark that it reads
    staged: list[str]  # these, and the other staged files that it reads
    server: list[str]  # the status file of its server, if the run starts one
    previous_trial: list[str]  # responses to wait for: side by side, trials would exceed the model's limits
    shard_folder: str | None  # of its results, if other shards run the rest of the model's entries
    responses_folder: str  # of its tables of responses
    responses: list[str]  # its tables of responses
    sessions_folder: str  # of its tables of memory sessions
    sessions: list[str]  # its tables of memory sessions
    provenance: list[str]  # the option that names the file for the record of what makes its answers
    largest: LargestNode  # of a cluster

    @property
    def answers(self) -> list[str]:
        """The files with answers that exist already, for a model of kind `results`."""
        return result_inputs(self.job)

    @property
    def options(self) -> list[str]:
        """The options of its command, without those for outputs."""
        return [*to_argv(self.job), *self.provenance]

    @property
    def deciding(self) -> list[str]:
        """Those options on which answers depend: a change of one repeats the step."""
        return to_argv(replace(self.job, web=self.job.web.deciding))

    @property
    def resources(self) -> dict[str, Value]:
        """Of the step on a cluster; none if it sends no requests."""
        if self.job.replay or not self.job.remote:
            return {}
        return generation_resources(self.job.row, served=bool(self.server), largest=self.largest)

    @property
    def server_resources(self) -> dict[str, Value]:
        """Of the server that the run starts for the step."""
        return serving_resources(self.job.row, self.largest)


def job_files(job: Job, largest: LargestNode = lambda _row: None) -> JobFiles:
    """The step of `job`. largest: the node of the cluster that can take it."""
    run, name, endpoint = f"results/{job.run}", job.file_name, job.paths.endpoint
    entries = _tables("data/entries", job.categories)
    shard = f"{run}/shards/{name}" if job.selection.shard.of > 1 else None
    responses = f"{run}/responses/{name}" if shard is None else f"{shard}/responses"
    sessions = f"{run}/memory/{name}" if shard is None else f"{shard}/memory"
    before = f"{run}/responses/{model_folder(trial_name(job.row.name, job.trial - 1))}"
    return JobFiles(
        job=job,
        name=name,
        entries=entries,
        staged=[
            TEXTS,
            *([FAMILY_TEXTS] if job.row.family else []),
            *entries,
            *([] if job.recorded else encoder_of(job.categories)),
        ],
        server=[] if endpoint is None else [str(endpoint)],
        previous_trial=_tables(before, job.categories) if job.trial > 1 else [],
        shard_folder=shard,
        responses_folder=responses,
        responses=_tables(responses, job.categories),
        sessions_folder=sessions,
        sessions=_tables(sessions, (name for name in job.categories if CATEGORIES[name].prerequisites)),
        provenance=[] if job.replay else [f"--provenance-out={run}/logs/generate/{name}{BESIDE_LOG}"],
        largest=largest,
    )


def in_turn(steps: Iterable[JobFiles]) -> Iterator[JobFiles]:
    """The steps, each condition of a model to begin after the one before it: side by side, they would be
    one load on its server."""
    for _, of_model in groupby(steps, key=lambda step: split_condition(step.job.row.name)[0]):
        before: list[str] = []
        for _, of_row in groupby(of_model, key=lambda step: step.job.row.name):
            now = list(of_row)
            yield from (replace(step, previous_trial=[*step.previous_trial, *before]) for step in now)
            before = [path for step in now for path in step.responses]


def _tables(folder: str, categories: Iterable[str]) -> list[str]:
    return [f"{folder}/{category}.parquet" for category in categories]


def group_shards(jobs: Iterable[JobFiles]) -> dict[str, list[JobFiles]]:
    """By the model's name as a file name: its shards, for each model that has several."""
    shards: dict[str, list[JobFiles]] = {}
    for files in jobs:
        if files.shard_folder is not None:
            shards.setdefault(files.job.folder, []).append(files)
    return shards


def encoder_of(categories: Iterable[str]) -> list[str]:
    """The staged sentence encoder, if one of `categories` needs it."""
    return [ENCODER] if any(CATEGORIES[category].needs_encoder for category in categories) else []


def staged_files(run: RunConfig) -> list[Path]:
    """The staged files without which no step of the run can start."""
    files = [
        TEXTS,
        *_tables("data/entries", run.categories),
        *encoder_of(run.categories),
    ]
    return list(map(Path, files))


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
