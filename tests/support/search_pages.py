"""Pages of DuckDuckGo, with the markup that ddgs reads: results, none, a captcha, changed markup."""

from collections.abc import Iterable
from html import escape
from urllib.parse import quote

from bfcl_pipeline.world.tools.web_search.web import Hit, Hits


def result(title: str, href: str, snippet: str | None = "", kind: str = "web-result") -> str:
    """One result on a page of results; its parts are HTML. snippet: None if it has none."""
    described = "" if snippet is None else f'<a class="result__snippet" href="{href}">{snippet}</a>'
    return f"""
    <div class="result results_links results_links_deep {kind} ">
      <div class="links_main links_deep result__body"> <!-- This is the visible part -->
        <h2 class="result__title"><a rel="nofollow" class="result__a" href="{href}">{title}</a></h2>
        <div class="result__extras"><div class="result__extras__url">
          <span class="result__icon"><a rel="nofollow" href="{href}"><img /></a></span>
          <a class="result__url" href="{href}"> somewhere </a><span>&nbsp; &nbsp; 2025-08-26T00:00:00</span>
        </div></div>
        {described}
        <div class="clear"></div></div></div>"""


def numbered(numbers: Iterable[int]) -> str:
    """Results that differ in a number."""
    return "".join(result(f"Title {n}", f"https://{n}.example/", f"Snippet {n}") for n in numbers)


def form(**fields: str) -> str:
    """The form of a further page."""
    inputs = "".join(f'<input type="hidden" name="{name}" value="{fields[name]}" />' for name in fields)
    submit = '<input type="submit" class="btn btn--alt" name="go" value="Next" />'
    return f'<div class="nav-link"><form action="/html/" method="post">{submit}{inputs}</form></div>'


def page(*blocks: str) -> str:
    """A page of results."""
    return f"""<!DOCTYPE html PUBLIC "-//W3C//DTD XHTML 1.0 Transitional//EN" "http://www.w3.org/xhtml1.dtd">
<html xmlns="http://www.w3.org/1999/xhtml"><head><title>ducks at DuckDuckGo</title></head>
<body class="body--html">
<form name="x" class="header__form" action="/html/" method="post"><input name="q" value="ducks"/></form>
<div class="serp__results"><div id="links" class="results">{"".join(blocks)}
</div></div></body>
</html>
"""


def duckduckgo_page(hits: Hits) -> str:
    """The page with these results."""
    found = [result(escape(hit.title), escape(hit.href), escape(hit.body)) for hit in hits.hits]
    return page(*found) if found else NONE


HITS = (
    Hit("All about ducks", "https://ducks.example/a%2Fb?x=1%26&y=%3F+2#c%20d", "A duck & more"),
    Hit("Ünïcödé 鴨 <b>", "https://u.example/%E9%B4%A8", "naïve “ducks”"),
)
"""What the page with results has."""


def _wrapped(href: str) -> str:
    return escape(f"//duckduckgo.com/l/?uddg={quote(href, safe='')}&rut=0af")


AD = result("Buy ducks", "https://duckduckgo.com/y.js?ad_domain=a.example&amp;u3=x", "Cheap", "result--ad")
"""An advertisement."""

RESULTS = page(
    AD,
    result("All about <b>ducks</b>", _wrapped(HITS[0].href), "A <b>duck</b> &amp;\n  more"),
    result("Ünïcödé 鴨 &lt;b&gt;", _wrapped(HITS[1].href), "naïve &nbsp;“ducks”"),
)
"""The page with `HITS`, and an advertisement."""

NONE = page(
    """<div class="result results_links results_links_deep web-result result--no-result">
      <div class="links_main links_deep result__body"><div class="no-results__container result__title">
      <span class='no-results'><div class="no-results__message">
      <h1>No results found for <strong>&quot;qzxv&quot;</strong></h1></div></span></div></div></div>"""
)
"""The page with the site's mark that there are none."""

NO_MORE = page(
    """<div class="result results_links results_links_deep web-result result--no-result">
      <div class="links_main links_deep result__body"><h2 class="result__title"></h2>
      <div class="no-results">No more results.</div><a class="result__url" href=""></a></div></div>"""
)
"""The page after the last one with results."""

CHALLENGE = """<!DOCTYPE html><html><head><title>DuckDuckGo</title></head><body>
<form id="img-form" action="//duckduckgo.com/anomaly.js?sv=html&ti=1" target="ifr" method="POST"></form>
<form id="challenge-form" action="//duckduckgo.com/anomaly.js?sv=html&cc=sre&st=1&q=ducks" method="POST">
<div class="anomaly-modal__mask"><div class="anomaly-modal__modal" data-testid="anomaly-modal">
<div class="anomaly-modal__title">Unfortunately, bots use DuckDuckGo too.</div></div></div></form>
</body></html>"""
"""A captcha."""

CHANGED = RESULTS.replace("h2", "h6").replace("result__body", "content").replace("<a ", "<b ")
"""Results with other markup."""
