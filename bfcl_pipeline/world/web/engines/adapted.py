"""The engine classes of ddgs, with what they lack.

Each is the class of ddgs, whose requests, forms and XPaths it keeps. What differs, for all of them:

- the HTTP client is `client.EngineClient`;
- titles, addresses and snippets stay as the page has them: ddgs's results decode every address, so that
  `%26` becomes `&` and the address leads elsewhere, and remove what looks like a tag from titles;
- of several links in one result the first is its address: ddgs concatenates them;
- redirect links become the addresses to which they lead;
- pages that say "no results", "prove that you are not a robot" or "we have failed" are told apart;
- nothing in a request is random, so that a recorded search can be played back.

What differs for one engine is said at its class.
"""

import hashlib
import json
from base64 import urlsafe_b64encode
from collections.abc import Mapping
from dataclasses import dataclass
from itertools import chain, islice
from typing import Any, ClassVar
from urllib.parse import parse_qs, unquote, urljoin, urlsplit

from ddgs.base import BaseSearchEngine
from ddgs.engines.bing import Bing
from ddgs.engines.brave import Brave
from ddgs.engines.duckduckgo import Duckduckgo
from ddgs.engines.google import Google
from ddgs.engines.grokipedia import Grokipedia
from ddgs.engines.mojeek import Mojeek
from ddgs.engines.startpage import Startpage
from ddgs.engines.wikipedia import Wikipedia
from ddgs.engines.yahoo import Yahoo
from ddgs.engines.yandex import Yandex

from bfcl_pipeline.world.web.engines.client import EngineClient
from bfcl_pipeline.world.web.engines.facts import EngineFacts
from bfcl_pipeline.world.web.engines.page_size import is_too_large
from bfcl_pipeline.world.web.engines.requested import UnknownAnswer
from bfcl_pipeline.world.web.engines.retries import Outage, SearchRateLimited

_WIKIPEDIAS = (
    *("ar", "bg", "ca", "cs", "da", "de", "el", "en", "es", "et", "fi", "fr", "he", "hr", "hu", "id", "it"),
    *("lt", "lv", "ms", "nl", "no", "pl", "pt", "ro", "ru", "sk", "sl", "sv", "th", "tl", "tr", "uk", "vi"),
    "zh",
)
_OTHERWISE_NAMED = {"jp": "ja", "kr": "ko", "tzh": "zh"}

MOST_RESULTS = 100
"""On one page, which has about ten; a page with more is not a page of results."""

MOST_FORMS = 100
"""The first of a page, which are searched for the one that requests the next page."""

MOST_PARTS = 10_000
"""Elements of all results of one page, which have some thousands. An XPath of ddgs compares the elements of
a result with each other: a hostile page (of a cassette of others) must not occupy it for hours."""


@dataclass(slots=True)
class Result:
    """One result, as the page has it."""

    title: str = ""
    href: str = ""
    body: str = ""


class AdaptedEngine(BaseSearchEngine[Any]):
    """One search with an engine of ddgs; a further page is requested from the same object."""

    def __init__(self, client: EngineClient, facts: EngineFacts) -> None:
        self.http_client: Any = client
        client.headers_update(self.headers_update)
        client.check = self.check
        self.results: list[Any] = []
        self.facts = facts
        self.nothing = False  # whether the last page says that there are no results
        self.ended = False  # whether the last page says that it is the last one
        self._checked: tuple[str, Any] = ("", None)  # the last page, as text and as a tree

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
        if self.facts.complete not in page[-2_000:].lower():
            raise Outage(self.name, "its page is truncated, or not HTML")
        text = _without_declaration(page)
        if is_too_large(text, type(self.parser)):
            raise self._unknown("a page of too many elements, attributes or classes")
        tree = super().extract_tree(text)
        self._checked = page, tree
        if any(tree.xpath(mark) for mark in self.facts.challenge):
            raise SearchRateLimited(self.name, "its page is a captcha")
        if any(error.type_name == "ERR_RESOURCE_LIMIT" for error in self.parser.error_log):
            raise self._unknown("a page that is nested too deeply")
        items = tree.xpath(self.items_xpath)
        if len(items) > MOST_RESULTS:
            raise self._unknown(f"a page of more than {MOST_RESULTS} results")
        parts = chain.from_iterable(item.iter() for item in items)
        if next(islice(parts, MOST_PARTS, None), None) is not None:
            raise self._unknown(f"a page whose results have more than {MOST_PARTS:,} elements")
        self.nothing = any(tree.xpath(mark) for mark in self.facts.nothing)
        if not items and any(tree.xpath(mark) for mark in self.facts.failing):
            raise Outage(self.name, "its page reports an error")

    def extract_tree(self, html_text: str) -> Any:
        """The page that was checked."""
        page, tree = self._checked
        return tree if html_text == page else super().extract_tree(_without_declaration(html_text))

    def _unknown(self, received: str) -> UnknownAnswer:
        return UnknownAnswer(
            f"{self.name} answered with {received}; expected a page of results. Use another search engine."
        )

    def post_extract_results(self, results: list[Any]) -> list[Any]:
        """The results with an address, which is that of the page to which the link leads."""
        for result in results:
            result.href = self.unwrapped(result.href)
        return [result for result in super().post_extract_results(results) if result.href]

    def unwrapped(self, href: str) -> str:
        """The address to which a link of the page leads."""
        if not href or href.startswith(("http://", "https://")):
            return href
        try:
            return urljoin(self.search_url, href)
        except ValueError:  # not a valid address; kept as the page has it
            return href


