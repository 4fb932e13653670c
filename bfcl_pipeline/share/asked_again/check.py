"""Asking the models of an archived run again, as a further check of its verification.

The statement is a JSON file with each drawn request, all answers to it and the comparison: whoever has the
archive can draw the same requests by its seed, compare the answers in it, or ask again.
"""

import json
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, field
from functools import partial
from pathlib import Path

from bfcl_pipeline.ask.models.weights import identify_weights
from bfcl_pipeline.base.errors import ConfigError
from bfcl_pipeline.base.files import write_text
from bfcl_pipeline.base.text import Log, line_of, plural, text_table, unknown_name
from bfcl_pipeline.benchmark.config import Job, JobPaths, ModelRow, load_models
from bfcl_pipeline.benchmark.records import Exchange, Json
from bfcl_pipeline.dialogue.release_texts import read_texts
from bfcl_pipeline.judge.scoring.statistics.paired import Decision
from bfcl_pipeline.runs.archived.findings import Findings, Part, Verification, worst
from bfcl_pipeline.runs.archived.unpacking import ArchivedRun
from bfcl_pipeline.runs.making import Making
from bfcl_pipeline.share.asked_again.asking import ASKINGS, AskingJob, FreshAnswer, draw, models_of
from bfcl_pipeline.share.asked_again.comparison import (
    SAME_CALLS,
    SAME_TEXTS,
    LevelComparison,
    compare_answers,
    compared_form,
)
from bfcl_pipeline.share.asked_again.own_model import different_surroundings, other_identity, own_row

ENOUGH = 0.9  # share of the drawn requests that must be answered before the outcome counts as verified

_HEADINGS = ("%", "requests", "archive", "yours", "difference", "95 % interval", "margin", "p", "decision")


@dataclass(frozen=True, slots=True)
class AskedModel:
    """The fresh answers of one model of the archive, and their comparison."""

    job: AskingJob
    answers: Sequence[Sequence[FreshAnswer]]  # to each request in the order of the draw, by asking
    answered: int  # requests with all their fresh answers
    compared: Sequence[LevelComparison]  # of these

    @property
    def failed(self) -> list[LevelComparison]:
        """The levels that tell the archive's answers apart from the model's."""
        return [one for one in self.compared if one.decision is Decision.FAIL]

    @property
    def passed(self) -> list[LevelComparison]:
        """The levels at which other answers would have been found; another model need not be right."""
        return [
            one
            for one in self.compared
            if one.decision is Decision.PASS and one.level in (SAME_TEXTS, SAME_CALLS)
        ]

    @property
    def outcome(self) -> Verification:
        """What it shows about the archive."""
        if self.failed:
            return Verification.DIFFERS
        enough = self.answered >= ENOUGH * len(self.answers)
        return Verification.COMPLETE if enough and self.passed else Verification.INCOMPLETE


def report(asked: AskedModel, findings: Findings) -> Verification:
    """Adds the findings about one model; returns the outcome."""
    name, outcome = asked.job.draw.model, asked.outcome
    table = text_table(_HEADINGS, [_cells(level) for level in asked.compared], right=range(1, 8))
    for line in table.splitlines():
        findings.say(Part.ASKED, f"  {line}")
    word = {Verification.COMPLETE: "verified", Verification.DIFFERS: "DIFFERS"}.get(outcome, "not verified")
    findings.add(Part.ASKED, word, "answers", f"{name}: {_conclusion(asked)}")
    failures = [answer for fresh in asked.answers for answer in fresh if isinstance(answer, str)]
    if failures:
        what = f"{name}: {plural(len(failures), 'request', 'requests')} had no answer"
        findings.not_verified("answers", f"{what}, the first: {line_of(failures[0], 400)}")
    return outcome


def _cells(level: LevelComparison) -> list[str]:
    """Shares in per cent, differences in points."""
    shares = (level.archive, level.own, level.archive - level.own)
    return [
        level.level,
        f"{level.requests:,}",
        *(f"{100 * share:.1f}" if level.requests else "-" for share in shares),
        f"{100 * level.limits.low:.1f} to {100 * level.limits.high:.1f}",
        f"{100 * level.margin:.1f}",
        f"{level.p:.2g}",
        level.decision,
    ]


def _conclusion(asked: AskedModel) -> str:
    """The outcome in one line."""
    own = f"your {asked.job.job.row.name}"
    drawn = f"{asked.answered:,} of {plural(len(asked.answers), 'drawn request', 'drawn requests')}"
    if asked.failed:
        levels = ", ".join(one.level for one in asked.failed)
        return f"these are not answers of {own}: below its own by more than the margin: {levels}"
    if asked.outcome is Verification.INCOMPLETE:
        return f"{drawn} were answered: too few, or too varied, to find other answers: draw more"
    limits = ", ".join(f"{one.level} {max(0.0, -100 * one.limits.low):.1f}" for one in asked.passed)
    return f"could be answers of {own}, on {drawn}; points below its own, at most: {limits}"


def write_statement(path: Path, run: ArchivedRun, seed: int, asked: Sequence[AskedModel]) -> None:
    """Writes the results of all models. Endpoints and keys of the verifier are not among them."""
    document = {
        "archive": {"file": run.file.name, "sha256": run.sha256, "run": run.metadata.run},
        "seed": seed,
        "models": list(map(_model, asked)),
    }
    write_text(path, json.dumps(document, indent=2) + "\n")


