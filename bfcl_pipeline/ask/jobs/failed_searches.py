"""The web requests of entries that failed after some answers: their responses do not have the calls.

Their conversations are replayed from the journals, offline, as far as they came in the run.
"""

import json
from dataclasses import replace

from bfcl_pipeline.ask.generation.backends import ReplayedRequest
from bfcl_pipeline.ask.jobs.captured import capture, replay_job
from bfcl_pipeline.benchmark.definition import CATEGORIES, Check
from bfcl_pipeline.benchmark.records import Json, Response, Status
from bfcl_pipeline.benchmark.tables import read_responses
from bfcl_pipeline.runs.run import Run
from bfcl_pipeline.world.web.coverage import used_keys
from bfcl_pipeline.world.web.keys import Key


def failed_searches(run: Run) -> set[Key]:
    """The searches and pages of the entries of `run` that have answers and failed nevertheless.

    Args:
        run: the run.

    Raises:
        JournalError: a journal is damaged.
        TableError: the release is not staged, or a table cannot be read.
    """
    keys: set[Key] = set()
    for folder in run.recorded.remote:
        failed = _failed(run, folder)
        if failed:
            keys |= _of_model(run, folder, failed)
    return keys


def _failed(run: Run, folder: str) -> dict[str, Response]:
    """The responses of web questions without an answer that have exchanges, by entry id."""
    return {
        response.entry_id: response
        for category in run.recorded.categories_of(folder)
        if CATEGORIES[category].check is Check.WEB_SEARCH
        for response in read_responses(run.responses(folder, category))
        if response.status is not Status.ANSWERED and response.steps
    }


def _of_model(run: Run, folder: str, failed: dict[str, Response]) -> set[Key]:
    results: dict[str, list[Json]] = {}

    def received(request: ReplayedRequest) -> None:
        response = failed.get(request.entry.entry_id)
        # The journals may have later answers, of another run.
        if response and request.exchange is not None and request.number <= len(response.steps):
            results.setdefault(response.entry_id, []).append(request.exchange.result)

    capture(replay_job(run, folder), received, set(failed))
    made = [
        replace(failed[entry_id], result_json=json.dumps([answers]))
        for entry_id, answers in results.items()
    ]
    return used_keys(made, run.values["search_tool"])
