"""Memory on a page: a session before the questions with the memory after it, and the memory at a question.

Covers the three forms of a snapshot, and the entries of a memory that contain an acceptable answer, by the
same rule as `scoring.memory_use`, which counts them for a run.
"""

import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

from bfcl_pipeline.benchmark import CATEGORIES, Check
from bfcl_pipeline.records import Entry, Json, Response, Rules, Status, Verdict
from bfcl_pipeline.scoring.agentic import AgenticChecker, normalised
from bfcl_pipeline.scoring.findings import shown_options
from bfcl_pipeline.scoring.memory_use import contents
from bfcl_pipeline.show.entry_parts import (
    CALL,
    VALUE,
    WORDS,
    put_messages,
    put_signatures,
    put_verdict,
    raw_text,
)
from bfcl_pipeline.show.single_answer import put_steps
from bfcl_pipeline.show.terminal_page import TerminalPage
from bfcl_pipeline.text import cut, on_one_line, plural, printable

_WHOLE_TEXT = 10_000  # characters shown of a memory that is one text: the limit of the release
_NAME = 20  # longest key with its value beside it; the narrowest page has room for both
_ANSWER_MARK = "*"  # before an entry with an acceptable answer


@dataclass(frozen=True, slots=True)
class MemoryAfterSession:
    """The memory after a session, as far as it is recorded."""

    snapshot: Json = None  # None if the session failed
    missing: str | None = None  # why it is not recorded, for a person; None if it is


def has_memory(entry: Entry) -> bool:
    """True for sessions before memory questions, and for the questions."""
    return CATEGORIES[entry.category].check is Check.MEMORY


def put_session(
    page: TerminalPage,
    entry: Entry,
    response: Response | None,
    result: Json,
    after: MemoryAfterSession,
    rules: Rules,
) -> None:
    """A session before the questions: messages and calls turn by turn, then the memory.

    Args:
        response: None if it is not recorded; only the entry is shown then.
        result: the parsed result of the response.
        after: the memory after the session.
    """
    page.blank()
    put_signatures(page, "offered", entry.functions)
    turns = result if isinstance(result, list) else []
    answered = response is not None and response.result_json is not None
    for number in range(max(len(entry.turns), len(turns))):
        page.blank()
        page.title(f"Turn {number + 1} of {len(entry.turns)}")
        if number < len(entry.turns):
            put_messages(page, entry.turns[number])
        if response is not None and number < len(turns):
            put_steps(page, turns[number], response.mode)
        elif answered:
            page.item("model", "(the session had ended)", "dim")
    if answered and not isinstance(result, list):
        page.blank()
        page.item("answer", cut(raw_text(result), WORDS), "italic")
    if response is not None and response.status is not Status.ANSWERED:
        put_verdict(page, Verdict(None, None, response.status_detail, response.status), rules)
    _put_memory(page, "memory after the session", after, None)


def put_memory_at(page: TerminalPage, entry: Entry, before: MemoryAfterSession) -> None:
    """The memory at a question, with a mark on its entries that contain an acceptable answer."""
    _put_memory(page, "memory at the question", before, entry)


@dataclass(frozen=True, slots=True)
class _MemoryEntry:
    """One entry of a memory."""

    name: str  # its key or number; empty if the memory is one text
    text: str
    searched: str  # the text in which an answer is searched: key and value


def _put_memory(page: TerminalPage, title: str, memory: MemoryAfterSession, question: Entry | None) -> None:
    page.blank()
    if memory.missing is not None:
        page.title(title, "not recorded", "yellow")
        page.item("", memory.missing, "dim")
        return
    if memory.snapshot is None:
        page.title(title, "none: the session failed", "yellow")
        return
    parts = _parts(memory.snapshot)
    if parts is None:
        page.title(title, "unrecognized memory format", "yellow")
        page.item("", cut(raw_text(memory.snapshot), WORDS))
        return
    page.title(title, _counts(parts), "dim")
    wanted = () if question is None else AgenticChecker(question).acceptable
    for label, entries in parts.items():
        _put_part(page, label, entries, wanted)
    if question is not None:
        options = cut(shown_options(question.truth or ()), VALUE)
        page.item("expected", f"{options} is in {_places(parts, wanted)}")


