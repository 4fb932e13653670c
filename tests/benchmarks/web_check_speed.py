"""Measures the time to play the cassettes of a web cache: `python -m tests.benchmarks.web_check_speed`.

    python -m tests.benchmarks.web_check_speed [--outcomes 1000] [--processes 2]

Makes a cache first: as many searches as pages, of typical size: three pages of results of 30 kB for a
search, one page of 60 kB. Prints the seconds of a check in one process and in several.
"""

from __future__ import annotations

import argparse
import tempfile
import time
from datetime import UTC, datetime
from functools import partial
from pathlib import Path

from bfcl_pipeline.world.web.cache import WebCache
from bfcl_pipeline.world.web.check import check_cache
from bfcl_pipeline.world.web.engines.client import Connection
from bfcl_pipeline.world.web.engines.duckduckgo import DuckDuckGo
from bfcl_pipeline.world.web.evidence.playing import playing
from bfcl_pipeline.world.web.fetcher import Fetcher
from bfcl_pipeline.world.web.keys import FetchKey, SearchKey
from bfcl_pipeline.world.web.modes import engine_text
from bfcl_pipeline.world.web.recording import Recorder
from tests.support.scripted_engine import scripted_engine_server
from tests.support.web_record import CLIENT, ScriptedSites

NOON = datetime(2026, 11, 1, 12, tzinfo=UTC)


def results_page(search: int, page: int) -> str:
    """A page with ten results of DuckDuckGo."""
    blocks = "".join(
        f"""<div class="result web-result"><div class="links_main result__body">
        <h2><a href="https://{search}.example/{page}/{number}">Result {number}</a></h2>
        <a>{"A snippet of the page, with words. " * 70}</a></div></div>"""
        for number in range(10)
    )
    return f"<html><body>{blocks}</body></html>"


def record(cache: WebCache, outcomes: int) -> None:
    """Records half as many searches and half as many pages."""
    recorder = Recorder(cache, now=lambda: NOON)
    text = "<p>" + "Some words of a page, \u7dd1\u8336, and more of them.</p>\n<p>" * 1_100 + "</p>"
    with scripted_engine_server() as server:
        base = server.url.removesuffix("/html/")
        engine = DuckDuckGo(connection=Connection(site=base))
        for number in range(outcomes // 2):
            search, fetch = SearchKey(f"tea {number}", "us-en"), FetchKey(f"https://{number}.example/")
            server.asked.clear()
            server.script(*(server.http(results_page(number, page)) for page in range(3)))
            found = partial(engine.search, search.keywords, search.region)
            recorder.outcome(search, engine_text("duckduckgo"), found)
            sites = ScriptedSites()
            sites.script(fetch.url, f"{text}{number}", Content_Type="text/html; charset=utf-8")
            with playing(sites):
                recorder.outcome(fetch, CLIENT, partial(Fetcher().fetch, fetch.url))


def main() -> None:
    """Makes the cache, checks it, prints the seconds."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--outcomes", type=int, default=1_000, help="default: 1000")
    parser.add_argument("--processes", type=int, default=2, help="of the second check (default: 2)")
    options = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        cache = WebCache(Path(folder) / "web")
        record(cache, options.outcomes)
        size = sum(path.stat().st_size for path in cache.folder.rglob("*.*"))
        for processes in (1, options.processes):
            started, cpu = time.perf_counter(), time.process_time()
            check = check_cache(cache, processes=processes)
            seconds, busy = time.perf_counter() - started, time.process_time() - cpu
            assert check.proven == check.outcomes, check.contradictions[:3]
            print(
                f"{check.proven:,} outcomes, {size / 1e6:,.0f} MB, {processes} processes: {seconds:.1f} s "
                f"(processor time of the first process: {busy:.1f} s)"
            )


if __name__ == "__main__":
    main()
