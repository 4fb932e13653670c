"""Tests of pages as text: what the release shows, and hostile pages within bounds."""

from __future__ import annotations

import html2text
import pytest
from bs4 import BeautifulSoup

from bfcl_pipeline.tools import page_text as module
from bfcl_pipeline.tools.limits import MAX_RESULT, BoundExceeded
from bfcl_pipeline.tools.page_text import MAX_HTML, MAX_NESTED, page_text

SIZE = (
    60_000  # characters of a hostile page; quadratic time would take minutes over it, linear time a blink
)

PAGE = """<!DOCTYPE html><html><head><title>T</title><style>p { color: red }</style></head>
<body><h1>Head &amp; more</h1><script>if (a < b) { "</p>" }</script>
<p>One <b>bold</b> <a href="/x">link</a>.<ul><li>first<li>second <i>two</i></ul>
<blockquote>quoted<pre>a
  b</pre></blockquote><table><tr><th>k<td>v</table></body></html>"""


def test_raw_is_the_page_as_it_came() -> None:
    """Raw leaves a page alone, however long it is."""
    page = PAGE + "x" * MAX_HTML
    assert page_text(page, "raw") is page


def test_markdown_is_that_of_html2text() -> None:
    """Markdown is what html2text makes when nothing is set."""
    assert page_text(PAGE, "markdown") == html2text.HTML2Text().handle(PAGE)


def test_truncate_is_the_text_without_scripts_and_styles() -> None:
    """Truncate is the pieces of text, stripped, one a line, without what is not shown."""
    expected = "T\nHead & more\nOne\nbold\nlink\n.\nfirst\nsecond\ntwo\nquoted\na\n  b\nk\nv"
    assert page_text(PAGE, "truncate") == expected


@pytest.mark.parametrize("mode", ["html", "", "RAW", "Markdown "])
def test_an_unknown_mode_is_named(mode: str) -> None:
    """Another mode raises ValueError in the words of the release."""
    with pytest.raises(ValueError, match=f"^Unsupported mode: {mode}$"):
        page_text(PAGE, mode)


@pytest.mark.parametrize("mode", ["markdown", "truncate"])
def test_markup_that_the_parser_refuses_is_a_value_error(mode: str) -> None:
    """A marked section that does not exist raises ValueError, not the assertion of the parser."""
    with pytest.raises(ValueError, match="unknown status keyword"):
        page_text("<p>a<![foo[b]]>", mode)


@pytest.mark.parametrize(
    "page", ["", "plain words", "http://example.org", "<?xml version='1.0'?><rss><a>b</a></rss>"]
)
@pytest.mark.parametrize("mode", ["markdown", "truncate"])
def test_pages_that_are_not_html_are_read_all_the_same(page: str, mode: str) -> None:
    """Plain text and XML come out without a warning."""
    assert isinstance(page_text(page, mode), str)


def test_a_few_open_tags_at_the_end_come_out_as_the_library_shows_them() -> None:
    """What is cut off in the middle of a tag is shown as html2text shows it."""
    page = PAGE + "tail <a href=x <b <!-- c"
    assert page_text(page, "markdown") == html2text.HTML2Text().handle(page)


@pytest.mark.parametrize("mode", ["markdown", "truncate"])
@pytest.mark.parametrize(
    "piece",
    [
        "<a ",
        "</a",
        "<?",
        "<!--",
        "<!--x>",
        "<![CDATA[x>",
        "<![if x>",
        "\n",
        "<div>",
        "<b>x",
        "<",
        "&",
        "<a b='",
        "<style>@import x;",
        "<abbr title=t>x",
        "<blockquote></ul>",
        "<script></ ",
    ],
)
def test_hostile_markup_takes_no_more_time_than_its_length_asks_for(piece: str, mode: str) -> None:
    """Unclosed, empty and broken markup over and over is read once, not once for each."""
    assert len(page_text(piece * (SIZE // len(piece)), mode)) <= 2 * SIZE


@pytest.mark.parametrize("mode", ["markdown", "truncate"])
def test_a_hundred_thousand_levels_are_read(mode: str) -> None:
    """Depth costs no more than length: no recursion, no limit reached."""
    page = "<div>" * 100_000 + "deep" + "</div>" * 100_000
    assert page_text(page, mode).strip() == "deep"


@pytest.mark.parametrize(("tag", "item", "indent"), [("blockquote", "", ">"), ("ul", "<li>", " ")])
def test_quotes_and_lists_are_indented_up_to_a_depth(tag: str, item: str, indent: str) -> None:
    """Nested a thousand times they come out with a bounded indent, and what follows them with none."""
    page = f"<{tag}>{item}<p>x" * 1000 + f"</{tag}>" * 1000 + "<p>after"
    lines = page_text(page, "markdown").strip().splitlines()
    assert MAX_NESTED <= max(line.count(indent) for line in lines) < 4 * MAX_NESTED
    assert lines[-1] == "after"


def test_markdown_longer_than_a_result_is_refused() -> None:
    """A page that indents itself beyond any result raises BoundExceeded while it is made."""
    page = "<blockquote>" * MAX_NESTED + "<pre>" + "\n" * (MAX_RESULT // 20)
    with pytest.raises(BoundExceeded, match="too long"):
        page_text(page, "markdown")


def test_style_sheets_are_not_read() -> None:
    """No style sheet is read for markdown, as none shows in it, however it is made."""
    styled = "<style>@import a @import b p {</style><p>text"
    assert page_text(styled, "markdown") == page_text("<p>text", "markdown")


def test_a_page_is_read_up_to_its_bound(monkeypatch: pytest.MonkeyPatch) -> None:
    """What is past the bound on the length of a page is left out of its text."""
    monkeypatch.setattr(module, "MAX_HTML", 10)
    assert page_text("<p>0123456789", "truncate") == "0123456"


def test_the_pieces_of_text_are_those_of_beautiful_soup() -> None:
    """Entities, comments and templates are shown, or not, as Beautiful Soup says."""
    page = "&lt;a&gt; <!-- no --> caf&eacute;<template>t</template><noscript>n</noscript>&#8217;"
    assert page_text(page, "truncate") == BeautifulSoup(page, "html.parser").get_text("\n", strip=True)
