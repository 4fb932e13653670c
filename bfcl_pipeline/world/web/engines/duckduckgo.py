"""A search with DuckDuckGo, by the engine class of the package ddgs, with what it lacks.

The class keeps the requests, forms and XPaths of ddgs. What differs:

- the HTTP client is `client.EngineClient`, so that every status and page is seen and recorded;
- titles, addresses and snippets stay as the page has them: ddgs's results decode every address, so that
  `%26` becomes `&` and the address leads elsewhere, and remove what looks like a tag from titles;
- of several links in one result the first is its address, a redirect becomes the address to which it leads;
- further pages are requested by the page's own Next form;
- a page that itself says so is "no results", a page that is cut short is an Outage, a captcha is
  SearchRateLimited, any other without results is UnknownAnswer.

A mark is an XPath that selects something only on pages of its kind: what a query or a result contains must
not make one. Source of the marks: the site's pages as other programs read them (SearXNG, websurfx and
scrapers with dated pages of September 2026), in November 2026. ddgs is pinned, so that a cassette is read
as it was when it was recorded.
"""

import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from itertools import chain, islice
from typing import Any, ClassVar
from urllib.parse import parse_qs, urljoin, urlsplit

import ddgs
from ddgs.engines.duckduckgo import Duckduckgo

from bfcl_pipeline.base.errors import PipelineError
from bfcl_pipeline.benchmark.config.job import DUCKDUCKGO
from bfcl_pipeline.world.tools.web_search.web import Hit, Hits, WebFailure
from bfcl_pipeline.world.web.engines.asking import (
    NOT_RETRIEVED,
    Outage,
    RetryPolicy,
    SearchRateLimited,
    UnknownAnswer,
    encodable,
)
from bfcl_pipeline.world.web.engines.client import Connection, EngineClient
from bfcl_pipeline.world.web.evidence.playing import NotOnCassette

WANTED = 30
"""Results of one search; the release's tool shows at most as many."""

MOST_PAGES = 5
"""Of one search, each of about ten results."""

LONGEST_QUERY = 499
"""Characters."""

MOST_RESULTS = 100
"""On one page, which has about ten; a page with more is not a page of results."""

MOST_FORMS = 100
"""The first of a page, which are searched for the one that requests the next page."""

MOST_PARTS = 10_000
"""Elements of all results of one page, which have some thousands. An XPath of ddgs compares the elements of
a result with each other: a hostile page (of a cassette of others) must not occupy it for hours."""

MOST_ELEMENTS = 20_000
"""Of one page, which has some thousands."""

MOST_ATTRIBUTES = 1_000
"""Of one element: building the tree takes quadratic time in their number."""

LONGEST_CLASS = 2_000
"""Characters of the classes of one element, which marks compare for each element below it."""

_CLASSES = "concat(' ', normalize-space(@class), ' ')"
NOTHING = (
    f"//*[contains({_CLASSES}, ' result--no-result ') or contains({_CLASSES}, ' no-results ')"
    f" or contains({_CLASSES}, ' no-results__message ')]"
    "|//h2[normalize-space()='EOF']/a[starts-with(@href, 'http://www.google.com/search?q=')]"
)
"""The mark that a search has no results; the second is the pseudo-result that ends them, alone."""

CHALLENGE = (
    "//form[@id='challenge-form' or contains(@action, 'anomaly.js')]|//*[contains(@class, 'anomaly-modal')]"
)
"""The mark of a page that takes the client for a robot."""

FAILING = "//body[contains(., 'If this error persists')]"
"""The mark of the site's own page that it has failed."""

# Commands (`!w ducks`, `w! ducks`, `\ducks`) that redirect a browser to another site. In a model's query
# they are meant as words.
_COMMANDS = re.compile(r"(?<!\S)[!\\]+|(?<=\S)!+(?!\S)")


