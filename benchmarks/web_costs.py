"""What recording the web costs: requests, time, credits and bytes for the questions of the benchmark.

    python -m benchmarks.web_costs [--pause SECONDS]

Counts the hops that the release documents for each question, as staged in data/, and assumes one search and
one fetched page for each. Bytes are measured on a page of results and a page of typical sizes, which go
through the recorder.
"""

import argparse
import random
import tempfile
from collections import Counter
from datetime import UTC, datetime
from pathlib import Path

from bfcl_pipeline.ask.jobs.effort import PAGES_OF_A_SEARCH
from bfcl_pipeline.base.text import text_table
from bfcl_pipeline.benchmark.config.job import WebChoice
from bfcl_pipeline.benchmark.definition import GROUPS
from bfcl_pipeline.benchmark.tables import entries_path, read_entries
from bfcl_pipeline.world.tools.web_search.web import Hit, Hits, Page
from bfcl_pipeline.world.web.cache import Outcome, WebCache
from bfcl_pipeline.world.web.evidence.tape import HttpExchange, note, taping
from bfcl_pipeline.world.web.keys import FetchKey, Key, SearchKey

RESULTS_PAGE, PAGE = 40_000, 150_000
"""Bytes of a page of results, and of a web page, decompressed: assumed."""

WORDS = ("the", "of", "and", "tea", "richest", "source", "<p>", "</p>", "<a href='/x'>", "</a>", "&", "\n")


def main() -> None:
    """Prints the tables."""
    parser = argparse.ArgumentParser()
    parser.add_argument("--pause", type=float, default=WebChoice().pause)
    pause = parser.parse_args().pause
    hops: Counter[int] = Counter()
    for category in GROUPS["web_search"]:
        counted = Counter(
            len(entry.source or ()) for entry in read_entries(entries_path(Path("data"), category))
        )
        print(
            f"{category}: "
            + ", ".join(f"{number} questions of {of} hops" for of, number in sorted(counted.items()))
        )
        hops += counted
    searches = sum(of * number for of, number in hops.items())
    print(f"together: {hops.total()} questions, {searches} hops\n")
    rows = []
    for engine, pages, waits, credits in (
        ("duckduckgo", PAGES_OF_A_SEARCH, pause, 0),
        ("serpapi", 1, 0.0, 1),
    ):
        requests = searches * pages
        stored = searches * (_stored(pages) + _stored(0))
        rows.append(
            (
                engine,
                f"{searches:,}",
                f"{requests:,}",
                f"{requests * waits / 60:,.0f} min" if waits else "-",
                f"{searches * credits:,}" if credits else "-",
                f"{searches:,}",
                f"{stored / 1e6:,.0f} MB",
            )
        )
    heads = ("engine", "searches", "requests", f"at a pause of {pause:g} s", "credits", "pages", "disk")
    print(text_table(heads, rows, right=range(1, len(heads))))


def _stored(pages: int) -> int:
    """Bytes of the two files of a search with so many pages of results; of a fetched page, if 0."""
    draw = random.Random(0)
    outcome: Outcome
    key: Key
    bodies = [_html(draw, RESULTS_PAGE) for _ in range(pages)] or [_html(draw, PAGE)]
    if pages:
        key = SearchKey("a query of some words", "wt-wt")
        outcome = Hits(
            tuple(Hit("t" * 60, "https://example.org/" + "a" * 50, "s" * 200) for _ in range(30))
        )
    else:
        key, outcome = FetchKey("https://example.org/"), Page(bodies[0])
    with tempfile.TemporaryDirectory() as folder, taping() as tape:
        for body in bodies:
            headers = (("Content-Type", "text/html; charset=utf-8"),)
            note(
                HttpExchange(
                    "GET",
                    "https://example.org/",
                    (),
                    None,
                    200,
                    "OK",
                    headers,
                    bytearray(body.encode()),
                    True,
                )
            )
        cache = WebCache(Path(folder))
        now = datetime(2026, 1, 1, tzinfo=UTC)
        cache.add(key, outcome, engine="measured", recorded_at=now, cassette=tape.cassette())
        return sum(path.stat().st_size for path in Path(folder).rglob("*.*") if path.is_file())


def _html(draw: random.Random, size: int) -> str:
    words: list[str] = []
    while size > 0:
        words.append(draw.choice(WORDS))
        size -= len(words[-1]) + 1
    return " ".join(words)


if __name__ == "__main__":
    main()
