"""The columns of the tables under `results/<run>/tables`, each with a description.

Every table is written as Parquet and as CSV with the same columns and row order. Accuracies and interval
limits are between 0 and 1; a null is an empty CSV field. The tables of agentic categories are in
`agentic_columns`, those of trials in `trial_columns`. The descriptions are part of the Parquet files: with
other words, an archive made before could not be verified byte for byte. `tests/support/column_docs.py`
describes the rows of each table.
"""

from __future__ import annotations

from typing import Any

import pyarrow as pa

from bfcl_pipeline.benchmark.definition import V4_CATEGORIES
from bfcl_pipeline.benchmark.definition.leaderboard import LEADERBOARD, Group, Mean

TEXT = pa.string()
COUNT = pa.int64()
SHARE = pa.float64()


def field(name: str, kind: pa.DataType, about: str, nullable: bool = True) -> pa.Field[Any]:
    """One column with its description."""
    return pa.field(name, kind, nullable=nullable, metadata={"description": about})


RUN = field("run", TEXT, "name of the run; null if the responses tell none")
MODEL = field("model", TEXT, "name of the model", nullable=False)
RULES = field("rules", TEXT, "official, corrected or verified: the rule set", nullable=False)
CATEGORY = field("category", TEXT, "one of the V4 categories", nullable=False)
WEB = field(
    "web", TEXT, "web searched: simulated, record, replay, live or off; several joined; null if none"
)


CLUSTERED = "95 % interval, entries clustered (docs/statistics.md)"


def tally(of: str, interval: str = "95 % Wilson interval") -> list[pa.Field[Any]]:
    """The columns of one accuracy.

    Args:
        of: the entries, as the end of a noun phrase.
        interval: which interval it has.
    """
    return [
        field("answered", COUNT, f"entries {of} with a judged response", nullable=False),
        field("correct", COUNT, "of these, the valid ones", nullable=False),
        field("accuracy", SHARE, "correct / answered; null if none was judged"),
        field("ci_low", SHARE, f"lower limit of its {interval}"),
        field("ci_high", SHARE, f"upper limit of its {interval}"),
    ]


CLUSTERS = field("clusters", COUNT, "sets of judged entries that share a scenario", nullable=False)
DESIGN_EFFECT = field(
    "design_effect", SHARE, "variance over that of independent entries; null if it cannot be measured"
)


CATEGORY_TABLE = pa.schema(
    [
        RUN,
        MODEL,
        RULES,
        CATEGORY,
        WEB,
        field("release_entries", COUNT, "scored entries that the release has", nullable=False),
        field("entries", COUNT, "entries asked in this run", nullable=False),
        *tally("of the category", CLUSTERED),
        CLUSTERS,
        DESIGN_EFFECT,
        field("not_answered", COUNT, "entries without a verdict: in no accuracy", nullable=False),
    ]
)


def _group_fields(group: Group) -> list[pa.Field[Any]]:
    how = {
        Mean.EQUAL: "mean of {}",
        Mean.BY_SIZE: "mean of {}, by judged entries",
        Mean.WEIGHTED: "weighted mean of {}",
    }[group.mean]
    names = ", ".join(
        f"{m.weight} % {m.name}" if group.mean is Mean.WEIGHTED else m.name for m in group.members
    )
    missing = "" if group.name == "overall" else "; null if nothing of it was evaluated"
    about = f"{how.format(names)}; what was not evaluated counts 0{missing}"
    return [
        field(group.name, SHARE, about),
        field(f"{group.name}_ci_low", SHARE, f"lower limit of its {CLUSTERED}"),
        field(f"{group.name}_ci_high", SHARE, f"upper limit of its {CLUSTERED}"),
    ]


RANK_FIELDS: tuple[pa.Field[Any], ...] = (
    field("rank_low", COUNT, "best rank that the verdicts allow: 1 + models shown to be better"),
    field("rank_high", COUNT, "worst rank that the verdicts allow: models but those shown to be worse"),
    field("rank_group", COUNT, "from 1; no model of a group is shown to be worse than its first"),
    field(
        "detectable",
        SHARE,
        "smallest true difference from the next model that these entries show with 80 % power",
    ),
)
"""The columns on ranks; null for a single model, or without verdicts."""

LEADERBOARD_TABLE = pa.schema(
    [
        RUN,
        RULES,
        field("rank", COUNT, "by overall, highest first; ties in the order of names", nullable=False),
        *RANK_FIELDS,
        MODEL,
        field("display_name", TEXT, "name on the leaderboard", nullable=False),
        field("kind", TEXT, "what answers, from the model's row; null if it has none"),
        field("mode", TEXT, "fc or prompt", nullable=False),
        WEB,
        *(column for group in reversed(LEADERBOARD) for column in _group_fields(group)),
        *(
            field(name, SHARE, f"accuracy on {name}; null if it was not evaluated")
            for name in V4_CATEGORIES
        ),
        field("format_max_delta", SHARE, "best prompt format minus worst, in percentage points"),
        field("format_std", SHARE, "standard deviation over prompt formats, in percentage points"),
        field("entries", COUNT, "entries asked, of all categories", nullable=False),
        field("answered", COUNT, "entries with a judged response", nullable=False),
        field("not_answered", COUNT, "entries without a verdict: in no score", nullable=False),
        field("cost_usd", SHARE, "cost in US dollars as the leaderboard reckons it; null if unknown"),
        field("latency_mean_seconds", SHARE, "mean latency of an exchange"),
        field("latency_std_seconds", SHARE, "sample standard deviation of the latencies"),
        field("latency_p95_seconds", SHARE, "95th percentile of the latencies"),
        field("org", TEXT, "who made the model", nullable=False),
        field("license", TEXT, "the model's license", nullable=False),
        field("url", TEXT, "where the model is described", nullable=False),
    ]
)

