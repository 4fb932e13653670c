"""Asking the models of an archived run again, as a further check of its verification."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import partial
from pathlib import Path

from bfcl_pipeline.ask.models.weights import identify_weights
from bfcl_pipeline.base.errors import ConfigError
from bfcl_pipeline.base.text import Log, unknown_name
from bfcl_pipeline.benchmark.config import Job, JobPaths, ModelRow, load_models
from bfcl_pipeline.benchmark.records import Exchange
from bfcl_pipeline.dialogue.release_texts import read_texts
from bfcl_pipeline.runs.archived.findings import Findings, Part, Verification, worst
from bfcl_pipeline.runs.archived.unpacking import ArchivedRun
from bfcl_pipeline.runs.making import Making
from bfcl_pipeline.share.asked_again.answers import compared_form
from bfcl_pipeline.share.asked_again.asking import ASKINGS, AskingJob
from bfcl_pipeline.share.asked_again.comparison import compare_answers
from bfcl_pipeline.share.asked_again.drawing import draw, models_of
from bfcl_pipeline.share.asked_again.outcome import AskedModel, report, write_statement
from bfcl_pipeline.share.asked_again.own_model import different_surroundings, other_identity, own_row


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
