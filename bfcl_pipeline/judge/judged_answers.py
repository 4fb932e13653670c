"""Reads the judged answers of runs and of scored tables, for what compares systems on entries."""

from collections.abc import Iterator
from pathlib import Path
from typing import Any

from bfcl_pipeline.base.errors import TableError
from bfcl_pipeline.benchmark.records import Mode, Rules
from bfcl_pipeline.benchmark.tables import read_table
from bfcl_pipeline.benchmark.tables.files import column_names
from bfcl_pipeline.judge.audit.consensus import JudgedAnswer
from bfcl_pipeline.runs.run import open_run

_OF_ANSWER = ("category", "entry_id", "mode", "result_json")


def judged_answers(source: Path, rules: Rules) -> Iterator[JudgedAnswer]:
    """The answers with a verdict under `rules`. A system is a model in a run.

    Args:
        source: a run, by its name or directory, or a Parquet table of scored responses with the columns
            entry_id, mode, result_json and valid, where there are also run, model and rules.
        rules: of a table without the column rules, all rows count.

    Raises:
        ConfigError: there is no such run.
        TableError: a table is missing, damaged or has not these columns.
    """
    if source.is_file():
        needed, optional = [*_OF_ANSWER[1:], "valid"], ("run", "model", "rules")
        there = [name for name in optional if name in column_names(source)]
        yield from _answers(source, read_table(source, [*needed, *there]).to_pylist(), rules)
        return
    run = open_run(source)
    for model, folder in run.models.items():
        verdicts = read_table(run.verdicts(model), ["category", "entry_id", "rules", "valid"]).to_pylist()
        valid = {row["entry_id"]: row["valid"] for row in verdicts if row["rules"] == rules.value}
        for path in sorted((run.folder / "responses" / folder).glob("*.parquet")):
            rows = read_table(path, _OF_ANSWER).to_pylist()
            known = [row | {"valid": valid[row["entry_id"]]} for row in rows if row["entry_id"] in valid]
            yield from _answers(path, [row | {"run": str(source), "model": model} for row in known], rules)


def _answers(path: Path, rows: list[dict[str, Any]], rules: Rules) -> Iterator[JudgedAnswer]:
    for row in rows:
        if (
            row["valid"] is None
            or row["result_json"] is None
            or row.get("rules", rules.value) != rules.value
        ):
            continue
        system = " ".join(filter(None, (row.get("run"), row.get("model")))) or str(path)
        try:
            mode = Mode(row["mode"])
        except ValueError as error:
            raise TableError(f"{path}: {row['entry_id']}: {error}.") from None
        yield JudgedAnswer(system, row["entry_id"], mode, row["result_json"], row["valid"])
