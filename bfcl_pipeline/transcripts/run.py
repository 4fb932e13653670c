"""The records of a model's answers in one category of a run; every table is read once."""

from collections.abc import Container, Iterable, Iterator, Mapping
from pathlib import Path

import pyarrow as pa
import pyarrow.compute as pc

from bfcl_pipeline.config import model_folder
from bfcl_pipeline.playback import Conditions
from bfcl_pipeline.records import AnswerClass, Entry, Response, Rules, Status, Verdict
from bfcl_pipeline.tables import read_table
from bfcl_pipeline.tables.responses import loaded_json, responses_in
from bfcl_pipeline.transcripts.answer import Memories, answer_record
from bfcl_pipeline.transcripts.entry import has_memory
from bfcl_pipeline.transcripts.limits import PAGE, Limits
from bfcl_pipeline.transcripts.memory import EMPTY, RecordedMemory
from bfcl_pipeline.transcripts.parts import AnswerRecord

_ROWS = 64
"""Responses that are in memory as records at once."""


def answer_records(
    run_dir: Path,
    model: str,
    entries: Iterable[Entry],
    conditions: Conditions,
    wanted: Container[str] | None = None,
    rules: Rules = Rules.OFFICIAL,
    limits: Limits = PAGE,
) -> Iterator[AnswerRecord]:
    """The records of the answers of `model` to `entries`, which are of one category.

    Sessions come first, in the order of their table; then the answers in that of theirs. Entries that the
    run has no response to have no record; a response whose verdicts are not stored has none.

    Args:
        run_dir: the directory of the run, with responses/, and optionally memory/ and verdicts/.
        entries: as `read_entries` returns them; those with other ids are passed over.
        wanted: the ids of entries whose answers are wanted; None: all.

    Raises TableError if a table cannot be read.
    """
    by_id = {entry.entry_id: entry for entry in entries}
    if not by_id:
        return
    category = next(iter(by_id.values())).category
    folder = model_folder(model)
    memories = SessionMemories(run_dir / "memory" / folder / f"{category}.parquet")
    chosen = [entry_id for entry_id in by_id if wanted is None or entry_id in wanted]
    if has_memory(by_id[next(iter(by_id))]):
        for response in _responses(memories.path, chosen):
            entry = by_id[response.entry_id]
            around = memories.around(entry)
            yield answer_record(entry, response, {}, conditions, around, rules, limits)
    verdicts = _verdicts(run_dir / "verdicts" / f"{folder}.parquet", category)
    for response in _responses(run_dir / "responses" / folder / f"{category}.parquet", chosen):
        entry = by_id[response.entry_id]
        yield answer_record(
            entry,
            response,
            verdicts.get(entry.entry_id, {}),
            conditions,
            memories.around(entry) if has_memory(entry) else None,
            rules,
            limits,
        )


class SessionMemories:
    """The memories after the sessions of one table, which may be missing."""

    def __init__(self, path: Path) -> None:
        self.path = path  # results/<run>/memory/<model>/<category>.parquet
        self._texts: dict[str, str | None] | None = None  # snapshots by session, read once
        if path.is_file():
            rows = read_table(path, ["entry_id", "snapshot_json"]).to_pylist()
            self._texts = {row["entry_id"]: row["snapshot_json"] for row in rows}

    def after(self, session_id: str) -> RecordedMemory:
        """The memory after a session."""
        if self._texts is None:
            return RecordedMemory(
                missing=f"There is no table of sessions {self.path}; `bfcl-pipeline generate "
                "--sessions-out` writes one, runs from elsewhere have none."
            )
        if session_id not in self._texts:
            return RecordedMemory(missing=f"{self.path} has no session {session_id}.")
        text = self._texts[session_id]
        return RecordedMemory(loaded_json(text, default=text), failed=text is None)

    def around(self, entry: Entry) -> Memories:
        """The memory before the conversation over `entry`; of a session also that after it."""
        before = self.after(entry.depends_on[-1]) if entry.depends_on else EMPTY
        return Memories(before, self.after(entry.entry_id) if entry.prerequisite else None)


def _responses(path: Path, chosen: Iterable[str]) -> Iterator[Response]:
    """The responses of the table at `path` to chosen entries; none if there is no table."""
    if not path.is_file():
        return
    table = read_table(path)
    if "entry_id" in table.column_names:
        table = table.filter(pc.is_in(table.column("entry_id"), pa.array(list(chosen), pa.string())))
    for start in range(0, len(table), _ROWS):
        yield from responses_in(path, table.slice(start, _ROWS))


def _verdicts(path: Path, category: str) -> Mapping[str, Mapping[Rules, Verdict]]:
    """The stored verdicts on a category, by entry and rule set; none if there is no table."""
    if not path.is_file():
        return {}
    names = ("category", "entry_id", "rules", "valid", "error_type", "error_message", "status")
    table = read_table(path)
    table = table.select([name for name in (*names, "answer_class") if name in table.column_names])
    table = table.filter(pc.is_in(table.column("category"), pa.array([category])))
    found: dict[str, dict[Rules, Verdict]] = {}
    for row in table.to_pylist():
        answer_class = row.get("answer_class")
        found.setdefault(row["entry_id"], {})[Rules(row["rules"])] = Verdict(
            row["valid"],
            row["error_type"],
            row["error_message"],
            Status(row["status"]),
            AnswerClass(answer_class) if answer_class else None,
        )
    return found