def _model(asked: AskedModel) -> Json:
    row, draw = asked.job.job.row, asked.job.draw
    return {
        "model": draw.model,
        "outcome": asked.outcome.name.lower(),
        "asked": {"name": row.name, "kind": row.kind, "model": row.model, "weights": row.weights},
        "requests": draw.of,
        "comparison": [{**asdict(level), "decision": level.decision} for level in asked.compared],
        "exchanges": [
            {
                "key": one.key,
                "entry_id": one.entry.entry_id,
                "turn": one.request.turn,
                "archived": one.exchange.result,
                "askings": [
                    {"failure": x} if isinstance(x, str) else {"result": x.result} for x in answers
                ],
            }
            for one, answers in zip(draw.requests, asked.answers, strict=True)
        ],
    }


@dataclass(frozen=True, slots=True, kw_only=True)
class AskAgain:
    """What to ask again, and how. A FurtherCheck."""

    count: int  # requests to draw of each model
    seed: int  # decides which
    models: tuple[str, ...] = ()  # names in the archive; none: all behind an API
    renamed: Mapping[str, str] = field(default_factory=dict)  # own names, by the archive's
    models_files: tuple[Path, ...] = ()  # the verifier's; none: the usual ones
    cache: Path = Path("cache")  # the verifier's; journals of askings are below it
    budget: float | None = None  # US dollars for each model
    endpoint_from: Path | None = None  # status file of a running server, for a model that vLLM serves
    dry_run: bool = False  # only say what would be sent
    out: Path | None = None  # file for the statement

    def __post_init__(self) -> None:
        """Raises ConfigError for a number with which nothing can be shown."""
        if self.count < 1:
            raise ConfigError(f"--ask-again: expected 1 request or more; got {self.count}.")

    def __call__(self, run: ArchivedRun, findings: Findings, step_log: Log) -> Verification:
        """Asks the models of the run again."""
        folders = models_of(run)
        for name in (*self.models, *self.renamed):
            if name not in folders:
                raise ConfigError(f"--ask-again: {unknown_name('model of the archive', name, folders)}")
        if not folders:
            findings.not_verified("answers", "the run has no model behind an API that could be asked again")
            return Verification.INCOMPLETE
        rows = load_models(self.models_files or None)
        jobs = [
            self._planned(run, name, own_row(name, self.renamed, rows), findings, step_log)
            for name in self.models or folders
        ]
        if self.dry_run:
            findings.not_verified("answers", "nothing was asked again: only the plan was printed")
            return Verification.INCOMPLETE
        asked = [_asked(run, job, findings, step_log) for job in jobs]
        if self.out is not None:
            write_statement(self.out, run, self.seed, asked)
        return worst([report(one, findings) for one in asked])

    def _planned(
        self, run: ArchivedRun, name: str, row: ModelRow, findings: Findings, step_log: Log
    ) -> AskingJob:
        """Draws the requests to one model, and reports what they need. Raises ConfigError."""
        if self.endpoint_from and not row.served:
            # Otherwise a vendor's key would be sent to another server.
            why = "--endpoint-from is for models that vLLM serves; set `endpoint` in the model's row."
            raise ConfigError(f"{row.name}: {why}")
        paths = JobPaths(
            data=run.data,
            journals=self.cache / "asked_again" / f"{run.sha256[:16]}-{self.seed}",
            weights_cache=self.cache / "weights",
            endpoint=self.endpoint_from,
        )
        row = identify_weights(row, step_log, paths.weights_cache)
        step_log(f"{name}: drawing {self.count:,} requests with seed {self.seed}")
        drawn = draw(run, name, self.count, self.seed)
        if not drawn.requests:
            raise ConfigError(f"--ask-again: the archive has no request of {name} to draw from.")
        texts = read_texts(run.data)
        differences = other_identity(run.recorded.job_of(drawn.folder).row, row, drawn, texts)
        budget = self.budget and self.budget / len(ASKINGS)
        job = Job(row=row, categories=(), run="asked again", budget=budget, paths=paths)
        asking = AskingJob(job, drawn, texts)
        number = f"{len(drawn.requests):,} of {drawn.of:,} requests"
        plan = f"{number} drawn, each asked {len(ASKINGS)} times by your row {row.name}"
        for line in (plan, f"to be sent: {asking.effort()}", *differences):
            findings.say(Part.ASKED, f"{name}: {line}")
        return asking


def _asked(run: ArchivedRun, job: AskingJob, findings: Findings, step_log: Log) -> AskedModel:
    """Asks one model again, and compares the answers."""
    answers = job.ask(step_log)
    for line in different_surroundings(run.making(job.draw.folder) or Making(), job.making()):
        findings.say(Part.ASKED, f"{job.draw.model}: {line}")
    complete = []
    for one, (first, second) in zip(job.draw.requests, answers, strict=True):
        if isinstance(first, Exchange) and isinstance(second, Exchange):
            form = partial(compared_form, one.entry, asking=job.adapter.asking)
            complete.append((form(one.exchange), form(first), form(second)))
    return AskedModel(job, answers, len(complete), compare_answers(complete))
