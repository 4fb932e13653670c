"""The models of a run without any answer, and why, read with the standard library alone."""

import csv

from bfcl_pipeline.base.errors import TableError
from bfcl_pipeline.base.text import on_one_line, printable
from bfcl_pipeline.runs.run import Run

NO_ANSWERS = 2
"""Exit status of a run with a model without any answer."""

_HALF = 300  # characters at each end of a long reason; that of a server ends with its log


def unanswered_models(run: Run) -> dict[str, str]:
    """The reason by model, each in one line; empty if every model has answers.

    Raises TableError if `tables/unanswered.csv` is there and cannot be read.
    """
    path = run.csv_table("unanswered")
    try:
        with path.open(encoding="utf-8", newline="") as lines:
            return {row["model"]: short_reason(row["reason"]) for row in csv.DictReader(lines)}
    except FileNotFoundError:
        return {}
    except (OSError, KeyError, ValueError, csv.Error) as error:
        raise TableError(f"{path}: not a table of models without answers ({error!r}).") from error


def short_reason(reason: str) -> str:
    """A reason in one line, without what could steer a terminal."""
    line = on_one_line(printable(reason))
    return line if len(line) <= 2 * _HALF else f"{line[:_HALF]} ... {line[-_HALF:]}"


def unanswered_lines(run: Run) -> list[str]:
    """A line for each model without any answer. Raises TableError as `unanswered_models` does."""
    return [f"{model}: no answers: {reason}" for model, reason in unanswered_models(run).items()]
