"""What is known of the conversations with a memory or on the web: verdicts, answers, sessions.

Covers reading them for the categories of a run that are judged. What the staged release does not have is
left out, and so is all where it is not staged: the scores do not need it.
"""

from __future__ import annotations

import json
from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import polars as pl
import pyarrow as pa

from bfcl_pipeline.benchmark import CATEGORIES, GROUPS
from bfcl_pipeline.records import Call, Entry, Json, Mode, Rules
from bfcl_pipeline.report.collect import RunRecords, by_model, empty, read_named
from bfcl_pipeline.scoring.conversation_calls import Steps, calls_by_step
from bfcl_pipeline.tables import entries_path, read_entries, read_table
from bfcl_pipeline.tables.schemas import RESPONSES, SESSIONS
from bfcl_pipeline.tables.texts import read_constants
from bfcl_pipeline.tools import Constants

_RESPONSE_COLUMNS = ("model", "category", "entry_id", "mode", "result_json", "web")
_SESSION_COLUMNS = ("model", "category", "entry_id", "mode", "result_json", "snapshot_json")

Entries = Mapping[str, Mapping[str, Entry]]
"""Staged entries by category, then by id, in the release's order."""


@dataclass(frozen=True, slots=True)
class Talk:
    """What a model did in one conversation: at a question, or in a session before the questions."""

    entry: Entry
    steps: Steps  # none where there is no answer
    web: str | None = None  # which web it searched
    snapshot: Json = None  # of a session: the memory after it; None if it could not be held

    @property
    def calls(self) -> list[Call]:
        """All its calls, in order."""
        return [call for step in self.steps for call in step]


@dataclass(frozen=True, slots=True)
class Judged:
    """One question with its verdict."""

    entry: Entry
    valid: bool | None  # None where it has no verdict
    talk: Talk | None  # the answer; None where only its verdict is there


@dataclass(frozen=True, slots=True)
class AgenticRecords:
    """What the tables on memory and web search are made of, of one model; entries in order."""

    entries: Entries
    verdicts: Mapping[tuple[str, str, str], Sequence[Judged]]  # by model, rules and category
    sessions: Mapping[tuple[str, str], Sequence[Talk]]  # by model and category
    answers: Mapping[tuple[str, str], Sequence[Talk]]  # to the questions, likewise
    constants: Constants | None  # what memories are made from; None where there are no sessions


def read_agentic(run_dir: Path, data: Path, records: RunRecords) -> Iterator[AgenticRecords]:
    """Everything on the agentic categories of `records`, by model in order of name. Raises TableError.

    One model after the other: the conversations of a hundred would fill the memory.
    """
    verdicts = records.verdicts.filter(pl.col("category").is_in(GROUPS["agentic"]))
    entries = _read_entries(data, set(verdicts["category"]))
    asked = _files(run_dir / "responses", entries)
    held = _files(run_dir / "memory", entries)
    constants = None
    for model, own in sorted(by_model(verdicts).items()):
        talks = [
            _talks(_read(files.get(model, ()), model, schema, columns, set(own["category"])), entries)
            for files, schema, columns in (
                (asked, RESPONSES, _RESPONSE_COLUMNS),
                (held, SESSIONS, _SESSION_COLUMNS),
            )
        ]
        answers, sessions = talks
        if sessions and constants is None:
            constants = read_constants(data)
        yield AgenticRecords(
            entries,
            _verdicts(own, answers, entries),
            sessions,
            answers,
            constants if sessions else None,
        )


def _read_entries(data: Path, categories: Collection[str]) -> Entries:
    paths = {name: entries_path(data, name) for name in CATEGORIES if name in categories}
    return {
        name: {entry.entry_id: entry for entry in read_entries(path)}
        for name, path in paths.items()
        if path.is_file()
    }


def _files(folder: Path, categories: Collection[str]) -> dict[str, list[Path]]:
    """Those of the models' tables that have rows of one of the categories, by model."""
    found: dict[str, list[Path]] = {}
    for path in sorted(folder.glob("*/*.parquet")):
        rows = read_table(path, ["model", "category"])
        if not set(rows.column("category").unique().to_pylist()).isdisjoint(categories):
            for model in rows.column("model").unique().to_pylist():
                found.setdefault(path.parent.name if model is None else model, []).append(path)
    return found


def _read(
    paths: Sequence[Path],
    model: str,
    schema: pa.Schema,
    columns: Sequence[str],
    categories: Collection[str],
) -> pl.DataFrame:
    """The rows of `model` in these tables that are of one of the categories."""
    if not paths:
        return empty(schema, columns)
    frame = pl.concat(read_named(path, schema, columns, path.parent.name) for path in paths)
    return frame.filter(pl.col("model") == model, pl.col("category").is_in(list(categories)))


def _talks(frame: pl.DataFrame, entries: Entries) -> dict[tuple[str, str], list[Talk]]:
    rows: dict[tuple[str, str], dict[str, dict[str, Any]]] = {}
    for row in frame.iter_rows(named=True):
        rows.setdefault((row["model"], row["category"]), {})[row["entry_id"]] = row
    return {
        (model, category): [
            _talk(entry, rows[model, category][entry_id])
            for entry_id, entry in entries[category].items()
            if entry_id in rows[model, category]
        ]
        for model, category in _in_order(rows)
    }


def _in_order(keys: Collection[tuple[str, str]]) -> list[tuple[str, str]]:
    """By model name, then in the order of categories."""
    order = list(CATEGORIES)
    return sorted(keys, key=lambda key: (key[0], order.index(key[1])))


def _talk(entry: Entry, row: Mapping[str, Any]) -> Talk:
    steps = calls_by_step(_loaded(row["result_json"]), Mode(row["mode"]))
    return Talk(entry, steps, row.get("web"), _loaded(row.get("snapshot_json")))


def _loaded(text: str | None) -> Json:
    """What is no JSON, as answers from elsewhere may be, is nothing."""
    try:
        return None if text is None else json.loads(text)
    except (ValueError, RecursionError):
        return None


def _verdicts(
    frame: pl.DataFrame, answers: Mapping[tuple[str, str], Sequence[Talk]], entries: Entries
) -> dict[tuple[str, str, str], list[Judged]]:
    valid: dict[tuple[str, str], dict[str, dict[str, bool | None]]] = {}
    for row in frame.select("model", "category", "rules", "entry_id", "valid").iter_rows():
        model, category, rules, entry_id, verdict = row
        valid.setdefault((model, category), {}).setdefault(rules, {})[entry_id] = verdict
    found = {}
    for model, category in _in_order(valid):
        talks = {talk.entry.entry_id: talk for talk in answers.get((model, category), ())}
        for rules in Rules:
            given = valid[model, category].get(rules.value, {})
            judged = [
                Judged(entry, given[entry_id], talks.get(entry_id))
                for entry_id, entry in entries.get(category, {}).items()
                if entry_id in given
            ]
            if judged:
                found[model, rules.value, category] = judged
    return found
