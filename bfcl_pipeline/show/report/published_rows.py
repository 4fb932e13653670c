"""Rows of published scores in the V4 table: greyed, sorted in by overall, without a rank of the run.

Reads `tables/published.csv` with the standard library alone, so that the table is printed fast.
"""

from collections.abc import Mapping, Sequence
from typing import Any

from bfcl_pipeline.base.text import plural, printable
from bfcl_pipeline.runs.run import Run
from bfcl_pipeline.show.report.format import number, percent
from bfcl_pipeline.show.report.notes import csv_rows

PUBLISHED = "P"
"""Stands in the place of the rank."""

Published = Mapping[str, Any]
"""A row of the table `published` as texts."""


def published_rows(run: Run) -> list[Published]:
    """The rows of the table `published`; none if the run has no such table. Raises KeyError, ValueError."""
    return [*csv_rows(run.csv_table("published"))]


def with_published(
    cells: Sequence[Sequence[str]],
    overall: Sequence[float | None],
    published: Sequence[Published],
    headings: Sequence[str],
    scores: Mapping[str, str],
) -> list[Sequence[str]]:
    """The rows of a table with those of published scores among them.

    Args:
        cells: the rows of the run's models, in the order of their ranks.
        overall: their overall scores.
        published: the published rows.
        headings: of the columns; those that are not known here are empty in published rows.
        scores: the headings of scores, by the column of the table `published`.
    """
    rows = [(-1.0 if score is None else score, row) for score, row in zip(overall, cells, strict=True)]
    for one in published:
        known = {"#": PUBLISHED, "Model": printable(one["display_name"])}
        known |= {heading: percent(number(one[name])) for name, heading in scores.items()}
        row = [known.get(heading, "") for heading in headings]
        place = sum(score >= float(one["overall"]) for score, _ in rows)
        rows.insert(place, (float(one["overall"]), row))
    return [row for _, row in rows]


def published_notes(published: Sequence[Mapping[str, object]]) -> list[str]:
    """A sentence for each file of published scores."""
    files: dict[tuple[str, str, str], int] = {}
    for row in published:
        key = (str(row["file"]), str(row["date"]), str(row["source"]))
        files[key] = files.get(key, 0) + 1
    return [
        f"{PUBLISHED}: {plural(count, 'published row', 'published rows')}, not of this run and in no rank "
        f"or comparison: {printable(file)} of {date}, {printable(source)}."
        for (file, date, source), count in files.items()
    ]
