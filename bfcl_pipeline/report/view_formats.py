"""Format sensitivity: each model's accuracy in each prompt format, and the spread."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from bfcl_pipeline.benchmark import FORMATS, PromptFormat
from bfcl_pipeline.report.cells import MISSING, Cell, count, heat, interval, plain, short_percent
from bfcl_pipeline.report.run_tables import Row, RunTables
from bfcl_pipeline.report.view_overview import ModelLabel, model_labels


@dataclass(frozen=True, slots=True)
class FormatLine:
    """One prompt format."""

    choices: Sequence[str]  # return format, tag, doc format, layout, style
    title: str  # these in one line
    cells: Sequence[Cell]  # one per model


@dataclass(frozen=True, slots=True)
class FormatSensitivity:
    """Prompt formats by models; without labels where no model was asked."""

    labels: Sequence[ModelLabel]
    max_deltas: Sequence[str]  # one per model, percentage points
    deviations: Sequence[str]  # one per model, percentage points
    lines: Sequence[FormatLine]


def format_sensitivity(tables: RunTables) -> FormatSensitivity:
    """The models that were asked in several formats, in the order of ranks."""
    rows = {(row["model"], row["format"]): row for row in tables.formats}
    asked = {model for model, _ in rows}
    labels = {model: label for model, label in model_labels(tables).items() if model in asked}
    ranked = [row for row in tables.leaderboard if row["model"] in asked]
    return FormatSensitivity(
        labels=list(labels.values()),
        max_deltas=[plain(row["format_max_delta"]) for row in ranked],
        deviations=[plain(row["format_std"]) for row in ranked],
        lines=[
            FormatLine(_choices(fmt), _title(fmt), [_cell(rows.get((model, fmt.key))) for model in labels])
            for fmt in FORMATS
        ],
    )


def _choices(fmt: PromptFormat) -> list[str]:
    tag = "yes" if fmt.tool_call_tag else "no"
    return [fmt.return_format.value.replace("_", " "), tag, fmt.doc_format, fmt.layout, fmt.style]


def _title(fmt: PromptFormat) -> str:
    """All of the choices but the usual layout and the usual wording."""
    tag = "tagged " if fmt.tool_call_tag else ""
    odd = [one for one in (fmt.layout, fmt.style) if one not in ("plaintext", "classic")]
    return ", ".join([f"{tag}{fmt.return_format.value.replace('_', ' ')}, {fmt.doc_format} docs", *odd])


def _cell(row: Row | None) -> Cell:
    if row is None or row["accuracy"] is None:
        return Cell(MISSING, None, title="not evaluated")
    share = row["accuracy"]
    limits = interval(row["ci_low"], row["ci_high"])
    title = f"{count(row['correct'])} of {count(row['answered'])} right"
    return Cell(short_percent(share), share, limits, title, heat(share))
