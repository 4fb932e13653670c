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

MODES = ("markdown", "truncate")

PAGE = """<!DOCTYPE html><html><head><title>T</title><style>p { color: red }</style></head>
<body><h1>Head &amp; more</h1><script>if (a < b) { "</p>" }</script>
<p>One <b>bold</b> <a href="/x">link</a>.<ul><li>first<li>second <i>two</i></ul>
<blockquote>quoted<pre>a
  b</pre></blockquote><table><tr><th>k<td>v</table></body></html>"""
ENDS_IN_A_TAG = PAGE + "tail <a href=x <b <!-- c"


TEXTS = [
    # Raw leaves a page of any length unchanged.
    (PAGE + "x" * MAX_HTML, "raw", PAGE + "x" * MAX_HTML),
    # Markdown is the output of html2text, also of a page that ends inside a tag; no style sheet is read.
    (PAGE, "markdown", html2text.HTML2Text().handle(PAGE)),
    (ENDS_IN_A_TAG, "markdown", html2text.HTML2Text().handle(ENDS_IN_A_TAG)),
    ("<style>@import a @import b p {</style><p>text", "markdown", page_text("<p>text", "markdown")),
    # Truncate has the visible pieces of text, stripped, one per line.
    (PAGE, "truncate", "T\nHead & more\nOne\nbold\nlink\n.\nfirst\nsecond\ntwo\nquoted\na\n  b\nk\nv"),
    # Plain text and XML are converted without a warning.
    *((text, "truncate", text) for text in ("", "plain words", "http://example.org")),
    *((text, "markdown", html2text.HTML2Text().handle(text)) for text in ("", "plain words")),
    ("<?xml version='1.0'?><rss><a>b</a></rss>", "truncate", "b"),
    # Nesting is read without recursion.
    ("<div>" * LEVELS + "deep" + "</div>" * LEVELS, "truncate", "deep"),
    ("<div>" * LEVELS + "deep" + "</div>" * LEVELS, "markdown", "deep\n\n"),
]


@pytest.mark.parametrize(("page", "mode", "text"), TEXTS, ids=range(len(TEXTS)))
def test_texts(page: str, mode: str, text: str) -> None:
    """A page as text, in each mode."""
    assert sys.getrecursionlimit() < LEVELS
    assert page_text(page, mode) == text


@pytest.mark.parametrize(
    ("page", "mode", "said"),
    [
        *((PAGE, mode, f"^Unsupported mode: {mode}$") for mode in ("html", "", "RAW", "Markdown ")),
        # Not the parser's AssertionError.
        *(("<p>a<![foo[b]]>", mode, "unknown status keyword") for mode in MODES),
    ],
)
def test_what_cannot_be_converted_is_a_value_error(page: str, mode: str, said: str) -> None:
    """Another mode, with the release's text, and an unknown marked section."""
    with pytest.raises(ValueError, match=said):
        page_text(page, mode)


@pytest.mark.parametrize("mode", MODES)
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
@pytest.mark.parametrize("mode", MODES)
def test_text_in_deep_nesting_takes_linear_time(start: str, end: str, mode: str) -> None:
    """Texts and end tags do not search all tags before them, as they do with a tree."""

    def convert(levels: int) -> None:
        assert len(page_text(start * levels + end * levels, mode)) <= 4 * levels

    assert grows_in_proportion(convert, LEVELS)


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
