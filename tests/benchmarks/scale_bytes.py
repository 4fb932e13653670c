"""What a full run of one model leaves in the journal, and on the record of the web, in bytes.

The journal is a real one: `bfcl-pipeline generate` asks the scripted server on this machine all entries.
The record is a real one of made-up pages: the searches and fetches are those of the oracle, which goes
straight to the answer, and what comes back has the sizes below. A model that searches twice as much leaves
twice as much; what another model has searched for before, word for word, leaves nothing.
"""

from __future__ import annotations

import random
import sys
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path

import yaml
from local_chat import LocalChat, local_chat
from scale_measure import Taken, bytes_in, taken

from bfcl_pipeline.benchmark import CATEGORIES, GROUPS
from bfcl_pipeline.tables import read_responses, read_table
from bfcl_pipeline.tools.web import Hit, Hits, Page
from bfcl_pipeline.web.cassette import Exchange, note
from bfcl_pipeline.web.keys import FetchKey, SearchKey
from bfcl_pipeline.web.record import Record
from bfcl_pipeline.web.recorded import Recording
from bfcl_pipeline.web.status import web_keys

THOUGHTS = {"short answers": 0, "thinking": 4_000}
"""Kinds of models by what they think before each answer: characters, of which four are about a token."""

PAGE, RESULTS_PAGE, HITS = 100_000, 30_000, 10
"""Bytes of a page and of a page of results, made up; and hits on it, as the tool asks for."""


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
    """What the web questions of one model left."""

    questions: int
    searches: int  # different ones
    search_size: int  # bytes, of all
    fetches: int
    fetch_size: int


def journal(thought: int, data: Path, folder: Path) -> Journal:
    """Asks all entries of the categories that every model is asked."""
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
    """Records what the oracle of a run asks of the web. answers: the folder of that run."""
    record = Record(folder)
    web = Recording(record, _MadeUpWeb())
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
    """Of outcomes with their evidence, whose names begin alike."""
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


def _exchange(method: str, url: str, body: str, sent: bytes | None) -> Exchange:
    headers: Mapping[str, str] = {
        "Content-Type": "text/html; charset=utf-8",
        "Server": "nginx",
        "Date": "Sat, 21 Nov 2026 11:00:00 GMT",
        "Cache-Control": "max-age=600",
        "Strict-Transport-Security": "max-age=31536000",
        "Vary": "Accept-Encoding",
    }
    asked = {"User-Agent": "Mozilla/5.0 " * 9, "Accept": "text/html,application/xhtml+xml;q=0.9,*/*;q=0.8"}
    return Exchange(
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
    """Made-up words, one letter in a hundred no ASCII."""
    letters = "etaoinshrdlu" * 8 + "é"
    words = ("".join(rng.choices(letters, k=rng.randint(2, 9))) for _ in range(characters // 4))
    return " ".join(words)[:characters]
