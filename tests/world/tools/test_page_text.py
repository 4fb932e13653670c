"""Pages as text: the release's output, and hostile pages within bounds."""

from __future__ import annotations

import sys
from random import Random

import html2text
import pytest
from bs4 import BeautifulSoup
from bs4.builder import ParserRejectedMarkup

from bfcl_pipeline.world.tools.api import MAX_RESULT, BoundExceeded
from bfcl_pipeline.world.tools.web_search import page_text as module
from bfcl_pipeline.world.tools.web_search.page_text import MAX_HTML, MAX_NESTED, page_text
from tests.support.growth import grows_in_proportion

SIZE = 20_000  # characters of a hostile page
LEVELS = 5_000  # of nested tags; more than the interpreter allows of nested calls

PAGE = """<!DOCTYPE html><html><head><title>T</title><style>p { color: red }</style></head>
<body><h1>Head &amp; more</h1><script>if (a < b) { "</p>" }</script>
<p>One <b>bold</b> <a href="/x">link</a>.<ul><li>first<li>second <i>two</i></ul>
<blockquote>quoted<pre>a
  b</pre></blockquote><table><tr><th>k<td>v</table></body></html>"""


def test_raw_is_the_unchanged_page() -> None:
    """Raw leaves a page of any length unchanged."""
    page = PAGE + "x" * MAX_HTML
    assert page_text(page, "raw") is page


def test_markdown_is_that_of_html2text() -> None:
    """Markdown is the output of html2text with default settings."""
    assert page_text(PAGE, "markdown") == html2text.HTML2Text().handle(PAGE)


def test_truncate_is_the_text_without_scripts_and_styles() -> None:
    """Truncate has the visible pieces of text, stripped, one per line."""
    expected = "T\nHead & more\nOne\nbold\nlink\n.\nfirst\nsecond\ntwo\nquoted\na\n  b\nk\nv"
    assert page_text(PAGE, "truncate") == expected


@pytest.mark.parametrize("mode", ["html", "", "RAW", "Markdown "])
def test_an_unknown_mode_is_named(mode: str) -> None:
    """Another mode raises ValueError with the release's text."""
    with pytest.raises(ValueError, match=f"^Unsupported mode: {mode}$"):
        page_text(PAGE, mode)


@pytest.mark.parametrize("mode", ["markdown", "truncate"])
def test_markup_that_the_parser_refuses_is_a_value_error(mode: str) -> None:
    """An unknown marked section raises ValueError, not the parser's AssertionError."""
    with pytest.raises(ValueError, match="unknown status keyword"):
        page_text("<p>a<![foo[b]]>", mode)


@pytest.mark.parametrize(
    "page", ["", "plain words", "http://example.org", "<?xml version='1.0'?><rss><a>b</a></rss>"]
)
@pytest.mark.parametrize("mode", ["markdown", "truncate"])
def test_pages_that_are_not_html_are_converted(page: str, mode: str) -> None:
    """Plain text and XML are converted without a warning."""
    assert isinstance(page_text(page, mode), str)


