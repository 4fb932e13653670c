"""The size of the journal and of the web cache after a full run of one model, in bytes.

The journal is real: `bfcl-pipeline generate` runs all entries against the scripted server on this machine.
The web cache is a real one of synthetic pages: the searches and fetches are those of the oracle, which
takes the shortest path to the answer, and outcomes have the sizes below. A model that searches twice as
much needs twice the space; a search that another model already made adds nothing.
"""

from __future__ import annotations

import random
import sys
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path

import yaml

from benchmarks.scale_measure import Taken, bytes_in, taken
from bfcl_pipeline.benchmark.definition import CATEGORIES, GROUPS
from bfcl_pipeline.benchmark.tables import read_responses, read_table
from bfcl_pipeline.world.tools.web_search.web import Hit, Hits, Page
from bfcl_pipeline.world.web.cache import WebCache
from bfcl_pipeline.world.web.coverage import web_keys
from bfcl_pipeline.world.web.evidence.tape import HttpExchange, note
from bfcl_pipeline.world.web.keys import FetchKey, SearchKey
from bfcl_pipeline.world.web.recording import RecordingWeb
from tests.support.local_chat import LocalChat, local_chat

THOUGHTS = {"short answers": 0, "thinking": 4_000}
"""Kinds of models by what they think before each answer: characters, of which four are about a token."""

PAGE, RESULTS_PAGE, HITS = 100_000, 30_000, 10
"""Assumed bytes of a page and of a page of results; and the number of results, as the tool requests."""


@dataclass(frozen=True, slots=True)
class Journal:
    """What one run left."""

    entries: int
    sessions: int  # before memory questions
    exchanges: int
    size: int  # bytes
    took: Taken


@dataclass(frozen=True, slots=True)
class WebRecord:
    """The size of the web cache after the web questions of one model."""

    questions: int
    searches: int  # different ones
    search_size: int  # bytes, of all
    fetches: int
    fetch_size: int


def journal(thought: int, data: Path, folder: Path) -> Journal:
    """Generates all entries of the categories that every model runs."""
    folder.mkdir()
    with local_chat() as server:
        server.behave(thought=thought)
        took = taken(_asking(server, data, folder), folder, {}, folder / "log.txt")
        exchanges = server.counts()["answers"]
    counts = {
        part: sum(len(read_table(path, ["entry_id"])) for path in (folder / part).rglob("*.parquet"))
        for part in ("responses", "sessions")
    }
    size = bytes_in(folder / "exchanges")
    return Journal(counts["responses"], counts["sessions"], exchanges, size, took)


def _asking(server: LocalChat, data: Path, folder: Path) -> list[str]:
    row = {"name": "local-FC", "kind": "openai_chat", "endpoint": server.endpoint}
    models = folder / "models.yaml"
    models.write_text(yaml.safe_dump({"models": [row]}), encoding="utf-8")
    asked = [name for name, category in CATEGORIES.items() if not category.prompt_only]
    command = [
        sys.executable,
        "-m",
        "bfcl_pipeline.cli",
        "generate",
        "--run",
        "scale",
        "--model",
        "local-FC",
    ]
    command += ["--models", str(models), "--data", str(data.resolve()), "--category", *asked]
    command += ["--cache", str(folder / "exchanges"), "--out", str(folder / "responses")]
    return [*command, "--sessions-out", str(folder / "sessions")]


def web_record(answers: Path, folder: Path) -> WebRecord:
    """Records the searches and fetches of the oracle of a run. answers: the folder of that run."""
    record = WebCache(folder)
    web = RecordingWeb(record, _MadeUpWeb())
    questions = 0
    searched: set[Path] = set()
    fetched: set[Path] = set()
    for category in GROUPS["web_search"]:
        for response in read_responses(answers / "responses/oracle-FC" / f"{category}.parquet"):
            questions += 1
            for key in web_keys(response):
                if isinstance(key, SearchKey):
                    web.search(key.keywords, key.region)
                    searched.add(record.path(key))
                elif isinstance(key, FetchKey):
                    web.fetch(key.url)
                    fetched.add(record.path(key))
    return WebRecord(questions, len(searched), _size(searched), len(fetched), _size(fetched))


def _size(outcomes: set[Path]) -> int:
    """The total size of outcomes and their evidence, which have a common name prefix."""
    return sum(
        path.stat().st_size for outcome in outcomes for path in outcome.parent.glob(f"{outcome.stem}.*")
    )


class _MadeUpWeb:
    """Answers like a web, and puts the HTTP of it on the tape."""

    def search(self, keywords: str, region: str) -> Hits:
        rng = random.Random(keywords)
        body = _html(rng, RESULTS_PAGE)
        address = "https://html.duckduckgo.com/html/"
        note(_exchange("POST", address, body, f"q={keywords}&kl={region}".encode()))
        return Hits(
            tuple(
                Hit(_words(rng, 60), f"https://www.example.org/{_words(rng, 40)}", _words(rng, 160))
                for _ in range(HITS)
            )
        )

    def fetch(self, url: str) -> Page:
        body = _html(random.Random(url), PAGE)
        note(_exchange("GET", url, body, None))
        return Page(body)


def _exchange(method: str, url: str, body: str, sent: bytes | None) -> HttpExchange:
    headers: Mapping[str, str] = {
        "Content-Type": "text/html; charset=utf-8",
        "Server": "nginx",
        "Date": "Sat, 21 Nov 2026 11:00:00 GMT",
        "Cache-Control": "max-age=600",
        "Strict-Transport-Security": "max-age=31536000",
        "Vary": "Accept-Encoding",
    }
    asked = {"User-Agent": "Mozilla/5.0 " * 9, "Accept": "text/html,application/xhtml+xml;q=0.9,*/*;q=0.8"}
    return HttpExchange(
        method,
        url,
        tuple(asked.items()),
        sent,
        status=200,
        reason="OK",
        headers=tuple(headers.items()),
        body=bytearray(body.encode()),
        decompressed=True,
    )


def _html(rng: random.Random, size: int) -> str:
    return "".join(_paragraphs(rng, size))[:size]


def _paragraphs(rng: random.Random, size: int) -> Iterator[str]:
    made = 0
    while made < size:
        link = f'<a href="/{rng.random()}">{_words(rng, 12)}</a>'
        text = f'<p class="text">{_words(rng, 300)} “{_words(rng, 40)}” {link}</p>\n'
        made += len(text)
        yield text


def _words(rng: random.Random, characters: int) -> str:
    """Random words, with one letter in a hundred outside ASCII."""
    letters = "etaoinshrdlu" * 8 + "é"
    words = ("".join(rng.choices(letters, k=rng.randint(2, 9))) for _ in range(characters // 4))
    return " ".join(words)[:characters]
