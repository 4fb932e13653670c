"""A memory on a page: what a session before the questions was told, and what a memory holds.

Covers the three forms of a snapshot, and where in one an acceptable answer stands. It stands there as in
`scoring.memory_use`, which adds up the same for a run.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from bfcl_pipeline.benchmark import CATEGORIES, Check
from bfcl_pipeline.records import Entry, Json, Response, Rules, Status, Verdict
from bfcl_pipeline.report.cells import plural
from bfcl_pipeline.report.entry_lines import (
    CALL,
    VALUE,
    WORDS,
    put_messages,
    put_signatures,
    put_verdict,
    raw_text,
)
from bfcl_pipeline.report.sheet import Sheet, cut, on_one_line, printable
from bfcl_pipeline.report.single_answer import put_steps
from bfcl_pipeline.scoring.agentic import AgenticChecker, normalised
from bfcl_pipeline.scoring.findings import shown_options
from bfcl_pipeline.scoring.memory_use import contents

_WHOLE_TEXT = 10_000  # characters shown of a memory that is one text: what the release lets it hold
_NAME = 20  # characters of a key with its value beside it; the narrowest page has room for both
_HOLDS = "*"  # stands before an entry in which an acceptable answer stands


@dataclass(frozen=True, slots=True)
class Kept:
    """What is known of the memory after a session."""

    snapshot: Json = None  # None if it could not be held
    missing: str | None = None  # why nothing is known of it, for a person; None where it is recorded


def has_memory(entry: Entry) -> bool:
    """True for sessions before memory questions, and for the questions."""
    return CATEGORIES[entry.category].check is Check.MEMORY


def put_session(
    sheet: Sheet, entry: Entry, response: Response | None, result: Json, kept: Kept, rules: Rules
) -> None:
    """A session before the questions: turn by turn what was said and done, then the memory.

    response: None where it is not recorded; the entry is shown then. result: what is in it.
    """
    sheet.blank()
    put_signatures(sheet, "offered", entry.functions)
    turns = result if isinstance(result, list) else []
    answered = response is not None and response.result_json is not None
    for number in range(max(len(entry.turns), len(turns))):
        sheet.blank()
        sheet.title(f"Turn {number + 1} of {len(entry.turns)}")
        if number < len(entry.turns):
            put_messages(sheet, entry.turns[number])
        if response is not None and number < len(turns):
            put_steps(sheet, turns[number], response.mode)
        elif answered:
            sheet.item("model", "(the session had ended)", "dim")
    if answered and not isinstance(result, list):
        sheet.blank()
        sheet.item("answer", cut(raw_text(result), WORDS), "italic")
    if response is not None and response.status is not Status.ANSWERED:
        put_verdict(sheet, Verdict(None, None, response.status_detail, response.status), rules)
    _put_memory(sheet, "memory after the session", kept, None)


def put_memory_at(sheet: Sheet, entry: Entry, kept: Kept) -> None:
    """The memory that a question is asked of, and which of its entries hold an acceptable answer."""
    _put_memory(sheet, "memory at the question", kept, entry)


@dataclass(frozen=True, slots=True)
class _Held:
    """One entry of a memory."""

    name: str  # its key or number; empty where the memory is one text
    text: str
    searched: str  # in which an answer is looked for: a key tells something too


def _put_memory(sheet: Sheet, title: str, kept: Kept, question: Entry | None) -> None:
    sheet.blank()
    if kept.missing is not None:
        sheet.title(title, "not recorded", "yellow")
        sheet.item("", kept.missing, "dim")
        return
    if kept.snapshot is None:
        sheet.title(title, "it could not be held", "yellow")
        return
    parts = _parts(kept.snapshot)
    if parts is None:
        sheet.title(title, "no memory of a known form", "yellow")
        sheet.item("", cut(raw_text(kept.snapshot), WORDS))
        return
    sheet.title(title, _counts(parts), "dim")
    wanted = () if question is None else AgenticChecker(question).acceptable
    for label, entries in parts.items():
        _put_part(sheet, label, entries, wanted)
    if question is not None:
        told = _places(parts, wanted)
        sheet.item("sought", f"{cut(shown_options(question.truth or ()), VALUE)} stands in {told}")


def _parts(snapshot: Json) -> dict[str, list[_Held]] | None:
    """The entries of each part in order; None if it is no snapshot."""
    if not isinstance(snapshot, Mapping):
        return None
    if isinstance(snapshot.get("memory"), str):
        return {"text": [_Held("", text, text) for text in contents(snapshot).core]}
    core, archival = snapshot.get("core_memory"), snapshot.get("archival_memory")
    if not isinstance(core, Mapping) or not isinstance(archival, Mapping):
        return None
    inside = contents(snapshot)
    return {
        "core": _entries(core, inside.core),
        "archival": _entries(archival, inside.archival),
    }


def _entries(part: Mapping[str, Json], searched: Iterable[str]) -> list[_Held]:
    numbered = "next_id" in part and isinstance(part.get("store"), Mapping)
    texts: Mapping[str, Json] = part["store"] if numbered else part
    return [
        _Held(_name(name), raw_text(text), where)
        for (name, text), where in zip(texts.items(), searched, strict=True)
    ]


def _name(key: str) -> str:
    """A key as it can stand in a column: what is not of the release's alphabet may be wide, or nothing."""
    return printable(on_one_line(key)).encode("ascii", "backslashreplace").decode("ascii")


