"""What the models of a run would be asked, for a dry run: entries, sessions, requests, searches.

Covers what follows from the staged benchmark alone: a turn takes at least one request, and how many more it
takes is the model's choice. Tokens and costs are not estimated: they depend on that choice, too.
"""

import json
from collections.abc import Callable, Collection, Sequence
from dataclasses import dataclass
from functools import cache
from pathlib import Path

from bfcl_pipeline.ask.jobs.selection import choose_entries
from bfcl_pipeline.ask.jobs.web_effort import effort_text
from bfcl_pipeline.base.text import plural
from bfcl_pipeline.benchmark.config import Job, RunConfig
from bfcl_pipeline.benchmark.config.job import NETWORK_MODES
from bfcl_pipeline.benchmark.definition import GROUPS
from bfcl_pipeline.benchmark.tables import entries_path, read_table

_COLUMNS = ("entry_id", "category", "depends_on", "prerequisite", "turns_json", "source_json")


@dataclass(frozen=True, slots=True)
class PlannedEntry:
    """One entry of the benchmark, without its content."""

    entry_id: str
    category: str
    depends_on: Sequence[str]  # sessions to be run before it
    prerequisite: bool  # whether it is a session
    turns: int  # number of its turns
    hops: int  # from a web question to its answer; of other entries 0


def planned_work(run: RunConfig, complete: Collection[str], data: Path) -> list[str]:
    """Lines on the models of `run` that have no complete results yet; none before the release is staged.

    complete: the directory names of models with complete results. data: the staged benchmark. Raises
    ConfigError if an entry id does not exist.
    """
    if not all(entries_path(data, category).is_file() for category in run.categories):
        return []
    read = cache(lambda category: _read(data, category))
    models: dict[str, list[str]] = {}
    for folder in run.folders:
        if folder not in complete:
            jobs = run.jobs_of(folder)
            # Shards divide the entries of one selection; other jobs have categories of their own.
            parts = {job.categories: job for job in jobs}.values()
            entries = [entry for job in parts for entry in _entries(job, read)]
            models.setdefault(_described(entries, jobs[0]), []).append(jobs[0].name)
    return [f"{', '.join(names)}: {work}" for work, names in models.items()]


def _entries(job: Job, read: Callable[[str], list[PlannedEntry]]) -> list[PlannedEntry]:
    staged = [entry for category in job.categories for entry in read(category)]
    return choose_entries(staged, job.categories, job.selection)


def _described(entries: Sequence[PlannedEntry], job: Job) -> str:
    sessions = sum(entry.prerequisite for entry in entries)
    parts = [plural(len(entries) - sessions, "entry", "entries")]
    parts += [plural(sessions, "session", "sessions")] if sessions else []
    work = " + ".join(parts)
    if job.recorded:
        return f"{work}, taken from results"
    if not job.embedded:
        requests = plural(sum(entry.turns for entry in entries), "request", "requests")
        work += f", at least {requests}"
    return work + _searches(entries, job)


def _searches(entries: Sequence[PlannedEntry], job: Job) -> str:
    """The searches and pages of web questions, if they are requested of the real web."""
    hops = sum(entry.hops for entry in entries)
    if not hops or job.web.mode not in NETWORK_MODES:
        return ""
    recorded = ", less what is recorded" if job.web.mode == "record" else ""
    effort = effort_text(hops, job.web)
    return f"; {effort} (one of each for a hop{recorded})"


def _read(data: Path, category: str) -> list[PlannedEntry]:
    table = read_table(entries_path(data, category), _COLUMNS)
    return [
        PlannedEntry(
            row["entry_id"],
            row["category"],
            row["depends_on"],
            row["prerequisite"],
            len(json.loads(row["turns_json"])),
            len(json.loads(row["source_json"])) if row["category"] in GROUPS["web_search"] else 0,
        )
        for row in table.to_pylist()
    ]
