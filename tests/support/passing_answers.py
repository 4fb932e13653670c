"""Judges the faithful answers to all scored entries of the staged release.

`python -m tests.support.passing_answers` writes bfcl_pipeline/benchmark/errata/faithful/passing.csv; a test
fails if that is not up to date.
"""

from __future__ import annotations

from pathlib import Path

from bfcl_pipeline.ask.models.faithful import passing_of
from bfcl_pipeline.benchmark.definition import CATEGORIES
from bfcl_pipeline.benchmark.errata.faithful_answers import Passing, passing_csv
from bfcl_pipeline.benchmark.tables import entries_path, read_entries
from bfcl_pipeline.dialogue.release_texts import read_constants
from tests.support import ROOT

FILE = ROOT / "bfcl_pipeline/benchmark/errata/faithful/passing.csv"


def measure(data: Path) -> dict[str, Passing]:
    """How many faithful answers pass, of every entry that counts for the leaderboard, in its order."""
    constants = read_constants(data)
    return {
        entry.entry_id: passing_of(entry, constants)
        for name, category in CATEGORIES.items()
        if category.scored
        for entry in read_entries(entries_path(data, name))
        if not entry.prerequisite
    }


if __name__ == "__main__":
    FILE.write_text(passing_csv(measure(ROOT / "data")), encoding="utf-8")
