"""`bfcl-pipeline web status`: what the web cache holds, and how much of a run it covers."""

from __future__ import annotations

import argparse
import sys
from collections.abc import Iterator
from pathlib import Path

from bfcl_pipeline.ask.jobs.effort import left_by_model, left_text
from bfcl_pipeline.base.errors import TableError
from bfcl_pipeline.base.text import line_of, plural, text_table
from bfcl_pipeline.benchmark.config.choices import trial_of
from bfcl_pipeline.benchmark.config.job import SEARCH_TOOL, WebChoice
from bfcl_pipeline.benchmark.definition import CATEGORIES, GROUPS, resolve_categories
from bfcl_pipeline.benchmark.records import Response
from bfcl_pipeline.benchmark.tables import read_responses
from bfcl_pipeline.cli.options import add_data
from bfcl_pipeline.cli.web.options import add_record, add_run
from bfcl_pipeline.judge.executed_requests import WebRequests
from bfcl_pipeline.runs.run import Run, open_run
from bfcl_pipeline.world.web.cache import WebCache
from bfcl_pipeline.world.web.coverage import CacheStats, coverage, survey

_CATEGORIES = (*GROUPS["web_search"], *(name for name in CATEGORIES if CATEGORIES[name].executes))

HELP = "print what the web cache holds; exit status 1 if any of it is damaged"


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declares the options of the action."""
    add_record(parser)
    add_run(parser, "also print how many of its web calls are recorded, and what is left")
    add_data(parser)


def run(options: argparse.Namespace) -> int:
    """Prints the state of the web cache. Returns 1 if a file in it is damaged."""

    run = None if options.run_dir is None else open_run(options.run_dir)
    cache = WebCache(options.record)
    stats = survey(cache)
    _print_stats(options.record, stats)
    if run is not None:
        requests = requests_of_run(run, options.data, cache)
        waiting = [*_unfinished(run)]
        for name, calls in coverage(
            stats.keys, _responses(run, unfinished=bool(waiting)), requests
        ).items():
            print(f"{name}: {plural(calls.calls, 'web call', 'web calls')}, {calls.recorded:,} recorded.")
            if calls.unreadable:
                print(f"{name}: responses that cannot be read: {calls.unreadable:,}.")
        for line in (*_left(run, requests), *waiting):
            print(line)
    for line in stats.damaged:
        print(line_of(line), file=sys.stderr)
    return 1 if stats.damaged else 0


def requests_of_run(run: Run, data: Path, cache: WebCache) -> WebRequests:
    """The web requests of the responses of a run. Raises ConfigError for a wrong config of it."""
    web = None if run.config is None else run.config.web
    return WebRequests(data, cache, SEARCH_TOOL if web is None else web.search_tool)


def _left(run: Run, requests: WebRequests) -> Iterator[str]:
    """What each model still needs of the web for its questions without an answer."""
    web = WebChoice() if run.config is None else run.config.web or WebChoice()
    for name, left in left_by_model(_responses(run, unfinished=True), requests).items():
        yield f"{name}: {left_text(left, web)}"


def _unfinished(run: Run) -> Iterator[str]:
    """The models of which the run has no responses yet to what it asks of the web."""
    if run.config is None or run.imported:
        return
    if not set(_CATEGORIES).isdisjoint(resolve_categories(run.config.categories)):
        there = {trial_of(response.model or "").model for response in _responses(run, unfinished=True)}
        for name in run.config.models:
            if name not in there:
                yield f"{name}: not finished. Run again: what is recorded is not searched again."


def _responses(run: Run, *, unfinished: bool) -> Iterator[Response]:
    """The responses that may have used the web. unfinished: there may be none."""
    tables = [path for name in _CATEGORIES for path in run.folder.glob(f"responses/**/{name}.parquet")]
    if not tables and not unfinished:
        raise TableError(
            f"{run.folder}: no responses of {', '.join(_CATEGORIES)}. Give the directory of a run with one "
            "of these categories."
        )
    for path in sorted(tables):
        yield from read_responses(path)


def _print_stats(folder: Path, stats: CacheStats) -> None:
    if not stats.outcomes and not stats.damaged:
        print(f"{folder}: nothing recorded yet{'' if folder.is_dir() else ' (no such directory)'}.")
        return
    rows = [(*named, f"{count:,}") for named, count in sorted(stats.outcomes.items(), reverse=True)]
    rows.append(("all", "", f"{stats.outcomes.total():,}"))
    print(text_table(("function", "outcome", "number"), rows))
    cassettes = f"cassettes: {stats.cassettes:,}"
    if stats.cassettes_missing:
        cassettes += f", missing: {stats.cassettes_missing:,}"
    print(f"\n{folder}: {stats.bytes / 1e6:,.1f} MB, {cassettes}.")
    if stats.oldest and stats.newest:
        print(f"Recorded from {stats.oldest:%Y-%m-%d %H:%M} to {stats.newest:%Y-%m-%d %H:%M} UTC.")
    for engine, count in stats.engines.most_common():
        print(f"By {line_of(engine)}: {count:,}.")
    if stats.leftovers:
        print(f"Unused files, left by interrupted writers: {stats.leftovers:,}.")
    print(f"Damaged files: {len(stats.damaged):,}.")