class _Duckduckgo(AdaptedEngine, Duckduckgo):
    """The region is also in the field of the site's form (`kl`); further pages are requested by the page's
    own Next form: the site refuses requests without its fields. A result without snippet keeps its
    address."""

    elements_xpath: ClassVar[Mapping[str, str]] = {
        **Duckduckgo.elements_xpath,
        "href": "(./a/@href | .//h2/a/@href)[1]",
    }

    _next: Mapping[str, str] | None = None  # the fields of the Next form of the last page
    _offset = 0  # the number of the first result of the last page

    def build_payload(self, query: str, *args: Any, **kwargs: Any) -> dict[str, Any]:
        """The fields of the form."""
        if self._next is not None:
            return dict(self._next)
        payload = Duckduckgo.build_payload(self, query, *args, **kwargs)
        return {**payload, "kl": payload["l"]}

    def extract_tree(self, html_text: str) -> Any:
        """The page. Its Next form is noted: the one with the largest offset."""
        tree = super().extract_tree(html_text)
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
        """Without the click counter of advertisements and the pseudo-result that marks the end."""
        return [
            result
            for result in super().post_extract_results(results)
            if not self._leads_to(result.href, "/y.js")
            and not (result.title == "EOF" and result.href.startswith("http://www.google.com/search?q="))
        ]

    def unwrapped(self, href: str) -> str:
        """The parameter `uddg` of a redirect by DuckDuckGo, else the link itself."""
        address = super().unwrapped(href)
        return _parameter(address, "uddg") if self._leads_to(address, "/l/") else address

    @staticmethod
    def _leads_to(href: str, path: str) -> bool:
        """Whether a link leads to a path of DuckDuckGo itself."""
        try:
            parts = urlsplit(href)
        except ValueError:
            return False
        return parts.path == path and f".{parts.hostname}".endswith(".duckduckgo.com")


def _first(engine: type[BaseSearchEngine[Any]]) -> Mapping[str, str]:
    """The XPaths of an engine's results, of whose links only the first is taken."""
    return {**engine.elements_xpath, "href": f"({engine.elements_xpath['href']})[1]"}


class _Bing(AdaptedEngine, Bing):
    elements_xpath: ClassVar[Mapping[str, str]] = _first(Bing)


class _Brave(AdaptedEngine, Brave):
    elements_xpath: ClassVar[Mapping[str, str]] = _first(Brave)


class _Google(AdaptedEngine, Google):
    """Its redirects are unwrapped here: ddgs's way loses the parameters of the target."""

    elements_xpath: ClassVar[Mapping[str, str]] = _first(Google)

    def pre_process_html(self, html_text: str) -> str:
        """The page as it is: ddgs cuts it at its XML declaration, and loses a page that has none."""
        return html_text

    def unwrapped(self, href: str) -> str:
        """The parameter `q` of a redirect by Google, else the link itself."""
        address = super().unwrapped(href)
        wrapped = address.startswith("https://www.google.com/url?")
        return _parameter(address, "q") if wrapped else address


class _JsonEngine(AdaptedEngine):
    """An engine whose answers are JSON."""

    def check(self, page: str) -> None:
        """Raises Outage for an answer that is cut short or reports an error."""
        try:
            answer = json.loads(page)
        except (ValueError, RecursionError):
            raise Outage(self.name, "its answer is truncated, or not JSON") from None
        if isinstance(answer, dict) and "error" in answer:
            raise Outage(self.name, f"it reports the error {str(answer['error'])[:100]!r}")


