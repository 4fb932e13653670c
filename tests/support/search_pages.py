"""Pages of the search engines, with the markup that ddgs reads: results, none, captchas, changed markup."""

import json
from base64 import urlsafe_b64encode
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from urllib.parse import quote

from bfcl_pipeline.world.tools.web_search.web import Hit
from tests.support.scripted_engine import Asked, ScriptedEngine

HITS = (
    Hit("All about ducks", "https://ducks.example/a%2Fb?x=1%26&y=%3F+2#c%20d", "A duck & more"),
    Hit("Ünïcödé 鴨 <b>", "https://u.example/%E9%B4%A8", "naïve “ducks”"),
)
"""What the page with results of each engine has: of engines with one result, the first."""

_TEXTS = (
    ("All about <b>ducks</b>", "A <b>duck</b> &amp;\n  more"),
    ("Ünïcödé 鴨 &lt;b&gt;", "naïve &nbsp;“ducks”"),
)


def _escaped(address: str) -> str:
    return address.replace("&", "&amp;")


def html(content: str, head: str = "") -> str:
    """A page."""
    return (
        f"<!DOCTYPE html>\n<html><head><title>ducks - Search</title>{head}</head>"
        f"<body><header><form><input name='q' value='ducks'></form></header>{content}</body></html>\n"
    )


def _items(item: Callable[[str, str, str], str], wrapped: Callable[[str], str] = lambda href: href) -> str:
    return "".join(
        item(title, _escaped(wrapped(hit.href)), snippet)
        for hit, (title, snippet) in zip(HITS, _TEXTS, strict=True)
    )


@dataclass(frozen=True)
class EnginePages:
    """What one engine sends."""

    host: str
    results: str
    none: str | None  # the page with the site's mark; None: no mark is known
    challenge: str | None  # a captcha with status 200; None: none is known
    captcha_address: str | None  # where it redirects robots
    changed: str  # results with other markup
    unmarked: str = html("<main><div>Nothing here</div></main>")  # neither results nor a mark
    hits: tuple[Hit, ...] = HITS
    beside: Callable[[Asked], bytes | None] = field(default=lambda _asked: None)  # other requests

    @property
    def is_json(self) -> bool:
        """Whether its answers are JSON."""
        return not self.results.lstrip().startswith("<")


def _duckduckgo() -> EnginePages:
    def wrapped(href: str) -> str:
        return f"//duckduckgo.com/l/?uddg={quote(href, safe='')}&rut=0af"

    def item(title: str, href: str, snippet: str) -> str:
        return f"""
        <div class="result results_links results_links_deep web-result ">
          <div class="links_main links_deep result__body">
            <h2 class="result__title"><a rel="nofollow" class="result__a" href="{href}">{title}</a></h2>
            <div class="result__extras"><div class="result__extras__url">
              <span class="result__icon"><a rel="nofollow" href="{href}"><img/></a></span>
              <a class="result__url" href="{href}"> somewhere </a></div></div>
            <a class="result__snippet" href="{href}">{snippet}</a>
            <div class="clear"></div></div></div>"""

    advertisement = item("Buy", "https://duckduckgo.com/y.js?ad_domain=a.example&amp;u3=x", "Cheap")
    results = f'<div id="links" class="results">{advertisement}{_items(item, wrapped)}</div>'
    return EnginePages(
        host="html.duckduckgo.com",
        results=html(results),
        none=html(
            '<div id="links" class="results"><div class="result web-result result--no-result">'
            '<div class="links_main links_deep result__body"><div class="no-results__container">'
            '<span class="no-results"><div class="no-results__message"><h1>No results found for ducks</h1>'
            "</div></span></div></div></div></div>"
        ),
        challenge=html(
            '<form id="challenge-form" action="//duckduckgo.com/anomaly.js?sv=html" method="POST">'
            '<div class="anomaly-modal__title">Unfortunately, bots use DuckDuckGo too.</div></form>'
        ),
        captcha_address=None,
        changed=html(results.replace("h2", "h6").replace("result__body", "content").replace("<a ", "<b ")),
    )


