"""The columns of comparisons, which `bfcl-pipeline compare` and `compare` of the config write."""

from __future__ import annotations

from typing import Any

import pyarrow as pa

from bfcl_pipeline.benchmark.tables.schemas import field


def described_column(name: str, kind: pa.DataType, about: str, nullable: bool = False) -> pa.Field[Any]:
    """A column with its description."""
    return field(name, kind, about, nullable)


COMPARISONS = pa.schema(
    [
        described_column("first", pa.string(), "one model, with its run where names repeat"),
        described_column("second", pa.string(), "the other model"),
        described_column("rules", pa.string(), "official, corrected or verified: the rule set"),
        described_column("score", pa.string(), "a category, or a group of the leaderboard"),
        described_column(
            "complete", pa.bool_(), "whether all its categories were compared; others count 0"
        ),
        described_column("entries", pa.int64(), "entries with a verdict on both sides"),
        described_column("clusters", pa.int64(), "clusters of them"),
        described_column(
            "first_accuracy", pa.float64(), "share that the first has right, weighted as on the leaderboard"
        ),
        described_column("second_accuracy", pa.float64(), "share that the second has right"),
        described_column("difference", pa.float64(), "first minus second"),
        described_column("ci_low", pa.float64(), "lower limit of its paired clustered 95 % interval"),
        described_column("ci_high", pa.float64(), "upper limit of its paired clustered 95 % interval"),
        described_column("only_first", pa.int64(), "entries that only the first has right"),
        described_column("only_second", pa.int64(), "entries that only the second has right"),
        described_column(
            "mcnemar_p", pa.float64(), "exact test of McNemar over entries; null for groups", True
        ),
        described_column(
            "clusters_p", pa.float64(), "exact sign test over clusters; null for groups", True
        ),
        described_column(
            "holm_p", pa.float64(), "clusters_p, adjusted for the number of scored categories", True
        ),
        described_column(
            "design_effect", pa.float64(), "of the difference; null for groups and without flips", True
        ),
        described_column(
            "detectable", pa.float64(), "smallest true difference found with 80 % power", True
        ),
    ]
)
"""One row per pair and score: groups from the overall on, then categories."""

FLIPS = pa.schema(
    [
        described_column("first", pa.string(), "one model, with its run where names repeat"),
        described_column("second", pa.string(), "the other model"),
        described_column("rules", pa.string(), "official, corrected or verified: the rule set"),
        described_column("category", pa.string(), "one of the V4 categories"),
        described_column("entry_id", pa.string(), "id as in the release"),
        described_column("right", pa.string(), "the model that has it right; the other does not"),
    ]
)
"""One row per pair and entry that only one of the two has right, in benchmark order."""
