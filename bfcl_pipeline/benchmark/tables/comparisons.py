"""The columns of comparisons, which `bfcl-pipeline compare` and `compare` of the config write."""

import pyarrow as pa

from bfcl_pipeline.benchmark.tables.schemas import count, mark, share, text

COMPARISONS = pa.schema(
    [
        text("first", "one model, with its run where names repeat"),
        text("second", "the other model"),
        text("rules", "official, corrected or verified: the rule set"),
        text("score", "a category, or a group of the leaderboard"),
        mark("complete", "whether all its categories were compared; others count 0"),
        count("entries", "entries with a verdict on both sides"),
        count("clusters", "clusters of them"),
        share("first_accuracy", "share that the first has right, weighted as on the leaderboard"),
        share("second_accuracy", "share that the second has right"),
        share("difference", "first minus second"),
        share("ci_low", "lower limit of its paired clustered 95 % interval"),
        share("ci_high", "upper limit of its paired clustered 95 % interval"),
        count("only_first", "entries that only the first has right"),
        count("only_second", "entries that only the second has right"),
        share("mcnemar_p", "exact test of McNemar over entries; null for groups", null=True),
        share("clusters_p", "exact sign test over clusters; null for groups", null=True),
        share("holm_p", "clusters_p, adjusted for the number of scored categories", null=True),
        share("design_effect", "of the difference; null for groups and without flips", null=True),
        share("detectable", "smallest true difference that the interval finds with 80 % power", null=True),
        share(
            "detectable_holm",
            "smallest true difference with `holm_p` below 0.05 with 80 % power, if it is the least of all "
            "categories; null for groups",
            null=True,
        ),
    ]
)
"""One row per pair and score: groups from the overall on, then categories."""

FLIPS = pa.schema(
    [
        text("first", "one model, with its run where names repeat"),
        text("second", "the other model"),
        text("rules", "official, corrected or verified: the rule set"),
        text("category", "one of the V4 categories"),
        text("entry_id", "id as in the release"),
        text("right", "the model that has it right; the other does not"),
    ]
)
"""One row per pair and entry that only one of the two has right, in benchmark order."""
