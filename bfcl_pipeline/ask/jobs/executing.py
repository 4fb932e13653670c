"""What a job does with answers whose calls are executed: it records what their verdicts need of web APIs.

Only in the mode `record`, after each answer. A replay finds out instead which failures of web APIs the run
observed. In all other modes nothing is done, and scoring executes the calls.
"""

import os
from collections.abc import Iterable, Mapping
from concurrent.futures import ThreadPoolExecutor

from bfcl_pipeline.ask.generation import Completed, Executing
from bfcl_pipeline.ask.jobs.observed import ObservedFailures
from bfcl_pipeline.base.errors import NotRecorded
from bfcl_pipeline.benchmark.config import Job
from bfcl_pipeline.benchmark.definition import CATEGORIES
from bfcl_pipeline.benchmark.records import Entry, Response
from bfcl_pipeline.judge.web_files import needed_requests
from bfcl_pipeline.world.web.api_recording import API_LIMITS, RecordingApis
from bfcl_pipeline.world.web.apis import ReplayingApis, keys_in
from bfcl_pipeline.world.web.cache import WebCache
from bfcl_pipeline.world.web.http_client import HttpClient
from bfcl_pipeline.world.web.pace import FOLDER, HostPace
from bfcl_pipeline.world.web.proxies import Proxies

_AT_ONCE = 8
"""Given answers whose requests are recorded at the same time."""


def executing(
    job: Job, observed: ObservedFailures, environment: Mapping[str, str] = os.environ
) -> Executing | None:
    """The function to call with each answer of `job` whose calls are executed; None if nothing is to do."""
    if job.web.mode != "record" or not any(CATEGORIES[name].executes for name in job.categories):
        return None
    cache = WebCache(job.web.cache)
    if not job.replay:
        proxies, pace = Proxies.of(job.web.proxy), HostPace(job.web.pause, job.web.cache / FOLDER)
        client = HttpClient(API_LIMITS, proxies=proxies)
        apis = RecordingApis(cache, keys_in(environment), client, pace=pace, secrets=proxies.secrets)

        def record(entry: Entry, response: Response) -> None:
            needed_requests(entry, [response], apis)

        return record

    def find_failure(entry: Entry, response: Response) -> None:
        if observed.failed(entry):
            found = needed_requests(entry, [response], ReplayingApis(cache))
            missing = next((key for key, recorded in found.items() if not recorded), None)
            if missing is not None:
                raise NotRecorded(f"The web cache has no answer to the {missing}.")

    return find_failure


def record_given(job: Job, completed: Iterable[Completed]) -> None:
    """Records what the verdicts on given answers need, in the mode `record`.

    Raises WebError if a web API has no answer now. What was recorded stays.
    """
    record = None if job.replay else executing(job, ObservedFailures(None, job.folder, job.categories))
    if record is None:
        return
    asked = [one for one in completed if CATEGORIES[one.entry.category].executes]
    with ThreadPoolExecutor(_AT_ONCE, "web") as threads:
        for done in [threads.submit(record, one.entry, one.response) for one in asked]:
            done.result()
