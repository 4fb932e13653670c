"""The files of the web cache that a run used: what models saw, and what verdicts on executed calls need."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING

from bfcl_pipeline.archive.recorded_run import RecordedRun
from bfcl_pipeline.benchmark import CATEGORIES, Check
from bfcl_pipeline.config.job import RECORDED_MODES
from bfcl_pipeline.records import Response
from bfcl_pipeline.tables import entries_path, read_entries, read_responses
from bfcl_pipeline.text import Log, step_line
from bfcl_pipeline.web.apis import ReplayingApis
from bfcl_pipeline.web.cache import WebCache
from bfcl_pipeline.web.coverage import files_of, used_keys
from bfcl_pipeline.web.executed import needed_requests, shown_requests
from bfcl_pipeline.web.keys import ApiKey, Key

if TYPE_CHECKING:
    from bfcl_pipeline.web.check import CacheCheck

_MANY = 500  # outcomes: their check takes more than a second


def web_files(recorded: RecordedRun, record: Path, data: Path) -> list[Path]:
    """The outcomes in the web cache `record` that the run used, with their cassettes, sorted.

    Raises TableError if a table cannot be read, WebError if an outcome is damaged.
    """
    return files_of(WebCache(record), run_keys(recorded, record, data))


def run_keys(recorded: RecordedRun, record: Path, data: Path, *, unfinished: bool = False) -> set[Key]:
    """The web requests of the run, whether the web cache `record` has their outcomes or not.

    unfinished: tables of responses may be missing.

    Raises TableError if a table cannot be read, WebError if an answer of a web API is damaged.
    """
    keys: set[Key] = set(_executed(recorded, WebCache(record), data, unfinished))
    if recorded.config["web"] in RECORDED_MODES:
        tool, engines = recorded.config["search_tool"], recorded.engines
        for folder, responses in _web_responses(recorded, unfinished):
            keys |= used_keys(responses, tool, engines.of(recorded.row(folder).name))
    return keys


def checked_web(record: Path, keys: set[Key] | None, processes: int, log: Log) -> CacheCheck:
    """Plays the cassettes of `keys` in the web cache `record`, or all of them (`web.check.check_cache`).

    log: receives a line for each outcome if there are many.
    """
    from bfcl_pipeline.web.check import check_cache  # loads HTTP clients, which most runs do not need

    def progress(done: int, total: int) -> None:
        if total >= _MANY:
            log(step_line(done, total, "Play a cassette of the web"))

    return check_cache(WebCache(record), keys, progress, processes=processes)


def _executed(recorded: RecordedRun, cache: WebCache, data: Path, unfinished: bool) -> Iterator[ApiKey]:
    """The requests of web APIs that the verdicts of the run need, and those that its page shows."""
    apis = ReplayingApis(cache)
    shown = (
        recorded.config["web"] in RECORDED_MODES
    )  # then the page has the values of expected calls from it
    for category in filter(lambda name: CATEGORIES[name].executes, recorded.categories):
        answers: dict[str, list[Response]] = {}
        for folder in recorded.run.folders:
            if category in recorded.run.categories_of(folder):
                for response in _responses(recorded, folder, category, unfinished):
                    if response.web in RECORDED_MODES:
                        answers.setdefault(response.entry_id, []).append(response)
                    elif shown:
                        answers.setdefault(response.entry_id, [])
        for entry in read_entries(entries_path(data, category), set(answers)) if answers else ():
            yield from needed_requests(entry, answers[entry.entry_id], apis)
            yield from shown_requests(entry, answers[entry.entry_id], apis)


def _web_responses(recorded: RecordedRun, unfinished: bool) -> Iterator[tuple[str, list[Response]]]:
    """The responses of the categories that search the web, each with the directory name of its model."""
    given = recorded.given()  # from webs of other runs
    for folder in recorded.run.folders:
        for category in () if folder in given else recorded.run.categories_of(folder):
            if CATEGORIES[category].check is Check.WEB_SEARCH:
                yield folder, _responses(recorded, folder, category, unfinished)


def _responses(recorded: RecordedRun, folder: str, category: str, unfinished: bool) -> list[Response]:
    path = recorded.folder / "responses" / folder / f"{category}.parquet"
    return [] if unfinished and not path.is_file() else read_responses(path)


def unfinished_models(recorded: RecordedRun) -> list[str]:
    """The names of the models of which a table of responses is missing, in the order of the config."""
    return [
        recorded.run.jobs_of(folder)[0].name
        for folder in recorded.run.folders
        if not all(
            (recorded.folder / "responses" / folder / f"{category}.parquet").is_file()
            for category in recorded.run.categories_of(folder)
        )
    ]