ERROR_TABLE = pa.schema(
    [
        RUN,
        MODEL,
        RULES,
        CATEGORY,
        field("error_type", TEXT, "official name of the error", nullable=False),
        field("count", COUNT, "responses that failed so", nullable=False),
        field("example_entry_id", TEXT, "the first of them", nullable=False),
        field("example_message", TEXT, "what was wrong with it, for a person, cut to 300 characters"),
    ]
)

FORMAT_TABLE = pa.schema(
    [
        RUN,
        MODEL,
        RULES,
        field("format", TEXT, "the release's name of the prompt format", nullable=False),
        field("return_format", TEXT, "syntax in which calls were to be written", nullable=False),
        field("tool_call_tag", pa.bool_(), "calls were to stand in a tag", nullable=False),
        field("doc_format", TEXT, "how the functions were documented", nullable=False),
        field("layout", TEXT, "plaintext or markdown", nullable=False),
        field("style", TEXT, "classic or experimental wording", nullable=False),
        field("entries", COUNT, "entries asked in this format", nullable=False),
        *tally("in this format"),
    ]
)

RULES_TABLE = pa.schema(
    [
        RUN,
        MODEL,
        CATEGORY,
        WEB,
        field("entries", COUNT, "entries that official and corrected rules judged", nullable=False),
        field("official_accuracy", SHARE, "accuracy under the official rules"),
        field("corrected_accuracy", SHARE, "accuracy under the corrected rules"),
        field("to_valid", COUNT, "invalid officially, valid when corrected", nullable=False),
        field("to_invalid", COUNT, "valid officially, invalid when corrected", nullable=False),
        field("flipped", COUNT, "entries whose verdict differs: the sum of both", nullable=False),
        field("verified_accuracy", SHARE, "accuracy under the verified rules; null without verdicts"),
        field("left_out", COUNT, "entries that the verified rules leave out", nullable=False),
        field("mended", COUNT, "entries that the verified rules judge by a mended truth", nullable=False),
        field(
            "verified_to_valid",
            COUNT,
            "of these, invalid when corrected, now valid",
            nullable=False,
        ),
        field(
            "verified_to_invalid",
            COUNT,
            "of these, valid when corrected, now invalid",
            nullable=False,
        ),
    ]
)

COVERAGE_TABLE = pa.schema(
    [
        RUN,
        MODEL,
        CATEGORY,
        field("status", TEXT, "answered, or why there is no verdict", nullable=False),
        field("entries", COUNT, "entries with this status", nullable=False),
    ]
)

INTERVALS_TABLE = pa.schema(
    [
        RUN,
        MODEL,
        RULES,
        field("score", TEXT, "a column of `leaderboard`: a score or a category", nullable=False),
        field("entries", COUNT, "entries of it with a judged response", nullable=False),
        CLUSTERS,
        field("accuracy", SHARE, "the score; what was not evaluated counts 0", nullable=False),
        field("ci_low", SHARE, f"lower limit of its {CLUSTERED}", nullable=False),
        field("ci_high", SHARE, f"upper limit of its {CLUSTERED}", nullable=False),
        DESIGN_EFFECT,
        field("effective_entries", SHARE, "independent entries that would be as precise; null if unknown"),
        field("scenario_low", SHARE, "memory: the lowest score with one scenario left out; else null"),
        field("scenario_high", SHARE, "memory: the highest score with one scenario left out; else null"),
    ]
)

USAGE_TABLE = pa.schema(
    [
        RUN,
        MODEL,
        CATEGORY,
        field("part", TEXT, "entries, or sessions: those before memory questions", nullable=False),
        field("entries", COUNT, "entries or sessions asked, whatever became of them", nullable=False),
        field("exchanges", COUNT, "requests of these that were answered", nullable=False),
        field("input_tokens", COUNT, "tokens sent; null if never told"),
        field("output_tokens", COUNT, "tokens received; null if never told"),
        field("cost_usd", SHARE, "these at the prices of the model's row, in US dollars; null without"),
        field(
            "exchange_mean_seconds", SHARE, "mean time from a request to its answer; null if never taken"
        ),
        field("exchange_p95_seconds", SHARE, "95th percentile of these times"),
        field("entry_mean_seconds", SHARE, "mean over entries of the sum of their times"),
        field("entry_p95_seconds", SHARE, "95th percentile of these sums"),
        field("truncated", COUNT, "answers cut off at a limit of tokens; null if no end is ever told"),
    ]
)

UNANSWERED_TABLE = pa.schema(
    [
        RUN,
        MODEL,
        field("entries", COUNT, "entries of the model, all without an answer; null without responses"),
        field("reason", TEXT, "why, for a person: the shortest detail of these entries", nullable=False),
    ]
)

TABLES: dict[str, pa.Schema] = {
    "leaderboard": LEADERBOARD_TABLE,
    "categories": CATEGORY_TABLE,
    "error_types": ERROR_TABLE,
    "formats": FORMAT_TABLE,
    "rules": RULES_TABLE,
    "coverage": COVERAGE_TABLE,
    "usage": USAGE_TABLE,
    "intervals": INTERVALS_TABLE,
}
"""The tables of every run, by file name."""

UNANSWERED_TABLES: dict[str, pa.Schema] = {"unanswered": UNANSWERED_TABLE}
"""The table of runs with a model without any answer, by file name."""


def with_unranked(schema: pa.Schema) -> pa.Schema:
    """The schema of `leaderboard` with models that have no rank, as they have no verdict."""
    place = schema.get_field_index("rank")
    return schema.set(place, schema.field(place).with_nullable(True))
