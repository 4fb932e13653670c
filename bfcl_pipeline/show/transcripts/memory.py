"""A memory at one moment as a record: its texts part by part, with those that have an acceptable answer.

Covers the three forms of a snapshot. A text has an answer by the rule of `scoring.memory_facts`, by
which the tables of a run count.
"""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass

from bfcl_pipeline.base.text import cut, loaded_json, on_one_line, plural, printable
from bfcl_pipeline.benchmark.config import model_folder
from bfcl_pipeline.benchmark.records import Entry, Json
from bfcl_pipeline.benchmark.tables import read_table, with_types
from bfcl_pipeline.benchmark.tables.schemas import SESSIONS
from bfcl_pipeline.judge.scoring.agentic import AgenticChecker, normalise
from bfcl_pipeline.judge.scoring.findings import shown_options
from bfcl_pipeline.judge.scoring.memory_facts import contents, mentions
from bfcl_pipeline.runs.run import Run
from bfcl_pipeline.show.transcripts.parts import Item, Kind, MemoryRecord, TextLimits
from bfcl_pipeline.show.transcripts.texts import raw_text


@dataclass(frozen=True, slots=True)
class RecordedMemory:
    """A memory at one moment, as far as it is recorded."""

    snapshot: Json = None  # None: it was empty, or the session failed
    missing: str | None = None  # why it is not recorded, for a person; None if it is
    failed: bool = False  # the session after which it would be has failed


EMPTY = RecordedMemory()
"""The memory before the first session."""


@dataclass(frozen=True, slots=True)
class MemoriesAround:
    """The memory around one conversation."""

    before: RecordedMemory = EMPTY
    after: RecordedMemory | None = None  # of a session; None at a question


@dataclass(frozen=True, slots=True)
class _MemoryEntry:
    """One entry of a memory."""

    name: str  # its key or number; empty if the memory is one text
    text: str
    searched: str  # the text in which an answer is searched: key and value


def memory_record(
    title: str,
    memory: RecordedMemory,
    limits: TextLimits,
    question: Entry | None = None,
) -> MemoryRecord:
    """The record of a memory. question: the one whose acceptable answers mark the texts."""
    if memory.missing is not None:
        return MemoryRecord(title, "not recorded", (Item(Kind.NOTE, memory.missing),))
    if memory.failed:
        return MemoryRecord(title, "none: the session failed", ())
    if memory.snapshot is None:
        return MemoryRecord(title, "empty", ())
    parts = _parts(memory.snapshot)
    if parts is None:
        text = cut(raw_text(memory.snapshot), limits.words)
        return MemoryRecord(title, "unrecognized memory format", (Item(Kind.NOTE, text),))
    wanted = () if question is None else AgenticChecker(question).acceptable
    texts = [item for label, entries in parts.items() for item in _part(label, entries, wanted, limits)]
    if question is not None:
        options = cut(shown_options(question.truth or ()), limits.value)
        place = f"{options} is in {_places(parts, wanted, limits)}"
        texts.append(Item(Kind.NOTE, place, label="expected"))
    return MemoryRecord(title, _counts(parts), tuple(texts))


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


def _part(
    label: str, entries: Sequence[_MemoryEntry], wanted: Sequence[str], limits: TextLimits
) -> Iterator[Item]:
    yield Item(Kind.NOTE, "" if entries else "(empty)", label=label)
    for entry in entries:
        marked = _contains(entry, wanted)
        if not entry.name:
            yield Item(Kind.MEMORY, cut(entry.text.rstrip(), limits.memory), marked=marked)
            continue
        # More is recorded of a text with an answer, so that the answer is visible.
        text = cut(entry.text, limits.words if marked else limits.value)
        yield Item(Kind.MEMORY, text, label=cut(entry.name, limits.value), marked=marked)


def _contains(entry: _MemoryEntry, wanted: Sequence[str]) -> bool:
    """True if an answer is in the entry between word boundaries, as in the official check of answers."""
    return mentions(normalise(entry.searched), wanted)


def _places(parts: Mapping[str, Sequence[_MemoryEntry]], wanted: Sequence[str], limits: TextLimits) -> str:
    every = [(label, entry) for label, entries in parts.items() for entry in entries]
    places = [f"{label} {entry.name}".rstrip() for label, entry in every if _contains(entry, wanted)]
    if "text" in parts:
        return "the text" if places else "no part of the text"
    if not places:
        return "none of its entries"
    return cut(
        f"{len(places):,} of {plural(len(every), 'entry', 'entries')}: {', '.join(places)}", limits.call
    )


class SessionMemories:
    """The memories after the sessions of one table, which may be missing."""

    def __init__(self, run: Run, model: str, category: str) -> None:
        self._name = f"memory/{model_folder(model)}/{category}.parquet"  # without what differs by machine
        self.path = path = run.folder / self._name
        self._texts: dict[str, str | None] | None = None  # snapshots by session, read once
        if path.is_file():
            table = read_table(path, ["entry_id", "snapshot_json"])
            rows = with_types(path, table, SESSIONS).to_pylist()
            self._texts = {row["entry_id"]: row["snapshot_json"] for row in rows}

    def after(self, session_id: str) -> RecordedMemory:
        """The memory after a session."""
        if self._texts is None:
            return RecordedMemory(
                missing=f"There is no table of sessions {self._name} in this run; `bfcl-pipeline generate "
                "--sessions-out` writes one, runs from elsewhere have none."
            )
        if session_id not in self._texts:
            return RecordedMemory(missing=f"{self._name} has no session {session_id}.")
        text = self._texts[session_id]
        return RecordedMemory(loaded_json(text, default=text), failed=text is None)

    def around(self, entry: Entry) -> MemoriesAround:
        """The memory before the conversation over `entry`; of a session also that after it."""
        before = self.after(entry.depends_on[-1]) if entry.depends_on else EMPTY
        return MemoriesAround(before, self.after(entry.entry_id) if entry.prerequisite else None)
