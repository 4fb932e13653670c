"""Pages of text for a terminal."""

from __future__ import annotations

import io

import pytest
from rich.cells import cell_len

from bfcl_pipeline.report.sheet import WIDEST, Sheet, cut, on_one_line, printable


class Terminal(io.StringIO):
    """A file that somebody looks at."""

    def isatty(self) -> bool:
        return True


@pytest.fixture
def page():
    """What a sheet writes where nobody looks."""

    def written(*items, **options):
        file = io.StringIO()
        Sheet(file).item(*items, **options)
        return file.getvalue()

    return written


def test_text_stands_beside_its_label(page):
    """Every line after the first is indented as far as the first, and none is wider than the page."""
    lines = page("user", "word " * 60).splitlines()
    assert lines[0].startswith("user     word word")
    assert all(line.startswith("         word") for line in lines[1:])
    assert len(lines) > 2
    assert max(map(len, lines)) <= WIDEST


@pytest.mark.parametrize("text", ["x" * 400, "\N{CJK UNIFIED IDEOGRAPH-65E5}" * 300, "a\tb " * 100])
def test_nothing_is_wider_than_the_page(page, text):
    """Long words are folded, and wide letters take two columns."""
    assert max(map(cell_len, page("step 1", text, mark="> ").splitlines())) <= WIDEST


def test_nobody_looking_there_is_no_colour(page):
    """Into a file there goes no escape sequence; to a terminal there does."""
    assert "\x1b" not in page("truth", "cd(folder='a')", "bold", remark="<- not called so")


def test_a_terminal_has_colours_and_its_own_width(monkeypatch):
    """What is written to a terminal is coloured and fits it."""
    for name in ("NO_COLOR", "COLORTERM", "FORCE_COLOR"):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setenv("TERM", "xterm-256color")
    monkeypatch.setenv("COLUMNS", "60")
    file = Terminal()
    Sheet(file).item("user", "word " * 30, "bold")
    assert "\x1b[1mword" in file.getvalue()
    assert file.getvalue().count("\n") == 3


def test_markup_and_emoji_names_are_text(page):
    """What a model writes in brackets or colons is printed as it stands."""
    assert page("answer", "[red]stop[/red] :smile: [link=x]y").strip().endswith("[link=x]y")
    assert "[red]stop[/red] :smile:" in page("answer", "[red]stop[/red] :smile:")


@pytest.mark.parametrize(
    ("text", "shown"),
    [
        ("\x1b[2J", "\\x1b[2J"),
        ("a\rb", "a\\rb"),
        ("\u202eevil", "\\u202eevil"),
        ("\ud800", "\\ud800"),
        ("\u2028", "\\u2028"),
        ("a\u00a0b", "a b"),
        ("a\nb", "a\nb"),
        ("gr\u00fc\u00df \u65e5", "gr\u00fc\u00df \u65e5"),
    ],
)
def test_what_is_not_seen_is_escaped(text, shown):
    """Control characters, turned writing and lone surrogates are spelled out; letters stay."""
    assert printable(text) == shown


def test_a_poor_encoding_gets_escapes():
    """What the output cannot hold is escaped instead of stopping the page."""
    file = io.TextIOWrapper(io.BytesIO(), encoding="ascii")
    Sheet(file).title("\u65e5", "gr\u00fcn")
    file.flush()
    assert file.buffer.getvalue() == b"\\u65e5  gr\\xfcn\n"


def test_what_is_cut_is_counted():
    """A long text ends in how many characters of it are not shown."""
    assert cut("abc", 3) == "abc"
    assert cut("a" * 1500, 3) == "aaa ... (1,497 more characters)"
    assert on_one_line("a\nb") == "a\\nb"


def test_a_remark_stays_in_one_piece(page):
    """A remark that does not fit behind the text stands on a line of its own."""
    assert page("truth", "a", remark="<- no") == "truth    a  <- no\n"
    assert page("truth", "a" * 88, remark="<- no").splitlines()[1] == "         <- no"
