"""DuckDuckGo, asked through the page that it serves to browsers without JavaScript.

Covers posting its search form, following its Next form until there are enough results, and reading
title, address and snippet out of the page. Advertisements are left out, redirect links unwrapped.

The point of this module is what an answer without results means. DuckDuckGo refuses with HTTP 202 and a
page that asks to tick ducks (its "anomaly" page, sometimes with 200), with 403, 418 or 429: all of them
raise RateLimited. "No results" is what the page itself marks as that, and nothing else is: a page cut
short raises Outage, one that we do not recognise raises UnknownAnswer.

Why not the package ddgs: its newer versions use a client whose traffic vcrpy cannot record as evidence;
they drop every status but 200 without a word, so that a rate limit comes out as "no results"; and they
ask other engines in the place of DuckDuckGo. requests is recorded, and the page takes a hundred lines.

Source of the markup: the page as served in October 2026, compared with how SearXNG's
searx/engines/duckduckgo.py and duckduckgo_search 8.1.1 read it.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from urllib.parse import parse_qs, urljoin, urlsplit

import requests
from bs4 import BeautifulSoup, Tag
from bs4.exceptions import ParserRejectedMarkup

from bfcl_pipeline.tools.web import Failure, Hit, Hits
from bfcl_pipeline.web.asking import (
    NOT_RETRIEVED,
    Answer,
    Limits,
    UnknownAnswer,
    ask_engine,
    encodable,
    engine_session,
)
from bfcl_pipeline.web.waiting import Outage, Patience, RateLimited

ENGINE = "duckduckgo"
PAGE = "https://html.duckduckgo.com/html/"

LONGEST_QUERY = 499
"""Characters that DuckDuckGo takes."""

PAUSE_SECONDS = 2.0
"""Between two pages of one search; pages asked for at once are what it takes for a robot."""

MOST_RESULTS = 100
"""On one page, which has about ten; more are no page of results."""

_REFUSALS = {202, 403, 418, 429}
_CHALLENGE = '#challenge-form, [class*="anomaly-modal"], form[action*="anomaly.js"]'
_NOTHING = ".result--no-result, .no-results, .no-results__message"
_ORGANIC = ".web-result:not(.result--ad):not(.result--no-result)"
_END = "http://www.google.com/search?q="  # where a last result titled EOF leads, which is none

# Commands to a browser (`!w ducks`, `w! ducks`, `\ducks`), which send it to another site. A model that
# writes one means the words.
_COMMANDS = re.compile(r"(?<!\S)[!\\]+|(?<=\S)!+(?!\S)")

_BROWSER = {
    "User-Agent": "Mozilla/5.0 (X11; Linux x86_64; rv:140.0) Gecko/20100101 Firefox/140.0",
    "Accept": "text/html,application/xhtml+xml,application/xml;q=0.9,*/*;q=0.8",
    "Accept-Language": "en-US,en;q=0.5",
    "Origin": "https://html.duckduckgo.com",
    "Referer": "https://html.duckduckgo.com/",
    "Upgrade-Insecure-Requests": "1",
    "Sec-Fetch-Dest": "document",
    "Sec-Fetch-Mode": "navigate",
    "Sec-Fetch-Site": "same-origin",
    "Sec-Fetch-User": "?1",
}


@dataclass(frozen=True, slots=True)
class ResultsPage:
    """One page of results as it was read."""

    hits: tuple[Hit, ...]  # advertisements left out
    next_form: Mapping[str, str] | None  # the fields that ask for the next page, None on the last


@dataclass(frozen=True, slots=True)
class DuckDuckGo:
    """The search engine."""

    base_url: str = PAGE
    wanted: int = 30  # results; a page has about ten
    most_pages: int = 5
    patience: Patience = field(default_factory=Patience)
    limits: Limits = field(default_factory=Limits)

    def search(self, keywords: str, region: str) -> Hits | Failure:
        """What it finds, best first. region: as DuckDuckGo names them; it ignores those it does not know.

        A query that it would not take (empty, too long) is a Failure, and it is not asked. Raises
        WebError when it did not answer after patience, UnknownAnswer when its page cannot be read.
        """
        query = " ".join(_COMMANDS.sub("", encodable(keywords)).split())
        if not query or len(query) > LONGEST_QUERY:
            return Failure(NOT_RETRIEVED)
        form: Mapping[str, str] | None = {"q": query, "b": "", "kl": encodable(region)}
        found: dict[str, Hit] = {}  # by address: pages overlap
        with engine_session() as session:
            for number in range(self.most_pages):
                if form is None or len(found) >= self.wanted:
                    break
                if number:
                    self.patience.sleep(PAUSE_SECONDS)
                page = self._page(session, form)
                news = {hit.href: hit for hit in page.hits if hit.href not in found}
                if not news:
                    break
                found |= news
                form = page.next_form
        return Hits(tuple(found.values())[: self.wanted])

    def _page(self, session: requests.Session, form: Mapping[str, str]) -> ResultsPage:
        """The page that a form asks for; each is asked for patiently, so that none is asked for again
        because the one after it was refused."""

        def ask() -> ResultsPage:
            answer = ask_engine(
                ENGINE, session, "POST", self.base_url, limits=self.limits, headers=_BROWSER, form=form
            )
            _check_status(answer)
            return read_page(answer.text, int(form.get("s", 0)))

        return self.patience(ask)


def read_page(html: str, offset: int = 0) -> ResultsPage:
    """The results on a page of DuckDuckGo. offset: where the page begins, as its form said.

    Raises RateLimited for its challenge, Outage for a page cut short or its own error page,
    UnknownAnswer for any other that has neither results nor DuckDuckGo's mark that there are none.
    """
    if "</html>" not in html[-2_000:].lower():
        raise Outage(ENGINE, "its page was cut short, or it is none")
    try:
        page = BeautifulSoup(html, "html.parser")
    except ParserRejectedMarkup:
        raise _unknown("a page that is not HTML") from None
    if page.select_one(_CHALLENGE):
        raise RateLimited(ENGINE, "its page asks to prove that we are human (a captcha)")
    blocks = page.select(_ORGANIC, limit=MOST_RESULTS + 1)
    if len(blocks) > MOST_RESULTS:
        raise _unknown(f"a page of more than {MOST_RESULTS} results")
    results = [_result(block) for block in blocks]
    hits = [hit for hit in results if not _is_advertisement(hit.href) and not _is_end(hit)]
    if not hits and not page.select_one(_NOTHING) and not any(map(_is_end, results)):
        if "If this error persists" in page.get_text():
            raise Outage(ENGINE, "its page says that it failed")
        raise _unknown("a page with neither results nor the mark that there are none")
    return ResultsPage(tuple(hits), _next_form(page, offset))


def _check_status(answer: Answer) -> None:
    """Raises what a status other than 200 means."""
    status, retry_after = answer.status, answer.retry_after_seconds()
    if status in _REFUSALS:
        raise RateLimited(ENGINE, f"it refused with HTTP {status}", retry_after)
    if status >= 500 or status == 408:
        raise Outage(ENGINE, f"it failed with HTTP {status}", retry_after)
    if status in range(300, 400):
        target = answer.headers.get("Location", "")[:200]
        if "/50x.html" in target:
            raise Outage(ENGINE, f"it sent us to its error page with HTTP {status}")
        raise _unknown(f"a redirect to {target!r} (HTTP {status})")
    if status != 200:
        raise _unknown(f"HTTP {status}")


def _result(block: Tag) -> Hit:
    """The result in a block."""
    link = block.select_one("a.result__a")
    if link is None or not link.get("href"):
        raise _unknown("a page whose results have no link (a.result__a)")
    snippet = block.select_one(".result__snippet")
    return Hit(_text(link), _unwrapped(str(link["href"])), _text(snippet) if snippet else "")


def _unwrapped(href: str) -> str:
    """Where a link leads: what a redirect of DuckDuckGo carries in `uddg`, else the link itself."""
    try:
        absolute = urljoin(PAGE, href)
    except ValueError:  # no address at all; the page says so, and a model may read it
        return href
    if _leads_to(absolute, "/l/"):
        return parse_qs(urlsplit(absolute).query).get("uddg", [absolute])[0]
    return absolute


def _is_advertisement(href: str) -> bool:
    """Whether a link leads to the click counter of an advertisement, which can hide in a redirect."""
    return _leads_to(href, "/y.js")


def _is_end(result: Hit) -> bool:
    """Whether a result only says that there are no more."""
    return result.title == "EOF" and result.href.startswith(_END)


def _leads_to(href: str, path: str) -> bool:
    """Whether a link leads to a path of DuckDuckGo itself."""
    try:
        parts = urlsplit(href)
    except ValueError:
        return False
    return parts.path == path and f".{parts.hostname}".endswith(".duckduckgo.com")


def _next_form(page: BeautifulSoup, offset: int) -> Mapping[str, str] | None:
    """The fields of the Next form: of the forms below the results the one that leads furthest on."""
    furthest: Mapping[str, str] | None = None
    for form in page.select(".nav-link form"):
        named = form.select('input[name]:not([type="submit"])')
        fields = {str(field["name"]): str(field.get("value", "")) for field in named}
        begins = fields.get("s", "")
        if re.fullmatch(r"[0-9]{1,6}", begins) and int(begins) > offset:
            furthest, offset = fields, int(begins)
    return furthest


def _text(tag: Tag) -> str:
    return " ".join(tag.get_text().split())


def _unknown(what_came: str) -> UnknownAnswer:
    return UnknownAnswer(
        f"{ENGINE} answered with {what_came}; expected a page of results as its HTML page has served them. "
        "If it has changed its markup, bfcl_pipeline/web/duckduckgo.py has to learn it; until then use "
        "another search engine."
    )
