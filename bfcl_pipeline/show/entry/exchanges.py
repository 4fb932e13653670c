"""One exchange of the journal on a page: time, latency, cost, and the raw answer as an outline.

Covers all wire formats in one way: names and values as the API gave them, without empty ones.
"""

import json
from collections.abc import Iterator

from bfcl_pipeline.base.text import cut
from bfcl_pipeline.benchmark.records import Json
from bfcl_pipeline.runs.journal import JournaledExchange
from bfcl_pipeline.show.entry.terminal_page import TerminalPage
from bfcl_pipeline.show.transcripts.parts import TERMINAL

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
        elif depth == DEEPEST:
            yield head, json.dumps(item)
        else:
            yield head, ""
            yield from outline(item, depth + 1)


def _text(value: Json) -> str:
    return value if isinstance(value, str) else json.dumps(value)
