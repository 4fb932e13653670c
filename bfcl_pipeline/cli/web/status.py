"""`bfcl-pipeline web status`: what the web cache holds, and how much of a run it covers."""

from __future__ import annotations

import argparse
import sys
from collections.abc import Iterator, Sequence
from pathlib import Path

from bfcl_pipeline.benchmark import CATEGORIES, GROUPS
from bfcl_pipeline.cli.options import add_data
from bfcl_pipeline.cli.web.options import add_record, add_run
from bfcl_pipeline.config.job import SEARCH_TOOL
from bfcl_pipeline.config.plain_yaml import recorded_keys
from bfcl_pipeline.config.search_engines import recorded_engines
from bfcl_pipeline.config.trials import trial_of
from bfcl_pipeline.errors import TableError
from bfcl_pipeline.records import Response
from bfcl_pipeline.runs.folders import run_folder
from bfcl_pipeline.tables import read_responses
from bfcl_pipeline.text import line_of, text_table
from bfcl_pipeline.web.cache import WebCache
from bfcl_pipeline.web.coverage import CacheCoverage, coverage
from bfcl_pipeline.web.effort import left_by_model, left_text
from bfcl_pipeline.web.executed import WebRequests
from bfcl_pipeline.web.pace import PAUSE_SECONDS
from bfcl_pipeline.web.status import CacheStats, survey

_CATEGORIES = (*GROUPS["web_search"], *(name for name in CATEGORIES if CATEGORIES[name].executes))

HELP = "print what the web cache holds; exit status 1 if any of it is damaged"


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declares the options of the action."""
    add_record(parser)
    add_run(parser, "also print what share of its web calls the cache covers")
    add_data(parser)


def run(options: argparse.Namespace) -> int:
    """Prints the state of the web cache. Returns 1 if a file in it is damaged."""

    folder = None if options.run_dir is None else run_folder(options.run_dir)
    cache = WebCache(options.record)
    stats = survey(cache)
    _print_stats(options.record, stats)
    if folder is not None:
        requests = requests_of_run(folder, options.data, cache)
        waiting = [*_unfinished(folder)]
        if models := coverage(stats.keys, _responses(folder, unfinished=bool(waiting)), requests):
            _print_coverage(models)
        for line in (*_left(folder, requests), *waiting):
            print(line)
    for line in stats.damaged:
        print(line_of(line), file=sys.stderr)
    return 1 if stats.damaged else 0


def requests_of_run(folder: Path, data: Path, cache: WebCache) -> WebRequests:
    """The web requests of responses of the run in `folder`. Raises ConfigError for a wrong config of it."""
    tool = recorded_keys(folder).get("search_tool")
    return WebRequests(
        data, cache, tool if isinstance(tool, str) else SEARCH_TOOL, recorded_engines(folder)
    )


def _left(folder: Path, requests: WebRequests) -> Iterator[str]:
    """What each model still needs of the web for its questions without an answer."""
    engines, pause = recorded_engines(folder), recorded_keys(folder).get("web_pause")
    seconds = float(pause) if isinstance(pause, int | float) else PAUSE_SECONDS
    for name, left in left_by_model(_responses(folder, unfinished=True), requests).items():
        yield f"{name}: {left_text(left.questions, left.searches, engines.of(name), seconds)}"


def _unfinished(folder: Path) -> Iterator[str]:
    """The models of which the run has no responses yet to what it asks of the web."""
    config = recorded_keys(folder)
    models, categories = config.get("models"), config.get("categories")
    if not isinstance(models, list) or not isinstance(categories, list):
        return  # a run that was imported
    if not set(_CATEGORIES).isdisjoint(map(str, categories)):
        there = {trial_of(response.model or "").model for response in _responses(folder, unfinished=True)}
        for name in map(str, models):
            if name not in there:
                yield f"{name}: not finished. Run again: what is recorded is not searched again."


def _responses(run_dir: Path, *, unfinished: bool) -> Iterator[Response]:
    """The responses that may have used the web. unfinished: there may be none."""
    tables = [path for name in _CATEGORIES for path in run_dir.glob(f"responses/**/{name}.parquet")]
    if not tables and not unfinished:
        raise TableError(
            f"{run_dir}: no responses of {', '.join(_CATEGORIES)}. Give the directory of a run with one of "
            "these categories."
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


def _print_coverage(models: Sequence[CacheCoverage]) -> None:
    rows = [
        (
            model.model,
            f"{model.calls:,}",
            f"{model.calls_recorded:,}",
            _share(model.calls_recorded, model.calls),
            f"{model.keys:,}",
            _share(model.keys_recorded, model.keys),
        )
        for model in models
    ]
    print()
    print(text_table(("model", "web calls", "recorded", "share", "different", "share"), rows))
    for model in models:
        if model.unreadable:
            print(f"{model.model}: responses that cannot be read: {model.unreadable:,}.")


def _share(part: int, whole: int) -> str:
    return f"{100 * part / whole:.1f} %" if whole else "-"