def _counts(parts: Mapping[str, Sequence[_Held]]) -> str:
    held = [one for entries in parts.values() for one in entries]
    characters = plural(sum(len(one.text) for one in held), "character", "characters")
    if "text" in parts:
        return characters
    told = (f"{label}: {plural(len(entries), 'entry', 'entries')}" for label, entries in parts.items())
    return ", ".join((*told, f"{characters} of values"))


def _put_part(sheet: Sheet, label: str, entries: Sequence[_Held], wanted: Sequence[str]) -> None:
    if not entries:
        sheet.item(label, "(empty)", "dim")
    column = max((len(one.name) for one in entries if len(one.name) <= _NAME), default=0)
    for place, one in enumerate(entries):
        shown = label if place == 0 else ""
        holds = _stands_in(one, wanted)
        mark = f"{_HOLDS if holds else ' '} "
        if not one.name:
            sheet.item(shown, cut(one.text.rstrip(), _WHOLE_TEXT), mark=mark)
            continue
        # Where an answer stands, more is shown of the text, so that it is seen.
        text = cut(on_one_line(one.text), WORDS if holds else VALUE)
        if len(one.name) > _NAME:
            sheet.item(shown, cut(one.name, VALUE), "dim", mark=mark)
            shown, mark, name = "", "  ", ""
        else:
            name = one.name
        sheet.item(shown, text, mark=f"{mark}{name.ljust(column)}  ")


def _stands_in(one: _Held, wanted: Sequence[str]) -> bool:
    """True where an answer stands between word boundaries, as the official check of answers wants it."""
    text = normalised(one.searched)
    return any(re.search(rf"\b{re.escape(answer)}\b", text) for answer in wanted)


def _places(parts: Mapping[str, Sequence[_Held]], wanted: Sequence[str]) -> str:
    held = [(label, one) for label, entries in parts.items() for one in entries]
    found = [f"{label} {one.name}".rstrip() for label, one in held if _stands_in(one, wanted)]
    if "text" in parts:
        return "the text" if found else "no part of the text"
    if not found:
        return "none of its entries"
    return cut(f"{len(found):,} of {plural(len(held), 'entry', 'entries')}: {', '.join(found)}", CALL)


def not_recorded(path: Path, entry_id: str) -> str:
    """Why there is no session at `path`."""
    if path.is_file():
        return f"{path} has no session {entry_id}."
    return (
        f"There is no table of sessions {path}; `bfcl-pipeline generate --sessions-out` writes one, "
        "runs from elsewhere have none."
    )
