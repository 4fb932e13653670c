"""The files of the web cache that a run used: what models saw, and what verdicts on executed calls need.

Verdicts ask for no more than they need, so their requests are found by scoring the answers. Answers of web
APIs that a verdict of the run lacks, and that were recorded later, are excluded: with them, the run could
not be derived again from its archive.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Sequence
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from bfcl_pipeline.base.errors import NotRecorded
from bfcl_pipeline.base.text import Log, loaded_json, step_line
from bfcl_pipeline.benchmark.config.job import RECORDED_MODES
from bfcl_pipeline.benchmark.definition import CATEGORIES, Check
from bfcl_pipeline.benchmark.records import Call, DecodeFailure, Entry, Response, Rules, Status
from bfcl_pipeline.benchmark.tables import entries_path, read_entries, read_responses, read_table
from bfcl_pipeline.dialogue.calls import decode_step
from bfcl_pipeline.judge.scoring import Judge
from bfcl_pipeline.runs.run import Run
from bfcl_pipeline.world.executables import (
    ApiAnswer,
    ApiRequest,
    Apis,
    Evaluator,
    ExecutionFailed,
    api_request,
    read_call,
)
from bfcl_pipeline.world.executables.functions.work import AnswerWork
from bfcl_pipeline.world.web.apis import ReplayingApis, why_unanswered
from bfcl_pipeline.world.web.cache import WebCache
from bfcl_pipeline.world.web.coverage import files_of, used_keys
from bfcl_pipeline.world.web.keys import ApiKey, Key

if TYPE_CHECKING:
    from bfcl_pipeline.world.web.check import CacheCheck


class NotingApis:
    """Web APIs whose requests are noted."""

    def __init__(self, apis: Apis) -> None:
        self._apis = apis
        self.keys: dict[ApiKey, bool] = {}  # in order; whether the APIs have an answer

    def get(self, request: ApiRequest) -> ApiAnswer:
        """The answer of the APIs. Raises as they do."""
        key = ApiKey(request)
        try:
            answer = self._apis.get(request)
        except NotRecorded:
            self.keys[key] = False
            raise
        self.keys[key] = True
        return answer


def needed_requests(entry: Entry, responses: Iterable[Response], apis: Apis) -> dict[ApiKey, bool]:
    """The requests that verdicts on `responses` need, in order, and whether `apis` answer them.

    Raises WebError as `apis` do, and TableError for a response that is not JSON.
    """
    noting = NotingApis(apis)
    judge = Judge(entry, apis=noting)
    for response in responses:
        if response.status is Status.ANSWERED:
            judge.answer_verdicts(response.result_json, response.mode, response.name_style, list(Rules))
    return noting.keys


def shown_requests(entry: Entry, responses: Iterable[Response], apis: Apis) -> dict[ApiKey, bool]:
    """The requests of the expected calls and of all calls in `responses`, and whether `apis` answer them.

    Pages show the value of each call, also of one that no verdict needed. Raises as `apis` do.
    """
    noting = NotingApis(apis)
    rest = CATEGORIES[entry.category].check is Check.REST
    expected = [] if rest else [read_call(expected["call"]) for expected in entry.truth]
    _ask(expected, noting, rest)
    for response in responses:
        result = loaded_json(response.result_json) if response.status is Status.ANSWERED else None
        for rules in (Rules.OFFICIAL, Rules.CORRECTED):
            decoded = decode_step(result, response.mode, rules=rules)
            _ask(() if isinstance(decoded, DecodeFailure) else decoded, noting, rest)
    return noting.keys


def _ask(calls: Sequence[Call], apis: Apis, rest: bool) -> None:
    """Makes the requests of calls; of functions, in as much work as is done to show an answer."""
    evaluator, answer_work = Evaluator(apis), AnswerWork()
    for call in calls:
        with suppress(ExecutionFailed, NotRecorded), answer_work.call() as work:
            if rest:
                apis.get(api_request(call.arguments))
            elif evaluator.uses_network(call):
                evaluator.value(call, work)


_MANY = 500  # outcomes: their check takes more than a second


@dataclass(frozen=True, slots=True)
class ArchivedWeb:
    """The part of the web cache that a run used."""

    files: list[Path]  # outcomes with their cassettes, sorted
    recorded_since: int  # answers of web APIs that verdicts of the run lack; not among the files


class _ApisOfRun:
    """The web cache as web APIs, without the answers that verdicts of a run lack."""

    def __init__(self, cache: WebCache, lacking: Collection[str]) -> None:
        """lacking: the messages of these verdicts."""
        self._apis, self._lacking = ReplayingApis(cache), lacking
        self.recorded_since: set[ApiKey] = set()

    def get(self, request: ApiRequest) -> ApiAnswer:
        """The recorded answer. Raises as `ReplayingApis`."""
        answer = self._apis.get(request)
        message = why_unanswered(request)
        if message in self._lacking:
            self.recorded_since.add(ApiKey(request))
            raise NotRecorded(message)
        return answer


def web_files(run: Run, further: Collection[Key]) -> ArchivedWeb:
    """The outcomes in the run's web cache that it used, and those of `further`.

    Raises TableError if a table cannot be read, WebError if an outcome is damaged.
    """
    cache = WebCache(run.cache / "web")
    apis = _apis_of(run, cache)
    keys = _run_keys(run, apis, unfinished=False) | set(further)
    return ArchivedWeb(files_of(cache, keys), len(apis.recorded_since))


def run_keys(run: Run, record: Path, *, unfinished: bool = False) -> set[Key]:
    """The web requests of the run, whether the web cache `record` has their outcomes or not.

    Without those of web APIs whose answer was recorded after a verdict of the run that lacks it.

    unfinished: tables of responses may be missing.

    Raises TableError if a table cannot be read, WebError if an answer of a web API is damaged.
    """
    return _run_keys(run, _apis_of(run, WebCache(record)), unfinished)


def _run_keys(run: Run, apis: _ApisOfRun, unfinished: bool) -> set[Key]:
    keys: set[Key] = {*_executed(run, apis, unfinished)}
    keys -= apis.recorded_since
    web = run.recorded.web
    if web.mode in RECORDED_MODES:
        for responses in _web_responses(run, unfinished):
            keys |= used_keys(responses, web.search_tool)
    return keys


def checked_web(record: Path, keys: set[Key] | None, processes: int, log: Log) -> CacheCheck:
    """Plays the cassettes of `keys` in the web cache `record`, or all of them (`web.check.check_cache`).

    log: receives a line for each outcome if there are many.
    """
    from bfcl_pipeline.world.web.check import check_cache  # loads HTTP clients, which most runs do not need

    def progress(done: int, total: int) -> None:
        if total >= _MANY:
            log(step_line(done, total, "Play a cassette of the web"))

    return check_cache(WebCache(record), keys, progress, processes=processes)


def _apis_of(run: Run, cache: WebCache) -> _ApisOfRun:
    """Web APIs as the verdicts of the run had them. Raises TableError."""
    tables = map(run.verdicts, run.recorded.folders)
    executes = any(CATEGORIES[category].executes for category in run.recorded.categories)
    lacking = {
        row["error_message"]
        for path in tables
        if executes and path.is_file()
        for row in read_table(path, ["status", "error_message"]).to_pylist()
        if row["status"] == Status.NOT_RECORDED
    }
    return _ApisOfRun(cache, lacking)


def _executed(run: Run, apis: _ApisOfRun, unfinished: bool) -> Iterator[ApiKey]:
    """The requests of web APIs that the verdicts of the run need, and those that its page shows.

    Of an entry that lacked an answer which was recorded later, those that only the page shows are left out:
    they were most likely recorded with it.
    """
    # Then the page has the values of expected calls from it.
    shown = run.recorded.web.mode in RECORDED_MODES
    for category in filter(lambda name: CATEGORIES[name].executes, run.recorded.categories):
        answers: dict[str, list[Response]] = {}
        for folder in run.recorded.folders:
            if category in run.recorded.categories_of(folder):
                for response in _responses(run, folder, category, unfinished):
                    if response.web in RECORDED_MODES:
                        answers.setdefault(response.entry_id, []).append(response)
                    elif shown:
                        answers.setdefault(response.entry_id, [])
        for entry in read_entries(entries_path(run.data, category), set(answers)) if answers else ():
            needed = needed_requests(entry, answers[entry.entry_id], apis)
            yield from needed
            if not apis.recorded_since & needed.keys():
                yield from shown_requests(entry, answers[entry.entry_id], apis)


def _web_responses(run: Run, unfinished: bool) -> Iterator[list[Response]]:
    """The responses of the categories that search the web, table by table."""
    given = run.recorded.given  # from webs of other runs
    for folder in run.recorded.folders:
        for category in () if folder in given else run.recorded.categories_of(folder):
            if CATEGORIES[category].check is Check.WEB_SEARCH:
                yield _responses(run, folder, category, unfinished)


def _responses(run: Run, folder: str, category: str, unfinished: bool) -> list[Response]:
    path = run.responses(folder, category)
    return [] if unfinished and not path.is_file() else read_responses(path)


def unfinished_models(run: Run) -> list[str]:
    """The names of the models of which a table of responses is missing, in the order of the config."""
    return [
        run.recorded.job_of(folder).name
        for folder in run.recorded.folders
        if not all(
            run.responses(folder, category).is_file() for category in run.recorded.categories_of(folder)
        )
    ]
