"""The results of a run as logs of Inspect, one for each model and category, which `inspect view` opens.

Covers the head of a log and its results, a scorer for each rule set; `inspect_samples` makes the samples.
Logs are written by inspect_ai and packed again without the times of their members, so that equal runs have
equal logs.
"""

import hashlib
import tempfile
import zipfile
from collections.abc import Iterator
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np
from inspect_ai.log import (
    EvalConfig,
    EvalDataset,
    EvalLog,
    EvalMetric,
    EvalResults,
    EvalSample,
    EvalScore,
    EvalSpec,
    EvalStats,
    write_eval_log,
)

from bfcl_pipeline.base import __version__
from bfcl_pipeline.base.errors import TableError
from bfcl_pipeline.base.files import atomic_path
from bfcl_pipeline.base.text import Log
from bfcl_pipeline.benchmark.definition import CATEGORIES, V4_CATEGORIES
from bfcl_pipeline.benchmark.records import Rules
from bfcl_pipeline.benchmark.tables import entries_path, read_entries
from bfcl_pipeline.benchmark.tables.responses import response_of
from bfcl_pipeline.benchmark.tables.schemas import RESPONSES
from bfcl_pipeline.dialogue.release_texts import read_constants, read_texts
from bfcl_pipeline.judge.scoring.intervals import ScoredEntries, precisions
from bfcl_pipeline.runs.run import Run
from bfcl_pipeline.share.exports.forms import ExportOptions
from bfcl_pipeline.share.exports.inspect_samples import sample, transcript
from bfcl_pipeline.share.exports.run_scores import ModelScores, RunScores, read_run_scores, standard_error
from bfcl_pipeline.show.playback.conditions import read_conditions
from bfcl_pipeline.show.report.tables.run_records import RunRecords, read_run_records
from bfcl_pipeline.show.transcripts.answer import answer_record

_COLUMNS = tuple(name for name in RESPONSES.names if name not in ("model", "category"))

_NO_TIME = (1980, 1, 1, 0, 0, 0)
"""The first time that a zip file can hold."""


def write(run: Run, options: ExportOptions, log: Log) -> int:
    """Writes a log for each model and category; returns their number. Raises as `forms.export_run`."""
    scores = read_run_scores(run, options.rules, options.models)
    records = read_run_records(run, run.data, [model.name for model in scores.models])
    texts, constants = read_texts(run.data), read_constants(run.data)
    conditions = cache(lambda: read_conditions(run))  # with which calls are executed again

    def samples(model: str, category: str) -> Iterator[EvalSample]:
        """The responses of one model in one category, in the order of its table."""
        path = entries_path(run.data, category)
        entries = {entry.entry_id: entry for entry in read_entries(path)}
        verdicts = _verdicts(records, model, category)
        for row in records.responses.read(model, [category], _COLUMNS):
            response = response_of(run.data, row)
            entry = entries.get(response.entry_id)
            if entry is None:
                raise TableError(
                    f"{path}: has no entry {response.entry_id!r}. Stage the release of the responses."
                )
            talk = transcript(entry, response, texts, constants)
            executed: list[str] | None = None
            if CATEGORIES[category].executes:
                items = answer_record(entry, response, {}, conditions()).answer
                executed = [f"{item.label}: {item.text}" if item.label else item.text for item in items]
            yield sample(entry, response, model, talk, verdicts.get(entry.entry_id, {}), executed)

    written = 0
    for model in scores.models:
        for category in (name for name in CATEGORIES if name in model.categories):
            made = list(samples(model.name, category))
            if not made:
                log(f"{model.name} {category}: left out, the run has no responses")
                continue
            path = options.out / model.folder / f"{category}.eval"
            _write(path, _log(scores, model, category, made))
            log(str(path))
            written += 1
    return written


def _verdicts(records: RunRecords, model: str, category: str) -> dict[str, dict[str, dict[str, Any]]]:
    """The verdicts of one model in one category, by entry id and rule set."""
    verdicts: dict[str, dict[str, dict[str, Any]]] = {}
    chosen = records.verdicts.filter(model=model, category=category)
    for row in chosen.iter_rows(named=True):
        verdicts.setdefault(row["entry_id"], {})[row["rules"]] = row
    return verdicts


def _log(scores: RunScores, model: ModelScores, category: str, samples: list[EvalSample]) -> EvalLog:
    row = model.categories[category]
    about = {
        "run": scores.name,
        "rules": scores.rules.value,
        "mode": model.row["mode"],
        "web": row["web"],
    }
    key = "/".join((scores.name, model.name, category, scores.release))
    identity = hashlib.sha256(key.encode()).hexdigest()[:22]
    return EvalLog(
        status="success",
        eval=EvalSpec(
            eval_id=identity,
            run_id=hashlib.sha256(scores.name.encode()).hexdigest()[:22],
            created=scores.made_at_text,
            task=_task(category),
            task_id=identity,
            task_version=scores.release,
            dataset=EvalDataset(
                name=_task(category),
                samples=row["release_entries"],
                sample_ids=[str(made.id) for made in samples],
                shuffled=False,
            ),
            model=model.name,
            config=EvalConfig(),
            packages={"bfcl-pipeline": __version__},
            metadata={name: value for name, value in about.items() if value is not None},
        ),
        results=EvalResults(
            total_samples=len(samples),
            completed_samples=sum(made.error is None for made in samples),
            scores=list(_results(scores.rules, category, samples)),
        ),
        stats=EvalStats(started_at=scores.made_at_text, completed_at=scores.made_at_text),
        samples=samples,
    )


def _task(category: str) -> str:
    """The name of a category in Inspect."""
    return f"bfcl_v{4 if category in V4_CATEGORIES else 1}_{category}"


def _results(first: Rules, category: str, samples: list[EvalSample]) -> Iterator[EvalScore]:
    """The accuracy under each rule set that scored a sample, `first` before the others."""
    numbering = ScoredEntries([(category, str(made.id)) for made in samples])
    for rules in sorted(Rules, key=lambda rules: rules is not first):
        found = [(number, made.scores) for number, made in enumerate(samples)]
        scored = {number: of[rules.value].value == "C" for number, of in found if of and rules.value in of}
        if not scored:
            continue
        marks = np.array(list(scored.values()))
        accuracy = float(marks.mean())
        precision = precisions(marks, numbering.scope(np.array(list(scored))))[category]
        error = standard_error(accuracy, len(marks), precision.design_effect)
        values = {"accuracy": accuracy, "stderr": error, "ci_low": precision.low, "ci_high": precision.high}
        yield EvalScore(
            name=rules.value,
            scorer=rules.value,
            scored_samples=len(marks),
            unscored_samples=len(samples) - len(marks),
            metrics={
                name: EvalMetric(name=name, value=value)
                for name, value in values.items()
                if value is not None
            },
        )


def _write(path: Path, log: EvalLog) -> None:
    """Writes a log; the members of the file have no times."""
    with tempfile.TemporaryDirectory() as folder, atomic_path(path) as temporary:
        made = Path(folder) / "made.eval"
        write_eval_log(log, made, format="eval")
        with zipfile.ZipFile(made) as source, zipfile.ZipFile(temporary, "w") as target:
            for member in source.infolist():
                entry = zipfile.ZipInfo(member.filename, _NO_TIME)
                entry.compress_type = zipfile.ZIP_DEFLATED
                target.writestr(entry, source.read(member))
