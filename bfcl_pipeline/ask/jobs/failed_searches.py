"""The web requests of entries that failed after some answers: their responses do not have the calls.

Their conversations are replayed from the journals, offline, as far as they came in the run.
"""

import json
from dataclasses import replace
from pathlib import Path

from bfcl_pipeline.ask.generation.backends import ReplayedRequest
from bfcl_pipeline.ask.jobs.captured import RunPlaces, capture, replay_job
from bfcl_pipeline.benchmark.definition import CATEGORIES, Check
from bfcl_pipeline.benchmark.records import Json, Response, Status
from bfcl_pipeline.benchmark.tables import read_responses
from bfcl_pipeline.runs.recorded_run import RecordedRun
from bfcl_pipeline.world.web.coverage import used_keys
from bfcl_pipeline.world.web.keys import Key


def failed_searches(recorded: RecordedRun, *, cache: Path, data: Path) -> set[Key]:
    """The searches and pages of the entries of `recorded` that have answers and failed nevertheless.

    Args:
        recorded: the run.
        cache: the directory with its journals and web cache.
        data: the staged release.

    Raises:
        JournalError: a journal is damaged.
        TableError: the release is not staged, or a table cannot be read.
    """
    places = RunPlaces(recorded.folder, cache, data)
    keys: set[Key] = set()
    for folder in recorded.remote():
        failed = _failed(recorded, folder)
        if failed:
            keys |= _of_model(recorded, folder, failed, places)
    return keys


def _failed(recorded: RecordedRun, folder: str) -> dict[str, Response]:
    """The responses of web questions without an answer that have exchanges, by entry id."""
    return {
        response.entry_id: response
        for category in recorded.run.categories_of(folder)
        if CATEGORIES[category].check is Check.WEB_SEARCH
        for response in read_responses(recorded.folder / "responses" / folder / f"{category}.parquet")
        if response.status is not Status.ANSWERED and response.steps
    }


def _of_model(
    recorded: RecordedRun, folder: str, failed: dict[str, Response], places: RunPlaces
) -> set[Key]:
    results: dict[str, list[Json]] = {}

    def received(request: ReplayedRequest) -> None:
        response = failed.get(request.entry.entry_id)
        # The journals may have later answers, of another run.
        if response and request.exchange is not None and request.number <= len(response.steps):
            results.setdefault(response.entry_id, []).append(request.exchange.result)

    capture(replay_job(recorded.run, folder, places), received, set(failed))
    made = [
        replace(failed[entry_id], result_json=json.dumps([answers]))
        for entry_id, answers in results.items()
    ]
    return used_keys(made, recorded.config["search_tool"])
