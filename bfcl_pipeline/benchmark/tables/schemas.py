"""The columns of every table that the pipeline writes, each with a one-line description.

The descriptions are stored in the files, so a change of their words changes the bytes of every table.
`*_json` columns are JSON text. No table contains a time, a path, or anything else that differs between two
equal runs, except latencies of real models.
"""

from __future__ import annotations

from typing import Any

import pyarrow as pa


def field(name: str, kind: pa.DataType, about: str, null: bool = False) -> pa.Field[Any]:
    """One column of a table with its description. null: whether a value may be missing."""
    return pa.field(name, kind, nullable=null, metadata={"description": about})


def text(name: str, about: str, null: bool = False) -> pa.Field[Any]:
    """A column of texts, as `field`."""
    return field(name, pa.string(), about, null)


def count(name: str, about: str, null: bool = False) -> pa.Field[Any]:
    """A column of whole numbers, as `field`."""
    return field(name, pa.int64(), about, null)


def share(name: str, about: str, null: bool = False) -> pa.Field[Any]:
    """A column of real numbers, as `field`."""
    return field(name, pa.float64(), about, null)


def mark(name: str, about: str, null: bool = False) -> pa.Field[Any]:
    """A column of true and false, as `field`."""
    return field(name, pa.bool_(), about, null)


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
        text("truth_json", "acceptable calls or answers; null where there are none", null=True),
        text("prompt_format", "format_sensitivity: its configuration", null=True),
        text("base_entry_id", "format_sensitivity: the entry it restates", null=True),
        field("apis", _TEXTS, "simulated APIs involved"),
        text("initial_state_json", "state of each API before the first turn", null=True),
        text("held_out_json", "function docs that appear at a later turn, by turn number", null=True),
        field("depends_on", _TEXTS, "entries to be run before this one"),
        mark("prerequisite", "a session played before the questions"),
        text("scenario", "memory: whose assistant the model is", null=True),
        text("source_json", "where the truth comes from, as the release documents it", null=True),
    ]
)
"""`data/entries/<category>.parquet`: one row per entry, in the release's order."""

RESPONSES = pa.schema(
    [
        text("run", "name of the run", null=True),
        text("model", "name of the model, as in config/models.yaml", null=True),
        text("category", "one of the V4 categories"),
        text("entry_id", "id as in the release"),
        text("mode", "fc or prompt"),
        text("name_style", "underscored or dotted; null: underscored for fc, else dotted", null=True),
        text("result_json", "the official result form: text, or calls; null: no answer", null=True),
        text("status", "answered, or why there is no answer", null=True),
        text("status_detail", "what went wrong, for a person", null=True),
        count("input_tokens", "tokens sent; null if not told", null=True),
        count("output_tokens", "tokens received; null if not told", null=True),
        share("latency_seconds", "time to the answer in seconds; null if not taken", null=True),
        field(
            "steps",
            pa.list_(_STEP),
            "its exchanges in order: turn, the same three of each, and why the answer ended",
            null=True,
        ),
        text("web", "web search: simulated, record, replay, live or off; else null", null=True),
    ]
)
"""`results/<run>/responses/<model>/<category>.parquet`: one row per entry of the run, in entry order."""

SESSIONS = pa.schema(
    [
        *(RESPONSES.field(name) for name in ("run", "model", "category", "entry_id", "mode")),
        text("scenario", "whose assistant the model is", null=True),
        *(RESPONSES.field(name) for name in ("result_json", "status", "status_detail", "steps")),
        text("snapshot_json", "the memory after the session; null if it could not be held", null=True),
    ]
)
"""`results/<run>/memory/<model>/<category>.parquet`: one row per session before the questions."""

VERDICT_FIELDS = (
    mark("valid", "the verdict; null where the response is not `answered`", null=True),
    text("error_type", "official name of the error; null where valid", null=True),
    text("error_message", "what is wrong, for a person; null where valid", null=True),
    text("status", "answered, or why there is no verdict"),
    text("answer_class", "what the answer is: of irrelevance and agentic entries; else null", null=True),
    mark("unread_call", "mode fc: its text has a call, which was not read as one", null=True),
)
"""The columns that scoring adds to a row."""

VERDICTS = pa.schema(
    [
        text("run", "name of the run", null=True),
        text("model", "name of the model", null=True),
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
        text("related_entry_id", "the entry that it is compared with; null if there is none", null=True),
        text(
            "erratum",
            "confirmed, disputed or rejected, as adjudicated in the errata; null if not adjudicated",
            null=True,
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
