"""One of the parallel processes in test_concurrent_recording: makes its share of the calls in many threads.

Usage: recording_worker.py FOLDER BASE_URL NAME CALLS THREADS. Prints `ready`, waits for a line, prints
JSON: the outcome of each call (null if the web failed), and how often the live web was asked for each key.
"""

from __future__ import annotations

import json
import random
import sys
import threading
from collections import Counter
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

from bfcl_pipeline.base.errors import WebError
from bfcl_pipeline.world.tools.web_search.web import Hits, Page, WebFailure
from bfcl_pipeline.world.web.cache import WebCache, outcome_document
from bfcl_pipeline.world.web.engines.asking import RetryPolicy
from bfcl_pipeline.world.web.engines.client import Connection
from bfcl_pipeline.world.web.engines.duckduckgo import DuckDuckGo
from bfcl_pipeline.world.web.fetcher import Fetcher
from bfcl_pipeline.world.web.modes import engine_text
from bfcl_pipeline.world.web.recording import RecordingWeb

PAGES = ("page", "gzip", "brotli", "binary", "reset", "missing", "redirect", "cut")
SEARCHES = ("tea", "busy tea")
REFUSED = "refused"
"""Keywords that the engine refuses."""


def calls(base: str, number: int, seed: int) -> list[tuple[str, str]]:
    """Functions (`fetch`, `search`) and arguments, in an order that depends on `seed`; every key several
    times."""
    keys = [("fetch", f"{base}/{PAGES[place % len(PAGES)]}/{place}") for place in range(4 * len(PAGES))]
    keys += [("search", f"{SEARCHES[place % len(SEARCHES)]} {place}") for place in range(12)]
    keys += [("search", "nothing"), ("search", REFUSED)]
    asked = [keys[place % len(keys)] for place in range(number)]
    random.Random(seed).shuffle(asked)
    return asked


class CountedWeb:
    """The live web of a run; counts what it is asked."""

    def __init__(self, base: str, asked: Counter[str]) -> None:
        self._asked, self._lock = asked, threading.Lock()
        at_once = RetryPolicy(attempts=3, sleep=lambda _: None)
        self._engine = DuckDuckGo(at_once, Connection(site=base))
        self._fetcher = Fetcher(allow_private=True)

    def search(self, keywords: str, region: str) -> Hits | WebFailure:
        """The results of the engine."""
        self._count(f"search {keywords}")
        return self._engine.search(keywords, region)

    def fetch(self, url: str) -> Page | WebFailure:
        """The page."""
        self._count(f"fetch {url}")
        return self._fetcher.fetch(url)

    def _count(self, key: str) -> None:
        with self._lock:
            self._asked[key] += 1


def main() -> None:
    folder, base, worker, number, threads = sys.argv[1:]
    requested: Counter[str] = Counter()
    web = RecordingWeb(
        WebCache(Path(folder)), CountedWeb(base, requested), engines={"search": engine_text("duckduckgo")}
    )
    asked = calls(base, int(number), int(worker))
    start = threading.Barrier(int(threads))
    threading.stack_size(1 << 19)

    def one(place: int) -> Any:
        if place < int(threads):
            start.wait(60)
        function, argument = asked[place]
        try:
            if function == "fetch":
                return outcome_document(web.fetch(argument))
            return outcome_document(web.search(argument, "wt-wt"))
        except WebError:
            return None

    sys.stdout.write("ready\n")
    sys.stdout.flush()
    sys.stdin.readline()  # until all processes are ready
    with ThreadPoolExecutor(int(threads)) as pool:
        outcomes = list(pool.map(one, range(len(asked))))
    found = [[*key, outcome] for key, outcome in zip(asked, outcomes, strict=True)]
    sys.stdout.write(json.dumps({"found": found, "asked": requested}))


if __name__ == "__main__":
    main()