def _bing() -> EnginePages:
    def wrapped(href: str) -> str:
        packed = urlsafe_b64encode(href.encode()).decode().rstrip("=")
        return f"https://www.bing.com/ck/a?!&&p=3f&ptn=3&u=a1{packed}&ntb=1"

    def item(title: str, href: str, snippet: str) -> str:
        return (
            f'<li class="b_algo"><h2><a href="{href}">{title}</a></h2>'
            f'<div class="b_caption"><p class="b_lineclamp2">{snippet}</p></div></li>'
        )

    advertisement = item("Buy", "https://www.bing.com/aclick?ld=e8", "Cheap")
    results = f'<ol id="b_results">{advertisement}{_items(item, wrapped)}</ol>'
    return EnginePages(
        host="www.bing.com",
        results=html(results),
        none=html('<ol id="b_results"><li class="b_no"><h1>There are no results for ducks</h1></li></ol>'),
        challenge=html('<div id="b_captcha"><h1>One last step</h1></div>'),
        captcha_address="/turing/captcha/challenge?q=ducks",
        changed=html(results.replace("b_algo", "r_organic")),
    )


def _brave() -> EnginePages:
    def item(title: str, href: str, snippet: str) -> str:
        return (
            '<div class="snippet svelte-1" data-pos="0" data-type="web"><div class="result-content">'
            f'<a href="{href}" class="l1"><div class="site-name-content"><cite>somewhere</cite></div>'
            f'<div class="title search-snippet-title">{title}</div></a>'
            f'<div class="generic-snippet"><div class="content">{snippet}</div></div></div></div>'
        )

    results = f'<main><div id="results">{_items(item)}</div></main>'
    return EnginePages(
        host="search.brave.com",
        results=html(results),
        none=html("<main><div>Not many great matches came back for your search:<b>ducks</b></div></main>"),
        challenge=html('<form action="/search/captcha" method="POST">Confirm you are human</form>'),
        captcha_address="/captcha?q=ducks",
        changed=html(results.replace('data-type="web"', 'data-kind="web"')),
    )


def _google() -> EnginePages:
    def wrapped(href: str) -> str:
        return f"/url?q={quote(href, safe=':/')}&sa=U&ved=2ah"

    def item(title: str, href: str, snippet: str) -> str:
        plain = title.replace("<b>", "").replace("</b>", "")
        return (
            f'<div><div><a href="{href}"><span>{plain}</span><br/><span>somewhere</span></a></div>'
            f"<div><table><tr><td><span>{snippet}</span></td></tr></table></div></div>"
        )

    declared = '<?xml version="1.0" encoding="UTF-8"?>\n'
    results = declared + html(_items(item, wrapped))
    return EnginePages(
        host="www.google.com",
        results=results,
        none=None,
        challenge=html('<form id="captcha-form" action="index" method="post">About this page</form>'),
        captcha_address="https://www.google.com/sorry/index?continue=x",
        changed=results.replace("<table", "<section").replace("</table", "</section"),
    )


def _mojeek() -> EnginePages:
    def item(title: str, href: str, snippet: str) -> str:
        return (
            f'<li class="r1"><a title="{href}" href="{href}" class="ob"><p class="i">somewhere</p></a>'
            f'<h2><a class="title" href="{href}">{title}</a></h2><p class="s">{snippet}</p></li>'
        )

    results = f'<div class="results"><ul class="results-standard">{_items(item)}</ul></div>'
    return EnginePages(
        host="www.mojeek.com",
        results=html(results),
        none=html('<div class="result-col"><p>No pages found matching: <strong>ducks</strong></p></div>'),
        challenge=html("Solve this").replace("ducks - Search", "Captcha"),
        captcha_address=None,
        changed=html(results.replace("results", "organic")),
    )


