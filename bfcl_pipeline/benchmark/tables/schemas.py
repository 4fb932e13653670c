"""The columns of every table that the pipeline writes, each with a one-line description.

The descriptions are stored in the files, so a change of their words changes the bytes of every table.
`*_json` columns are JSON text. No table contains a time, a path, or anything else that differs between two
equal runs, except latencies of real models.
"""

from __future__ import annotations

from typing import Any

import pyarrow as pa


def field(name: str, kind: pa.DataType, about: str) -> pa.Field[Any]:
    """One column of a table with its description. name: ends with `?` if a value may be missing."""
    metadata = {"description": about}
    return pa.field(name.removesuffix("?"), kind, nullable=name.endswith("?"), metadata=metadata)


def text(name: str, about: str) -> pa.Field[Any]:
    """A column of texts, as `field`."""
    return field(name, pa.string(), about)


def count(name: str, about: str) -> pa.Field[Any]:
    """A column of whole numbers, as `field`."""
    return field(name, pa.int64(), about)


def share(name: str, about: str) -> pa.Field[Any]:
    """A column of real numbers, as `field`."""
    return field(name, pa.float64(), about)


def mark(name: str, about: str) -> pa.Field[Any]:
    """A column of true and false, as `field`."""
    return field(name, pa.bool_(), about)


_TEXT = pa.string()
_TEXTS = pa.list_(pa.string())
_STEP = pa.struct(
    [
        pa.field("turn", pa.int32(), nullable=False),
        pa.field("input_tokens", pa.int64()),
        pa.field("output_tokens", pa.int64()),
        pa.field("latency_seconds", pa.float64()),
        pa.field("finish_reason", pa.string()),
    ]
)

ENTRIES = pa.schema(
    [
        text("entry_id", "id as in the release"),
        text("category", "one of the V4 categories"),
        text("turns_json", "list of turns, each a list of {role, content}"),
        text("functions_json", "function docs offered from the start"),
        text("truth_json?", "acceptable calls or answers; null where there are none"),
        text("prompt_format?", "format_sensitivity: its configuration"),
        text("base_entry_id?", "format_sensitivity: the entry it restates"),
        field("apis", _TEXTS, "simulated APIs involved"),
        text("initial_state_json?", "state of each API before the first turn"),
        text("held_out_json?", "function docs that appear at a later turn, by turn number"),
        field("depends_on", _TEXTS, "entries to be run before this one"),
        mark("prerequisite", "a session played before the questions"),
        text("scenario?", "memory: whose assistant the model is"),
        text("source_json?", "where the truth comes from, as the release documents it"),
    ]
)
"""`data/entries/<category>.parquet`: one row per entry, in the release's order."""

RESPONSES = pa.schema(
    [
        text("run?", "name of the run"),
        text("model?", "name of the model, as in config/models.yaml"),
        text("category", "one of the V4 categories"),
        text("entry_id", "id as in the release"),
        text("mode", "fc or prompt"),
        text("name_style?", "underscored or dotted; null: underscored for fc, else dotted"),
        text("result_json?", "the official result form: text, or calls; null: no answer"),
        text("status?", "answered, or why there is no answer"),
        text("status_detail?", "what went wrong, for a person"),
        count("input_tokens?", "tokens sent; null if not told"),
        count("output_tokens?", "tokens received; null if not told"),
        share("latency_seconds?", "time to the answer in seconds; null if not taken"),
        field(
            "steps?",
            pa.list_(_STEP),
            "its exchanges in order: turn, the same three of each, and why the answer ended",
        ),
        text("web?", "web search: simulated, record, replay, live or off; else null"),
    ]
)
"""`results/<run>/responses/<model>/<category>.parquet`: one row per entry of the run, in entry order."""

SESSIONS = pa.schema(
    [
        *(RESPONSES.field(name) for name in ("run", "model", "category", "entry_id", "mode")),
        text("scenario?", "whose assistant the model is"),
        *(RESPONSES.field(name) for name in ("result_json", "status", "status_detail", "steps")),
        text("snapshot_json?", "the memory after the session; null if it could not be held"),
    ]
)
"""`results/<run>/memory/<model>/<category>.parquet`: one row per session before the questions."""

VERDICT_FIELDS = (
    mark("valid?", "the verdict; null where the response is not `answered`"),
    text("error_type?", "official name of the error; null where valid"),
    text("error_message?", "what is wrong, for a person; null where valid"),
    text("status", "answered, or why there is no verdict"),
    text("answer_class?", "what the answer is: of irrelevance and agentic entries; else null"),
    mark("unread_call?", "mode fc: its text has a call, which was not read as one"),
)
"""The columns that scoring adds to a row."""

VERDICTS = pa.schema(
    [
        text("run?", "name of the run"),
        text("model?", "name of the model"),
        text("category", "one of the V4 categories"),
        text("entry_id", "id as in the release"),
        text("mode", "fc or prompt"),
        text("rules", "official, corrected or verified: the rule set"),
        *VERDICT_FIELDS,
    ]
)
"""`results/<run>/verdicts/<model>.parquet`: one row per response and rule set."""

FINDINGS = pa.schema(
    [
        text("category", "one of the V4 categories"),
        text("entry_id", "id as in the release"),
        text("detector", "what found it, by the class of defects"),
        text("rules", "official, corrected or verified: the rule set"),
        text("place", "where in the entry"),
        text("detail", "what is suspected, for a person"),
        text("related_entry_id?", "the entry that it is compared with; null if there is none"),
        text(
            "erratum?",
            "confirmed, disputed or rejected, as adjudicated in the errata; null if not adjudicated",
        ),
    ]
)
"""What `bfcl-pipeline audit --out` writes: one row per suspected defect of an entry, in entry order."""


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
        share("mcnemar_p?", "exact test of McNemar over entries; null for groups"),
        share("clusters_p?", "exact sign test over clusters; null for groups"),
        share("holm_p?", "clusters_p, adjusted for the number of scored categories"),
        share("design_effect?", "of the difference; null for groups and without flips"),
        share("detectable?", "smallest true difference that the interval finds with 80 % power"),
        share(
            "detectable_holm?",
            "smallest true difference with `holm_p` below 0.05 with 80 % power, if it is the least of all "
            "categories; null for groups",
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
