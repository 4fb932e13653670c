"""`bfcl-pipeline web status`: what the web cache holds, and how much of a run it covers."""

import argparse
import sys
from pathlib import Path

from bfcl_pipeline.ask.jobs.effort import left_by_model, left_text
from bfcl_pipeline.base.text import line_of, plural, text_table
from bfcl_pipeline.benchmark.config.job import WebChoice
from bfcl_pipeline.benchmark.tables import read_responses
from bfcl_pipeline.cli.options import add_data
from bfcl_pipeline.cli.web.options import add_record, add_run
from bfcl_pipeline.judge.web_files import run_keys, unfinished_models
from bfcl_pipeline.runs.run import Run, open_run
from bfcl_pipeline.world.web.cache import WebCache
from bfcl_pipeline.world.web.coverage import CacheStats, survey, web_keys

HELP = "print what the web cache holds; exit status 1 if any of it is damaged"


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declares the options of the action."""
    add_record(parser)
    add_run(parser, "also print how many of its web requests are recorded, and what is left")
    add_data(parser)


def run(options: argparse.Namespace) -> int:
    """Prints the state of the web cache. Returns 1 if a file in it is damaged."""
    opened = None if options.run_dir is None else open_run(options.run_dir, data=options.data)
    stats = survey(WebCache(options.record))
    _print_stats(options.record, stats)
    if opened is not None:
        _print_run(opened, options.record, stats)
    for line in stats.damaged:
        print(line_of(line), file=sys.stderr)
    return 1 if stats.damaged else 0


def _print_run(run: Run, record: Path, stats: CacheStats) -> None:
    """How many requests of a run are recorded, and what each of its models still needs."""
    keys = run_keys(run, record, unfinished=True)
    requests = plural(len(keys), "different web request", "different web requests")
    print(f"{run.folder}: {requests}, {len(keys & stats.keys):,} recorded.")
    web = WebChoice() if run.config is None else run.config.web or WebChoice()
    tables = sorted(run.folder.glob("responses/**/web_search_*.parquet"))
    responses = (response for path in tables for response in read_responses(path))
    left = left_by_model(responses, lambda response: web_keys(response, web.search_tool))
    for name, of_model in left.items():
        print(f"{name}: {left_text(of_model, web)}")
    for name in unfinished_models(run):
        print(f"{name}: not finished. Run again: what is recorded is not searched again.")


def _print_stats(folder: Path, stats: CacheStats) -> None:
    if not stats.outcomes and not stats.damaged:
        print(f"{folder}: nothing recorded yet{'' if folder.is_dir() else ' (no such directory)'}.")
        return
    rows = [(*named, f"{count:,}") for named, count in sorted(stats.outcomes.items(), reverse=True)]
    rows.append(("all", "", f"{stats.outcomes.total():,}"))
    print(text_table(("function", "outcome", "number"), rows))
    print(f"\n{folder}: {stats.bytes / 1e6:,.1f} MB.")
    if stats.oldest and stats.newest:
        print(f"Recorded from {stats.oldest:%Y-%m-%d %H:%M} to {stats.newest:%Y-%m-%d %H:%M} UTC.")
    for engine, count in stats.engines.most_common():
        print(f"By {line_of(engine)}: {count:,}.")
    print(f"Damaged outcomes: {len(stats.damaged):,}.")
