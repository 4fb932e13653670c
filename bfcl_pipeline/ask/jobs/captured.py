"""The requests of a recorded run, made again from its journals, each with what the model wrote.

Covers the models behind an API of a run or of an unpacked archive. Nothing is sent or fetched:
conversations are replayed, as `bfcl-pipeline replay` does it, and each request is handed over as it is
made. Embedded models and models of kind `results` have no journal and therefore no requests. Entries that
failed after some answers have no calls in their responses: their web requests are found so, too. What a
model wrote before its server made calls of it is known where vLLM states the tokens, and of completions.
"""

import json
from collections.abc import Callable, Collection, Iterable, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

from bfcl_pipeline.ask.generation import Completed
from bfcl_pipeline.ask.generation.backends import Adapter, ReplayBackend, ReplayedRequest
from bfcl_pipeline.ask.generation.counts import ProgressCounts
from bfcl_pipeline.ask.jobs.run import run_to_end
from bfcl_pipeline.ask.jobs.selection import select
from bfcl_pipeline.ask.jobs.worlds import observed_run, prepare
from bfcl_pipeline.ask.models import build_derived
from bfcl_pipeline.ask.models.weights import model_files
from bfcl_pipeline.base.errors import ArchiveError, ConfigError
from bfcl_pipeline.benchmark.config import Job, JobPaths, ModelRow, Shard, model_folder
from bfcl_pipeline.benchmark.definition import CATEGORIES, Check
from bfcl_pipeline.benchmark.records import Entry, Json, Response, Status
from bfcl_pipeline.benchmark.tables import read_responses
from bfcl_pipeline.runs.journal import JournalsReader, journals_in
from bfcl_pipeline.runs.run import Run
from bfcl_pipeline.world.web.coverage import used_keys
from bfcl_pipeline.world.web.keys import Key


def replay_job(run: Run, model: str) -> Job:
    """The replay of one model of a run, all its shards together.

    Args:
        run: the run.
        model: the folder of the model, or of a trial of it.

    Raises:
        ConfigError: the run has no such model, or it has no journal.
    """
    first = run.recorded.job_of(model)
    if not first.remote:
        raise ConfigError(f"{first.name}: a model of kind {first.row.kind} has no journal.")
    return replace(
        first,
        categories=run.recorded.categories_of(model),
        selection=replace(first.selection, shard=Shard()),
        web=replace(first.web, cache=run.cache / "web"),
        replay=True,
        paths=JobPaths(
            data=run.data,
            journals=run.journals,
            encoder_cache=run.cache / "encoder",
            weights_cache=run.cache / "weights",
            observed=run.folder,
        ),
    )


def capture(
    job: Job,
    received: Callable[[ReplayedRequest], None],
    only: Collection[str] | None = None,
    adapter: Adapter | None = None,
) -> list[Completed]:
    """Replays a model's conversations, and hands over each request with its answer.

    One conversation follows the other, the requests of each in order. The bodies of a full run have
    gigabytes: keep what is needed of each.

    Args:
        job: as `replay_job` makes it.
        received: called with each request as it is made, with or without an answer.
        only: ids of entries to replay, with the sessions that they need; None: all of the job.
        adapter: makes the bodies and reads the answers; None: that of the recorded row.

    Returns:
        Every replayed entry with its response, sessions included. A conversation without an answer in the
        journals, or without a recorded page, has the status that the run has.

    Raises:
        ConfigError: an entry of the job is not in the staged release, or a row cannot be used.
        JournalError: a journal is damaged.
        TableError: the release is not staged.
    """
    entries = None
    if only is not None:
        entries = _with_sessions(select(job.paths.data, job.categories, job.selection), only)
    conversations = prepare(job, entries)
    adapter = adapter or build_derived(job.row, observed_run(job), job.folder)

    async def run() -> list[Completed]:
        with JournalsReader(journals_in(job.paths.journals / job.folder)) as journals:
            backend = ReplayBackend(adapter, journals, job.trial, ProgressCounts(), received)
            return await conversations.run(backend)

    return run_to_end(run)


def _with_sessions(entries: Iterable[Entry], only: Collection[str]) -> list[Entry]:
    """The entries with some ids, and the sessions that they need, in order."""
    entries = list(entries)
    wanted = set(only)
    for entry in reversed(entries):  # what an entry needs stands before it
        if entry.entry_id in wanted:
            wanted.update(entry.depends_on)
    return [entry for entry in entries if entry.entry_id in wanted]


def failed_searches(run: Run) -> set[Key]:
    """The searches and pages of the entries of `run` that have answers and failed nevertheless.

    Raises:
        JournalError: a journal is damaged.
        TableError: the release is not staged, or a table cannot be read.
    """
    keys: set[Key] = set()
    for folder in run.recorded.remote:
        failed = {
            response.entry_id: response
            for category in run.recorded.categories_of(folder)
            if CATEGORIES[category].check is Check.WEB_SEARCH
            for response in read_responses(run.responses(folder, category))
            if response.status is not Status.ANSWERED and response.steps
        }
        if failed:
            keys |= _searches_of(run, folder, failed)
    return keys


def _searches_of(run: Run, folder: str, failed: dict[str, Response]) -> set[Key]:
    """The web requests of `failed`, responses of one model that have exchanges, by entry id."""
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
    return used_keys(made, run.recorded.web.search_tool)


Decode = Callable[[Sequence[int]], str]
"""The text of tokens, with special tokens."""


@dataclass(frozen=True, slots=True)
class Written:
    """What a model wrote in one step, or has to write so that a server reads what is meant."""

    tokens: tuple[int, ...] = ()  # empty: they are not known
    text: str = ""  # empty: it is not known, or no tokenizer can read its tokens


def tokenizer_of(row: ModelRow | None, folder: Path | None = None) -> Decode | None:
    """Decodes tokens of a model; None if its tokenizer is not on this machine.

    Args:
        row: names the model's folder, or a model that may be in the hub's cache.
        folder: has the tokenizer instead.

    Raises ConfigError if `folder` has none.
    """
    found = folder if folder or row is None else model_files(row.model, row.revision)
    path = found and found / "tokenizer.json"
    if path is None or not path.is_file():
        if folder is None:
            return None
        raise ConfigError(f"{path}: no such file; name the folder of the model's tokenizer.")
    from tokenizers import Tokenizer

    tokenizer = Tokenizer.from_file(str(path))
    return lambda tokens: str(tokenizer.decode(list(tokens), skip_special_tokens=False))


def written_steps(
    run: Run, model: str, decode: Decode | None, only: Entry | None = None
) -> dict[str, list[Written]]:
    """What a model of a run wrote, by entry, step by step; empty for a model without a journal.

    only: the entry that is wanted; None: all. Raises JournalError if a journal is damaged.
    """
    found: dict[str, list[Written]] = {}

    def received(request: ReplayedRequest) -> None:
        steps = found.setdefault(request.entry.entry_id, [])
        del steps[request.number - 1 :]  # of an earlier attempt
        match None if request.journaled is None else request.journaled.raw:
            case {"choices": [{"token_ids": [*ids]}, *_]}:
                tokens = tuple(token for token in ids if isinstance(token, int) and token >= 0)
                steps.append(Written(tokens, decode(tokens) if decode and tokens else ""))
            case {"choices": [{"text": str(text)}, *_]}:
                steps.append(Written(text=text))
            case _:
                steps.append(Written())

    try:
        job = replay_job(run, model_folder(model))
    except (ArchiveError, ConfigError):
        return {}
    if only is not None:
        job = replace(job, categories=(only.category,))
    capture(job, received, None if only is None else {only.entry_id})
    return found
