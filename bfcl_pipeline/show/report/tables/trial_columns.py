"""The columns of the tables on several trials of a model, which only exist if a run has rows for them."""

from __future__ import annotations

import pyarrow as pa

from bfcl_pipeline.show.report.tables.columns import CATEGORY, COUNT, RULES, RUN, SHARE, TEXT, field

_MODEL = field("model", TEXT, "name of the model, of whose trials each has its own in other tables", False)
_SCORE = field("score", TEXT, "a column of `leaderboard`: a score or a category", nullable=False)

TRIALS = pa.schema(
    [
        RUN,
        RULES,
        _MODEL,
        _SCORE,
        field("trials", COUNT, "trials that have this score", nullable=False),
        field("mean", SHARE, "its mean over these", nullable=False),
        field("std", SHARE, "its sample standard deviation; null of one trial"),
        field("min", SHARE, "the lowest", nullable=False),
        field("max", SHARE, "the highest", nullable=False),
        field(
            "ci_low",
            SHARE,
            "lower limit of the clustered 95 % interval of the mean; null if trials lack categories of it",
        ),
        field("ci_high", SHARE, "upper limit of this interval"),
        field("between", SHARE, "standard error of the mean from the choice of the entries"),
        field("within", SHARE, "standard error of the mean from the randomness of trials"),
        field("entries", COUNT, "entries with a verdict in two trials or more"),
        field("flaky", COUNT, "of these, those whose verdict differs among trials"),
    ]
)

PASS_K = pa.schema(
    [
        RUN,
        RULES,
        _MODEL,
        _SCORE,
        field("k", COUNT, "number of repetitions", nullable=False),
        field("entries", COUNT, "entries counted: verdicts in k trials or more", nullable=False),
        field("pass_k", SHARE, "pass^k: probability that k repetitions are all right", nullable=False),
        field("ci_low", SHARE, "lower limit of its clustered 95 % interval", nullable=False),
        field("ci_high", SHARE, "upper limit of its clustered 95 % interval", nullable=False),
        field("pass_at_k", SHARE, "pass@k: probability that one or more of k are right", nullable=False),
    ]
)

FLAKY = pa.schema(
    [
        RUN,
        RULES,
        _MODEL,
        CATEGORY,
        field("entry_id", TEXT, "id as in the release", nullable=False),
        field("trials", COUNT, "trials with a verdict on it", nullable=False),
        field("right", COUNT, "of these, those with a valid answer", nullable=False),
    ]
)

TRIAL_TABLES: dict[str, pa.Schema] = {"trials": TRIALS, "pass_k": PASS_K, "flaky": FLAKY}
"""The tables of runs with several trials of a model, by file name."""
