"""Taking from a run what the site shows, while `verify` has it unpacked and found it identical.

Covers scores, verdicts, facts and the report. Each byte of them was derived again by the code here, so that
nothing an archive invented is shown as a result; names of models, which a run may choose, are still text
that is not trusted.
"""

import shutil
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from bfcl_pipeline.base.errors import TableError
from bfcl_pipeline.base.files import atomic_path
from bfcl_pipeline.base.text import Log
from bfcl_pipeline.benchmark.config import trial_of
from bfcl_pipeline.benchmark.definition.leaderboard import LEADERBOARD
from bfcl_pipeline.benchmark.records import Rules
from bfcl_pipeline.runs.archived.findings import Findings, Verification
from bfcl_pipeline.runs.archived.members import file_sha256
from bfcl_pipeline.runs.archived.unpacking import ArchivedRun
from bfcl_pipeline.runs.run import Run
from bfcl_pipeline.share.gallery.record import OWN_ERRATA, GalleryRun, ModelRecord
from bfcl_pipeline.show.compare.sides import Choice, Numbering, Side, read_sides
from bfcl_pipeline.show.compare.trials import read_averaged
from bfcl_pipeline.show.report.page.run_tables import Row, RunTables, read_run_tables

REPORT = "report.html"
BESIDE = "report"
"""The folder beside the report with conversations that do not fit into it."""


@dataclass(slots=True)
class Collector:
    """A further check of `verify` that takes the results, and finds nothing of its own."""

    report: Path  # the folder of the site that receives the report
    claims: Callable[[ArchivedRun], None]  # compares other files with the same run
    run: GalleryRun | None = field(default=None)

    def __call__(self, run: ArchivedRun, findings: Findings, step_log: Log) -> Verification:
        """Takes what the site shows; always COMPLETE."""
        del findings, step_log  # it adds nothing to what was found
        numbering, models = models_of(run)
        self.run = GalleryRun(
            entries=numbering.entries,
            models=models,
            report=dict(_copied(run, self.report)),
            facts=_facts(run),
        )
        self.claims(run)
        return Verification.COMPLETE


def models_of(run: Run) -> tuple[Numbering, list[ModelRecord]]:
    """The models of a run under every rule set, over one numbering of entries."""
    numbering = Numbering()
    found: list[ModelRecord] = []
    for rules in Rules:
        try:
            tables = read_run_tables(run, rules)
            # The trials of a model are one, their mean.
            repeated = any(trial_of(row["model"]).number > 1 for row in tables["leaderboard"])
            own, sides = (read_averaged if repeated else read_sides)([Choice(run)], rules)
        except TableError:  # no verdict under these rules
            continue
        places = [numbering.number(*entry) for entry in own.entries]
        for side in sides:
            found.append(_model(side, tables, rules, places))
    return numbering, found


def _model(side: Side, tables: RunTables, rules: Rules, places: list[int]) -> ModelRecord:
    row = next(row for row in tables["leaderboard"] if row["model"] == side.model)
    if not any(one["model"] == side.model and one["cost_usd"] is not None for one in tables["usage"]):
        # Without prices, the leaderboard estimates a cost from the time of rented GPUs.
        row = {**row, "cost_usd": None}
    return ModelRecord(
        model=side.model,
        rules=rules,
        trials=side.trials,
        row=_averaged(row, tables) if side.trials > 1 else row,
        categories=[each for each in tables["categories"] if each["model"] == side.model],
        settings=side.settings,
        numbers=[places[number] for number in side.numbers.tolist()],
        marks=[int(mark) if mark == int(mark) else mark for mark in side.marks.tolist()],
    )


def _averaged(row: Row, tables: RunTables) -> Mapping[str, Any]:
    """The row of a first trial with the means of all trials in place of its own scores."""
    means = {one["score"]: one for one in tables["trials"] if one["model"] == row["model"]}
    groups = {group.name for group in LEADERBOARD}
    changed: Row = {name: one["mean"] for name, one in means.items() if name in row}
    for name in groups & means.keys():
        changed |= {f"{name}_ci_{end}": means[name][f"ci_{end}"] for end in ("low", "high")}
    return {**row, **changed}


def _copied(run: Run, out: Path) -> Iterator[tuple[str, str]]:
    """Copies the report and its conversations; the sha256 of each file by its path in the run."""
    files = [run.folder / REPORT, *sorted((run.folder / BESIDE).glob("*.js"))]
    for file in files:
        name = file.relative_to(run.folder).as_posix()
        with atomic_path(out / name) as temporary:
            shutil.copyfile(file, temporary)
        yield name, file_sha256(file)


def _facts(run: ArchivedRun) -> dict[str, str]:
    metadata, settings = run.metadata, run.recorded.settings
    changed = ", with local changes" if metadata.changed else ""
    ids = settings.entry_ids
    asked = settings.sample if ids is None else f"{len(ids):,} by id"
    own = [Path(name).name for name in settings.errata]
    return {
        "Ended": metadata.ended,
        "Release": f"bfcl-eval {metadata.release[0]}, sha256 {metadata.release[1][:12]}",
        "Categories": f"{len(run.recorded.categories):,}",
        "Sample": "all entries" if asked is None else f"{asked}",
        "Seed": str(settings.seed),
        "Trials": str(settings.trials),
        "Web": run.recorded.web.mode,
        **({OWN_ERRATA: ", ".join(own)} if own else {}),
        "Commit": metadata.commit + changed,
        **dict(sorted(metadata.versions.items())),
    }
