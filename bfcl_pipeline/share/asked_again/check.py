"""Asking the models of an archived run again, as a further check of its verification.

Draws requests, shows what they will cost, sends them to the verifier's own model, and reports whether the
archive's answers could come from it.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path

from bfcl_pipeline.ask.generation import Adapter
from bfcl_pipeline.ask.generation.counts import ProgressCounts
from bfcl_pipeline.ask.models import build_adapter
from bfcl_pipeline.ask.models.weights import identify_weights
from bfcl_pipeline.base.errors import ConfigError
from bfcl_pipeline.base.text import Log, unknown_name
from bfcl_pipeline.benchmark.config import ModelRow, load_models, model_folder
from bfcl_pipeline.benchmark.definition import CATEGORIES
from bfcl_pipeline.benchmark.records import Exchange
from bfcl_pipeline.dialogue.release_texts import read_texts
from bfcl_pipeline.judge.scoring import NO_APIS
from bfcl_pipeline.runs.archived.findings import Findings, Part, Verification, worst
from bfcl_pipeline.runs.archived.unpacking import ArchivedRun
from bfcl_pipeline.share.asked_again.answers import ComparedAnswer, ComparedRequest, compared_form
from bfcl_pipeline.share.asked_again.asking import AskingJob, ask, own_server, plan_lines
from bfcl_pipeline.share.asked_again.drawing import DrawnRequest, draw, models_of
from bfcl_pipeline.share.asked_again.exchangeability import TOLERANCES
from bfcl_pipeline.share.asked_again.outcome import AskedModel, report, write_results
from bfcl_pipeline.share.asked_again.own_model import (
    batch_invariant,
    different_surroundings,
    other_identity,
    own_row,
)
from bfcl_pipeline.world.web.apis import ApisByMode

FOLDER = "asked_again"
"""Below the cache directory: the journals of askings."""


@dataclass(frozen=True, slots=True, kw_only=True)
class AskAgain:
    """What to ask again, and how. A FurtherCheck."""

    count: int  # requests to draw of each model
    seed: int  # decides which
    askings: int = 2  # of each request; the second one shows what is usual
    models: tuple[str, ...] = ()  # names in the archive; none: all behind an API
    categories: tuple[str, ...] = ()  # whose requests are drawn; none: all
    renamed: Mapping[str, str] = field(default_factory=dict)  # own names, by the archive's
    models_files: tuple[Path, ...] = ()  # the verifier's; none: the usual ones
    cache: Path = Path("cache")  # the verifier's; journals of askings are below it
    budget: float | None = None  # US dollars for each model
    endpoint: str | None = None  # URL of a running server, for a model that vLLM serves
    endpoint_from: Path | None = None  # status file of a running server
    tolerances: Mapping[str, float] = field(default_factory=lambda: TOLERANCES)  # by level
    demand_equality: bool = False  # any other text is a difference
    dry_run: bool = False  # only say what would be sent
    out: Path | None = None  # file for the results

    def __post_init__(self) -> None:
        """Raises ConfigError for numbers with which nothing can be shown."""
        if self.count < 1:
            raise ConfigError(f"--ask-again: expected 1 request or more; got {self.count}.")
        if self.askings < 2:
            raise ConfigError(
                f"--askings: expected 2 or more; got {self.askings}. The second asking shows how much the "
                "answers of one model vary."
            )

    def __call__(self, run: ArchivedRun, findings: Findings, step_log: Log) -> Verification:
        """Asks the models of the run again."""
        trials = models_of(run)
        for name in (*self.models, *self.renamed):
            if name not in trials:
                raise ConfigError(f"--ask-again: {unknown_name('model of the archive', name, trials)}")
        if not trials:
            findings.not_verified("answers", "the run has no model behind an API that could be asked again")
            return Verification.INCOMPLETE
        rows = load_models(self.models_files or None)
        asked = [
            self._ask(run, name, trials[name], own_row(name, self.renamed, rows), findings, step_log)
            for name in self.models or trials
        ]
        results = [one for one in asked if one is not None]
        if not results:
            findings.not_verified("answers", "nothing was asked again: only the plan was printed")
            return Verification.INCOMPLETE
        if self.out is not None:
            write_results(self.out, run, self.seed, results)
        return worst([report(one, findings) for one in results])

    def _ask(
        self,
        run: ArchivedRun,
        name: str,
        folders: list[str],
        row: ModelRow,
        findings: Findings,
        step_log: Log,
    ) -> AskedModel | None:
        """Asks one model again; None if only the plan is wanted."""
        row = identify_weights(row, step_log, self.cache / "weights")
        step_log(f"{name}: drawing {self.count:,} requests with seed {self.seed}")
        drawn = draw(run, name, folders, self.count, self.seed, self.categories)
        if not drawn.requests:
            raise ConfigError(f"--ask-again: the archive has no request of {name} to draw from.")
        self._check_row(row)
        texts = read_texts(run.data)
        differences = other_identity(row, run.recorded.job_of(folders[0]).row, drawn, texts)
        journal = self.cache / FOLDER / f"{run.sha256[:16]}-{self.seed}" / model_folder(name)
        job = AskingJob(row, drawn, self.askings, self.budget, journal, self.cache / "weights", texts)
        for line in [*plan_lines(job), *(f"{name}: {difference}" for difference in differences)]:
            findings.say(Part.ASKED, line)
        if self.dry_run:
            return None
        log_file, counts = journal / "server.log", ProgressCounts()
        with own_server(
            row, self.models_files, self.endpoint, self.endpoint_from, log_file, step_log
        ) as server:
            answers = ask(job, *server, counts, step_log)
        archived_by, own_by = run.making(folders[0]), job.making()
        assert archived_by is not None  # noqa: S101  # it is behind an API
        for line in different_surroundings(archived_by, own_by):
            findings.say(Part.ASKED, f"{name}: {line}")
        if self.demand_equality:
            for whose, making in (("the archive's", archived_by), ("your", own_by)):
                if not batch_invariant(making):
                    what = f"no record says that {whose} answers were made with VLLM_BATCH_INVARIANT=1"
                    findings.say(Part.ASKED, f"{name}: {what}")
        recorded = run.recorded.job_of(folders[0])
        theirs, own = build_adapter(recorded.row, offline=True), build_adapter(row, offline=True)
        apis_of = ApisByMode(run.data, run.cache / "web")

        def form(one: DrawnRequest, answer: object, adapter: Adapter) -> ComparedAnswer | None:
            if not isinstance(answer, Exchange):
                return None
            apis = apis_of(recorded.web.mode) if CATEGORIES[one.entry.category].executes else NO_APIS
            return compared_form(one.entry, answer, adapter.asking, run.rules, apis)

        requests = []
        for one, fresh in zip(drawn.requests, answers, strict=True):
            archived = form(one, one.exchange, theirs)
            assert archived is not None  # noqa: S101  # it is an exchange
            requests.append(
                ComparedRequest(
                    archived,
                    tuple(form(one, answer, own) for answer in fresh),
                    tuple(form(one, answer, theirs) for answer in one.trials),
                )
            )
        return AskedModel(job, answers, counts, requests, self.tolerances, self.demand_equality)

    def _check_row(self, row: ModelRow) -> None:
        """Raises ConfigError if the options contradict the verifier's row."""
        if self.budget is not None and None in (row.input_price, row.output_price):
            raise ConfigError(
                f"--budget needs prices: give the row of {row.name} input_price and output_price (0: free)."
            )
        if (self.endpoint or self.endpoint_from) and not row.served:
            # Otherwise a vendor's key would be sent to another server.
            raise ConfigError(
                f"{row.name}: --endpoint is for models that vLLM serves; set `endpoint` in the model's row."
            )
