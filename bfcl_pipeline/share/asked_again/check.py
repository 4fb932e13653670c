"""Asking the models of an archived run again, as a further check of its verification.

Draws requests, shows what they will cost, sends them to the verifier's own model, whose server is started
as the workflow does, and reports whether the archive's answers could come from it.
"""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from tempfile import TemporaryDirectory

from bfcl_pipeline.ask.generation import Adapter
from bfcl_pipeline.ask.models import build_adapter
from bfcl_pipeline.ask.models.serving.address import ready_endpoint
from bfcl_pipeline.base.errors import ConfigError
from bfcl_pipeline.base.text import Log, unknown_name
from bfcl_pipeline.benchmark.config import ModelRow, load_models, model_folder
from bfcl_pipeline.benchmark.definition import CATEGORIES
from bfcl_pipeline.benchmark.records import Exchange
from bfcl_pipeline.dialogue.release_texts import read_texts
from bfcl_pipeline.judge.scoring import NO_APIS
from bfcl_pipeline.runs.archived.findings import Findings, Part, Verification, worst
from bfcl_pipeline.runs.archived.unpacking import ArchivedRun
from bfcl_pipeline.share.asked_again.answers import ComparedAnswer, compared_form
from bfcl_pipeline.share.asked_again.asking import (
    AskingJob,
    Fresh,
    FreshAnswer,
    OwnServer,
    ask,
    asking_plan,
)
from bfcl_pipeline.share.asked_again.comparison import ComparedRequest
from bfcl_pipeline.share.asked_again.drawing import DrawnRequest, RequestDraw, draw, models_of
from bfcl_pipeline.share.asked_again.exchangeability import TOLERANCES
from bfcl_pipeline.share.asked_again.outcome import AskedModel, report, write_results
from bfcl_pipeline.share.asked_again.own_model import (
    OwnModel,
    batch_invariant,
    different_surroundings,
    own_making,
    own_model,
    own_row,
)
from bfcl_pipeline.world.web.apis import ApisByMode

_END_SECONDS = 60.0
"""Time that the server has to end."""


@contextmanager
def own_server(
    row: ModelRow,
    models: Sequence[Path],
    endpoint: str | None,
    address: Path | None,
    log_file: Path,
    log: Log,
) -> Iterator[OwnServer]:
    """The server that answers for the model of `row` while the block runs.

    Args:
        row: the verifier's. Only for a model that a run serves is there anything to do.
        models: the models files with the row; none: the usual ones.
        endpoint: URL of a server that runs.
        address: the status file of a server that runs.
        log_file: file for the output of a server that is started, if neither is given.
        log: receives a line on it.

    Raises:
        ModelError: the server fails.
    """
    if not row.served:
        yield OwnServer()
    elif endpoint is not None:
        yield OwnServer(endpoint)
    elif address is not None:
        yield OwnServer(ready_endpoint(address), address)
    else:
        with TemporaryDirectory(prefix="bfcl-ask-") as folder:
            path = Path(folder) / "address.json"
            path.touch()  # as the workflow does: the server writes it once it has started
            log_file.parent.mkdir(parents=True, exist_ok=True)
            log(f"{row.name}: starting vLLM; its log is {log_file}")
            with _serving(row, models, path, log_file):
                yield OwnServer(ready_endpoint(path), path)


@contextmanager
def _serving(row: ModelRow, models: Sequence[Path], address: Path, log_file: Path) -> Iterator[None]:
    command = [sys.executable, "-m", "bfcl_pipeline.cli", "serve", row.name]
    command += [f"--models={path}" for path in models]
    command += [f"--address-out={address}", f"--log={log_file}", "--end-with-parent"]
    with subprocess.Popen(command, stdin=subprocess.DEVNULL, stderr=subprocess.DEVNULL) as process:
        try:
            yield
        finally:
            process.terminate()
            try:
                process.wait(_END_SECONDS)
            except subprocess.TimeoutExpired:
                process.kill()


FOLDER = "asked_again"
"""Below the cache directory: the journals of askings."""

_NOT_INVARIANT = "no record says that {} answers were made with VLLM_BATCH_INVARIANT=1"


