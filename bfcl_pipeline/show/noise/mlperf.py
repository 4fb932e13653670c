"""MLPerf Inference's edge workload: its selection of BFCL V4 single-turn, and what its band is worth.

Source: mlcommons/endpoints, examples/11_Edge_Agentic_Example and dataset_manager/predefined/bfcl_v4, August
2026, and mlcommons/inference_policies#331: of each category the first 62 % (non-live) or 10 % (live and
irrelevance) in the order of the release, rounded down, and all of one of 25 entries or fewer. The score is
the share of right answers; it passes at 97 % of that of Qwen3.6-27B Q4_K_M.
"""

import math
from collections.abc import Mapping, Sequence
from pathlib import Path

import numpy as np

from bfcl_pipeline.benchmark.definition.leaderboard import categories_of
from bfcl_pipeline.benchmark.tables import entries_path, read_table
from bfcl_pipeline.judge.scoring.intervals import ScoredEntries
from bfcl_pipeline.judge.scoring.statistics.clustered import composite_error, means, total
from bfcl_pipeline.show.noise.records import published_records

NAME = "mlperf-edge"
_PERCENT = {"non_live": 62, "live": 10, "irrelevance_all": 10}
_WHOLE = 25  # entries of a category that is taken as a whole, at most
_RIGHT = {"non_live": 608, "live": 143, "irrelevance_all": 107}
"""Right answers of the reference, which follow from its published 86.23, 84.12 and 97.16 %."""

_PASSES = 0.97  # of the score of the reference


def mlperf_entries(data: Path) -> dict[str, list[str]]:
    """The ids of the selection by category. Raises TableError if a category is not staged in `data`."""
    chosen = {}
    for group, percent in _PERCENT.items():
        for name in categories_of(group):
            column = read_table(entries_path(data, name), ["entry_id"]).column("entry_id")
            ids = list(map(str, column.to_pylist()))
            chosen[name] = ids if len(ids) <= _WHOLE else ids[: len(ids) * percent // 100]
    return chosen


def standard_errors(chosen: Mapping[str, Sequence[str]]) -> tuple[float, float]:
    """Of the reference: if entries were independent, and with the design effects of gpt-oss-120b."""
    published, count = published_records(), sum(map(len, chosen.values()))
    independent = clustered = 0.0
    for group, right in _RIGHT.items():
        entries = [(name, one) for name in categories_of(group) for one in chosen[name]]
        verdicts = np.array([published[name][one].runs[0][0] > 2 for name, one in entries], np.float64)
        where = ScoredEntries(entries).scope(np.arange(len(entries))).where
        of, weights = means(verdicts, where), where.sizes / len(entries)
        effect = composite_error(of, weights) ** 2 / total(weights**2 * of.independent)
        variance = right * (1 - right / len(entries)) / count**2
        independent, clustered = independent + variance, clustered + effect * variance
    return math.sqrt(independent), math.sqrt(clustered)


def mlperf_text(chosen: Mapping[str, Sequence[str]]) -> str:
    """The selection and its band for a terminal."""
    count = sum(map(len, chosen.values()))
    score = 100 * sum(_RIGHT.values()) / count
    band = (1 - _PASSES) * score
    one, two = (100 * error for error in standard_errors(chosen))
    return "\n".join(
        [
            f"{NAME}: {count:,} entries, the share of right answers.",
            *(f"  {name}: {len(ids):,}" for name, ids in chosen.items()),
            f"Reference {score:.2f} %, passes from {_PASSES * score:.2f} %: a band of {band:.2f} points.",
            f"Standard error of a run: {one:.2f} points if entries were independent, {two:.2f} with",
            f"shared function docs; the band is {band / one:.1f} and {band / two:.1f} of them. Two runs",
            "on the same entries differ by less (bfcl-pipeline noise).",
        ]
    )
