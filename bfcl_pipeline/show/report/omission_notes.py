"""Notes on entries without a verdict beneath the V4 table, for the terminal, its exports and the page.

Reads rows of the table `omitted`, typed or as texts, with the standard library alone.
"""

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from bfcl_pipeline.base.text import plural, printable
from bfcl_pipeline.benchmark.definition import V4_CATEGORIES
from bfcl_pipeline.benchmark.definition.leaderboard import GROUP
from bfcl_pipeline.show.report.format import number, percent

CAUSES = {
    "model_output": "refused by the server because of what the model wrote",
    "context": "longer than the context",
    "time": "ended by a time limit",
    "network": "failed by the server or the network",
    "harness": "failed by the harness",
    "other": "not asked, not recorded or of unknown cause",
}
"""The columns of the table `omitted` that count causes, and what the entries are."""

MOST_POINTS = 0.005
"""The share of a score that entries without a verdict may move without a line of its own."""

_SHOWN, _COMPARED = 5, 2  # the most scores in a line

_Rows = Sequence[Mapping[str, Any]]


def omission_notes(rows: Iterable[Mapping[str, Any]], names: Mapping[str, str]) -> list[str]:
    """The causes; the models of which a score may move by more than MOST_POINTS; what official files count.

    Args:
        rows: of the table `omitted`, under one rule set.
        names: of the models that are shown, by model.
    """
    of_models: dict[str, list[Mapping[str, Any]]] = {name: [] for name in names}
    for row in rows:
        if row["model"] in names and row["score"] in {*GROUP, *V4_CATEGORIES}:
            of_models[row["model"]].append(row)
    categories = [row for own in of_models.values() for row in own if row["score"] in V4_CATEGORIES]
    if not categories:
        return []
    entries = sum(int(row["omitted"]) for row in categories)
    notes = [f"In no score: {plural(entries, 'entry', 'entries')} without a verdict, {causes(categories)}."]
    for model, own in of_models.items():
        if any(number(row["accuracy"]) is not None for row in own):  # others have no score
            notes += _moved(printable(names[model]), own)
        notes += _official(printable(names[model]), own)
    return notes


def causes(rows: _Rows) -> str:
    """The entries of some rows by cause: `2 ended by a time limit, 1 failed by the harness`."""
    counts = {about: sum(int(row[name]) for row in rows) for name, about in CAUSES.items()}
    return ", ".join(f"{count:,} {about}" for about, count in counts.items() if count)


def span(row: Mapping[str, Any]) -> str:
    """The lowest and the highest value of the score in a row."""
    return f"{percent(number(row['lowest']))} to {percent(number(row['highest']))}"


def _moved(name: str, rows: _Rows) -> list[str]:
    """The overall, then the scores that may move most, of one model."""
    moved = {id(row): round(float(row["highest"]) - float(row["lowest"]), 9) for row in rows}
    wide = [row for row in rows if moved[id(row)] > MOST_POINTS]
    wide.sort(key=lambda row: (row["score"] != "overall", -moved[id(row)]))
    if not wide:
        return []
    shown = [
        f"{row['score']} {span(row)} ({plural(int(row['omitted']), 'entry', 'entries')})"
        for row in wide[:_SHOWN]
    ]
    more = f"; {len(wide) - _SHOWN:,} more scores in tables/omitted.csv" if len(wide) > _SHOWN else ""
    return [f"{name}, if its entries without a verdict were wrong, or right: {', '.join(shown)}{more}."]


def _official(name: str, rows: _Rows) -> list[str]:
    """The overall in the official files, if these count stored errors, and the score that differs most."""
    counted = [row for row in rows if number(row["official"]) is not None]
    stored = sum(int(row["stored"]) for row in counted if row["score"] in V4_CATEGORIES)
    if not stored:
        return []
    off = {id(row): abs(float(row["official"]) - (number(row["accuracy"]) or 0.0)) for row in counted}
    counted.sort(key=lambda row: (row["score"] != "overall", -off[id(row)]))
    shown = (
        f"{row['score']} {percent(number(row['official']))} there, {percent(number(row['accuracy']))} here"
        for row in counted[:_COMPARED]
    )
    return [
        f"{name}: tables/official counts {plural(stored, 'stored error', 'stored errors')} as answers, as "
        f"the official tool does: {'; '.join(shown)}."
    ]
