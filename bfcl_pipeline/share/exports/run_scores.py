"""The scores of a run under one rule set, read from its tables for all forms of export.

Covers what every form says beside the scores: the release, the time of the results, folders with the names
of models. The time is never that of the clock, so that equal runs have equal exports.
"""

import os
import re
from collections.abc import Collection, Iterable, Iterator, Mapping
from dataclasses import dataclass
from datetime import UTC, datetime
from math import sqrt
from pathlib import Path
from typing import Any

from bfcl_pipeline.base.errors import ConfigError, TableError
from bfcl_pipeline.base.text import Log, unknown_name
from bfcl_pipeline.benchmark.config import ModelRow, described_row, load_models
from bfcl_pipeline.benchmark.definition import GROUPS
from bfcl_pipeline.benchmark.definition.leaderboard import categories_of
from bfcl_pipeline.benchmark.records import Rules
from bfcl_pipeline.benchmark.tables import read_table
from bfcl_pipeline.runs.archived.unpacking import ArchivedRun
from bfcl_pipeline.runs.run import Run
from bfcl_pipeline.runs.web_label import unreal
from bfcl_pipeline.show.report.format import is_partial

EPOCH_VARIABLE = "SOURCE_DATE_EPOCH"
"""Environment variable with the time of the results, in seconds since 1970; the convention of reproducible
builds."""


@dataclass(frozen=True, slots=True)
class ModelScores:
    """The scores of one model."""

    row: Mapping[str, Any]  # of the table `leaderboard`
    categories: Mapping[str, Mapping[str, Any]]  # rows of the table `categories`, by category
    model: ModelRow  # of the models file of the run

    @property
    def name(self) -> str:
        """Its name in the run."""
        return str(self.row["model"])

    @property
    def folder(self) -> str:
        """Its name as that of a folder, in letters that every file system takes."""
        return safe_name(self.name)

    def is_partial(self, score: str) -> bool:
        """True if the score counts categories that were not evaluated as 0."""
        return is_partial(self.row, score)

    def unreal_web(self, score: str) -> list[str]:
        """The webs behind the score that are not the leaderboard's: simulated, off."""
        searched = [name for name in categories_of(score) if name in GROUPS["web_search"]]
        webs = {web for name in searched if name in self.categories for web in self._webs(name)}
        return sorted(webs)

    def _webs(self, category: str) -> list[str]:
        return unreal(self.categories[category]["web"])


@dataclass(frozen=True, slots=True)
class RunScores:
    """The scores of a run under one rule set."""

    run: Run
    name: str  # of the run
    rules: Rules
    release: str  # version of the benchmark's package
    made_at: int  # of the results, in seconds since 1970 (`_made_at`)
    models: tuple[ModelScores, ...]  # in order of their ranks

    def of_v4(self, log: Log) -> Iterator[ModelScores]:
        """The models with a score of V4. log: told which categories and models are left out."""
        for model in self.models:
            if retired := [name for name in GROUPS["executable"] if name in model.categories]:
                log(f"{model.name}: left out, not part of V4: {', '.join(retired)}")
            if model.row["overall"] is not None or not retired:
                yield model

    @property
    def made_at_text(self) -> str:
        """The time of the results in ISO 8601, UTC."""
        return datetime.fromtimestamp(self.made_at, UTC).isoformat()


def read_run_scores(run: Run, rules: Rules, models: Collection[str] = ()) -> RunScores:
    """The scores of a run, read from its tables.

    Args:
        run: has tables/.
        rules: the rule set.
        models: the models to read; all if empty.

    Raises:
        TableError: a table is missing, or has no model under these rules.
        ConfigError: a model is not in the tables, or two models have the same folder.
    """
    tables = run.folder / "tables"
    if not (tables / "leaderboard.parquet").is_file():
        raise TableError(f"{tables}: no tables. Make them first (bfcl-pipeline aggregate {run.folder}).")
    ranked = _rows(tables / "leaderboard.parquet", rules)
    if not ranked:
        raise TableError(f"{tables}: no model has verdicts under {rules.value} rules.")
    known = [str(row["model"]) for row in ranked]
    for name in models:
        if name not in known:
            raise ConfigError(f"{tables}: {unknown_name('model', name, known)}")
    categories: dict[str, dict[str, Mapping[str, Any]]] = {}
    for row in _rows(tables / "categories.parquet", rules):
        categories.setdefault(row["model"], {})[row["category"]] = row
    rows = run.rows if run.models_file.is_file() else load_models()
    chosen = tuple(
        ModelScores(row, categories.get(row["model"], {}), described_row(rows, row["model"]))
        for row in ranked
        if not models or row["model"] in models
    )
    _check_folders(chosen)
    return RunScores(
        run,
        name=ranked[0]["run"] or run.folder.resolve().name,
        rules=rules,
        release=run.release_version,
        made_at=_made_at(run),
        models=chosen,
    )


def standard_error(accuracy: float, answered: int, design_effect: float | None) -> float | None:
    """The standard error of an accuracy, by the sample's deviation; None of fewer than two entries.

    design_effect: as in the table `categories`; None: of verdicts that are all equal, whose deviation is 0.
    """
    effect = 1.0 if design_effect is None else design_effect
    return sqrt(effect * accuracy * (1 - accuracy) / (answered - 1)) if answered > 1 else None


def safe_name(name: str) -> str:
    """A name as that of a file: everything but letters of ASCII, digits and `.~+-` becomes `_`."""
    return re.sub(r"[^A-Za-z0-9.~+-]", "_", name).lstrip(".") or "_"


def _rows(path: Path, rules: Rules) -> list[dict[str, Any]]:
    table = read_table(path)
    if "rules" not in table.column_names or "model" not in table.column_names:
        raise TableError(f"{path}: not a table of scores. Make it again (bfcl-pipeline aggregate).")
    return [row for row in table.to_pylist() if row["rules"] == rules.value]


def _check_folders(models: Iterable[ModelScores]) -> None:
    seen: dict[str, str] = {}
    for model in models:
        other = seen.setdefault(model.folder.lower(), model.name)
        if other != model.name:
            raise ConfigError(
                f"{other!r} and {model.name!r} would have the same folder {model.folder!r}. "
                "Export one at a time (--model)."
            )


def _made_at(run: Run) -> int:
    given = os.environ.get(EPOCH_VARIABLE, "")
    if given:
        if not re.fullmatch(r"[0-9]{1,10}", given):
            raise ConfigError(f"{EPOCH_VARIABLE}: expected seconds since 1970, got {given!r}.")
        return int(given)
    if isinstance(run, ArchivedRun):
        return int(datetime.fromisoformat(run.metadata.ended).timestamp())
    records = (run.config_file, run.table("leaderboard"))
    return int(next(path for path in records if path.is_file()).stat().st_mtime)