def _startpage() -> EnginePages:
    def item(title: str, href: str, snippet: str) -> str:
        return (
            f'<div class="result css-o7i03b"><a class="result-title result-link css-14ta9s" href="{href}">'
            f'<h2 class="wgl-title">{title}</h2></a><p class="description css-1507v2l">{snippet}</p></div>'
        )

    results = f'<section class="w-gl">{_items(item)}</section>'
    home = html('<form id="search" action="/sp/search"><input name="sc" value="Vbr2lYdpHRcm20"></form>')
    return EnginePages(
        host="www.startpage.com",
        results=html(results),
        none=None,
        challenge=None,
        captcha_address="https://www.startpage.com/sp/captcha",
        changed=html(results.replace("result css", "organic css")),
        beside=lambda asked: ScriptedEngine.http(home) if asked.path == "/" else None,
    )


def _yahoo() -> EnginePages:
    def wrapped(href: str) -> str:
        return f"https://r.search.yahoo.com/_ylt=Aw/RV=2/RE=1/RO=10/RU={quote(href, safe='')}/RK=2/RS=x-"

    def item(title: str, href: str, snippet: str) -> str:
        return (
            '<li><div class="dd algo algo-sr relsrch Sr"><div class="compTitle options-toggle">'
            f'<a href="{href}"><h3 class="title">{title}</h3></a></div>'
            f'<div class="compText aAbs"><p>{snippet}</p></div></div></li>'
        )

    advertisement = item("Buy", wrapped("https://www.bing.com/aclick?ld=e8"), "Cheap")
    results = f'<div id="web"><ol>{advertisement}{_items(item, wrapped)}</ol></div>'
    return EnginePages(
        host="search.yahoo.com",
        results=html(results),
        none=html(
            '<div id="web"><div class="dd compNoResult">We did not find results for ducks</div></div>'
        ),
        challenge=None,
        captcha_address=None,
        changed=html(results.replace("relsrch", "organic")),
    )


def _yandex() -> EnginePages:
    def item(title: str, href: str, snippet: str) -> str:
        return (
            f'<li class="serp-item"><h3 class="title"><a href="{href}">{title}</a></h3>'
            f'<div class="text">{snippet}</div></li>'
        )

    results = f'<ol class="b-serp">{_items(item)}</ol>'
    return EnginePages(
        host="yandex.com",
        results=html(results),
        none=None,
        challenge=html('<form action="/checkcaptcha"><div class="CheckboxCaptcha">I am human</div></form>'),
        captcha_address="https://yandex.com/showcaptcha?retpath=x",
        changed=html(results.replace("serp-item", "organic")),
    )


def _wikipedia() -> EnginePages:
    title, address = "AC/DC: what?", "https://en.wikipedia.org/wiki/AC%2FDC:_what%3F"
    extract = json.dumps({"query": {"pages": {"1": {"title": title, "extract": "A band <of>\n\nducks"}}}})
    return EnginePages(
        host="en.wikipedia.org",
        results=json.dumps(["ducks", [title], [""], [address]]),
        none='["ducks", [], [], []]',
        challenge=None,
        captcha_address=None,
        changed='{"pages": [{"title": "AC/DC"}]}',
        unmarked='["ducks"]',
        hits=(Hit(title, address, "A band ducks"),),
        beside=lambda asked: ScriptedEngine.http(extract) if asked.fields["action"] == "query" else None,
    )


def _grokipedia() -> EnginePages:
    slug = "AC%2FDC_what%3F"
    result = {"title": "_AC/DC_", "slug": slug, "snippet": "AC/DC\n\nA band of ducks"}
    return EnginePages(
        host="grokipedia.com",
        results=json.dumps({"results": [result]}),
        none='{"results": []}',
        challenge=None,
        captcha_address=None,
        changed='{"hits": [{"title": "AC/DC"}]}',
        unmarked="{}",
        hits=(Hit("AC/DC", f"https://grokipedia.com/page/{slug}", "A band of ducks"),),
    )


PAGES: Mapping[str, EnginePages] = {
    "duckduckgo": _duckduckgo(),
    "bing": _bing(),
    "brave": _brave(),
    "google": _google(),
    "grokipedia": _grokipedia(),
    "mojeek": _mojeek(),
    "startpage": _startpage(),
    "wikipedia": _wikipedia(),
    "yahoo": _yahoo(),
    "yandex": _yandex(),
}
"""By engine."""
