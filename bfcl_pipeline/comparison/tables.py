"""Comparisons as tables and files: Parquet, CSV, JSON Lines, JSON, Markdown, LaTeX.

The suffix of a file chooses its form. Tables have shares; Markdown and LaTeX have per cent.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import asdict
from pathlib import Path
from typing import Any

import pyarrow as pa

from bfcl_pipeline.comparison.compare import Comparison
from bfcl_pipeline.comparison.gate import Gate
from bfcl_pipeline.comparison.text import HEADINGS, score_cells
from bfcl_pipeline.errors import ConfigError
from bfcl_pipeline.files import write_text
from bfcl_pipeline.records import Json
from bfcl_pipeline.tables.text_forms import FORMS, write_any_form
from bfcl_pipeline.text import on_one_line, printable

JSON, MARKDOWN, LATEX = ".json", ".md", ".tex"
ALL_FORMS = (*FORMS, JSON, MARKDOWN, LATEX)
"""The suffixes of a file of comparisons."""


def _field(name: str, kind: pa.DataType, about: str, nullable: bool = False) -> pa.Field[Any]:
    return pa.field(name, kind, nullable=nullable, metadata={"description": about})


COMPARISONS = pa.schema(
    [
        _field("first", pa.string(), "one model, with its run where names repeat"),
        _field("second", pa.string(), "the other model"),
        _field("rules", pa.string(), "official, corrected or verified: the rule set"),
        _field("score", pa.string(), "a category, or a group of the leaderboard"),
        _field("complete", pa.bool_(), "whether all its categories were compared; others count 0"),
        _field("entries", pa.int64(), "entries with a verdict on both sides"),
        _field("clusters", pa.int64(), "clusters of them"),
        _field(
            "first_accuracy", pa.float64(), "share that the first has right, weighted as on the leaderboard"
        ),
        _field("second_accuracy", pa.float64(), "share that the second has right"),
        _field("difference", pa.float64(), "first minus second"),
        _field("ci_low", pa.float64(), "lower limit of its paired clustered 95 % interval"),
        _field("ci_high", pa.float64(), "upper limit of its paired clustered 95 % interval"),
        _field("only_first", pa.int64(), "entries that only the first has right"),
        _field("only_second", pa.int64(), "entries that only the second has right"),
        _field("mcnemar_p", pa.float64(), "exact test of McNemar over entries; null for groups", True),
        _field("clusters_p", pa.float64(), "exact sign test over clusters; null for groups", True),
        _field("holm_p", pa.float64(), "clusters_p, adjusted for the number of scored categories", True),
        _field("design_effect", pa.float64(), "of the difference; null for groups and without flips", True),
        _field("detectable", pa.float64(), "smallest true difference found with 80 % power", True),
    ]
)
"""One row per pair and score: groups from the overall on, then categories."""

FLIPS = pa.schema(
    [
        _field("first", pa.string(), "one model, with its run where names repeat"),
        _field("second", pa.string(), "the other model"),
        _field("rules", pa.string(), "official, corrected or verified: the rule set"),
        _field("category", pa.string(), "one of the V4 categories"),
        _field("entry_id", pa.string(), "id as in the release"),
        _field("right", pa.string(), "the model that has it right; the other does not"),
    ]
)
"""One row per pair and entry that only one of the two has right, in benchmark order."""


def check_form(path: Path, forms: Sequence[str] = ALL_FORMS) -> None:
    """Raises ConfigError if the suffix of `path` names none of `forms`."""
    if path.suffix.lower() not in forms:
        raise ConfigError(f"{path}: expected a file name that ends in {', '.join(forms)}.")


def write_comparisons(path: Path, comparisons: Sequence[Comparison]) -> None:
    """Writes comparisons in the form of the suffix, atomically; JSON has the flipped entries, too."""
    form = path.suffix.lower()
    if form == JSON:
        _write_json(path, {"comparisons": [_document(each) for each in comparisons]})
    elif form in (MARKDOWN, LATEX):
        write_text(path, "\n".join(map(_markdown if form == MARKDOWN else _latex, comparisons)))
    else:
        write_any_form(path, _table(map(_score_rows, comparisons), COMPARISONS))


def write_flips(path: Path, comparisons: Sequence[Comparison]) -> None:
    """Writes the entries that flipped as a table in the form of the suffix, atomically."""
    write_any_form(path, _table(map(_flip_rows, comparisons), FLIPS))


def write_gate(path: Path, decided: Gate) -> None:
    """Writes the decision of a gate and what it rests on as JSON, atomically; differences are shares."""
    scores: list[Json] = [
        {
            "model": each.model,
            "against": each.against,
            "decision": each.decision.value,
            "entries_without_verdict": each.unjudged,
            "only_second_flaky": each.lost_flaky,
            **_renamed(asdict(each.score)),
        }
        for each in decided.scores
    ]
    _write_json(
        path,
        {
            "passes": decided.passes,
            "decision": decided.decision.value,
            "margin": decided.margin,
            "undecided": "pass" if decided.undecided_passes else "fail",
            "scores": scores,
        },
    )


def _write_json(path: Path, document: Mapping[str, Json]) -> None:
    write_text(path, json.dumps(document, ensure_ascii=False, indent=1, allow_nan=False) + "\n")


def _document(comparison: Comparison) -> Json:
    return {
        "first": comparison.first,
        "second": comparison.second,
        "rules": comparison.rules.value,
        "entries_without_verdict": comparison.unjudged,
        "entries_of_one_side": comparison.left_out,
        "memory_without_one_scenario": asdict(comparison.memory_range) if comparison.memory_range else None,
        "scores": [_renamed(asdict(score)) for score in comparison.scores],
        "flips": [
            {
                "category": flip.category,
                "entry_id": flip.entry_id,
                "right": _right(comparison, flip.first_right),
            }
            for flip in comparison.flips
        ],
    }


def _renamed(score: Mapping[str, Json]) -> dict[str, Json]:
    """The fields of a score under the names of the columns."""
    names = {"first": "first_accuracy", "second": "second_accuracy", "low": "ci_low", "high": "ci_high"}
    return {names.get(key, key): value for key, value in score.items()}


def _right(comparison: Comparison, first: bool) -> str:
    return comparison.first if first else comparison.second


def _pair(comparison: Comparison) -> dict[str, Json]:
    return {"first": comparison.first, "second": comparison.second, "rules": comparison.rules.value}


def _score_rows(comparison: Comparison) -> list[dict[str, Json]]:
    return [{**_renamed(asdict(score)), **_pair(comparison)} for score in comparison.scores]


def _flip_rows(comparison: Comparison) -> list[dict[str, Json]]:
    return [
        {
            **_pair(comparison),
            "category": flip.category,
            "entry_id": flip.entry_id,
            "right": _right(comparison, flip.first_right),
        }
        for flip in comparison.flips
    ]


def _table(parts: Iterable[Sequence[Mapping[str, Json]]], schema: pa.Schema) -> pa.Table:
    return pa.Table.from_pylist([row for part in parts for row in part], schema=schema)


def _cells(comparison: Comparison) -> list[list[str]]:
    return [[*HEADINGS], *(score_cells(score) for score in comparison.scores)]


def _markdown(comparison: Comparison) -> str:
    head, *rows = [[_markdown_text(cell) for cell in row] for row in _cells(comparison)]
    rule = [":--", *["--:"] * (len(head) - 1)]
    lines = [f"| {' | '.join(row)} |" for row in (head, rule, *rows)]
    return f"{_markdown_text(_caption(comparison))}\n\n" + "\n".join(lines) + "\n"


def _latex(comparison: Comparison) -> str:
    head, *rows = [[_latex_text(cell) for cell in row] for row in _cells(comparison)]
    body = [rf"{' & '.join(row)} \\" for row in rows]
    return "\n".join(
        [
            rf"% {_latex_text(_caption(comparison))}",
            rf"\begin{{tabular}}{{l{'r' * (len(head) - 1)}}}",
            r"\toprule",
            rf"{' & '.join(head)} \\",
            r"\midrule",
            *body,
            r"\bottomrule",
            r"\end{tabular}",
            "",
        ]
    )


def _caption(comparison: Comparison) -> str:
    return (
        f"{comparison.first} minus {comparison.second}, per cent, {comparison.rules.value} rules. "
        "A: the first, B: the second."
    )


def _markdown_text(text: str) -> str:
    return re.sub(r"([\\`*_\[\]<>|#])", r"\\\1", printable(on_one_line(text)))


_LATEX = {
    "\\": r"\textbackslash{}",
    "~": r"\textasciitilde{}",
    "^": r"\textasciicircum{}",
    "\N{EN DASH}": "--",
    "\N{MINUS SIGN}": "$-$",
    **{sign: f"\\{sign}" for sign in "&%$#_{}"},
}


def _latex_text(text: str) -> str:
    return "".join(_LATEX.get(letter, letter) for letter in printable(on_one_line(text)))
