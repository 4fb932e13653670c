"""The records of a model's answers in one category of a run; every table is read once."""

from collections.abc import Container, Iterable, Iterator, Mapping
from pathlib import Path
from typing import Any

import polars as pl

from bfcl_pipeline.base.errors import TableError
from bfcl_pipeline.benchmark.records import AnswerClass, Entry, Response, Rules, Status, Verdict
from bfcl_pipeline.benchmark.tables import read_table, with_types
from bfcl_pipeline.benchmark.tables.responses import responses_in
from bfcl_pipeline.benchmark.tables.schemas import VERDICT_FIELDS, VERDICTS
from bfcl_pipeline.runs.run import Run
from bfcl_pipeline.show.playback.conditions import Conditions
from bfcl_pipeline.show.transcripts.answer import answer_record
from bfcl_pipeline.show.transcripts.entry import has_memory
from bfcl_pipeline.show.transcripts.memory import SessionMemories
from bfcl_pipeline.show.transcripts.parts import AnswerRecord
from bfcl_pipeline.show.transcripts.reasons import reasons_of, with_reasons

_ROWS = 64
"""Responses that are in memory as records at once."""

_VERDICT = ("category", "entry_id", "rules", *(field.name for field in VERDICT_FIELDS))
"""The columns of a table of verdicts that are read."""


def answer_records(
    run: Run, model: str, entries: Iterable[Entry], conditions: Conditions
) -> Iterator[AnswerRecord]:
    """The records of the answers of `model` to `entries`, which are of one category.

    Sessions come first, in the order of their table; then the answers in that of theirs. Entries that the
    run has no response to have no record; a response whose verdicts are not stored has none.

    Args:
        run: the run, with responses/, and optionally memory/, verdicts/ and tables/.
        entries: as `read_entries` returns them; those with other ids are passed over.

    Raises TableError if a table cannot be read.
    """
    by_id = {entry.entry_id: entry for entry in entries}
    if not by_id:
        return
    category = next(iter(by_id.values())).category
    memories = SessionMemories(run, model, category)
    if has_memory(by_id[next(iter(by_id))]):
        for response in _responses(memories.path, by_id):
            entry = by_id[response.entry_id]
            yield answer_record(entry, response, {}, conditions, memories.around(entry))
    reasons = reasons_of(run, model, category)
    verdicts = _verdicts(run.verdicts(model), category)
    for response in _responses(run.responses(model, category), by_id):
        entry = by_id[response.entry_id]
        around = memories.around(entry) if has_memory(entry) else None
        record = answer_record(entry, response, verdicts.get(entry.entry_id, {}), conditions, around)
        yield with_reasons(record, reasons)


def _responses(path: Path, chosen: Container[str]) -> Iterator[Response]:
    """The responses of the table at `path` to chosen entries; none if there is no table."""
    if not path.is_file():
        return
    table = read_table(path)
    for start in range(0, len(table), _ROWS):
        for response in responses_in(path, table.slice(start, _ROWS)):
            if response.entry_id in chosen:
                yield response


def _verdicts(path: Path, category: str) -> Mapping[str, Mapping[Rules, Verdict]]:
    """The stored verdicts on a category, by entry and rule set; none if there is no table."""
    if not path.is_file():
        return {}
    table = read_table(path)
    lacking = [name for name in _VERDICT if name not in table.column_names]
    if lacking:
        raise TableError(f"{path}: column {lacking[0]!r} is missing. Score the responses again.")
    of_category = pl.DataFrame(with_types(path, table, VERDICTS)).filter(pl.col("category") == category)
    found: dict[str, dict[Rules, Verdict]] = {}
    for row in of_category.iter_rows(named=True):
        try:
            found.setdefault(row["entry_id"], {})[Rules(row["rules"])] = _verdict(row)
        except ValueError as error:
            raise TableError(f"{path}: {row['entry_id']}: {error}. Score the responses again.") from error
    return found


def _verdict(row: Mapping[str, Any]) -> Verdict:
    answer_class = row["answer_class"]
    return Verdict(
        row["valid"],
        row["error_type"],
        row["error_message"],
        Status(row["status"]),
        AnswerClass(answer_class) if answer_class else None,
        bool(row["unread_call"]),
    )
