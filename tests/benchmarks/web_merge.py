"""Measures `web import` on two synthetic records: seconds, with every cassette played.

    python -m tests.benchmarks.web_merge [--outcomes 10000] [--folder DIR]

Makes two records of so many outcomes, half of them searches and half pages, each with its cassette: a tenth
of each record is only in it, and a fifth of the others differs. Then imports one into an empty web cache,
imports the other into the same cache, and imports it once more.
"""

from __future__ import annotations

import argparse
import json
import random
import sys
import tempfile
import time
from contextlib import redirect_stdout
from datetime import UTC, datetime
from io import StringIO
from pathlib import Path
from unittest.mock import patch

from bfcl_pipeline.base import __version__
from bfcl_pipeline.cli import main as bfcl_pipeline
from bfcl_pipeline.world.web.cache import WebCache
from bfcl_pipeline.world.web.engines.serpapi import SerpApi
from bfcl_pipeline.world.web.evidence.playing import PlayedAnswer, playing
from bfcl_pipeline.world.web.fetcher import Fetcher
from bfcl_pipeline.world.web.keys import FetchKey, SearchKey
from bfcl_pipeline.world.web.recording import Recorder

PAGE_LINES = 200
RESULTS = 10
WORDS = ["green", "tea", "leaf", "water", "river", "stone", "cloud", "paper", "garden", "window"]


class Site:
    """Answers every request with the same body."""

    def __init__(self, kind: str, body: str) -> None:
        self._answer = PlayedAnswer(200, "OK", (("Content-Type", kind),), body.encode())

    def answer(self, method: str, url: str, body: bytes | None) -> PlayedAnswer:
        """The answer."""
        return self._answer

    def left(self) -> int:
        """Nothing."""
        return 0


def make(folder: Path, outcomes: int, number: int) -> None:
    """Writes the record `number`, 0 or 1; not synchronized with the disk, which would take minutes."""
    client = f"requests of bfcl-pipeline {__version__}"
    recorder = Recorder(WebCache(folder), now=lambda: datetime(2026, 11, 1 + number, tzinfo=UTC))
    serpapi, fetcher = SerpApi("key-of-serpapi"), Fetcher()
    first = number * outcomes // 10
    with patch("bfcl_pipeline.base.files.os.fsync", lambda _: None):
        for place in range(first, first + outcomes):
            words = random.Random(place * 2 + (number if place % 5 == 0 else 0))
            if place % 2:
                page = "".join(
                    f"<p>{' '.join(words.choices(WORDS, k=12))}</p>\n" for _ in range(PAGE_LINES)
                )
                address = FetchKey.of(f"https://site.example/{place}")
                with playing(Site("text/html", page)):
                    recorder.outcome(address, client, lambda key=address: fetcher.fetch(key.url))  # type: ignore[misc]
            else:
                search = SearchKey.of(f"question {place}", "us-en")
                with playing(Site("application/json", _results(words))):
                    recorder.outcome(
                        search,
                        f"serpapi by {client}",
                        lambda key=search: serpapi.search(key.keywords, key.region),  # type: ignore[misc]
                    )


def _results(words: random.Random) -> str:
    results = [
        {
            "title": " ".join(words.choices(WORDS, k=6)),
            "link": f"https://{words.choice(WORDS)}.example/{words.randrange(1000)}",
            "snippet": " ".join(words.choices(WORDS, k=30)),
        }
        for _ in range(RESULTS)
    ]
    return json.dumps({"search_metadata": {"status": "Success"}, "organic_results": results})


def measured(name: str, *command: str) -> None:
    """Runs a command and prints its seconds and the end of its output."""
    printed, start = StringIO(), time.perf_counter()
    with redirect_stdout(printed):
        status = bfcl_pipeline(["web", *command])
    seconds = time.perf_counter() - start
    told = printed.getvalue().rstrip().rpartition("\n")[2]
    print(f"{name:32} {seconds:7.1f} s  exit status {status}  {told}", flush=True)


def main() -> None:
    """Prints the table."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
    parser.add_argument("--outcomes", type=int, default=10_000)
    parser.add_argument("--folder", type=Path, help="where the records are made (default: a temporary one)")
    options = parser.parse_args()
    with tempfile.TemporaryDirectory(dir=options.folder, prefix="web-merge-") as made:
        records = [Path(made) / name for name in ("a", "b")]
        for number, record in enumerate(records):
            make(record, options.outcomes, number)
        size = sum(path.stat().st_size for path in Path(made).rglob("*.*"))
        print(f"{options.outcomes:,} outcomes in each record, {size / 1e6:,.0f} MB", file=sys.stderr)
        merged = ["--record", str(Path(made) / "merged")]
        a, b = map(str, records)
        measured("import into an empty cache", "import", a, *merged)
        measured("import with conflicts", "import", b, *merged)
        measured("import again", "import", b, *merged)


if __name__ == "__main__":
    main()
