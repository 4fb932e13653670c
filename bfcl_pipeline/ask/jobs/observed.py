"""What a replay takes over of failures that a run observed, and what a job records for executed calls.

An outage, a spent budget, a request that did not fit the model: they leave no exchange in a journal. So
where a replay finds nothing recorded, and only there, the status in the run's tables is taken over. Of
answers whose calls are executed, the job records in the mode `record` what their verdicts need of web APIs;
a replay finds out which failures of web APIs the run observed. In all other modes nothing is done, and
scoring executes the calls.
"""

import os
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor

from bfcl_pipeline.ask.generation import Completed, EntryFailure, Executing, failure_of
from bfcl_pipeline.base.errors import NotJournaled, NotRecorded, PipelineError
from bfcl_pipeline.base.text import plural, printable
from bfcl_pipeline.benchmark.config import Job
from bfcl_pipeline.benchmark.definition import CATEGORIES
from bfcl_pipeline.benchmark.records import Entry, Response, Status
from bfcl_pipeline.benchmark.tables import read_responses
from bfcl_pipeline.benchmark.tables.responses import read_sessions
from bfcl_pipeline.judge.web_files import needed_requests
from bfcl_pipeline.runs.run import Run
from bfcl_pipeline.world.web.api_recording import API_LIMITS, API_PAUSES, RecordingApis
from bfcl_pipeline.world.web.apis import ReplayingApis, keys_in
from bfcl_pipeline.world.web.cache import WebCache
from bfcl_pipeline.world.web.http_client import HttpClient
from bfcl_pipeline.world.web.pace import FOLDER, HostPace
from bfcl_pipeline.world.web.proxies import Proxies


class ObservedFailures:
    """The entries without an answer of an earlier run, and which of them were taken over."""

    def __init__(self, run: Run | None, folder: str, categories: Sequence[str]) -> None:
        """run: None: nothing was observed. folder: the model's name as a file name."""
        found = () if run is None else _failures(run, folder, categories)
        self._failures = {response.entry_id: response for response in found}
        self._taken_over: set[str] = set()

    def failed(self, entry: Entry) -> bool:
        """Whether the earlier run has no answer to `entry`."""
        return entry.entry_id in self._failures

    def failure_of(self, entry: Entry, error: PipelineError) -> EntryFailure:
        """The failure of `entry` that `error` causes: as observed, if the error is a missing record."""
        derived = failure_of(entry, error)
        response = self._failures.get(entry.entry_id)
        if response is None or not isinstance(error, NotJournaled | NotRecorded):
            return derived
        observed = EntryFailure(response.status, response.status_detail)
        if observed != derived:
            self._taken_over.add(entry.entry_id)
        return observed

    def summary(self, name: str, completed: Sequence[Completed]) -> Iterator[str]:
        """What a replay of the model `name` derived, took over and did not find, in lines."""
        responses = [one.response for one in completed]
        answered = [one.entry_id for one in responses if one.status is Status.ANSWERED]
        line = f"{name}: replayed {plural(len(responses), 'entry', 'entries')}: {len(answered):,} answered"
        taken_over = [one for one in responses if one.entry_id in self._taken_over]
        if taken_over:
            failures = plural(len(taken_over), "failure", "failures")
            line += f", {failures} taken over from the run ({status_counts(taken_over)})"
        yield f"{line}."
        missing = [one for one in responses if one.status is Status.NOT_RECORDED]
        if missing:
            yield (
                f"{name}: not recorded: {plural(len(missing), 'entry', 'entries')}. "
                f"The first, {missing[0].entry_id}: {printable(str(missing[0].status_detail))}"
            )
        since = [entry_id for entry_id in answered if entry_id in self._failures]
        if since:
            yield (
                f"{name}: without an answer in the run, and answered by what was recorded since: "
                f"{plural(len(since), 'entry', 'entries')}. The first: {since[0]}"
            )


def _failures(run: Run, folder: str, categories: Sequence[str]) -> Iterator[Response]:
    """The responses without an answer in the tables of one model."""
    for category in categories:
        found: list[Response] = []
        sessions = run.sessions(folder, category)
        if sessions.is_file():
            found += [session.response for session in read_sessions(sessions)]
        responses = run.responses(folder, category)
        if responses.is_file():
            found += read_responses(responses)
        yield from (response for response in found if response.status is not Status.ANSWERED)


def status_counts(responses: Iterable[Response]) -> str:
    """How many responses have which status, in words."""
    counts = Counter(response.status for response in responses)
    return ", ".join(f"{count:,} {status}" for status, count in sorted(counts.items()))


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
        proxies = Proxies.of(job.web.proxy)
        pace = HostPace(job.web.pause, job.web.cache / FOLDER, of_hosts=API_PAUSES)
        client = HttpClient(API_LIMITS, proxies=proxies, pace=pace)
        apis = RecordingApis(cache, keys_in(environment), client, secrets=proxies.secrets)

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
