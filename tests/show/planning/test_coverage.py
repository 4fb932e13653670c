"""The command that counts how often intervals hold the truth, on planted verdicts."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from benchmarks.coverage import Population, Tally, complete, planted, read, tallies
from bfcl_pipeline.benchmark.config import RunSample, SampleBy, divide
from bfcl_pipeline.benchmark.definition import CATEGORIES
from bfcl_pipeline.benchmark.definition.leaderboard import category_weights
from bfcl_pipeline.judge.scoring.aggregate import Count, leaderboard_scores
from bfcl_pipeline.judge.scoring.statistics.clustered import means

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


def whole_benchmark() -> dict[str, str]:
    """Made-up ids of as many entries of each category as the release has."""
    return {
        f"{name}_{number}": name
        for name, category in CATEGORIES.items()
        for number in range(category.entries)
        if name in category_weights("overall", {})
    }


def test_a_draw_has_the_score_of_a_run_by_weight() -> None:
    """The estimate that is tested is that of the leaderboard table of a run with this sample."""
    entries = whole_benchmark()
    population = Population.of(entries)
    verdicts = np.array(list(planted(entries, seed=1).values()), np.float64)
    sample = divide(RunSample(300, SampleBy.WEIGHT), list(CATEGORIES))
    drawn, where = population.draw(np.random.default_rng(0), sample)
    assert where.sizes.tolist() == [sample[name] for name in population.categories]
    counts = {
        name: Count(int(size), int(verdicts[drawn][where.category == number].sum()))
        for number, (name, size) in enumerate(zip(population.categories, where.sizes, strict=True))
    }
    sizes = {name: category.entries for name, category in CATEGORIES.items()}
    scores = leaderboard_scores(counts, sizes)
    for score in ("overall", "live"):
        estimate = population.weights(score) @ means(verdicts[drawn], where).mean
        assert scores[score].accuracy == pytest.approx(float(estimate), abs=1e-12)


def test_planted_verdicts_agree_within_clusters() -> None:
    """Half of the multi-turn entries are right; variants of one scenario agree more often than chance."""
    entries = {
        f"multi_turn_{variant}_{number}": f"multi_turn_{variant}"
        for variant in ("base", "miss_func")
        for number in range(2000)
    }
    made = planted(entries, seed=0)
    pairs = [(made[f"multi_turn_base_{n}"], made[f"multi_turn_miss_func_{n}"]) for n in range(2000)]
    assert sum(made.values()) / len(made) == pytest.approx(0.5, abs=0.03)
    assert sum(one == other for one, other in pairs) / 2000 == pytest.approx((1 + 0.47) / 2, abs=0.03)


def test_only_entries_without_a_verdict_get_planted_ones() -> None:
    """Real verdicts are kept."""
    found = complete(
        {"multiple_0": ("multiple", True)}, {"multiple_0": "multiple", "parallel_0": "parallel"}
    )
    assert found["multiple_0"] == ("multiple", True)
    assert found["parallel_0"][0] == "parallel"


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