def _parts(snapshot: Json) -> dict[str, list[_MemoryEntry]] | None:
    """The entries of each part in order; None if the value is not a snapshot."""
    if not isinstance(snapshot, Mapping):
        return None
    if isinstance(snapshot.get("memory"), str):
        return {"text": [_MemoryEntry("", text, text) for text in contents(snapshot).core]}
    core, archival = snapshot.get("core_memory"), snapshot.get("archival_memory")
    if not isinstance(core, Mapping) or not isinstance(archival, Mapping):
        return None
    inside = contents(snapshot)
    return {
        "core": _entries(core, inside.core),
        "archival": _entries(archival, inside.archival),
    }


def _entries(part: Mapping[str, Json], searched: Iterable[str]) -> list[_MemoryEntry]:
    numbered = "next_id" in part and isinstance(part.get("store"), Mapping)
    texts: Mapping[str, Json] = part["store"] if numbered else part
    return [
        _MemoryEntry(_name(name), raw_text(text), where)
        for (name, text), where in zip(texts.items(), searched, strict=True)
    ]


def _name(key: str) -> str:
    """A key with one column per character: others than ASCII are escaped, as they may be wide or empty."""
    return printable(on_one_line(key)).encode("ascii", "backslashreplace").decode("ascii")


def _counts(parts: Mapping[str, Sequence[_MemoryEntry]]) -> str:
    every = [entry for entries in parts.values() for entry in entries]
    characters = plural(sum(len(entry.text) for entry in every), "character", "characters")
    if "text" in parts:
        return characters
    counts = (f"{label}: {plural(len(entries), 'entry', 'entries')}" for label, entries in parts.items())
    return ", ".join((*counts, f"{characters} of values"))


def _put_part(
    page: TerminalPage, label: str, entries: Sequence[_MemoryEntry], wanted: Sequence[str]
) -> None:
    if not entries:
        page.item(label, "(empty)", "dim")
    column = max((len(entry.name) for entry in entries if len(entry.name) <= _NAME), default=0)
    for place, entry in enumerate(entries):
        shown, name = label if place == 0 else "", entry.name
        has_answer = _contains(entry, wanted)
        mark = f"{_ANSWER_MARK if has_answer else ' '} "
        if not name:
            page.item(shown, cut(entry.text.rstrip(), _WHOLE_TEXT), mark=mark)
            continue
        # More is shown of a text with an answer, so that the answer is visible.
        text = cut(on_one_line(entry.text), WORDS if has_answer else VALUE)
        if len(name) > _NAME:
            page.item(shown, cut(name, VALUE), "dim", mark=mark)
            shown, mark, name = "", "  ", ""
        page.item(shown, text, mark=f"{mark}{name.ljust(column)}  ")


def _contains(entry: _MemoryEntry, wanted: Sequence[str]) -> bool:
    """True if an answer is in the entry between word boundaries, as in the official check of answers."""
    text = normalised(entry.searched)
    return any(re.search(rf"\b{re.escape(answer)}\b", text) for answer in wanted)


def _places(parts: Mapping[str, Sequence[_MemoryEntry]], wanted: Sequence[str]) -> str:
    every = [(label, entry) for label, entries in parts.items() for entry in entries]
    places = [f"{label} {entry.name}".rstrip() for label, entry in every if _contains(entry, wanted)]
    if "text" in parts:
        return "the text" if places else "no part of the text"
    if not places:
        return "none of its entries"
    return cut(f"{len(places):,} of {plural(len(every), 'entry', 'entries')}: {', '.join(places)}", CALL)
