"""The search engine DuckDuckGo, through the HTML page that it serves to browsers without JavaScript.

Covers posting its search form, following its Next form until there are enough results, and extracting
title, address and snippet. Advertisements are left out, redirect links unwrapped.

An answer without results needs care. DuckDuckGo refuses with HTTP 202 and a captcha (its "anomaly" page,
sometimes with 200), or with 403, 418 or 429: all of them raise SearchRateLimited. Only a page that itself
says so means "no results": a truncated page raises Outage, an unrecognized one UnknownAnswer.

Why not the package ddgs: its newer versions use a client whose traffic vcrpy cannot record as evidence;
they silently drop every status but 200, so that a rate limit becomes "no results"; and they query other
engines instead of DuckDuckGo. Traffic of requests is recorded, and parsing the page takes a hundred lines.

Source of the markup: the page as served in October 2026, compared with how SearXNG's
searx/engines/duckduckgo.py and duckduckgo_search 8.1.1 read it.
"""

import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from urllib.parse import parse_qs, urljoin, urlsplit

import requests
from bs4 import BeautifulSoup, Tag
from bs4.exceptions import ParserRejectedMarkup

from bfcl_pipeline.tools.web_search.web import Hit, Hits, WebFailure
from bfcl_pipeline.web.engines.requested import (
    NOT_RETRIEVED,
    Answer,
    SearchLimits,
    UnknownAnswer,
    encodable,
    engine_session,
    request_engine,
)
from bfcl_pipeline.web.engines.retries import Outage, RetryPolicy, SearchRateLimited

ENGINE = "duckduckgo"
PAGE = "https://html.duckduckgo.com/html/"

LONGEST_QUERY = 499
"""Characters that DuckDuckGo accepts."""

PAUSE_SECONDS = 2.0
"""Between two pages of one search; without a pause DuckDuckGo takes the client for a robot."""

MOST_RESULTS = 100
"""On one page, which has about ten; a page with more is not a page of results."""

_REFUSALS = {202, 403, 418, 429}
_CHALLENGE = '#challenge-form, [class*="anomaly-modal"], form[action*="anomaly.js"]'
_NOTHING = ".result--no-result, .no-results, .no-results__message"
_ORGANIC = ".web-result:not(.result--ad):not(.result--no-result)"
_END = "http://www.google.com/search?q="  # link of the pseudo-result titled EOF at the end

# Commands (`!w ducks`, `w! ducks`, `\ducks`) that redirect a browser to another site. In a model's query
# they are meant as words.
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
    """One parsed page of results."""

    hits: tuple[Hit, ...]  # without advertisements
    next_form: Mapping[str, str] | None  # the fields that request the next page, None on the last


@dataclass(frozen=True, slots=True)
class DuckDuckGo:
    """The search engine."""

    base_url: str = PAGE
    wanted: int = 30  # results; a page has about ten
    most_pages: int = 5
    retries: RetryPolicy = field(default_factory=RetryPolicy)
    limits: SearchLimits = field(default_factory=SearchLimits)

    def search(self, keywords: str, region: str) -> Hits | WebFailure:
        """The results, best first. region: as DuckDuckGo names it; unknown ones are ignored by DuckDuckGo.

        A query that it would not accept (empty, too long) is a WebFailure, without a request.

        Raises:
            WebError: no answer after all retries.
            UnknownAnswer: the page cannot be read.
        """
        query = " ".join(_COMMANDS.sub("", encodable(keywords)).split())
        if not query or len(query) > LONGEST_QUERY:
            return WebFailure(NOT_RETRIEVED)
        form: Mapping[str, str] | None = {"q": query, "b": "", "kl": encodable(region)}
        results: dict[str, Hit] = {}  # by address: pages overlap
        with engine_session() as session:
            for number in range(self.most_pages):
                if form is None or len(results) >= self.wanted:
                    break
                if number:
                    self.retries.sleep(PAUSE_SECONDS)
                page = self._page(session, form)
                new = {hit.href: hit for hit in page.hits if hit.href not in results}
                if not new:
                    break
                results |= new
                form = page.next_form
        return Hits(tuple(results.values())[: self.wanted])

    def _page(self, session: requests.Session, form: Mapping[str, str]) -> ResultsPage:
        """The page that a form requests, with its own retries: earlier pages are not requested again."""

        def request() -> ResultsPage:
            answer = request_engine(
                ENGINE, session, "POST", self.base_url, limits=self.limits, headers=_BROWSER, form=form
            )
            _check_status(answer)
            return read_page(answer.text, int(form.get("s", 0)))

        return self.retries(request)


