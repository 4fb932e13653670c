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
from collections.abc import Mapping
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

from bfcl_pipeline.base.errors import WebError
from bfcl_pipeline.world.tools.web_search.web import Hits, Page, WebFailure
from bfcl_pipeline.world.web.cache import WebCache, outcome_document
from bfcl_pipeline.world.web.engines.client import Connection
from bfcl_pipeline.world.web.engines.ddgs_engine import DdgsEngine
from bfcl_pipeline.world.web.engines.retries import RetryPolicy
from bfcl_pipeline.world.web.fetcher import Fetcher
from bfcl_pipeline.world.web.modes import engine_text
from bfcl_pipeline.world.web.recording import RecordingWeb

HOSTS = {
    "duckduckgo": "html.duckduckgo.com",
    "brave": "search.brave.com",
    "wikipedia": "en.wikipedia.org",
}
PAGES = ("page", "gzip", "brotli", "binary", "reset", "missing", "redirect", "cut")
SEARCHES = ("tea", "busy tea")
REFUSED = "refused"
"""Keywords that every engine refuses."""


def calls(base: str, number: int, seed: int) -> list[tuple[str, str]]:
    """Functions (`fetch`, or a search engine) and arguments, in an order that depends on `seed`; every key
    several times."""
    keys = [("fetch", f"{base}/{PAGES[place % len(PAGES)]}/{place}") for place in range(4 * len(PAGES))]
    keys += [
        (engine, f"{SEARCHES[place % len(SEARCHES)]} {place}") for engine in HOSTS for place in range(4)
    ]
    keys += [("duckduckgo", "nothing"), ("wikipedia", "nothing"), ("brave", REFUSED)]
    asked = [keys[place % len(keys)] for place in range(number)]
    random.Random(seed).shuffle(asked)
    return asked


class CountedWeb:
    """The live web of a run, with one search engine; counts what it is asked."""

    def __init__(self, engine: str, base: str, asked: Counter[str]) -> None:
        self._name, self._asked, self._lock = engine, asked, threading.Lock()
        at_once = RetryPolicy(attempts=3, sleep=lambda _: None)
        connection = Connection(addresses={HOSTS[engine]: f"{base}/{engine}"})
        self._engine = DdgsEngine(engine, retries=at_once, connection=connection)
        self._fetcher = Fetcher(allow_private=True)

    def search(self, keywords: str, region: str) -> Hits | WebFailure:
        """The results of the engine."""
        self._count(f"{self._name} {keywords}")
        return self._engine.search(keywords, region)

    def fetch(self, url: str) -> Page | WebFailure:
        """The page."""
        self._count(f"fetch {url}")
        return self._fetcher.fetch(url)

    def _count(self, key: str) -> None:
        with self._lock:
            self._asked[key] += 1


def recording_webs(cache: WebCache, base: str, asked: Counter[str]) -> Mapping[str, RecordingWeb]:
    """A recording web for each engine, as the jobs of a run have them."""
    return {
        name: RecordingWeb(
            cache, CountedWeb(name, base, asked), name, engines={"search": engine_text(name)}
        )
        for name in HOSTS
    }


def main() -> None:
    folder, base, worker, number, threads = sys.argv[1:]
    requested: Counter[str] = Counter()
    webs = recording_webs(WebCache(Path(folder)), base, requested)
    asked = calls(base, int(number), int(worker))
    start = threading.Barrier(int(threads))
    threading.stack_size(1 << 19)

    def one(place: int) -> Any:
        if place < int(threads):
            start.wait(60)
        function, argument = asked[place]
        try:
            if function == "fetch":
                return outcome_document(webs["duckduckgo"].fetch(argument))
            return outcome_document(webs[function].search(argument, "wt-wt"))
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
