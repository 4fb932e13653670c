"""What the models of a run would be asked, for a dry run: the estimate of work by published figures."""

from collections.abc import Collection

from bfcl_pipeline.ask.jobs.effort import PUBLISHED, effort, searches_text
from bfcl_pipeline.base.text import plural
from bfcl_pipeline.benchmark.config import RunConfig
from bfcl_pipeline.benchmark.config.job import NETWORK_MODES


def planned_work(run: RunConfig, complete: Collection[str]) -> list[str]:
    """Lines on the models of `run` that have no complete results yet.

    complete: the directory names of models with complete results.
    """
    models: dict[str, list[str]] = {}
    for folder in run.folders:
        if folder not in complete:
            models.setdefault(_work(run, folder), []).append(run.job_of(folder).name)
    return [f"{', '.join(names)}: {work}" for work, names in models.items()]


def _work(run: RunConfig, folder: str) -> str:
    """What a model, trial of it included, is asked by its jobs."""
    jobs = run.jobs_of(folder)
    job = jobs[0]
    entries = {name: one.selection.size_of(name) for one in jobs for name in one.categories}
    work = plural(sum(entries.values()), "entry", "entries")
    if job.recorded:
        return f"{work}, taken from results"
    needed = effort(entries, PUBLISHED, job.row)
    if not job.embedded:
        work += f", {needed}"
    if needed.searches and job.web.mode in NETWORK_MODES:
        recorded = ", less what is recorded" if job.web.mode == "record" else ""
        work += f"; {searches_text(needed.searches, job.web)} (one of each for a hop{recorded})"
    return work
