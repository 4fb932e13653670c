"""Which entries a run judges by its own errata, in words for its tables and its page."""

from collections.abc import Iterable, Mapping

from bfcl_pipeline.base.text import plural, printable
from bfcl_pipeline.runs.run import Run
from bfcl_pipeline.show.report.csv_rows import csv_rows

SHOWN = 10
"""The most entries that a note lists."""


def own_errata_notes(rows: Iterable[Mapping[str, str]]) -> list[str]:
    """A sentence for each file of the user's own errata. rows: of the table `own_errata`."""
    files: dict[str, dict[str, str]] = {}
    for row in rows:
        files.setdefault(row["file"], {})[row["entry_id"]] = row["treatment"]
    return [
        f"Verified scores use the errata of {printable(file)} on "
        f"{plural(len(entries), 'entry', 'entries')}: {_listed(entries)}."
        for file, entries in files.items()
    ]


def own_errata_lines(run: Run) -> list[str]:
    """The sentences on the table of a run, if it has one. Raises KeyError, ValueError or csv.Error."""
    return own_errata_notes(csv_rows(run.csv_table("own_errata")))


def _listed(entries: Mapping[str, str]) -> str:
    listed = [f"{entry_id} ({treatment})" for entry_id, treatment in entries.items()]
    more = f" and {len(listed) - SHOWN:,} more (tables/own_errata.csv)" if len(listed) > SHOWN else ""
    return ", ".join(listed[:SHOWN]) + more