def read_page(html: str, offset: int = 0) -> ResultsPage:
    """The results on a page of DuckDuckGo. offset: the number of the page's first result, from its form.

    Raises:
        SearchRateLimited: the page is a captcha.
        Outage: the page is truncated or DuckDuckGo's error page.
        UnknownAnswer: any other page with neither results nor DuckDuckGo's mark that there are none.
    """
    if "</html>" not in html[-2_000:].lower():
        raise Outage(ENGINE, "its page is truncated, or not HTML")
    try:
        page = BeautifulSoup(html, "html.parser")
    except ParserRejectedMarkup:
        raise _unknown("a page that is not HTML") from None
    if page.select_one(_CHALLENGE):
        raise SearchRateLimited(ENGINE, "its page is a captcha")
    blocks = page.select(_ORGANIC, limit=MOST_RESULTS + 1)
    if len(blocks) > MOST_RESULTS:
        raise _unknown(f"a page of more than {MOST_RESULTS} results")
    results = [_result(block) for block in blocks]
    hits = [hit for hit in results if not _is_advertisement(hit.href) and not _is_end(hit)]
    if not hits and not page.select_one(_NOTHING) and not any(map(_is_end, results)):
        if "If this error persists" in page.get_text():
            raise Outage(ENGINE, "its page reports an error")
        raise _unknown("a page with neither results nor the mark that there are none")
    return ResultsPage(tuple(hits), _next_form(page, offset))


def _check_status(answer: Answer) -> None:
    """Raises the error for a status other than 200."""
    status, retry_after = answer.status, answer.retry_after_seconds()
    if status in _REFUSALS:
        raise SearchRateLimited(ENGINE, f"it refused with HTTP {status}", retry_after)
    if status >= 500 or status == 408:
        raise Outage(ENGINE, f"it failed with HTTP {status}", retry_after)
    if status in range(300, 400):
        target = answer.headers.get("Location", "")[:200]
        if "/50x.html" in target:
            raise Outage(ENGINE, f"it redirected to its error page with HTTP {status}")
        raise _unknown(f"a redirect to {target!r} (HTTP {status})")
    if status != 200:
        raise _unknown(f"HTTP {status}")


def _result(block: Tag) -> Hit:
    """The result in one block of the page."""
    link = block.select_one("a.result__a")
    if link is None or not link.get("href"):
        raise _unknown("a page whose results have no link (a.result__a)")
    snippet = block.select_one(".result__snippet")
    return Hit(_text(link), _unwrapped(str(link["href"])), _text(snippet) if snippet else "")


def _unwrapped(href: str) -> str:
    """The target of a link: the parameter `uddg` of a redirect by DuckDuckGo, else the link itself."""
    try:
        absolute = urljoin(PAGE, href)
    except ValueError:  # not a valid address; returned as the page has it
        return href
    if _leads_to(absolute, "/l/"):
        return parse_qs(urlsplit(absolute).query).get("uddg", [absolute])[0]
    return absolute


def _is_advertisement(href: str) -> bool:
    """Whether a link leads to the click counter of an advertisement, possibly after unwrapping."""
    return _leads_to(href, "/y.js")


def _is_end(result: Hit) -> bool:
    """Whether a result only marks the end of the results."""
    return result.title == "EOF" and result.href.startswith(_END)


def _leads_to(href: str, path: str) -> bool:
    """Whether a link leads to a path of DuckDuckGo itself."""
    try:
        parts = urlsplit(href)
    except ValueError:
        return False
    return parts.path == path and f".{parts.hostname}".endswith(".duckduckgo.com")


def _next_form(page: BeautifulSoup, offset: int) -> Mapping[str, str] | None:
    """The fields of the Next form: of the forms below the results the one with the largest offset."""
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


def _unknown(received: str) -> UnknownAnswer:
    return UnknownAnswer(
        f"{ENGINE} answered with {received}; expected a page of results with its known markup. If that has "
        "changed, its reader must be adapted; until then use another search engine."
    )
