"""Pages of text on a terminal and in files."""

from __future__ import annotations

import io

import pytest
from rich.cells import cell_len

from bfcl_pipeline.base.text import cut, on_one_line, printable
from bfcl_pipeline.show.entry.terminal_page import WIDEST, TerminalPage


class Terminal(io.StringIO):
    """A file that is a terminal."""

    def isatty(self) -> bool:
        return True


@pytest.fixture
def page():
    """A function that returns what a page writes to a file that is not a terminal."""

    def written(*items, **options):
        file = io.StringIO()
        TerminalPage(file).item(*items, **options)
        return file.getvalue()

    return written


def test_text_is_wrapped_beside_its_label(page):
    """Each line has the indentation of the first, and none is wider than the page."""
    lines = page("user", "word " * 60).splitlines()
    assert lines[0].startswith("user     word word")
    assert all(line.startswith("         word") for line in lines[1:])
    assert len(lines) > 2
    assert max(map(len, lines)) <= WIDEST


@pytest.mark.parametrize("text", ["x" * 400, "\N{CJK UNIFIED IDEOGRAPH-65E5}" * 300, "a\tb " * 100])
def test_nothing_is_wider_than_the_page(page, text):
    """Long words are folded, and wide letters count as two columns."""
    assert max(map(cell_len, page("step 1", text, mark="> ").splitlines())) <= WIDEST


def test_a_file_gets_no_colour(page):
    """No escape sequence is written to a file that is not a terminal."""
    assert "\x1b" not in page("truth", "cd(folder='a')", "bold", remark="<- missing")


def test_a_terminal_has_colours_and_its_own_width(monkeypatch):
    """Text on a terminal is coloured and fits its width."""
    for name in ("NO_COLOR", "COLORTERM", "FORCE_COLOR"):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setenv("TERM", "xterm-256color")
    monkeypatch.setenv("COLUMNS", "60")
    file = Terminal()
    TerminalPage(file).item("user", "word " * 30, "bold")
    assert "\x1b[1mword" in file.getvalue()
    assert file.getvalue().count("\n") == 3


def test_markup_and_emoji_names_are_printed_as_text(page):
    """Text of a model in brackets or colons is printed unchanged."""
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
def test_invisible_characters_are_escaped(text, shown):
    """Control characters, direction marks and lone surrogates are spelled out; letters are unchanged."""
    assert printable(text) == shown


def test_characters_outside_the_encoding_are_escaped():
    """A character that the output cannot encode is escaped instead of raising an error."""
    file = io.TextIOWrapper(io.BytesIO(), encoding="ascii")
    TerminalPage(file).title("\u65e5", "gr\u00fcn")
    file.flush()
    assert file.buffer.getvalue() == b"\\u65e5  gr\\xfcn\n"


def test_a_cut_text_reports_how_much_is_missing():
    """A cut text ends with the number of characters that are not shown."""
    assert cut("abc", 3) == "abc"
    assert cut("a" * 1500, 3) == "aaa ... (1,497 more characters)"
    assert on_one_line("a\nb") == "a\\nb"


def test_a_remark_stays_in_one_piece(page):
    """A remark that does not fit after the text is printed on its own line."""
    assert page("truth", "a", remark="<- no") == "truth    a  <- no\n"
    assert page("truth", "a" * 88, remark="<- no").splitlines()[1] == "         <- no"