def test_a_few_open_tags_at_the_end_are_shown_as_by_the_library() -> None:
    """A page that ends inside a tag is shown as by html2text."""
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
def test_hostile_markup_takes_linear_time(piece: str, mode: str) -> None:
    """Repeated unclosed, empty and broken markup is read once, not once for each occurrence."""

    def convert(size: int) -> None:
        assert len(page_text(piece * (size // len(piece)), mode)) <= 2 * size

    assert grows_in_proportion(convert, SIZE)


@pytest.mark.parametrize(
    ("start", "end"), [("<b>", "</x>y"), ("<br>", "</x>"), ("<template>", "y</b>"), ("<p>y", "</p>")]
)
@pytest.mark.parametrize("mode", ["markdown", "truncate"])
def test_text_in_deep_nesting_takes_linear_time(start: str, end: str, mode: str) -> None:
    """Texts and end tags do not search all tags before them, as they do with a tree."""

    def convert(levels: int) -> None:
        assert len(page_text(start * levels + end * levels, mode)) <= 4 * levels

    assert grows_in_proportion(convert, LEVELS)


@pytest.mark.parametrize("mode", ["markdown", "truncate"])
def test_thousands_of_levels_are_read(mode: str) -> None:
    """Nesting is read without recursion."""
    assert sys.getrecursionlimit() < LEVELS
    assert page_text("<div>" * LEVELS + "deep" + "</div>" * LEVELS, mode).strip() == "deep"


@pytest.mark.parametrize(("tag", "item", "indent"), [("blockquote", "", ">"), ("ul", "<li>", " ")])
def test_quotes_and_lists_are_indented_up_to_a_depth(tag: str, item: str, indent: str) -> None:
    """A thousand nested levels have a bounded indent, and text after them has none."""
    page = f"<{tag}>{item}<p>x" * 1000 + f"</{tag}>" * 1000 + "<p>after"
    lines = page_text(page, "markdown").strip().splitlines()
    assert MAX_NESTED <= max(line.count(indent) for line in lines) < 4 * MAX_NESTED
    assert lines[-1] == "after"


def test_markdown_longer_than_a_result_is_refused() -> None:
    """A page whose indents make it longer than any result raises BoundExceeded during conversion."""
    page = "<blockquote>" * MAX_NESTED + "<pre>" + "\n" * (MAX_RESULT // 20)
    with pytest.raises(BoundExceeded, match="too long"):
        page_text(page, "markdown")


def test_style_sheets_are_not_read() -> None:
    """Markdown conversion reads no style sheet, since none affects its output."""
    styled = "<style>@import a @import b p {</style><p>text"
    assert page_text(styled, "markdown") == page_text("<p>text", "markdown")


def test_a_page_is_read_up_to_its_bound(monkeypatch: pytest.MonkeyPatch) -> None:
    """The part of a page beyond the length bound is not in its text."""
    monkeypatch.setattr(module, "MAX_HTML", 10)
    assert page_text("<p>0123456789", "truncate") == "0123456"


@pytest.mark.parametrize("mark", ["<", "&"])
def test_a_page_is_read_up_to_its_number_of_tags_and_entities(
    monkeypatch: pytest.MonkeyPatch, mark: str
) -> None:
    """The part of a page from the first tag or entity beyond the bound is not in its text."""
    monkeypatch.setattr(module, "MAX_MARKS", 3)
    assert page_text(f"<p>one</p>two &amp; three {mark} four", "truncate") == "one\ntwo & three"


PIECES = (
    *("<b>", "</b>", "<p>", "<p/>", "</p>", "<br>", "<br/>", "</br>", "<td>x", "<pre>", "</pre>", "<li>"),
    *("<script>", "</script>", "<script/>", "<style>", "</style>", "<STYLE>", "<title>", "</title>"),
    *("<template>", "</template>", "<template/>", "<rt>", "</rt>", "<rp>", "<textarea>", "<iframe>"),
    *(
        "<![CDATA[ y ]]>",
        "<![if x]>",
        "<![foo[",
        "<!-- c -->",
        "<!DOCTYPE html>",
        "<?pi x>",
        "<!",
        "</",
        "<",
    ),
    *("&amp;", "&#8217;", "&#0;", "&#xD800;", "&#12x;", "&bogus;", "&", "\n", " ", "\u2003", "word", ">"),
)


def _tree_text(page: str) -> str:
    """What truncate shows, from the tree of Beautiful Soup; the message of a page that it rejects."""
    try:
        soup = BeautifulSoup("\n" + page, "html.parser")
    except ParserRejectedMarkup as error:
        return str(error)
    for unshown in soup(["script", "style"]):
        unshown.extract()
    return soup.get_text("\n", strip=True)


@pytest.mark.filterwarnings("ignore")  # of Beautiful Soup, about XML
def test_truncate_is_the_text_of_beautiful_soups_tree() -> None:
    """On a thousand pages of random markup, truncate has the text that the whole tree has."""
    random = Random(1)
    for _ in range(1_000):
        page = "".join(random.choices(PIECES, k=random.randrange(1, 20)))
        try:
            text = page_text(page, "truncate")
        except ValueError as error:
            text = str(error)
        assert text == _tree_text(page), page


def test_the_pieces_of_text_are_those_of_beautiful_soup() -> None:
    """Entities, comments and templates are shown, or not, as by Beautiful Soup."""
    page = "&lt;a&gt; <!-- no --> caf&eacute;<template>t</template><noscript>n</noscript>&#8217;"
    assert page_text(page, "truncate") == BeautifulSoup(page, "html.parser").get_text("\n", strip=True)
