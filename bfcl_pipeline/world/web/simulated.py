"""A small simulated web, generated from the annotated hops of the web questions: deterministic, offline.

Covers one page for each annotated address, pages without an answer, and a search engine over all of them.
Its only facts are those of the annotations. It does not imitate the real pages, and every page says so.
"""

import re
from collections import defaultdict
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from hashlib import sha256
from html import escape
from typing import Self
from urllib.parse import unquote

from bfcl_pipeline.base.errors import MalformedRelease
from bfcl_pipeline.base.text import fold_text
from bfcl_pipeline.benchmark.records import Entry
from bfcl_pipeline.world.tools.web_search.web import Hit, Hits, Page, WebFailure

MAX_HITS = 20
"""Results of one search, at most."""

MAX_WORDS = 200
"""Words of a query that are used; further ones are ignored."""

SNIPPET_LENGTH = 300
"""Characters of a snippet."""

NOTICE = "This page is simulated: it was made for tests and is not what the web has at this address."
"""The first paragraph of every page."""

_REMEMBERED = 2_000  # searches

_FORUM = "https://forum.simulated.example/questions/"  # a reserved name, so no real host
_WORD = re.compile(r"\w+")


@dataclass(frozen=True, slots=True, order=True)
class Hop:
    """One step towards the answer of a web question."""

    subquestion: str
    answer: str
    url: str  # of the page that has the answer, without a fragment


def hops(entry: Entry) -> tuple[Hop, ...]:
    """The hops of `entry` in the order in which they lead to its answer; empty if it is not a web question.

    Raises MalformedRelease if one lacks its sub-question, answer or source.
    """
    if not isinstance(entry.source, list):
        return ()
    try:
        return tuple(
            Hop(_one_line(hop["subquestion"]), _one_line(hop["answer"]), address(hop["source"].strip()))
            for hop in entry.source
        )
    except (KeyError, TypeError, AttributeError) as error:
        raise MalformedRelease(
            f"{entry.entry_id}: source: expected hops of subquestion, answer and source, each a text, got "
            f"{entry.source!r:.200}. Stage the release again (bfcl-pipeline stage)."
        ) from error


def address(url: str) -> str:
    """`url` without its fragment."""
    return url.partition("#")[0]


@dataclass(frozen=True, slots=True)
class _SimulatedDocument:
    """The content of one page."""

    url: str
    title: str
    sections: tuple[tuple[str, str], ...]  # heading and text
    snippet: str
    links: tuple[str, ...] = ()  # addresses of other simulated pages


class SimulatedWeb:
    """The pages and the search engine. Immutable, so that any number of conversations can share it."""

    def __init__(self, documents: Iterable[_SimulatedDocument]) -> None:
        by_url = {document.url: document for document in documents}
        # The HTML of every page, by address.
        self.pages: Mapping[str, str] = {url: _html(document, by_url) for url, document in by_url.items()}
        self._hits = [Hit(document.title, url, document.snippet) for url, document in by_url.items()]
        best = _ranked_by([_words(document) for document in by_url.values()])
        # The two web categories ask the same questions, so many queries come twice.
        self._best = lru_cache(maxsize=_REMEMBERED)(lambda query: tuple(best(query)[:MAX_HITS]))

    @classmethod
    def of(cls, entries: Iterable[Entry]) -> Self:
        """The web of the hops of `entries`, independent of their order and of duplicates.

        Raises MalformedRelease as `hops` does.
        """
        chains = sorted({hops(entry) for entry in entries} - {()})
        facts: defaultdict[str, set[Hop]] = defaultdict(set)
        linked: defaultdict[str, set[str]] = defaultdict(set)
        for chain in chains:
            for hop, following in zip(chain, (*chain[1:], None), strict=True):
                facts[hop.url].add(hop)
                linked[hop.url] |= {_forum_url(hop.subquestion)} | ({following.url} if following else set())
        pages = [_answering(url, sorted(facts[url]), sorted(linked[url] - {url})) for url in sorted(facts)]
        questions = sorted({hop.subquestion for chain in chains for hop in chain})
        return cls([*pages, *(_unanswered(question) for question in questions)])

    def search(self, keywords: str, region: str) -> Hits | WebFailure:  # noqa: ARG002  # regions are ignored
        """The pages that match `keywords` best, by BM25."""
        best = self._best(tuple(_split(keywords)[:MAX_WORDS]))
        return Hits(tuple(self._hits[number] for number in best))

    def fetch(self, url: str) -> Page | WebFailure:
        """The page at `url`, or the text of a status 404."""
        html = self.pages.get(address(url))
        return WebFailure(f"404 Client Error: Not Found for url: {url}") if html is None else Page(html)


