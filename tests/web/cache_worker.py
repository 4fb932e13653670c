"""One of the parallel processes in test_cache: requests its share of the keys in many threads.

Usage: cache_worker.py FOLDER BASE_URL NAME CALLS THREADS. Prints `ready`, waits for a line, prints
JSON: the outcome of each call, and how often each key was requested from the live web.
"""

from __future__ import annotations

import json
import random
import sys
import threading
from collections import Counter
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from urllib.parse import quote

import requests

from bfcl_pipeline.tools.web_search.web import Hit, Hits, Page, WebFailure
from bfcl_pipeline.web.cache import WebCache, outcome_document
from bfcl_pipeline.web.evidence.tape import tape_session
from bfcl_pipeline.web.fetcher import Fetcher
from bfcl_pipeline.web.recording import RecordingWeb

KINDS = ("page", "gzip", "brotli", "binary", "reset", "missing", "busy", "redirect", "cut")
PAGES = 36
SEARCHES = 9
API_KEY = "k" * 20


class ServerWeb:
    """The local server as a web: fetched pages, and a search that is a page of JSON."""

    def __init__(self, base: str) -> None:
        self._base = base
        self._fetcher = Fetcher(allow_private=True)
        self._session = requests.Session()
        tape_session(self._session)
        self._lock = threading.Lock()
        self.asked: Counter[str] = Counter()

    def search(self, keywords: str, region: str) -> Hits | WebFailure:
        path = f"/search?q={quote(keywords)}&kl={region}&api_key={API_KEY}"
        self._count(path)
        while (response := self._session.get(self._base + path, timeout=20)).status_code == 429:
            pass
        return Hits(tuple(Hit(**hit) for hit in response.json()))

    def fetch(self, url: str) -> Page | WebFailure:
        self._count(url)
        return self._fetcher.fetch(url)

    def _count(self, key: str) -> None:
        with self._lock:
            self.asked[key] += 1


def calls(base: str, number: int, seed: int) -> list[tuple[str, str]]:
    """Functions and arguments, in an order that depends on `seed`; every key several times."""
    keys = [("fetch", f"{base}/{KINDS[place % len(KINDS)]}/{place}") for place in range(PAGES)]
    keys += [("search", f"tea {place}") for place in range(SEARCHES)]
    asked = [keys[place % len(keys)] for place in range(number)]
    random.Random(seed).shuffle(asked)
    return asked


def main() -> None:
    folder, base, worker, number, threads = sys.argv[1:]
    live = ServerWeb(base)
    web = RecordingWeb(WebCache(Path(folder)), live, secrets=[API_KEY])
    asked = calls(base, int(number), int(worker))
    start = threading.Barrier(int(threads))
    threading.stack_size(1 << 19)

    def one(place: int) -> object:
        if place < int(threads):
            start.wait(60)
        function, argument = asked[place]
        outcome = web.fetch(argument) if function == "fetch" else web.search(argument, "wt-wt")
        return outcome_document(outcome)

    sys.stdout.write("ready\n")
    sys.stdout.flush()
    sys.stdin.readline()  # until all processes are ready
    with ThreadPoolExecutor(int(threads)) as pool:
        outcomes = list(pool.map(one, range(len(asked))))
    found = [[*key, outcome] for key, outcome in zip(asked, outcomes, strict=True)]
    sys.stdout.write(json.dumps({"found": found, "asked": live.asked}))


if __name__ == "__main__":
    main()
