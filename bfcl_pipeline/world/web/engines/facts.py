"""What ddgs does not tell about its search engines: hosts, limits, and how to read pages without results.

A mark is an XPath that selects something only on pages of its kind: an element of the page's structure, or
one that begins with a sentence of the site. What a query or a result contains must not make a mark. An
engine without a known mark of "no results" never says so: its page without results is an UnknownAnswer.

engine       "no results"                  robots are told by a refusing status (`client`), or by
duckduckgo   class `no-results` and others the page of its anomaly check
bing         class `b_no`                  its captcha, by a redirect or on the page
brave        its sentence                  its captcha, by a redirect or on the page
google       not known                     its captcha, by a redirect or on the page
grokipedia   an empty list
mojeek       its sentence                  its captcha
startpage    not known                     a redirect to its captcha
wikipedia    an empty list
yahoo        class `compNoResult`
yandex       not known                     its captcha, by a redirect or on the page

Source of the marks: the sites' pages as other programs read them (SearXNG, websurfx and scrapers with dated
pages of September 2026), in November 2026. Which engines ddgs itself has switched off is said by their
classes, see `ddgs_engine.DdgsEngine.switched_off`.
"""

from collections.abc import Mapping
from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class EngineFacts:
    """One search engine of ddgs."""

    hosts: tuple[str, ...]  # that it may ask; `.wikipedia.org` means every host that ends so
    pages: int = 3  # of results that are requested for one search
    longest_query: int = 499  # characters; where the limit of a site is not known, as DuckDuckGo's
    nothing: tuple[str, ...] = ()  # marks of the site's own page that a search has no results
    challenge: tuple[str, ...] = ()  # marks of a page that takes the client for a robot
    failing: tuple[str, ...] = ()  # marks of the site's own page that it has failed
    refusing_addresses: tuple[str, ...] = ()  # parts of the addresses to which it redirects robots
    failing_addresses: tuple[str, ...] = ()  # parts of the addresses of its error pages
    complete: str = "</html>"  # near the end of every complete page; empty: the page is JSON
    any_region: bool = False  # whether it is given what the model wrote, and ignores what it does not know


def _class(name: str) -> str:
    """The XPath condition that an element has a class."""
    return f"contains(concat(' ', normalize-space(@class), ' '), ' {name} ')"


def _begins(sentence: str) -> str:
    """The XPath condition that an element's own text begins with a sentence of the site."""
    return f"starts-with(normalize-space(text()[1]), '{sentence}')"


FACTS: Mapping[str, EngineFacts] = {
    "duckduckgo": EngineFacts(
        hosts=("html.duckduckgo.com",),
        pages=5,  # of ten results each, at most
        nothing=(
            f"//*[{_class('result--no-result')} or {_class('no-results')}"
            f" or {_class('no-results__message')}]",
            # The pseudo-result that ends the results, where it is the only one.
            "//h2[normalize-space()='EOF']/a[starts-with(@href, 'http://www.google.com/search?q=')]",
        ),
        challenge=(
            "//form[@id='challenge-form' or contains(@action, 'anomaly.js')]",
            "//*[contains(@class, 'anomaly-modal')]",
        ),
        failing=("//body[contains(., 'If this error persists')]",),
        failing_addresses=("/50x.html",),
        any_region=True,
    ),
    "bing": EngineFacts(
        hosts=("www.bing.com",),
        nothing=(f"//ol[@id='b_results']/li[{_class('b_no')}]",),
        challenge=("//*[@id='b_captcha']", "//form[contains(@action, '/turing/captcha')]"),
        refusing_addresses=("/turing/captcha",),
    ),
    "brave": EngineFacts(
        hosts=("search.brave.com",),
        nothing=(
            f"//*[self::div or self::p or self::h4][{_begins('Not many great matches came back')}]"
            "[ancestor::main]",  # not //main//*, which takes quadratic time in nested ones
        ),
        challenge=("//form[contains(@action, '/captcha')]", "//title[.='PoW Captcha - Brave Search']"),
        refusing_addresses=("/captcha",),
    ),
    "google": EngineFacts(
        hosts=("www.google.com",),
        challenge=("//form[@id='captcha-form']",),
        refusing_addresses=("/sorry/", "://sorry.google.com/"),
    ),
    "grokipedia": EngineFacts(hosts=("grokipedia.com",), pages=1, complete=""),
    "mojeek": EngineFacts(
        hosts=("www.mojeek.com",),
        nothing=(f"//p[{_begins('No pages found matching')}][ancestor::div[contains(@class, 'result')]]",),
        challenge=("//title[normalize-space()='Captcha']",),
    ),
    "startpage": EngineFacts(hosts=("www.startpage.com",), refusing_addresses=("/sp/captcha",)),
    "wikipedia": EngineFacts(hosts=(".wikipedia.org",), pages=1, longest_query=300, complete=""),
    "yahoo": EngineFacts(hosts=("search.yahoo.com",), nothing=(f"//*[{_class('compNoResult')}]",)),
    "yandex": EngineFacts(
        hosts=("yandex.com",),
        challenge=(f"//*[{_class('CheckboxCaptcha')}]",),
        refusing_addresses=("/showcaptcha",),
    ),
}
"""By name, every engine of `config.job.SEARCH_ENGINES` but serpapi."""