def _ranked_by(documents: Sequence[Sequence[str]]) -> Callable[[Sequence[str]], list[int]]:
    """Finds the numbers of the documents that match a query, best first, by BM25 over their words."""
    from rank_bm25 import BM25Okapi  # type: ignore[import-untyped, unused-ignore]  # numpy

    ranking = BM25Okapi(documents) if documents else None

    def best(query: Sequence[str]) -> list[int]:
        scores = [] if ranking is None else [round(float(score), 9) for score in ranking.get_scores(query)]
        return sorted((n for n, score in enumerate(scores) if score > 0), key=lambda n: (-scores[n], n))

    return best


def _answering(url: str, facts: Sequence[Hop], links: Sequence[str]) -> _SimulatedDocument:
    """The page at an annotated address. The snippets of half of the pages leave the answer out."""
    sections = tuple((hop.subquestion, f"The answer is “{hop.answer}”.") for hop in facts)
    leaves_out = sha256(url.encode()).digest()[0] % 2 == 0
    snippet = " ".join(heading if leaves_out else f"{heading} {text}" for heading, text in sections)
    return _SimulatedDocument(url, _title(url), sections, snippet[:SNIPPET_LENGTH], tuple(links))


def _unanswered(question: str) -> _SimulatedDocument:
    """A forum page with a sub-question and no answer."""
    words = _WORD.findall(question)
    title = "Asked: " + " ".join(words[len(words) // 3 :])
    text = "Nobody has answered this yet. Sign in to be the first who does, or to be told when one comes."
    return _SimulatedDocument(_forum_url(question), title, (("No answers", text),), f"{title} ... {text}")


def _forum_url(question: str) -> str:
    return _FORUM + sha256(" ".join(_split(question)).encode()).hexdigest()[:12]


def _title(url: str) -> str:
    """A title: the words of the last path segment with letters, and the host."""
    host, _, path = url.partition("://")[2].partition("/")
    parts = [
        part for part in unquote(path.partition("?")[0]).split("/") if re.search("[^\\W\\d_]{3}", part)
    ]
    words = _WORD.findall(parts[-1].replace("_", " ")) if parts else []
    return " - ".join(part for part in (" ".join(words), host) if part)


def _words(document: _SimulatedDocument) -> list[str]:
    """The words that the search engine indexes: title and sections, not links or the notice."""
    return _split(" ".join((document.title, *(part for section in document.sections for part in section))))


def _split(text: str) -> list[str]:
    return _WORD.findall(fold_text(text))


def _one_line(text: str) -> str:
    return " ".join(text.split())


def _html(document: _SimulatedDocument, documents: Mapping[str, _SimulatedDocument]) -> str:
    links = [(url, documents[url].title) for url in document.links]
    lines = [
        "<!DOCTYPE html>",
        '<html lang="en">',
        f'<head><meta charset="utf-8"><title>{escape(document.title)}</title>',
        "<style>body { font-family: sans-serif; }</style></head>",
        "<body>",
        f"<p>{NOTICE}</p>",
        f"<h1>{escape(document.title)}</h1>",
        *(f"<h2>{escape(heading)}</h2>\n<p>{escape(text)}</p>" for heading, text in document.sections),
        *(["<h2>See also</h2>", "<ul>"] if links else []),
        *(f'<li><a href="{escape(url)}">{escape(title)}</a></li>' for url, title in links),
        *(["</ul>"] if links else []),
        "</body>",
        "</html>",
    ]
    return "\n".join(lines) + "\n"
