"""Has the official scorer judge the answers of an archive, and compares every verdict with ours.

Trust in this project's scoring is then not needed for the scores: a FurtherCheck of `verify`. The scorer
runs in processes of its own, guarded as `guarded_scorer` describes.
"""

from __future__ import annotations

import csv
import json
import tempfile
from collections.abc import Iterator, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field
from functools import partial
from pathlib import Path

from bfcl_pipeline.ask.results.forms import known_form
from bfcl_pipeline.ask.results.layout import official_models
from bfcl_pipeline.base.errors import ConfigError, PipelineError
from bfcl_pipeline.base.text import Log, plural
from bfcl_pipeline.benchmark.config import model_folder
from bfcl_pipeline.benchmark.definition import CATEGORIES, V4_CATEGORIES, release
from bfcl_pipeline.benchmark.records import Json, Mode, Rules, Status
from bfcl_pipeline.benchmark.tables import read_table
from bfcl_pipeline.runs.archived.findings import Findings, Part, Verification
from bfcl_pipeline.runs.archived.unpacking import ArchivedRun
from bfcl_pipeline.runs.run import Run
from bfcl_pipeline.share.official.export_results import export_official
from bfcl_pipeline.share.official.scorer_process import judge_all, scorer_python

SUBJECT = "official"

STAND_INS = {Mode.FC: "gpt-4o-2024-11-20-FC", Mode.PROMPT: "gpt-4o-2024-11-20"}
"""Official models whose stored answers have this project's own form, for models that have no such form."""

_NOTHING = "none of its {:,} verdicts was compared with the official scorer; the reason is below"
_MOST_SCORE_BYTES = 2**30


@dataclass(frozen=True, slots=True)
class OfficialCheck:
    """A FurtherCheck: the official scorer's verdicts on the answers of the archive."""

    python: Path | None  # that has the official package; None: an environment below `cache`
    cache: Path  # the verifier's cache directory
    cores: int  # processor cores

    def __call__(self, run: ArchivedRun, findings: Findings, step_log: Log) -> Verification:
        """Scores every model of `run` with the official package. See `archived.findings.FurtherCheck`."""
        version = run.recorded.settings.release.version
        if release.benchmark_name(version) != release.V4:
            raise ConfigError(f"{version}: the official package has no such release. Verify without it.")
        python = scorer_python(self.python, self.cache, version, step_log)
        scorer = f"{release.DISTRIBUTION} {version}"
        step_log(f"Scoring the answers with {scorer}, in processes of its own.")
        score = partial(_score, run, official=official_models(run.data), python=python)
        with ThreadPoolExecutor(max(1, self.cores)) as threads:
            found = list(threads.map(score, run.recorded.folders))
        return _report(found, scorer, findings)


@dataclass(slots=True)
class _Scored:
    """One model, judged twice."""

    model: str
    compared: int = 0  # verdicts
    differing: list[str] = field(default_factory=list)  # a line for each other verdict
    overall: tuple[str, str] | None = None  # the official overall and ours, if all of the run was judged
    ours: int = 0  # verdicts that there are to compare
    left_out: int = 0  # answers that cannot be handed over
    refused: list[str] = field(default_factory=list)  # entry ids: evaluated as code, or not judged
    failed: str | None = None  # why the scorer gave no verdicts


def _score(
    run: ArchivedRun, folder: str, official: Mapping[str, Mapping[str, Json]], python: Path
) -> _Scored:
    job = run.recorded.job_of(folder)
    scored = _Scored(job.name)
    ours = dict(_our_verdicts(run.verdicts(folder)))
    scored.ours = len(ours)
    with tempfile.TemporaryDirectory(prefix="bfcl-official-") as name:
        work = Path(name)
        try:
            export_official(
                run,
                work / "result",
                models=[job.name],
                names=_names(job.name, job.row.mode, official),
                log=lambda _line: None,
            )
        except ConfigError:  # nothing that the official tool can read
            scored.left_out = len(ours)
            return scored
        scored.failed, scored.refused = judge_all(work, python)
        if scored.failed is not None:
            return scored
        theirs = _their_verdicts(work / "result", work / "scores")
        _compare(scored, ours, theirs)
        if not scored.left_out and not scored.refused:
            scored.overall = _overalls(work / "scores", run, job.name)
    return scored


def _names(model: str, mode: Mode, official: Mapping[str, Mapping[str, Json]]) -> dict[str, str]:
    """The name under which a model is handed over, if it is not its own."""
    row = official.get(model_folder(model))
    if row is not None and row["name"] == model and known_form(row).restore is not None:
        return {}
    return {model: STAND_INS[mode]}