@dataclass(frozen=True, slots=True, kw_only=True)
class AskAgain:
    """What to ask again, and how. A FurtherCheck."""

    count: int  # requests to draw of each model
    seed: int  # decides which
    askings: int = 2  # of each request; the second one shows what is usual
    models: tuple[str, ...] = ()  # names in the archive; none: all behind an API
    categories: tuple[str, ...] = ()  # whose requests are drawn; none: all
    renamed: Mapping[str, str] = field(
        default_factory=dict
    )  # the verifier's names, by those in the archive
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
        trials = self._chosen(models_of(run))
        if not trials:
            findings.not_verified("answers", "the run has no model behind an API that could be asked again")
            return Verification.INCOMPLETE
        rows = load_models(self.models_files or None)
        asked = []
        for name, folders in trials.items():
            row = own_row(name, self.renamed, rows, step_log, self.cache / "weights")
            step_log(f"{name}: drawing {self.count:,} requests with seed {self.seed}")
            drawn = draw(run, name, folders, self.count, self.seed, self.categories)
            if not drawn.requests:
                raise ConfigError(f"--ask-again: the archive has no request of {name} to draw from.")
            asked.append(self._asked(run, drawn, folders[0], row, findings, step_log))
        results = [one for one in asked if one is not None]
        if not results:
            findings.not_verified("answers", "nothing was asked again: only the plan was printed")
            return Verification.INCOMPLETE
        if self.out is not None:
            write_results(self.out, run, self.seed, results)
        return worst([report(one, findings) for one in results])

    def _chosen(self, trials: Mapping[str, list[str]]) -> dict[str, list[str]]:
        for name in (*self.models, *self.renamed):
            if name not in trials:
                raise ConfigError(f"--ask-again: {unknown_name('model of the archive', name, trials)}")
        return {name: trials[name] for name in self.models or trials}

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

    def _asked(
        self,
        run: ArchivedRun,
        drawn: RequestDraw,
        folder: str,
        row: ModelRow,
        findings: Findings,
        step_log: Log,
    ) -> AskedModel | None:
        """Asks one model again; None if only the plan is wanted."""
        self._check_row(row)
        archived, texts = run.recorded.job_of(folder).row, read_texts(run.data)
        model = own_model(drawn.model, row, archived, drawn.requests, texts)
        journal = self.cache / FOLDER / f"{run.sha256[:16]}-{self.seed}" / model_folder(drawn.model)
        job = AskingJob(row, drawn, self.askings, self.budget, journal, self.cache / "weights", texts)
        for line in asking_plan(job).lines():
            findings.say(Part.ASKED, line)
        for difference in model.differences:
            findings.say(Part.ASKED, f"{drawn.model}: {difference}")
        if self.dry_run:
            return None
        log_file = journal / "server.log"
        running = own_server(row, self.models_files, self.endpoint, self.endpoint_from, log_file, step_log)
        with running as server:
            fresh = ask(job, server, step_log)
        archived_by = run.making(folder)
        assert archived_by is not None  # noqa: S101  # it is behind an API
        own_by = own_making(journal, job.keys())
        for line in different_surroundings(archived_by, own_by):
            findings.say(Part.ASKED, f"{drawn.model}: {line}")
        if self.demand_equality:
            sides = (("the archive's", archived_by), ("your", own_by))
            for whose, made_by in sides:
                if not batch_invariant(made_by):
                    findings.say(Part.ASKED, f"{drawn.model}: {_NOT_INVARIANT.format(whose)}")
        return self._compared(run, drawn, folder, model, fresh)

    def _compared(
        self, run: ArchivedRun, drawn: RequestDraw, folder: str, model: OwnModel, fresh: Fresh
    ) -> AskedModel:
        job = run.recorded.job_of(folder)
        adapters = build_adapter(job.row, offline=True), build_adapter(model.row, offline=True)
        apis_of = ApisByMode(run.data, run.cache / "web")

        def form(one: DrawnRequest, exchange: Exchange | None, adapter: Adapter) -> ComparedAnswer | None:
            if exchange is None:
                return None
            executes = CATEGORIES[one.entry.category].executes
            apis = apis_of(job.web.mode) if executes else NO_APIS
            return compared_form(one.entry, exchange, adapter.asking, run.recorded.rules, apis)

        def request(one: DrawnRequest, answers: Sequence[FreshAnswer]) -> ComparedRequest:
            archived = form(one, one.exchange, adapters[0])
            assert archived is not None  # noqa: S101  # the archive has an exchange
            return ComparedRequest(
                archived,
                tuple(form(one, answer.exchange, adapters[1]) for answer in answers),
                tuple(form(one, exchange, adapters[0]) for exchange in one.trials),
            )

        requests = tuple(map(request, drawn.requests, fresh.answers))
        return AskedModel(
            drawn, model, fresh, requests, self.askings, self.tolerances, self.demand_equality
        )
