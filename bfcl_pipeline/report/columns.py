"""The columns of every table under `results/<run>/tables`, each with one line on what it holds.

Every table is written as Parquet and as CSV with the same columns and row order. Accuracies and
interval limits run from 0 to 1; a null is an empty CSV field.
"""

from __future__ import annotations

from typing import Any

import pyarrow as pa

from bfcl_pipeline.benchmark import CATEGORIES
from bfcl_pipeline.benchmark.leaderboard import LEADERBOARD, Group, Mean


def _field(name: str, kind: pa.DataType, about: str, nullable: bool = True) -> pa.Field[Any]:
    return pa.field(name, kind, nullable=nullable, metadata={"description": about})


_TEXT = pa.string()
_COUNT = pa.int64()
_SHARE = pa.float64()

_RUN = _field("run", _TEXT, "name of the run; null if the responses tell none")
_MODEL = _field("model", _TEXT, "name of the model", nullable=False)
_RULES = _field("rules", _TEXT, "official or corrected: who judged", nullable=False)
_CATEGORY = _field("category", _TEXT, "one of the V4 categories", nullable=False)


def _tally(of: str) -> list[pa.Field[Any]]:
    return [
        _field("answered", _COUNT, f"entries {of} with a judged response", nullable=False),
        _field("correct", _COUNT, "of these, the valid ones", nullable=False),
        _field("accuracy", _SHARE, "correct / answered; null if none was judged"),
        _field("ci_low", _SHARE, "lower limit of its 95 % Wilson interval"),
        _field("ci_high", _SHARE, "upper limit of its 95 % Wilson interval"),
    ]


CATEGORY_TABLE = pa.schema(
    [
        _RUN,
        _MODEL,
        _RULES,
        _CATEGORY,
        _field("release_entries", _COUNT, "scored entries that the release has", nullable=False),
        _field("entries", _COUNT, "entries asked in this run", nullable=False),
        *_tally("of the category"),
        _field("not_answered", _COUNT, "entries without a verdict: in no accuracy", nullable=False),
    ]
)
"""`categories`: one row per model, rule set and category that was asked."""


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
        _field(group.name, _SHARE, about),
        _field(f"{group.name}_ci_low", _SHARE, "lower limit of its 95 % interval"),
        _field(f"{group.name}_ci_high", _SHARE, "upper limit of its 95 % interval"),
    ]


LEADERBOARD_TABLE = pa.schema(
    [
        _RUN,
        _RULES,
        _field("rank", _COUNT, "by overall, highest first; ties in the order of names", nullable=False),
        _MODEL,
        _field("display_name", _TEXT, "name on the leaderboard", nullable=False),
        _field("kind", _TEXT, "what answers, from the model's row; null if it has none"),
        _field("mode", _TEXT, "fc or prompt", nullable=False),
        *(field for group in reversed(LEADERBOARD) for field in _group_fields(group)),
        *(_field(name, _SHARE, f"accuracy on {name}; null if it was not evaluated") for name in CATEGORIES),
        _field("format_max_delta", _SHARE, "best prompt format minus worst, in percentage points"),
        _field("format_std", _SHARE, "standard deviation over prompt formats, in percentage points"),
        _field("entries", _COUNT, "entries asked, of all categories", nullable=False),
        _field("answered", _COUNT, "entries with a judged response", nullable=False),
        _field("not_answered", _COUNT, "entries without a verdict: in no score", nullable=False),
        _field("cost_usd", _SHARE, "cost in US dollars as the leaderboard reckons it; null if unknown"),
        _field("latency_mean_seconds", _SHARE, "mean latency of an exchange"),
        _field("latency_std_seconds", _SHARE, "sample standard deviation of the latencies"),
        _field("latency_p95_seconds", _SHARE, "95th percentile of the latencies"),
        _field("org", _TEXT, "who made the model", nullable=False),
        _field("license", _TEXT, "the model's license", nullable=False),
        _field("url", _TEXT, "where the model is described", nullable=False),
    ]
)
"""`leaderboard`: one row per model and rule set, official rules first, then by rank."""

ERROR_TABLE = pa.schema(
    [
        _RUN,
        _MODEL,
        _RULES,
        _CATEGORY,
        _field("error_type", _TEXT, "official name of the error", nullable=False),
        _field("count", _COUNT, "responses that failed so", nullable=False),
        _field("example_entry_id", _TEXT, "the first of them", nullable=False),
        _field("example_message", _TEXT, "what was wrong with it, for a person, cut to 300 characters"),
    ]
)
"""`error_types`: one row per model, rule set, category and kind of error, commonest first."""

FORMAT_TABLE = pa.schema(
    [
        _RUN,
        _MODEL,
        _RULES,
        _field("format", _TEXT, "the release's name of the prompt format", nullable=False),
        _field("return_format", _TEXT, "syntax in which calls were to be written", nullable=False),
        _field("tool_call_tag", pa.bool_(), "calls were to stand in a tag", nullable=False),
        _field("doc_format", _TEXT, "how the functions were documented", nullable=False),
        _field("layout", _TEXT, "plaintext or markdown", nullable=False),
        _field("style", _TEXT, "classic or experimental wording", nullable=False),
        _field("entries", _COUNT, "entries asked in this format", nullable=False),
        *_tally("in this format"),
    ]
)
"""`formats`: one row per model, rule set and prompt format of the format-sensitivity test."""

RULES_TABLE = pa.schema(
    [
        _RUN,
        _MODEL,
        _CATEGORY,
        _field("entries", _COUNT, "entries that both rule sets judged", nullable=False),
        _field("official_accuracy", _SHARE, "accuracy under the official rules"),
        _field("corrected_accuracy", _SHARE, "accuracy under the corrected rules"),
        _field("to_valid", _COUNT, "invalid officially, valid when corrected", nullable=False),
        _field("to_invalid", _COUNT, "valid officially, invalid when corrected", nullable=False),
        _field("flipped", _COUNT, "entries whose verdict differs: the sum of both", nullable=False),
    ]
)
"""`rules`: one row per model and category that were judged under both rule sets."""

COVERAGE_TABLE = pa.schema(
    [
        _RUN,
        _MODEL,
        _CATEGORY,
        _field("status", _TEXT, "answered, or why there is no verdict", nullable=False),
        _field("entries", _COUNT, "entries with this status", nullable=False),
    ]
)
"""`coverage`: one row per model, category and status that occurs."""

TABLES: dict[str, pa.Schema] = {
    "leaderboard": LEADERBOARD_TABLE,
    "categories": CATEGORY_TABLE,
    "error_types": ERROR_TABLE,
    "formats": FORMAT_TABLE,
    "rules": RULES_TABLE,
    "coverage": COVERAGE_TABLE,
}
"""Every table of a run by file name."""
