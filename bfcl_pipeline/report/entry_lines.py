"""What pages about an entry have in common: its head, messages, function signatures, the verdict.

Covers how much is shown of anything; the turns are `report.transcript`, all else `report.single_answer`.
"""

from __future__ import annotations

import json
from collections.abc import Sequence

from bfcl_pipeline.benchmark import CATEGORIES, Check
from bfcl_pipeline.records import Entry, FunctionDoc, Json, Message, Rules, Status, Verdict
from bfcl_pipeline.report.cells import plural
from bfcl_pipeline.report.sheet import Sheet, cut

WORDS = 3_000
"""Characters shown of what a user or a model says."""

CALL = 600
"""Characters shown of a call."""

RESULT = 400
"""Characters shown of a result."""

VALUE = 200
"""Characters shown of a value."""

CALL_MARK = "> "
"""Stands before a call that was made."""


def is_conversation(entry: Entry) -> bool:
    """True where the entry has turns that can be played."""
    return CATEGORIES[entry.category].check is Check.MULTI_TURN


def put_head(sheet: Sheet, entry: Entry, answered_by: str | None) -> None:
    """The id of the entry, what it is about, and who answered."""
    sheet.title(entry.entry_id, f"answered by {answered_by}" if answered_by else "")
    counts = plural(len(entry.functions), "function offered", "functions offered")
    sheet.item("about", "; ".join(filter(None, (entry.category, ", ".join(entry.apis), counts))))
    if entry.prompt_format is not None:
        sheet.item("format", entry.prompt_format.replace("&", " "))
    if entry.depends_on:
        sheet.item("after", plural(len(entry.depends_on), "other entry", "other entries"))


def put_messages(sheet: Sheet, messages: Sequence[Message]) -> None:
    """Who says what."""
    for message in messages:
        sheet.item(message["role"], cut(str(message["content"]).rstrip(), WORDS))


def put_verdict(sheet: Sheet, verdict: Verdict, rules: Rules) -> None:
    """The last line: valid, invalid and why, or why there is no verdict."""
    sheet.blank()
    if verdict.status is not Status.ANSWERED:
        sheet.title("no verdict", verdict.status, "yellow")
    elif verdict.valid:
        sheet.title("valid", f"{rules} rules", "dim", style="bold green")
    else:
        sheet.title("invalid", f"{verdict.error_type}  ({rules} rules)", "red", style="bold red")
    if verdict.error_message:
        sheet.item("", cut(verdict.error_message, WORDS))


def put_signatures(sheet: Sheet, label: str, docs: Sequence[FunctionDoc]) -> None:
    """One line for each function."""
    for place, doc in enumerate(docs):
        sheet.item(label if place == 0 else "", cut(signature(doc), CALL))


def signature(doc: FunctionDoc) -> str:
    """A function as Python would declare it, with the release's own type names."""
    required = doc["parameters"].get("required", ())
    parameters = (
        f"{name}: {_type(about)}" + ("" if name in required else f" = {_default(about)}")
        for name, about in doc["parameters"].get("properties", {}).items()
    )
    return f"{doc['name']}({', '.join(parameters)})"


def _type(about: FunctionDoc) -> str:
    kind = str(about.get("type", "any"))
    items = about.get("items")
    return f"{kind}[{_type(items)}]" if isinstance(items, dict) and "type" in items else kind


def _default(about: FunctionDoc) -> str:
    return cut(repr(about["default"]), VALUE) if "default" in about else "..."


def raw_text(result: Json) -> str:
    """An answer that is not shown as calls: text as it is, all else as JSON."""
    if isinstance(result, str):
        return result or "(an empty answer)"
    return json.dumps(result, ensure_ascii=False)
