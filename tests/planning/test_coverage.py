"""The command that counts how often intervals hold the truth, on planted verdicts."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from tests.benchmarks.coverage import Population, Tally, read, tallies

DRAWS = 200


def counted(entries: dict[str, str], verdicts: dict[str, bool]) -> Tally:
    """The tally of the only category."""
    (tally,) = tallies(Population.of(entries), [verdicts], None, DRAWS, seed=0)
    return tally


def test_independent_entries_have_one_interval() -> None:
    """Where each entry is a cluster, both kinds hold the truth about as often as they should."""
    entries = {f"multiple_{number}": "multiple" for number in range(200)}
    tally = counted(entries, {entry_id: number < 140 for number, entry_id in enumerate(entries)})
    assert tally.truth == pytest.approx(0.7)
    assert tally.held["clustered"] / DRAWS == pytest.approx(0.95, abs=0.04)
    assert tally.held["independent"] / DRAWS == pytest.approx(0.95, abs=0.04)


def test_entries_that_agree_in_clusters_need_the_clustered_interval() -> None:
    """Ten entries of one doc with one verdict: the independent interval fails every second time."""
    entries = {
        f"live_multiple_{10 * doc + n}-{doc}-{n}": "live_multiple" for doc in range(60) for n in range(10)
    }
    tally = counted(entries, {entry_id: int(entry_id.split("-")[1]) < 36 for entry_id in entries})
    assert tally.held["clustered"] / DRAWS == pytest.approx(0.95, abs=0.04)
    assert tally.held["independent"] / DRAWS < 0.65
    assert tally.widths["clustered"] > 2.5 * tally.widths["independent"]


def test_a_draw_has_the_entries_of_the_sample() -> None:
    """Entries of each category as asked, each once in its draw."""
    entries = {f"multiple_{n}": "multiple" for n in range(50)} | {
        f"parallel_{n}": "parallel" for n in range(40)
    }
    population = Population.of(entries)
    _, where = population.draw(np.random.default_rng(0), {"multiple": 20, "parallel": 7})
    assert where.sizes.tolist() == [20, 7]


def test_verdicts_of_the_official_rules_are_read(tmp_path: Path) -> None:
    """Rows of other rules, entries without a verdict and unknown categories are left out."""
    rows = [
        {"run": "r", "category": "multiple", "entry_id": "multiple_0", "valid": True, "rules": "official"},
        {
            "run": "r",
            "category": "multiple",
            "entry_id": "multiple_0",
            "valid": False,
            "rules": "corrected",
        },
        {"run": "r", "category": "multiple", "entry_id": "multiple_1", "valid": None, "rules": "official"},
        {"run": "r", "category": "rest", "entry_id": "rest_1", "valid": True, "rules": "official"},
    ]
    pq.write_table(pa.Table.from_pylist(rows), tmp_path / "verdicts.parquet")
    assert read([tmp_path / "verdicts.parquet"]) == {"r": {"multiple_0": ("multiple", True)}}
