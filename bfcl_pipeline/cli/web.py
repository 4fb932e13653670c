"""`bfcl-pipeline web ACTION`: the web cache and the real web behind it.

`check`: whether the cassettes of the web cache prove its outcomes. `status`: what it holds, and how much of
a run it covers. `try`: one live search or fetch, as a run would make it, without the retries of a run;
nothing is recorded.
"""

import argparse
import os
import sys
import time
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

from bfcl_pipeline.ask.jobs.effort import left_by_model, left_text
from bfcl_pipeline.base.errors import WebError
from bfcl_pipeline.base.project import project_file
from bfcl_pipeline.base.secrets import Redactor
from bfcl_pipeline.base.text import line_of, plural, printable, text_table
from bfcl_pipeline.benchmark.config.job import SEARCH_ENGINES, SERPAPI_KEY, WebChoice
from bfcl_pipeline.benchmark.config.models_files import CONFIG_FILE, config_values
from bfcl_pipeline.benchmark.config.run_settings import complete_values
from bfcl_pipeline.benchmark.tables import read_responses
from bfcl_pipeline.cli.options import add_data
from bfcl_pipeline.cli.runs import RUN_HELP
from bfcl_pipeline.cli.steps import PlainCount
from bfcl_pipeline.judge.web_files import run_keys, unfinished_models
from bfcl_pipeline.runs.run import Run, open_run
from bfcl_pipeline.world.tools.web_search.web import Hits, Page, WebFailure
from bfcl_pipeline.world.web.cache import WebCache
from bfcl_pipeline.world.web.check import CacheCheck, check_cache
from bfcl_pipeline.world.web.coverage import CacheStats, survey, web_keys
from bfcl_pipeline.world.web.engines.asking import RetryPolicy
from bfcl_pipeline.world.web.fetcher import Fetcher
from bfcl_pipeline.world.web.keys import FetchKey, Key, SearchKey
from bfcl_pipeline.world.web.modes import open_engine
from bfcl_pipeline.world.web.pace import HostPace
from bfcl_pipeline.world.web.proxies import Proxies

_SHOWN = 5  # results, and lines of a page
_LONGEST = 300  # characters of a line


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declares the actions and their options."""
    actions = parser.add_subparsers(dest="action", metavar="ACTION", required=True)
    about = "play the cassettes of the web cache, offline; exit status 1 if one contradicts its outcome"
    check = actions.add_parser("check", help=about, description=about)
    check.set_defaults(act=_check)
    _add_record(check, "check what it used only")
    about = "print what the web cache holds; exit status 1 if any of it is damaged"
    status = actions.add_parser("status", help=about, description=about)
    status.set_defaults(act=_status)
    _add_record(status, "also print how many of its web requests are recorded, and what is left")
    about = "search or fetch once, live, as a run does; records nothing"
    tried = actions.add_parser("try", help=about, description=about)
    tried.set_defaults(act=_try)
    add = tried.add_argument
    add("asked", metavar="QUERY|URL", help="what to search for, or the http(s) address of a page")
    add("--search-engine", dest="engine", choices=SEARCH_ENGINES, help="default: that of the config")
    add("--proxy", metavar="URL", help="environment, none, or an address (default: that of the config)")


def _add_record(parser: argparse.ArgumentParser, about: str) -> None:
    """The web cache and, if given, a run. about: what is done with the run."""
    parser.add_argument("run_dir", nargs="?", type=Path, metavar="RUN", help=f"{RUN_HELP}; {about}")
    parser.add_argument(
        "--record", type=Path, default=Path("cache/web"), help="the web cache (default: cache/web)"
    )
    add_data(parser)


def run(options: argparse.Namespace) -> int:
    """Runs the action. Returns the exit status."""
    status: int = options.act(options)
    return status


def _check(options: argparse.Namespace) -> int:
    """Prints how many outcomes are proven, and what is wrong. Returns 1 if the record is not consistent."""
    cache = WebCache(options.record)
    run = None if options.run_dir is None else open_run(options.run_dir, data=options.data)
    keys = None if run is None else _keys(run, options.record)
    started = time.perf_counter()
    progress = PlainCount("checked outcomes").show
    check = check_cache(cache, keys, progress, processes=os.cpu_count() or 1)
    if not check.outcomes and not check.unused:
        absent = "" if options.record.is_dir() else " (no such directory)"
        print(f"{options.record}: nothing to check{absent}.")
        return 0
    _print_findings(check)
    print(f"\n{options.record}: {check.outcomes:,} outcomes in {time.perf_counter() - started:,.1f} s")
    return 1 if check.failed else 0


def _keys(run: Run, record: Path) -> set[Key]:
    """The outcomes that a run used."""
    if models := unfinished_models(run):
        print(
            f"{run.folder}: not finished: {', '.join(models)}. What these used is checked without RUN "
            "only, or when the run is finished.",
            file=sys.stderr,
        )
    return run_keys(run, record, unfinished=True)


def _print_findings(check: CacheCheck) -> None:
    """A table of counts, then what is wrong, one line each; of undecided outcomes the first."""
    rows = [("proven by its cassette", f"{check.proven:,}"), ("nothing was sent", f"{check.unsent:,}")]
    rows += [(name, f"{len(lines):,}") for name, lines in check.findings()]
    print(text_table(("outcome", "number"), rows))
    for name, lines in check.findings():
        for line in lines[:1] if lines is check.undecided else lines:
            print(f"{name}: {line}", file=sys.stderr)


def _status(options: argparse.Namespace) -> int:
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


def _try(options: argparse.Namespace) -> int:
    """Prints what came, or why nothing did and what to do; then returns 1."""
    file = project_file(CONFIG_FILE)
    values = complete_values(config_values(file), str(file))
    given = {name: getattr(options, name) for name in ("engine", "proxy") if getattr(options, name)}
    choice = replace(WebChoice.of_config(values), **given)
    proxies = Proxies.of(choice.proxy)
    show = Redactor([*filter(None, [os.environ.get(SERPAPI_KEY, "").strip()]), *proxies.secrets]).text
    try:
        outcome = _ask(options.asked.strip(), choice, proxies)
    except WebError as error:
        print(show(printable(str(error))), file=sys.stderr)
        return 1
    for line in _lines(outcome):
        print(line_of(show(line), _LONGEST))
    return 0


def _ask(asked: str, choice: WebChoice, proxies: Proxies) -> Hits | Page | WebFailure:
    """What one search or fetch leads to. Raises WebError."""
    pace = HostPace(choice.pause)
    if asked.lower().startswith(("http://", "https://")):
        return Fetcher(proxies=proxies, pace=pace).fetch(FetchKey.of(asked).url)
    key = SearchKey.of(asked, "wt-wt")
    return open_engine(choice.engine, proxies, pace, RetryPolicy(attempts=1)).search(
        key.keywords, key.region
    )


def _lines(outcome: Hits | Page | WebFailure) -> Iterator[str]:
    """The outcome for a person."""
    match outcome:
        case Hits(hits):
            yield plural(len(hits), "result", "results")
            for hit in hits[:_SHOWN]:
                yield f"  {hit.title}"
                yield f"    {hit.href}"
                yield f"    {hit.body}"
        case Page(text):
            yield f"a page of {plural(len(text), 'character', 'characters')}"
            yield from (f"  {line}" for line in text.splitlines()[:_SHOWN])
        case failure:
            yield f"failure: {failure.message}"
            yield "A run records it, and the model sees it. Another proxy (--proxy) may reach the page."
