"""Pages of DuckDuckGo, with the markup that ddgs reads: results, none, a captcha, changed markup."""

from urllib.parse import quote

from bfcl_pipeline.world.tools.web_search.web import Hit

HITS = (
    Hit("All about ducks", "https://ducks.example/a%2Fb?x=1%26&y=%3F+2#c%20d", "A duck & more"),
    Hit("Ünïcödé 鴨 <b>", "https://u.example/%E9%B4%A8", "naïve “ducks”"),
)
"""What the page with results has."""

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


def _wrapped(href: str) -> str:
    return f"//duckduckgo.com/l/?uddg={quote(href, safe='')}&rut=0af"


def _item(title: str, href: str, snippet: str) -> str:
    return f"""
    <div class="result results_links results_links_deep web-result ">
      <div class="links_main links_deep result__body">
        <h2 class="result__title"><a rel="nofollow" class="result__a" href="{href}">{title}</a></h2>
        <div class="result__extras"><div class="result__extras__url">
          <span class="result__icon"><a rel="nofollow" href="{href}"><img/></a></span>
          <a class="result__url" href="{href}"> somewhere </a></div></div>
        <a class="result__snippet" href="{href}">{snippet}</a>
        <div class="clear"></div></div></div>"""


_ADVERTISEMENT = _item("Buy", "https://duckduckgo.com/y.js?ad_domain=a.example&amp;u3=x", "Cheap")
_RESULTS = "".join(
    _item(title, _escaped(_wrapped(hit.href)), snippet)
    for hit, (title, snippet) in zip(HITS, _TEXTS, strict=True)
)
_BLOCK = f'<div id="links" class="results">{_ADVERTISEMENT}{_RESULTS}</div>'

RESULTS = html(_BLOCK)
"""The page with `HITS`, and an advertisement."""

NONE = html(
    '<div id="links" class="results"><div class="result web-result result--no-result">'
    '<div class="links_main links_deep result__body"><div class="no-results__container">'
    '<span class="no-results"><div class="no-results__message"><h1>No results found for ducks</h1>'
    "</div></span></div></div></div></div>"
)
"""The page with the site's mark that there are none."""

CHALLENGE = html(
    '<form id="challenge-form" action="//duckduckgo.com/anomaly.js?sv=html" method="POST">'
    '<div class="anomaly-modal__title">Unfortunately, bots use DuckDuckGo too.</div></form>'
)
"""A captcha."""

CHANGED = html(_BLOCK.replace("h2", "h6").replace("result__body", "content").replace("<a ", "<b "))
"""Results with other markup."""

UNMARKED = html("<main><div>Nothing here</div></main>")
"""Neither results nor a mark."""
