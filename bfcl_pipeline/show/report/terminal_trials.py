"""The models with several trials as text for a terminal: mean, interval, pass^k, flaky entries.

Reads the CSV tables with the standard library alone, as `report.terminal` does.
"""

import csv
from collections.abc import Mapping, Sequence
from pathlib import Path

from bfcl_pipeline.base.errors import TableError
from bfcl_pipeline.base.text import cut_middle, printable, text_table
from bfcl_pipeline.benchmark.records import Rules
from bfcl_pipeline.runs.run import Run
from bfcl_pipeline.runs.web_label import score_mark
from bfcl_pipeline.show.report.csv_rows import csv_rows
from bfcl_pipeline.show.report.format import PARTIAL, interval, is_partial, percent

_HEADINGS = ("Trials of", "k", "Mean", "95 % int.", "Std", "Pass^k", "Flaky")

_NAME = 24  # columns for the names of models, so that a line fits in 80

_NOTE = "Pass^k: all of k repetitions are right. Flaky: entries whose verdict differs."


def trial_lines(run: Run, rules: Rules) -> list[str]:
    """An empty line, then one line for each model with several trials; nothing if there is none.

    Raises TableError if a table is there and cannot be read.
    """
    path = run.csv_table("trials")
    try:
        trials = _overall(path, rules)
        ranked = csv_rows(path.with_name("leaderboard.csv")) if trials else []
        all_right = {
            (row["model"], row["k"]): row["pass_k"] for row in _overall(path.with_name("pass_k.csv"), rules)
        }
        lines = [
            [
                _name(row["model"], ranked),
                row["trials"],
                _percent(row["mean"]) + _marks(row["model"], ranked),
                interval(_number(row.get("ci_low")), _number(row.get("ci_high"))) or "-",
                _percent(row["std"]),
                _percent(all_right.get((row["model"], row["trials"]))),
                f"{int(row['flaky']):,}" if row.get("flaky") else "-",
            ]
            for row in trials
        ]
    except (OSError, KeyError, ValueError, csv.Error) as error:
        raise TableError(
            f"{path}: not a table of trials ({error!r}). Make it again "
            f"(bfcl-pipeline aggregate {run.folder})."
        ) from error
    if not lines:
        return []
    table = text_table(_HEADINGS, lines, right=range(1, len(_HEADINGS))).splitlines()
    return ["", *table, _NOTE]


def _overall(path: Path, rules: Rules) -> list[dict[str, str]]:
    """The rows of a table on the overall score under one rule set."""
    return [row for row in csv_rows(path) if (row["rules"], row["score"]) == (rules.value, "overall")]


def _number(text: str | None) -> float | None:
    return float(text) if text else None


def _percent(text: str | None) -> str:
    return percent(_number(text)) if text else "-"


def _name(model: str, ranked: Sequence[Mapping[str, str]]) -> str:
    """The name of a model as the leaderboard shows its first trial."""
    shown = (row["display_name"] for row in ranked if row["model"] == model)
    return cut_middle(printable(next(shown, model)), _NAME)


def _marks(model: str, ranked: Sequence[Mapping[str, str]]) -> str:
    """The marks that the overall score of any of the trials of a model has."""
    first = len(model) + 1
    rows = [
        {name: value or None for name, value in row.items()}
        for row in ranked
        if row["model"] == model
        or (row["model"].startswith(f"{model}~") and row["model"][first:].isdigit())
    ]
    partial = PARTIAL if any(is_partial(row, "overall") for row in rows) else ""
    return partial + max((score_mark(row, "overall", row["web"]) for row in rows), default="")
