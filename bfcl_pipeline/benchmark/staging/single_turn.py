"""Entries with one request and one answer, and entries that restate them in other prompt formats."""

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import TypeAlias

from bfcl_pipeline.benchmark.definition import FORMATS
from bfcl_pipeline.benchmark.records import Entry, Json, Message
from bfcl_pipeline.benchmark.staging.json_lines import (
    JsonLine,
    by_id,
    malformed_release,
    parse_json,
    read_functions,
    read_rows,
    read_turns,
)
from bfcl_pipeline.benchmark.staging.release_files import (
    FORMAT_SENSITIVITY_IDS,
    questions_file,
    truths_file,
)
from bfcl_pipeline.benchmark.staging.source import Release


@dataclass(frozen=True, slots=True)
class Truth:
    """The acceptable answers of one entry."""

    answer: Json  # calls or answers, as in the release
    source: Json = None  # of the answer, if the release has it


NO_TRUTH = Truth(None)
"""The truth of entries whose check needs none."""


def read_truths(release: Release, category: str, ids: Iterable[str]) -> Mapping[str, Truth]:
    """The truth of each of `ids`, the ids in the questions file of `category`.

    Raises MalformedRelease if there is not exactly one truth for each question.
    """
    name = truths_file(category)
    if name is None:
        return dict.fromkeys(ids, NO_TRUTH)
    rows = by_id(read_rows(release, name))
    truths = {
        key: Truth(row.get("ground_truth", list), row.value.get("source")) for key, row in rows.items()
    }
    wanted = set(ids)
    for key in sorted(wanted ^ truths.keys()):
        where = rows[key].where if key in rows else name
        raise malformed_release(
            where, f"one truth per entry of {questions_file(category)}", f"{key!r} in only one"
        )
    return truths


ReadTurns: TypeAlias = Callable[[JsonLine], tuple[tuple[Message, ...], ...]]
"""Reads the question of a row as turns of messages."""


def read_single_turn(release: Release, category: str, turns: ReadTurns = read_turns) -> list[Entry]:
    """The entries of a category whose truth is calls, in the release's order. turns: reads a question."""
    rows = by_id(read_rows(release, questions_file(category)))
    truths = read_truths(release, category, rows)
    return [
        Entry(
            entry_id=key,
            category=category,
            turns=turns(row),
            functions=read_functions(row),
            truth=truths[key].answer,
        )
        for key, row in rows.items()
    ]


def read_format_sensitivity(release: Release, staged: Mapping[str, Sequence[Entry]]) -> list[Entry]:
    """The chosen entries of the `staged` categories, each restated in all 26 prompt formats.

    Order and numbering are the official ones: categories as in the list of ids, entries as in their own
    category, then formats.
    """
    where = f"{FORMAT_SENSITIVITY_IDS}:1"
    chosen = parse_json(where, release.files[FORMAT_SENSITIVITY_IDS])
    if not isinstance(chosen, dict) or not all(isinstance(ids, list) for ids in chosen.values()):
        raise malformed_release(where, "a mapping of categories to ids", f"a {type(chosen).__name__}")
    bases: list[Entry] = []
    for category, ids in chosen.items():
        entries = [entry for entry in staged.get(category, ()) if entry.entry_id in ids]
        if len(entries) != len(ids):
            present = {entry.entry_id for entry in entries}
            unknown = [key for key in ids if key not in present] or ids
            raise malformed_release(where, f"distinct ids of {category}", f"{unknown[0]!r}")
        bases.extend(entries)
    pairs = ((base, prompt_format) for base in bases for prompt_format in FORMATS)
    return [
        replace(
            base,
            entry_id=f"format_sensitivity_{index}:{prompt_format.key}:{base.entry_id}",
            category="format_sensitivity",
            prompt_format=prompt_format.key,
            base_entry_id=base.entry_id,
        )
        for index, (base, prompt_format) in enumerate(pairs)
    ]
