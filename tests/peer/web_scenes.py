"""Searches and fetches of the web seam: arguments as models write them, with what the web returns.

Covers hits, empty results, failures and pages, drawn from a seed. A page's text is made of pieces of HTML,
whole and broken.
"""

from __future__ import annotations

import random
import re
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

from bfcl_pipeline.benchmark.records import Call
from bfcl_pipeline.world.tools.web_search.web import Hit, Hits, Page, WebFailure

Outcome = Hits | Page | WebFailure

REGIONS = ("wt-wt", "us-en", "de-de", "jp-jp", "xx-yy", "", "WT-WT", "..", "🦆", None, 7)
MOST: tuple[Any, ...] = (
    None,
    0,
    1,
    2,
    3,
    10,
    30,
    100,
    10**30,
    -1,
    -3,
    -100,
    True,
    False,
    "3",
    2.5,
    [1],
    {},
)
MODES = (*("raw", "markdown", "truncate") * 4, "html", "", "RAW", None, 3)
URLS: tuple[Any, ...] = (
    "ftp://a.example/x",
    "a.example",
    "",
    "HTTP://a.example",
    "file:///etc/passwd",
    None,
    5,
)

FAILURES = (
    "HTTPSConnectionPool(host='serpapi.com', port=443): Read timed out. (read timeout=60000)",
    "('Connection aborted.', ConnectionResetError(104, 'Connection reset by peer'))",
    "Expecting value: line 1 column 1 (char 0)",
    "an error with 'quotes', \"more\", {braces} and \u00fcml\u00e4uts",
)
STATUSES = {
    400: "Bad Request",
    401: "Unauthorized",
    403: "Forbidden",
    404: "Not Found",
    410: "Gone",
    418: "I'm a teapot",
    429: "Too Many Requests",
    451: "",
    500: "Internal Server Error",
    502: "Bad Gateway",
    503: "Service Unavailable",
    599: "Who \u00e9",
}

_WORDS = (
    *("tea", "Green", "None", "429", "a%2Fb", "%26", "&amp;", "<b>", "{}", "[]", "'", '"', "\\", "\\n"),
    *("caf\u00e9", "\u9d28", "\U0001f986", "\u0661", "e\u0301", "\ufb01", "\xa0", "\u202e", "\u2028"),
    *("\n", "\t", "\x00", "\x1b[31m", "\ud83e"),
)
_MARKUP = """<h1>Tea &amp; more</h1> | <p>It grows. | </p> | <a href='/x?a=1&b=2'>link</a> | plain words
<a href=//b.example>b</a> | <ul><li>one<li>two</ul> | <ol start=3><li>a</ol> | <table><tr><th>k<td>v</table>
<pre> a\n  b</pre> | <script>if (a < b) { '</p>' }</script> | <style>p { color: red }</style> | <br/> | <hr>
<blockquote>q</blockquote> | <img src=a.png alt='an image'> | <b>bold</b> <i>it</i> | <!-- note --> | \r
&nbsp;&lt;&#233;&#x1F986;&bogus; | <![CDATA[data]]> | <![foo[b]]> | \u9d28 \U0001f986 | <div | </ | *_#[]()
<title>T</title> | <code>x = 1</code> | <noscript>n</noscript> | <template>t</template>"""

PIECES = tuple(re.split(r"(?<=\s)\|(?=\s)", _MARKUP))
"""Of pages, whole and broken."""


@dataclass(frozen=True, slots=True)
class Asked:
    """One call and what the web has for it."""

    call: Call
    outcome: Outcome | None  # None: a local server is asked

    def official(self) -> dict[str, Any]:
        """What the clients under the official tools return for the outcome."""
        match self.outcome:
            case Hits(()):
                return {"search_metadata": {"status": "Success"}}
            case Hits(hits):
                return {
                    "organic_results": [
                        {"title": hit.title, "link": hit.href, "snippet": hit.body} for hit in hits
                    ]
                }
            case Page(text):
                return {"status": 200, "reason": "OK", "text": text}
            case WebFailure(message):
                return {"raises": message}
        raise ValueError("a local server is asked")


def searches(count: int, seed: int) -> Iterator[Asked]:
    """Searches with any results, arguments and failures."""
    draw = random.Random(f"searches {seed}")
    for number in range(count):
        arguments: dict[str | None, Any] = {
            "keywords": f"{_text(draw, draw.choice((1, 3, 8, 60)))} {number}"
        }
        found = _found(draw)
        if draw.random() < 0.06:
            arguments["keywords"] = draw.choice(("", " \n", None, 10**9 + number, float(number)))
        if not str(arguments["keywords"] or "").strip():
            found = Hits(())  # the service refuses them; here they are not sent
        if draw.random() < 0.7:
            arguments["max_results"] = draw.choice(MOST)
        if draw.random() < 0.7:
            arguments["region"] = draw.choice(REGIONS)
        if draw.random() < 0.03:
            arguments[draw.choice(("engine", "query", "limit"))] = "x"
        if draw.random() < 0.03:
            arguments.pop("keywords")
        yield Asked(Call("search_engine_query", arguments), found)


def fetches(count: int, seed: int) -> Iterator[Asked]:
    """Fetches of pages in every mode, and their failures."""
    draw = random.Random(f"fetches {seed}")
    for number in range(count):
        url = (
            f"{draw.choice(('http', 'https'))}://a.example/{number}?q={draw.choice(('tea', 'a%20b', '🦆'))}"
        )
        if draw.random() < 0.05:
            url = draw.choice(URLS)
        arguments: dict[str | None, Any] = {"url": url}
        if draw.random() < 0.85:
            arguments["mode"] = draw.choice(MODES)
        if draw.random() < 0.02:
            arguments["timeout"] = 5
        outcome: Outcome = Page(html(draw))
        if draw.random() < 0.2:
            outcome = WebFailure(draw.choice(FAILURES))
        yield Asked(Call("fetch_url_content", arguments), outcome)


def html(draw: random.Random) -> str:
    """A page's text."""
    if draw.random() < 0.05:
        return draw.choice(
            ("", " ", "plain", "{}", "\ufeff<p>x", "<?xml version='1.0'?><rss><a>b</a></rss>")
        )
    return "".join(draw.choice(PIECES) for _ in range(draw.choice((1, 4, 12, 40))))


def hits(draw: random.Random, most: int) -> tuple[Hit, ...]:
    """Up to `most` results with any text."""
    return tuple(
        Hit(
            _text(draw, 6),
            f"https://{number}.example/{_text(draw, 2)}",
            _text(draw, draw.choice((0, 9, 200))),
        )
        for number in range(draw.randint(1, most))
    )


def _found(draw: random.Random) -> Hits | WebFailure:
    kind = draw.random()
    if kind < 0.12:
        return WebFailure(draw.choice(FAILURES))
    return Hits(()) if kind < 0.2 else Hits(hits(draw, draw.choice((1, 3, 12, 40))))


def _text(draw: random.Random, words: int) -> str:
    return " ".join(draw.choice(_WORDS) for _ in range(draw.randint(0, words)))