def _our_verdicts(path: Path) -> Iterator[tuple[tuple[str, str], bool]]:
    """Our official verdicts by category and entry id: of entries that were answered."""
    columns = ["category", "entry_id", "rules", "valid", "status"]
    for row in read_table(path, columns).to_pylist():
        official = row["rules"] == Rules.OFFICIAL.value and row["status"] == Status.ANSWERED.value
        if official and row["valid"] is not None and row["category"] in V4_CATEGORIES:
            yield (row["category"], row["entry_id"]), row["valid"]


def _their_verdicts(results: Path, scores: Path) -> dict[tuple[str, str], bool]:
    """The official verdicts by category and entry id: of the answers in result files, from score files.

    Raises PipelineError if a file does not judge as many answers as were handed over.
    """
    verdicts: dict[tuple[str, str], bool] = {}
    for handed in results.rglob("BFCL_v4_*_result.json"):
        category = handed.name.removeprefix("BFCL_v4_").removesuffix("_result.json")
        if category not in CATEGORIES:
            continue
        with handed.open(encoding="utf-8") as lines:
            ids = {json.loads(line)["id"] for line in lines}
        path = next(scores.rglob(f"BFCL_v4_{category}_score.json"), None)
        if path is None or path.stat().st_size > _MOST_SCORE_BYTES:
            raise PipelineError(f"the official scorer wrote no score file for {category}.")
        with path.open(encoding="utf-8") as lines:
            header, *wrong = map(json.loads, lines)
        if header["total_count"] != len(ids):
            raise PipelineError(
                f"{category}: {len(ids):,} answers were handed over, and the official scorer judged "
                f"{header['total_count']:,}."
            )
        failing = {row["id"] for row in wrong}
        verdicts |= {(category, entry): entry not in failing for entry in ids}
    return verdicts


def _compare(
    scored: _Scored, ours: Mapping[tuple[str, str], bool], theirs: Mapping[tuple[str, str], bool]
) -> None:
    refused = set(scored.refused)
    for key, valid in sorted(ours.items()):
        entry = key[1]
        if entry in refused:
            continue
        if key not in theirs:
            scored.left_out += 1
            continue
        scored.compared += 1
        if theirs[key] is not valid:
            words = {True: "right", False: "wrong"}
            scored.differing.append(
                f"{scored.model} {entry}: {words[theirs[key]]} for the official scorer, {words[valid]} here"
            )


def _overalls(scores: Path, run: Run, model: str) -> tuple[str, str] | None:
    """The official overall score and ours, as the official tool prints them; None if ours has none."""
    table = read_table(run.table("leaderboard"), ["model", "rules", "overall"])
    ours = [
        row["overall"]
        for row in table.to_pylist()
        if row["model"] == model and row["rules"] == Rules.OFFICIAL.value
    ]
    with (scores / "data_overall.csv").open(encoding="utf-8", newline="") as file:
        theirs = [row["Overall Acc"] for row in csv.DictReader(file)]
    if len(ours) != 1 or len(theirs) != 1 or ours[0] is None:
        return None
    return theirs[0], f"{ours[0] * 100:.2f}%"


def _report(found: Sequence[_Scored], scorer: str, findings: Findings) -> Verification:
    differing = [line for scored in found for line in scored.differing]
    compared = sum(scored.compared for scored in found)
    findings.differing(SUBJECT, differing, "verdicts")
    if compared:
        what = f"{compared - len(differing):,} of {compared:,} verdicts are those of {scorer}"
        findings.add(Part.DERIVED, "same" if differing else "verified", SUBJECT, what)
    result = Verification.DIFFERS if differing else Verification.COMPLETE
    overalls = {scored.model: scored.overall for scored in found if scored.overall is not None}
    unequal = {model: both for model, both in overalls.items() if both[0] != both[1]}
    if overalls and not unequal:
        count = plural(len(overalls), "model", "models")
        findings.verified(SUBJECT, f"the overall score of {count} is that of {scorer}")
    for scored in found:
        if scored.ours and not scored.compared:
            findings.add(
                Part.DERIVED, "NOT JUDGED", SUBJECT, f"{scored.model}: {_NOTHING.format(scored.ours)}"
            )
        for what in _not_judged(scored):
            findings.not_verified(SUBJECT, f"{scored.model}: {what}")
            result = result or Verification.INCOMPLETE
    for model, (theirs, ours) in unequal.items():
        findings.not_verified(SUBJECT, f"{model}: the official overall is {theirs}, {ours} here")
    return result


def _not_judged(scored: _Scored) -> Iterator[str]:
    if scored.failed is not None:
        yield f"the official scorer gave no verdicts: {scored.failed}"
    if scored.refused:
        count = plural(len(scored.refused), "answer", "answers")
        yield (
            f"{count} not compared, because the official scorer would evaluate parts as code, or cannot "
            f"judge them (the first: {scored.refused[0]})"
        )
    if scored.left_out:
        count = plural(scored.left_out, "verdict", "verdicts")
        yield f"{count} not compared: answers that cannot be written as the official tool stores them"
