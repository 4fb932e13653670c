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


def written(*item: str, **options: str) -> list[str]:
    """The lines that an item has in a file that is not a terminal."""
    file = io.StringIO()
    TerminalPage(file).item(*item, **options)
    return file.getvalue().splitlines()


@pytest.mark.parametrize(
    ("label", "text", "options", "lines"),
    [
        ("user", "word " * 20, {}, ["user     " + "word " * 17 + "word", "         word word"]),
        # Markup and names of emoji are text; a file has no colours.
        ("answer", "[red]a[/red] :smile: [link=x]y", {}, ["answer   [red]a[/red] :smile: [link=x]y"]),
        ("truth", "a", {"style": "bold", "remark": "<- no"}, ["truth    a  <- no"]),
        # A remark that does not fit after the text is on its own line, in one piece.
        ("truth", "a" * 88, {"remark": "<- no"}, ["truth    " + "a" * 88, "         <- no"]),
    ],
)
def test_text_stands_beside_its_label(
    label: str, text: str, options: dict[str, str], lines: list[str]
) -> None:
    """Each line has the indentation of the first."""
    assert written(label, text, **options) == lines


@pytest.mark.parametrize("text", ["x" * 400, "\N{CJK UNIFIED IDEOGRAPH-65E5}" * 300, "a\tb " * 100])
def test_nothing_is_wider_than_the_page(text: str) -> None:
    """Long words are folded, and wide letters count as two columns."""
    assert max(map(cell_len, written("step 1", text, mark="> "))) <= WIDEST


def test_a_terminal_has_colours_and_its_own_width(monkeypatch: pytest.MonkeyPatch) -> None:
    """Text on a terminal is coloured and fits its width."""
    for name in ("NO_COLOR", "COLORTERM", "FORCE_COLOR"):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setenv("TERM", "xterm-256color")
    monkeypatch.setenv("COLUMNS", "60")
    file = Terminal()
    TerminalPage(file).item("user", "word " * 30, "bold")
    assert "\x1b[1mword" in file.getvalue()
    assert file.getvalue().count("\n") == 3


@pytest.mark.parametrize(
    ("text", "shown"),
    [
        *(("\x1b[2J", "\\x1b[2J"), ("a\rb", "a\\rb"), ("\u202eevil", "\\u202eevil")),
        *(("\ud800", "\\ud800"), ("\u2028", "\\u2028"), ("a\u00a0b", "a b"), ("a\nb", "a\nb")),
        ("gr\u00fc\u00df \u65e5", "gr\u00fc\u00df \u65e5"),
    ],
)
def test_invisible_characters_are_escaped(text: str, shown: str) -> None:
    """Control characters, direction marks and lone surrogates are spelled out; letters are unchanged."""
    assert printable(text) == shown


def test_characters_outside_the_encoding_are_escaped() -> None:
    """A character that the output cannot encode is escaped instead of raising an error."""
    buffer = io.BytesIO()
    file = io.TextIOWrapper(buffer, encoding="ascii")
    TerminalPage(file).title("\u65e5", "gr\u00fcn")
    file.flush()
    assert buffer.getvalue() == b"\\u65e5  gr\\xfcn\n"


def test_a_cut_text_reports_how_much_is_missing() -> None:
    """A cut text ends with the number of characters that are not shown."""
    assert cut("abc", 3) == "abc"
    assert cut("a" * 1500, 3) == "aaa ... (1,497 more characters)"
    assert on_one_line("a\nb") == "a\\nb"