@dataclass(frozen=True, slots=True)
class DuckDuckGo:
    """The search engine."""

    retries: RetryPolicy = field(default_factory=RetryPolicy)
    connection: Connection = field(default_factory=Connection)

    def search(self, keywords: str, region: str) -> Hits | WebFailure:
        """The results, best first. region: as DuckDuckGo names it; unknown ones are ignored.

        A query that the engine would not accept (empty, too long) is a WebFailure, without a request.

        Raises:
            WebError: no answer after all retries.
            UnknownAnswer: the page cannot be read.
        """
        query = " ".join(_COMMANDS.sub("", encodable(keywords)).split())
        if not query or len(query) > LONGEST_QUERY:
            return WebFailure(NOT_RETRIEVED)
        pages = ResultPages(EngineClient(self.connection, self.retries))
        results: dict[str, Hit] = {}  # by address: pages overlap
        for number in range(1, MOST_PAGES + 1):
            page = _read_page(pages, query, encodable(region), number)
            new = {hit.href: hit for hit in page if hit.href not in results}
            results |= new
            if not new or pages.ended or len(results) >= WANTED:
                break
        return Hits(tuple(results.values())[:WANTED])


def _read_page(pages: "ResultPages", query: str, region: str, number: int) -> tuple[Hit, ...]:
    """The results on a page; only a later one may be without them and without the site's mark."""
    try:
        results: list[Any] = pages.search(query, region, page=number) or []
        hits = tuple(Hit(_line(found.title), found.href, _line(found.body)) for found in results)
    except (PipelineError, NotOnCassette):
        raise
    except Exception as error:  # noqa: BLE001 (of ddgs and its parser, over whatever a site sent)
        failure = f"a page that ddgs cannot read ({type(error).__name__})"
    else:
        if hits or number > 1 or pages.nothing:
            return hits
        failure = "a page with neither results nor a known mark that there are none"
    raise UnknownAnswer(
        f"{DUCKDUCKGO} answered with {failure}; expected a page of results as ddgs {ddgs.__version__} "
        "reads it. If its markup has changed, a version of bfcl-pipeline with a newer ddgs is needed; "
        "until then use another search engine."
    )


@dataclass(slots=True)
class Result:
    """One result, as the page has it."""

    title: str = ""
    href: str = ""
    body: str = ""


