"""A page of text for a terminal: labels in a margin, wrapped text beside them, colours where there are any.

Covers the safe printing of what models write: no markup is interpreted, and what could steer a terminal
or turn the direction of writing is escaped.
"""

from __future__ import annotations

import sys
import unicodedata
from typing import TextIO

from rich.console import Console
from rich.text import Text

WIDEST = 100
"""Columns of a page, at most; as many where nobody looks."""

NARROWEST = 40
"""Columns of a page, at least."""

_MARGIN = 9


class Sheet:
    """Writes one page, line by line."""

    def __init__(self, file: TextIO | None = None) -> None:
        self._console = Console(file=file or sys.stdout, highlight=False, markup=False, emoji=False)
        seen = self._console.width if self._console.is_terminal else WIDEST
        self._width = max(NARROWEST, min(WIDEST, seen))

    def blank(self) -> None:
        """An empty line."""
        self._put(Text())

    def title(self, text: str, remark: str = "", remark_style: str = "", style: str = "bold") -> None:
        """A line over the whole width, a remark at its end."""
        line = Text().append(self._safe(text), style)
        if remark:
            line.append("  " + self._safe(remark), remark_style)
        for part in line.wrap(self._console, self._width, overflow="fold"):
            self._put(part)

    def item(self, label: str, text: str, style: str = "", mark: str = "", remark: str = "") -> None:
        """`text` wrapped beside `label`.

        mark: before its first line, the others are indented by as much. remark: after it, in red.
        """
        head = label.ljust(_MARGIN) if len(label) < _MARGIN else f"{label} "
        room = self._width - len(head) - len(mark)
        lines = list(Text().append(self._safe(text), style).wrap(self._console, room, overflow="fold"))
        if remark and lines[-1].cell_len + len(remark) + 2 <= room:
            lines[-1].append(f"  {remark}", "red")
        elif remark:
            lines.append(Text().append(remark, "red"))
        for number, line in enumerate(lines):
            first = number == 0
            shown = Text().append(head if first else " " * len(head), "cyan")
            shown.append(mark if first else " " * len(mark), "dim")
            self._put(shown.append_text(line))

    def _put(self, line: Text) -> None:
        line.rstrip()
        self._console.print(line, soft_wrap=True)

    def _safe(self, text: str) -> str:
        encoding = self._console.encoding
        return printable(text).encode(encoding, "backslashreplace").decode(encoding)


def printable(text: str) -> str:
    """`text` with all but line feeds escaped that is not seen when printed: ESC becomes \\x1b."""
    if text.isprintable():
        return text
    return "".join(map(_printable, text))


def _printable(letter: str) -> str:
    if letter.isprintable() or letter == "\n":
        return letter
    if unicodedata.category(letter) == "Zs":
        return " "
    return letter.encode("unicode_escape").decode("ascii")


def on_one_line(text: str) -> str:
    """`text` with its line breaks escaped."""
    return text.replace("\n", "\\n")


def cut(text: str, most: int) -> str:
    """The first `most` characters of `text`, and how many more there are."""
    if len(text) <= most:
        return text
    return f"{text[:most]} ... ({len(text) - most:,} more characters)"
