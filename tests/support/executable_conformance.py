"""Our verdicts on published outputs of the executable categories beside the official ones.

The table has one row per output: model, mode, category, entry_id, result (JSON) and result_type; decoded,
the calls that the official code of that time read from it (JSON); official_valid and official_error_type;
truth_kind (pure, network, mixed or rest), whether the truth is that of the pinned release
(truth_as_in_wheel), and recorded_truth, the values of the expected calls of a failure (JSON).
"""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

import pyarrow.parquet as pq

from bfcl_pipeline.base.errors import MalformedRelease
from bfcl_pipeline.benchmark.records import Call, DecodeFailure, Entry, Mode, Rules
from bfcl_pipeline.benchmark.tables import entries_path, read_entries
from bfcl_pipeline.dialogue.calls import FAILED, decode_step
from bfcl_pipeline.judge.scoring.executable import ExecutableChecker
from bfcl_pipeline.judge.scoring.findings import Outcome
from bfcl_pipeline.judge.scoring.judge import default_style
from bfcl_pipeline.world.executables import Apis, NoApis, read_call

TABLE = "BFCL_EXECUTABLE_CONFORMANCE"
"""The environment variable that names the table."""

CATEGORIES = ("exec_simple", "exec_multiple", "exec_parallel", "exec_parallel_multiple")

PLAIN = (
    "claude-2.1",
    "claude-3-5-sonnet-20240620",
    "claude-3-haiku-20240307",
    "claude-3-opus-20240229",
    "claude-3-sonnet-20240229",
    "command-r-plus",
    "command-r-plus-optimized",
    "gpt-4-0125-preview",
    "gpt-4-turbo-2024-04-09",
    "gpt-4o-2024-05-13",
    "meta-llama_Meta-Llama-3-70B-Instruct",
    "meta-llama_Meta-Llama-3-8B-Instruct",
    "mistral-small-2402",
)
"""Prompted models whose answers the official code read as today's default decoder does."""

FORM = "another decoder read the form of this family"
BARE = "calls that are bare or fenced are accepted today"

EXPLAINED = {
    (BARE, "claude-instant-1.2"): 1,
    (BARE, "mistral-tiny-2312"): 9,
    (FORM, "databricks-dbrx-instruct"): 21,
    (FORM, "deepseek-ai_deepseek-coder-6.7b-instruct"): 38,
    (FORM, "google_gemma-7b-it"): 29,
    (FORM, "mistral-medium-2312"): 87,
    (FORM, "mistral-tiny-2312"): 1,
    (FORM, "nvidia_nemotron-4-340b-instruct"): 1,
    (FORM, "snowflake_arctic"): 57,
}
"""Verdicts on entries without network that differ for a cause, by cause and model, of 2024-07-06."""

Row = Mapping[str, Any]


@dataclass
class Figure:
    """How many verdicts on one part of the outputs equal the official ones."""

    part: str
    outputs: int = 0
    equal: int = 0  # the error type too
    other_type: int = 0  # failures of another error type, since other calls are decoded
    status: int = 0  # without a verdict, since an answer of a web API is not recorded
    causes: Counter[tuple[str, str]] = field(
        default_factory=Counter
    )  # explained differences, with the model
    different: list[str] = field(default_factory=list)  # any other, for a person

    def add(self, row: Row, outcome: Outcome, cause: str | None = None) -> None:
        """Counts one output; cause: why the verdict may differ, None if it may not."""
        self.outputs += 1
        valid = outcome.finding is None
        error_type = outcome.finding.error_type if outcome.finding else None
        if outcome.not_recorded is not None:
            self.status += 1
        elif (valid, error_type) == (row["official_valid"], row["official_error_type"]):
            self.equal += 1
        elif cause is not None and valid == row["official_valid"]:
            self.other_type += 1
        elif cause is not None:
            self.causes[cause, row["model"]] += 1
        else:
            types = f"official {row['official_error_type']}, ours {error_type}"
            message = outcome.finding.message if outcome.finding else ""
            self.different.append(
                f"{row['model']} {row['entry_id']}: {types}: {row['result']:.300} {message}"
            )

    def line(self) -> str:
        """The figure as one line of a table."""
        explained = self.causes.total()
        counts = (self.outputs, self.equal, self.other_type, explained, self.status, len(self.different))
        return f"{self.part:<42}" + "".join(f"{count:>11,}" for count in counts)


HEADER = f"{'part':<42}" + "".join(
    f"{name:>11}" for name in ("outputs", "equal", "other type", "explained", "status", "different")
)
"""The first line of a table of figures."""