class ResultPages(Duckduckgo):
    """One search; a further page is requested from the same object. A result without snippet keeps its
    address."""

    elements_xpath: ClassVar[Mapping[str, str]] = {
        **Duckduckgo.elements_xpath,
        "href": "(./a/@href | .//h2/a/@href)[1]",
    }

    def __init__(self, client: EngineClient) -> None:
        self._client = client
        client.check = self.check
        self.results: list[Any] = []
        self.nothing = False  # whether the last page says that there are no results
        self.ended = False  # whether the last page says that it is the last one
        self._checked: tuple[str, Any] = ("", None)  # the last page, as text and as a tree
        self._next: Mapping[str, str] | None = None  # the fields of the Next form of the last page
        self._offset = 0  # the number of the first result of the last page

    def request(self, *args: Any, **kwargs: Any) -> str:
        """The text of a page. Raises as `EngineClient.request`."""
        return self._client.request(*args, **kwargs)

    @property
    def result_type(self) -> type[Any]:
        """The class of results."""
        return Result

    def check(self, page: str) -> None:
        """Notes whether a page says that there are no results.

        Raises:
            SearchRateLimited: it is a captcha.
            Outage: it is cut short, or the site's page of an error.
            UnknownAnswer: it is nested too deeply to be read whole, or has too many results or attributes.
        """
        if "</html>" not in page[-2_000:].lower():
            raise Outage(DUCKDUCKGO, "its page is truncated, or not HTML")
        text = _without_declaration(page)
        # Measured before a tree is built: building it, and marks, take more than linear time in the size.
        measuring = type(self.parser)(target=_PageSize())
        measuring.feed(text)
        if measuring.close():
            raise _unknown("a page of too many elements, attributes or classes")
        tree = super().extract_tree(text)
        self._checked = page, tree
        if tree.xpath(CHALLENGE):
            raise SearchRateLimited(DUCKDUCKGO, "its page is a captcha")
        if any(error.type_name == "ERR_RESOURCE_LIMIT" for error in self.parser.error_log):
            raise _unknown("a page that is nested too deeply")
        items = tree.xpath(self.items_xpath)
        if len(items) > MOST_RESULTS:
            raise _unknown(f"a page of more than {MOST_RESULTS} results")
        parts = chain.from_iterable(item.iter() for item in items)
        if next(islice(parts, MOST_PARTS, None), None) is not None:
            raise _unknown(f"a page whose results have more than {MOST_PARTS:,} elements")
        self.nothing = bool(tree.xpath(NOTHING))
        if not items and tree.xpath(FAILING):
            raise Outage(DUCKDUCKGO, "its page reports an error")

    def build_payload(self, query: str, *args: Any, **kwargs: Any) -> dict[str, Any]:
        """The fields of the form, with the region twice; for further pages those of the Next form."""
        if self._next is not None:
            return dict(self._next)
        payload = super().build_payload(query, *args, **kwargs)
        return {**payload, "kl": payload["l"]}

    def extract_tree(self, html_text: str) -> Any:
        """The page that was checked. Its Next form is noted: the one with the largest offset."""
        page, tree = self._checked
        if html_text != page:
            tree = super().extract_tree(_without_declaration(html_text))
        furthest, offset = None, self._offset
        for form in tree.xpath("//form")[:MOST_FORMS]:
            if not form.xpath("ancestor::div[contains(@class, 'nav-link')]"):
                continue
            inputs = form.xpath(".//input[@name and not(@type='submit')]")
            fields = {field.get("name"): field.get("value", "") for field in inputs}
            begins = fields.get("s", "")
            if begins.isascii() and begins.isdecimal() and len(begins) < 7 and int(begins) > offset:
                furthest, offset = fields, int(begins)
        self._next, self._offset, self.ended = furthest, offset, furthest is None
        return tree

    def post_extract_results(self, results: list[Any]) -> list[Any]:
        """The results with the addresses to which links lead, without advertisements and the end mark."""
        for result in results:
            result.href = _unwrap(result.href)
        return [
            result
            for result in super().post_extract_results(results)
            if result.href
            and not _is_own(result.href, "/y.js")
            and not (result.title == "EOF" and result.href.startswith("http://www.google.com/search?q="))
        ]


class _PageSize:
    """Receives the elements of a page, of which no tree is built, and notes whether they are too many."""

    def __init__(self) -> None:
        self.elements = 0
        self.is_too_large = False

    def start(self, _tag: str, attributes: Mapping[str, str]) -> None:
        self.elements += 1
        self.is_too_large |= (
            self.elements > MOST_ELEMENTS
            or len(attributes) > MOST_ATTRIBUTES
            or len(attributes.get("class", "")) > LONGEST_CLASS
        )

    def close(self) -> bool:
        return self.is_too_large


def _unwrap(href: str) -> str:
    """The address to which a link of the page leads: of a redirect by DuckDuckGo, its parameter `uddg`."""
    if href and not href.startswith(("http://", "https://")):
        try:
            href = urljoin(Duckduckgo.search_url, href)
        except ValueError:  # not a valid address; kept as the page has it
            return href
    return parse_qs(urlsplit(href).query).get("uddg", [href])[0] if _is_own(href, "/l/") else href


def _is_own(href: str, path: str) -> bool:
    """Whether a link leads to a path of DuckDuckGo itself."""
    try:
        parts = urlsplit(href)
    except ValueError:
        return False
    return parts.path == path and f".{parts.hostname}".endswith(".duckduckgo.com")


def _without_declaration(html_text: str) -> str:
    """The page without an XML declaration, whose encoding the parser would not accept in a text."""
    start = html_text.lstrip()
    return start.partition("?>")[2] if start.startswith("<?xml") else html_text


def _unknown(received: str) -> UnknownAnswer:
    return UnknownAnswer(
        f"{DUCKDUCKGO} answered with {received}; expected a page of results. Use another search engine."
    )


def _line(text: str) -> str:
    """The text in one line."""
    return " ".join(text.split())