class _Grokipedia(_JsonEngine, Grokipedia):
    """An empty list is the site's "no results"."""

    def extract_results(self, html_text: str) -> list[Any]:
        """The result, with the address as the site has it."""
        found = json.loads(html_text)["results"]
        self.nothing, self.ended = found == [], True
        results = super().extract_results(html_text)
        return [
            Result(result.title, f"https://grokipedia.com/page/{found[0]['slug']}", result.body)
            for result in results
        ]


class _Mojeek(AdaptedEngine, Mojeek):
    elements_xpath: ClassVar[Mapping[str, str]] = _first(Mojeek)


class _Startpage(AdaptedEngine, Startpage):
    elements_xpath: ClassVar[Mapping[str, str]] = _first(Startpage)


class _Wikipedia(_JsonEngine, Wikipedia):
    """An empty list is the site's "no results". A disambiguation page is a result without body; ddgs leaves
    it out. Regions without a Wikipedia in their language search the English one."""

    def build_payload(self, query: str, region: str, *args: Any, **kwargs: Any) -> dict[str, Any]:
        """The address of the search, in the region's language."""
        language = _wikipedia_of(region.rpartition("-")[2])
        return Wikipedia.build_payload(self, query, f"any-{language}", *args, **kwargs)

    def extract_results(self, html_text: str) -> list[Any]:
        """The result, with title and address as the site has them."""
        _, titles, _, addresses = json.loads(html_text)
        self.nothing, self.ended = titles == [], True
        bodies = [result.body for result in super().extract_results(html_text)] or [""]
        return [
            Result(title, address, body)
            for title, address, body in zip(titles, addresses, bodies, strict=False)
        ]


class _Yahoo(AdaptedEngine, Yahoo):
    """The tokens in its address follow from the query; ddgs draws them."""

    elements_xpath: ClassVar[Mapping[str, str]] = _first(Yahoo)

    def build_payload(self, query: str, *args: Any, **kwargs: Any) -> dict[str, Any]:
        """The address of the search."""
        payload = Yahoo.build_payload(self, query, *args, **kwargs)
        token = urlsafe_b64encode(hashlib.sha512(query.encode()).digest()).decode("ascii")
        self.search_url = f"https://search.yahoo.com/search;_ylt={token[:24]};_ylu={token[24:71]}"
        return payload

    def unwrapped(self, href: str) -> str:
        """The part after `/RU=` of a redirect by Yahoo, else the link itself."""
        address = super().unwrapped(href)
        _, wrapped, target = address.partition("/RU=")
        return unquote(target.partition("/RK=")[0].partition("/RS=")[0]) if wrapped else address


class _Yandex(AdaptedEngine, Yandex):
    """The number of the search follows from the query; ddgs draws it."""

    elements_xpath: ClassVar[Mapping[str, str]] = _first(Yandex)

    def build_payload(self, query: str, *args: Any, **kwargs: Any) -> dict[str, Any]:
        """The parameters of the search."""
        number = int.from_bytes(hashlib.sha256(query.encode()).digest()[:4])
        payload = Yandex.build_payload(self, query, *args, **kwargs)
        return {**payload, "searchid": str(1_000_000 + number % 9_000_000)}


ENGINES: Mapping[str, type[AdaptedEngine]] = {
    "bing": _Bing,
    "brave": _Brave,
    "duckduckgo": _Duckduckgo,
    "google": _Google,
    "grokipedia": _Grokipedia,
    "mojeek": _Mojeek,
    "startpage": _Startpage,
    "wikipedia": _Wikipedia,
    "yahoo": _Yahoo,
    "yandex": _Yandex,
}
"""By name, as in `facts.FACTS`."""


def _without_declaration(html_text: str) -> str:
    """The page without an XML declaration, whose encoding the parser would not accept in a text."""
    start = html_text.lstrip()
    return start.partition("?>")[2] if start.startswith("<?xml") else html_text


def _wikipedia_of(language: str) -> str:
    """The Wikipedia in a language, as the second part of a region names it; else the English one."""
    return _OTHERWISE_NAMED.get(language, language if language in _WIKIPEDIAS else "en")


def _parameter(address: str, name: str) -> str:
    """A parameter of an address, decoded once; the address if it has none."""
    return parse_qs(urlsplit(address).query).get(name, [address])[0]