def read_rows(path: Path) -> list[Row]:
    """The rows of the categories whose calls are functions."""
    rows: list[Row] = pq.read_table(path).to_pylist()
    return [row for row in rows if row["category"] in CATEGORIES]


def read_checkers(data: Path, apis: Apis) -> dict[str, ExecutableChecker]:
    """The checker of each entry. data: the staged benchmark."""
    return {entry.entry_id: ExecutableChecker(entry, apis) for entry in _entries(data)}


def all_figures(rows: Iterable[Row], data: Path) -> list[Figure]:
    """The figures of all parts, by checkers that know no answer of the network."""
    rows = list(rows)
    checkers = read_checkers(data, NoApis())
    pure = [row for row in rows if row["truth_kind"] == "pure" and row["truth_as_in_wheel"]]
    network = [row for row in rows if row["truth_kind"] != "pure" and row["truth_as_in_wheel"]]
    return [
        decoded_calls("decoded calls, no network", pure, checkers),
        older_truths("decoded calls, no network, older truth", rows, data),
        decoded_calls("decoded calls, network not asked", network, checkers),
        *whole_path(pure, checkers),
    ]


def decoded_calls(part: str, rows: Iterable[Row], checkers: Mapping[str, ExecutableChecker]) -> Figure:
    """Verdicts on the calls that the official code decoded."""
    figure = Figure(part)
    for row in rows:
        figure.add(row, checkers[row["entry_id"]].check_calls(official_calls(row), Rules.OFFICIAL))
    return figure


def older_truths(part: str, rows: Iterable[Row], data: Path) -> Figure:
    """Verdicts on entries without network whose truth was another one, by its recorded values."""
    older = [row for row in rows if row["truth_kind"] == "pure" and not row["truth_as_in_wheel"]]
    values = {row["entry_id"]: json.loads(row["recorded_truth"]) for row in older if row["recorded_truth"]}
    entries = {entry.entry_id: entry for entry in _entries(data) if entry.entry_id in values}
    figure = Figure(part)
    for row in older:
        recorded = values[row["entry_id"]]
        entry = replace(entries[row["entry_id"]], truth=[entries[row["entry_id"]].truth[0]] * len(recorded))
        checker = ExecutableChecker(entry, NoApis())
        checker._values.update(enumerate(recorded))  # in place of those of today's truth
        figure.add(row, checker.check_calls(official_calls(row), Rules.OFFICIAL))
    return figure


def whole_path(rows: Iterable[Row], checkers: Mapping[str, ExecutableChecker]) -> list[Figure]:
    """Verdicts on the outputs themselves: native calls, plain prompted models, and other prompted ones.

    Texts of models with native calls are left out, since forms of families are read before scoring.
    """
    native, plain = Figure("whole path, native calls"), Figure("whole path, plain prompted models")
    other = Figure("whole path, other prompted models")
    for row in rows:
        result, mode = json.loads(row["result"]), Mode(row["mode"])
        if mode is Mode.FC and not isinstance(result, list):
            continue
        outcome = checkers[row["entry_id"]].check(result, mode, default_style(mode), (Rules.OFFICIAL,))[0]
        figure = native if mode is Mode.FC else plain if row["model"] in PLAIN else other
        figure.add(row, outcome, None if mode is Mode.FC else _cause(row))
    return [native, plain, other]


def official_calls(row: Row) -> tuple[Call, ...] | DecodeFailure:
    """The calls that the official code read, with positional arguments."""
    texts = None if row["decoded"] is None else json.loads(row["decoded"])
    if texts is None:
        return DecodeFailure(FAILED, "It could not be decoded.")
    if not isinstance(texts, list) or not all(isinstance(text, str) for text in texts):
        return ()
    return tuple(map(_call, texts))


def _call(text: str) -> Call:
    """The call in `text`; what is not a call of a known function cannot be executed either way."""
    try:
        return read_call(text)
    except MalformedRelease:
        return Call(text, {})


def _cause(row: Row) -> str | None:
    """Why today's default decoder may read other calls than the official code of the family."""
    official = official_calls(row)
    ours = decode_step(json.loads(row["result"]), Mode(row["mode"]))
    if _as_text(ours) == _as_text(official):
        return None
    return BARE if isinstance(official, DecodeFailure) else FORM


def _as_text(calls: tuple[Call, ...] | DecodeFailure) -> str:
    """The calls for a comparison, in which the order of arguments does not count."""
    if isinstance(calls, DecodeFailure):
        return ""
    return repr([(call.name, sorted(call.arguments.items(), key=str)) for call in calls])


def _entries(data: Path) -> list[Entry]:
    return [entry for category in CATEGORIES for entry in read_entries(entries_path(data, category))]
