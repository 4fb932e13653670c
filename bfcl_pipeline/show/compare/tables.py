"""Comparisons as files: Parquet, CSV, JSON Lines, JSON, Markdown, LaTeX.

The suffix of a file chooses its form. Tables have shares; Markdown and LaTeX have per cent.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import asdict, fields
from pathlib import Path

import pyarrow as pa

from bfcl_pipeline.base.errors import ConfigError
from bfcl_pipeline.base.files import write_text
from bfcl_pipeline.base.markup import TextTable, latex, markdown
from bfcl_pipeline.benchmark.records import Json
from bfcl_pipeline.benchmark.tables.schemas import COMPARISONS, FLIPS
from bfcl_pipeline.benchmark.tables.text_forms import FORMS, write_any_form
from bfcl_pipeline.show.compare.compare import Comparison, ScoreDifference
from bfcl_pipeline.show.compare.gate import Gate
from bfcl_pipeline.show.compare.text import HEADINGS, column_notes, score_cells

JSON = ".json"
_MARKUP: Mapping[str, Callable[[TextTable], str]] = {".md": markdown, ".tex": latex}

ALL_FORMS = (*FORMS, JSON, *_MARKUP)
"""The suffixes of a file of comparisons."""


def check_form(path: Path, forms: Sequence[str] = ALL_FORMS) -> None:
    """Raises ConfigError if the suffix of `path` names none of `forms`."""
    if path.suffix.lower() not in forms:
        raise ConfigError(f"{path}: expected a file name that ends in {', '.join(forms)}.")


def write_form(
    path: Path,
    schema: pa.Schema,
    rows: Iterable[Mapping[str, Json]],
    document: Callable[[], Mapping[str, Json]],
    texts: Callable[[], Iterable[TextTable]] = tuple,
) -> None:
    """Writes what was compared in the form of the suffix, atomically; equal results become equal bytes.

    Args:
        path: the file; `check_form` checks its suffix.
        schema: of the table.
        rows: of the table, read for Parquet, CSV and JSON Lines.
        document: makes the document for JSON.
        texts: makes the tables for Markdown and LaTeX.
    """
    form = path.suffix.lower()
    if form == JSON:
        write_json(path, document())
    elif form in _MARKUP:
        write_text(path, "\n".join(map(_MARKUP[form], texts())))
    else:
        write_any_form(path, pa.Table.from_pylist(list(rows), schema=schema))


def write_comparisons(path: Path, comparisons: Sequence[Comparison]) -> None:
    """Writes comparisons in the form of the suffix, atomically; JSON has the flipped entries, too."""
    write_form(
        path,
        COMPARISONS,
        ({**_values(score), **_pair(each)} for each in comparisons for score in each.scores),
        lambda: {"comparisons": list(map(_document, comparisons))},
        lambda: map(_text_table, comparisons),
    )


def write_flips(path: Path, comparisons: Sequence[Comparison]) -> None:
    """Writes the entries that flipped as a table in the form of the suffix, atomically."""
    parts = [_flip_table(each) for each in comparisons]
    write_any_form(path, pa.concat_tables(parts) if parts else FLIPS.empty_table())


def write_gate(path: Path, decided: Gate) -> None:
    """Writes the decision of a gate and what it rests on as JSON, atomically; differences are shares."""
    scores: list[Json] = [
        {
            "model": each.model,
            "against": each.against,
            "decision": each.decision.value,
            "entries_without_verdict": each.unjudged,
            "doubt": each.doubt,
            "only_second_flaky": each.lost_flaky,
            "same_exchange": each.same_exchange,
            **({"stated": each.stated} if each.stated else {}),
            **({"categories_not_on_both_sides": list(each.lacking)} if each.lacking else {}),
            **({"entries_of_one_side": each.left_out} if each.left_out else {}),
            **_values(each.score),
        }
        for each in decided.scores
    ]
    write_json(
        path,
        {
            "passes": decided.passes,
            "decision": decided.decision.value,
            "margin": decided.margin,
            "undecided": "pass" if decided.undecided_passes else "fail",
            "scores": scores,
            **({"max_unread": decided.max_unread} if decided.max_unread is not None else {}),
            **({"unread_calls": [asdict(each) for each in decided.unread]} if decided.unread else {}),
        },
    )


def write_json(path: Path, document: Mapping[str, Json]) -> None:
    """Writes a JSON document, atomically; equal documents become equal bytes."""
    write_text(path, json.dumps(document, ensure_ascii=False, indent=1, allow_nan=False) + "\n")


def _document(comparison: Comparison) -> Json:
    sides = {True: comparison.first, False: comparison.second}
    return {
        **_pair(comparison),
        "entries_without_verdict": comparison.unjudged,
        **({"omitted": _omitted(comparison)} if comparison.omitted else {}),
        "entries_of_one_side": dict(comparison.left_out),
        "same_exchange": dict(comparison.same_exchange),
        "web_search_left_out": comparison.web_left_out,
        **({"executed_left_out": True} if comparison.executed_left_out else {}),
        "releases": list(comparison.releases) if comparison.releases else None,
        "memory_without_one_scenario": asdict(comparison.memory_range) if comparison.memory_range else None,
        "scores": list(map(_values, comparison.scores)),
        "flips": [
            {"category": flip.category, "entry_id": flip.entry_id, "right": sides[flip.first_right]}
            for flip in comparison.flips
        ],
    }


def _omitted(comparison: Comparison) -> Json:
    omitted = comparison.omitted
    return omitted and {
        **{name: getattr(omitted, name) for name in ("first", "second", "p")},
        "counted_against_first": comparison.worst,
        "differences": {
            name: [against.difference, omitted.favour[name].difference]
            for name, against in omitted.against.items()
        },
        "turned": [each.score for each in comparison.scores if omitted.turns(each)],
    }


_COLUMNS = {"first": "first_accuracy", "second": "second_accuracy", "low": "ci_low", "high": "ci_high"}
"""The columns of fields that are not called like them."""


def _values(score: ScoreDifference) -> dict[str, Json]:
    """The fields of a score under the names of the columns; `asdict` is ten times as slow."""
    return {_COLUMNS.get(field.name, field.name): getattr(score, field.name) for field in fields(score)}


def _pair(comparison: Comparison) -> dict[str, str]:
    return {"first": comparison.first, "second": comparison.second, "rules": comparison.rules.value}


def _flip_table(comparison: Comparison) -> pa.Table:
    """The rows of one pair, by columns: all pairs of a hundred models have millions."""
    flipped = comparison.flips
    entries = [flipped.entries[number] for number in flipped.numbers]
    names = pa.array([comparison.second, comparison.first])
    columns = {
        **{name: pa.repeat(value, len(entries)) for name, value in _pair(comparison).items()},
        "category": pa.array([category for category, _ in entries], pa.string()),
        "entry_id": pa.array([entry_id for _, entry_id in entries], pa.string()),
        "right": names.take(pa.array(flipped.first_right.astype("int8"))),
    }
    return pa.table([columns[name] for name in FLIPS.names], schema=FLIPS)


def _text_table(comparison: Comparison) -> TextTable:
    caption = (
        f"{comparison.first} minus {comparison.second}, per cent, {comparison.rules.value} rules. "
        "A: the first, B: the second."
    )
    return TextTable(
        caption, HEADINGS, list(map(score_cells, comparison.scores)), column_notes([comparison])
    )
