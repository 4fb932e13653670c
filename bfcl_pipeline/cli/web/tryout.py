"""`bfcl-pipeline web try`: one live search or fetch, as a run would make it, or what to do next.

It is sent once, without the retries of a run. Nothing is recorded.
"""

import argparse
import os
import sys
from collections.abc import Iterator
from dataclasses import replace

from bfcl_pipeline.base.errors import WebError
from bfcl_pipeline.base.project import project_file
from bfcl_pipeline.base.secrets import Redactor
from bfcl_pipeline.base.text import cut, on_one_line, plural, printable
from bfcl_pipeline.benchmark.config.job import SEARCH_ENGINES, SERPAPI_KEY, WebChoice
from bfcl_pipeline.benchmark.config.models_files import CONFIG_FILE, config_values
from bfcl_pipeline.benchmark.config.run_settings import complete_values
from bfcl_pipeline.world.tools.web_search.web import Hits, Page, WebFailure
from bfcl_pipeline.world.web.engines.asking import RetryPolicy
from bfcl_pipeline.world.web.fetcher import Fetcher
from bfcl_pipeline.world.web.keys import FetchKey, SearchKey
from bfcl_pipeline.world.web.modes import open_engine
from bfcl_pipeline.world.web.pace import HostPace
from bfcl_pipeline.world.web.proxies import Proxies

HELP = "search or fetch once, live, as a run does; records nothing"

_SHOWN = 5  # results, and lines of a page
_LONGEST = 300  # characters of a line


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declares the options of the action. What is not given is as in config/config.yaml."""
    add = parser.add_argument
    add("asked", metavar="QUERY|URL", help="what to search for, or the http(s) address of a page")
    add("--search-engine", dest="engine", choices=SEARCH_ENGINES, help="default: that of the config")
    add("--proxy", metavar="URL", help="environment, none, or an address (default: that of the config)")


def run(options: argparse.Namespace) -> int:
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
        print(cut(on_one_line(printable(show(line))), _LONGEST))
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
