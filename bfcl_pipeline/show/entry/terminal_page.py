"""A page of text for a terminal: labels in a margin, wrapped text beside them, colours on a terminal.

Covers the safe printing of texts by models: no markup is interpreted, and characters that could control
the terminal or change the writing direction are escaped.
"""

import json
import sys
from collections.abc import Iterator
from typing import TextIO

from rich.console import Console
from rich.text import Text

from bfcl_pipeline.base.text import cut, printable
from bfcl_pipeline.benchmark.records import Json
from bfcl_pipeline.runs.journal import JournaledExchange
from bfcl_pipeline.show.transcripts.parts import TERMINAL

WIDEST = 100
"""Columns of a page, at most; the width of a page that is not printed on a terminal."""

NARROWEST = 40
"""Columns of a page, at least."""

_MARGIN = 9


class _Console(Console):
    def on_broken_pipe(self) -> None:
        """Leaves a closed pipe to the command line; rich would end the process with status 1."""
        raise BrokenPipeError


class TerminalPage:
    """Writes one page, line by line."""

    def __init__(self, file: TextIO | None = None) -> None:
        self._console = _Console(file=file or sys.stdout, highlight=False, markup=False, emoji=False)
        width = self._console.width if self._console.is_terminal else WIDEST
        self._width = max(NARROWEST, min(WIDEST, width))

    def blank(self) -> None:
        """An empty line."""
        self._put(Text())

    def title(self, text: str, remark: str = "", remark_style: str = "", style: str = "bold") -> None:
        """A line over the whole width, with a remark after it."""
        line = Text().append(self._safe(text), style)
        if remark:
            line.append("  " + self._safe(remark), remark_style)
        for part in line.wrap(self._console, self._width, overflow="fold"):
            self._put(part)

    def item(self, label: str, text: str, style: str = "", mark: str = "", remark: str = "") -> None:
        """`text` wrapped beside `label`.

        Args:
            mark: printed before the first line; the other lines are indented by its width.
            remark: printed after the text, in red.
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


DEEPEST = 12
"""Levels of the outline; deeper values are shown as JSON."""

_INDENT = "  "


def put_exchange(page: TerminalPage, exchange: JournaledExchange, model: str) -> None:
    """The head of an exchange and its answer."""
    page.title(exchange.entry_id, f"{model}, trial {exchange.trial}, turn {exchange.turn + 1}", "dim")
    page.item("answered", _facts(exchange))
    page.item("key", exchange.key, "dim")
    label = "answer"
    for head, text in outline(exchange.raw):
        page.item(label, cut(text, TERMINAL.words), mark=head)
        label = ""


def _facts(exchange: JournaledExchange) -> str:
    """The time, run, latency, tokens and cost of an exchange, as far as they are known."""
    parts = [f"{minute_text(exchange.received_at)} UTC"]
    if exchange.run is not None:
        parts.append(f"run {exchange.run}")
    if exchange.latency_seconds is not None:
        parts.append(f"{exchange.latency_seconds:.2f} s")
    if exchange.input_tokens is not None:
        parts.append(f"{exchange.input_tokens:,} tokens sent")
    if exchange.output_tokens is not None:
        parts.append(f"{exchange.output_tokens:,} received")
    if exchange.dollars is not None:
        parts.append(f"${exchange.dollars:,.6f}")
    return ", ".join(parts)


def minute_text(iso: str) -> str:
    """A time in ISO 8601 as date, hour and minute."""
    return iso[:16].replace("T", " ")


def outline(value: Json, depth: int = 0) -> Iterator[tuple[str, str]]:
    """The lines of a JSON value: indented name, and text. Empty values are left out."""
    if not isinstance(value, dict | list):
        yield _INDENT * depth, _text(value)
        return
    items = value.items() if isinstance(value, dict) else enumerate(value, start=1)
    for name, item in items:
        head = f"{_INDENT * depth}{cut(str(name), TERMINAL.call)}: "
        if item is None or item in ("", [], {}):
            continue
        if not isinstance(item, dict | list):
            yield head, _text(item)
        elif depth == DEEPEST or all(isinstance(one, int) for one in item):  # tokens
            yield head, json.dumps(item)
        else:
            yield head, ""
            yield from outline(item, depth + 1)


def _text(value: Json) -> str:
    return value if isinstance(value, str) else json.dumps(value)
