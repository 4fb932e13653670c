"""One exchange of the journal on a page: when, how long, what it cost, and the raw answer as an outline.

Covers every wire format alike: names and values as the API gave them, without those that say nothing.
"""

from __future__ import annotations

import json
from collections.abc import Iterator

from bfcl_pipeline.generation.journal import Kept
from bfcl_pipeline.records import Json
from bfcl_pipeline.report.entry_lines import CALL, WORDS
from bfcl_pipeline.report.sheet import Sheet, cut

DEEPEST = 12
"""Levels of the outline; what lies deeper stands there as JSON."""

_INDENT = "  "


def put_exchange(sheet: Sheet, kept: Kept, model: str) -> None:
    """The head of an exchange, and its answer."""
    sheet.title(kept.entry_id, f"{model}, trial {kept.trial}, turn {kept.turn + 1}", "dim")
    sheet.item("asked", told(kept))
    sheet.item("key", kept.key, "dim")
    label = "answer"
    for head, text in outline(kept.raw):
        sheet.item(label, cut(text, WORDS), mark=head)
        label = ""


def told(kept: Kept) -> str:
    """What is known of an exchange besides its answer."""
    parts = [f"{moment(kept.received_at)} UTC"]
    if kept.run is not None:
        parts.append(f"run {kept.run}")
    if kept.latency_seconds is not None:
        parts.append(f"{kept.latency_seconds:.2f} s")
    if kept.input_tokens is not None:
        parts.append(f"{kept.input_tokens:,} tokens sent")
    if kept.output_tokens is not None:
        parts.append(f"{kept.output_tokens:,} received")
    if kept.dollars is not None:
        parts.append(f"${kept.dollars:,.6f}")
    return ", ".join(parts)


def moment(iso: str) -> str:
    """A time in ISO 8601, to the minute."""
    return iso[:16].replace("T", " ")


def outline(value: Json, depth: int = 0) -> Iterator[tuple[str, str]]:
    """The lines of a JSON value: what stands before the text, and the text. Leaves out what is empty."""
    if not isinstance(value, dict | list):
        yield _INDENT * depth, _text(value)
        return
    items = value.items() if isinstance(value, dict) else enumerate(value, start=1)
    for name, held in items:
        head = f"{_INDENT * depth}{cut(str(name), CALL)}: "
        if held is None or held in ("", [], {}):
            continue
        if not isinstance(held, dict | list):
            yield head, _text(held)
        elif depth == DEEPEST:
            yield head, json.dumps(held)
        else:
            yield head, ""
            yield from outline(held, depth + 1)


def _text(value: Json) -> str:
    return value if isinstance(value, str) else json.dumps(value)
