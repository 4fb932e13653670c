"""The columns of every table that the pipeline writes, each with a one-line description.

The descriptions are stored in the files, so a change of their words changes the bytes of every table.
`*_json` columns are JSON text. No table contains a time, a path, or anything else that differs between two
equal runs, except latencies of real models.
"""

from __future__ import annotations

from typing import Any

import pyarrow as pa


def field(name: str, kind: pa.DataType, about: str, nullable: bool = True) -> pa.Field[Any]:
    """One column of a table with its description."""
    return pa.field(name, kind, nullable=nullable, metadata={"description": about})


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
        field("entry_id", _TEXT, "id as in the release", nullable=False),
        field("category", _TEXT, "one of the V4 categories", nullable=False),
        field("turns_json", _TEXT, "list of turns, each a list of {role, content}", nullable=False),
        field("functions_json", _TEXT, "function docs offered from the start", nullable=False),
        field("truth_json", _TEXT, "acceptable calls or answers; null where there are none"),
        field("prompt_format", _TEXT, "format_sensitivity: its configuration"),
        field("base_entry_id", _TEXT, "format_sensitivity: the entry it restates"),
        field("apis", _TEXTS, "simulated APIs involved", nullable=False),
        field("initial_state_json", _TEXT, "state of each API before the first turn"),
        field("held_out_json", _TEXT, "function docs that appear at a later turn, by turn number"),
        field("depends_on", _TEXTS, "entries to be run before this one", nullable=False),
        field("prerequisite", pa.bool_(), "a session played before the questions", nullable=False),
        field("scenario", _TEXT, "memory: whose assistant the model is"),
        field("source_json", _TEXT, "where the truth comes from, as the release documents it"),
    ]
)
"""`data/entries/<category>.parquet`: one row per entry, in the release's order."""

RESPONSES = pa.schema(
    [
        field("run", _TEXT, "name of the run"),
        field("model", _TEXT, "name of the model, as in config/models.yaml"),
        field("category", _TEXT, "one of the V4 categories", nullable=False),
        field("entry_id", _TEXT, "id as in the release", nullable=False),
        field("mode", _TEXT, "fc or prompt", nullable=False),
        field("name_style", _TEXT, "underscored or dotted; null: underscored for fc, else dotted"),
        field("result_json", _TEXT, "the official result form: text, or calls; null: no answer"),
        field("status", _TEXT, "answered, or why there is no answer"),
        field("status_detail", _TEXT, "what went wrong, for a person"),
        field("input_tokens", pa.int64(), "tokens sent; null if not told"),
        field("output_tokens", pa.int64(), "tokens received; null if not told"),
        field("latency_seconds", pa.float64(), "time to the answer in seconds; null if not taken"),
        field(
            "steps",
            pa.list_(_STEP),
            "its exchanges in order: turn, the same three of each, and why the answer ended",
        ),
        field("web", _TEXT, "web search: simulated, record, replay, live or off; else null"),
    ]
)
"""`results/<run>/responses/<model>/<category>.parquet`: one row per entry of the run, in entry order."""

SESSIONS = pa.schema(
    [
        *(RESPONSES.field(name) for name in ("run", "model", "category", "entry_id", "mode")),
        field("scenario", _TEXT, "whose assistant the model is"),
        *(RESPONSES.field(name) for name in ("result_json", "status", "status_detail", "steps")),
        field("snapshot_json", _TEXT, "the memory after the session; null if it could not be held"),
    ]
)
"""`results/<run>/memory/<model>/<category>.parquet`: one row per session before the questions."""

VERDICT_FIELDS = (
    field("valid", pa.bool_(), "the verdict; null where the response is not `answered`"),
    field("error_type", _TEXT, "official name of the error; null where valid"),
    field("error_message", _TEXT, "what is wrong, for a person; null where valid"),
    field("status", _TEXT, "answered, or why there is no verdict", nullable=False),
    field("answer_class", _TEXT, "what the answer is: of irrelevance and agentic entries; else null"),
    field("unread_call", pa.bool_(), "mode fc: its text has a call, which was not read as one"),
)
"""The columns that scoring adds to a row."""

VERDICTS = pa.schema(
    [
        field("run", _TEXT, "name of the run"),
        field("model", _TEXT, "name of the model"),
        field("category", _TEXT, "one of the V4 categories", nullable=False),
        field("entry_id", _TEXT, "id as in the release", nullable=False),
        field("mode", _TEXT, "fc or prompt", nullable=False),
        field("rules", _TEXT, "official, corrected or verified: the rule set", nullable=False),
        *VERDICT_FIELDS,
    ]
)
"""`results/<run>/verdicts/<model>.parquet`: one row per response and rule set."""

FINDINGS = pa.schema(
    [
        field("category", _TEXT, "one of the V4 categories", nullable=False),
        field("entry_id", _TEXT, "id as in the release", nullable=False),
        field("detector", _TEXT, "what found it, by the class of defects", nullable=False),
        field("rules", _TEXT, "official, corrected or verified: the rule set", nullable=False),
        field("place", _TEXT, "where in the entry", nullable=False),
        field("detail", _TEXT, "what is suspected, for a person", nullable=False),
        field("related_entry_id", _TEXT, "the entry that it is compared with; null if there is none"),
        field(
            "erratum",
            _TEXT,
            "confirmed, disputed or rejected, as adjudicated in the errata; null if not adjudicated",
        ),
    ]
)
"""What `bfcl-pipeline audit --out` writes: one row per suspected defect of an entry, in entry order."""
