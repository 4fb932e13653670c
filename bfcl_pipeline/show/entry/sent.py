"""What a model is sent over one entry: its first request, or one of a recorded conversation.

A recorded conversation is held again: answers come from the model's journal, results of calls from the
simulated APIs and from what was recorded of memories and the web. Nothing is sent.
"""

import asyncio
import json
from collections.abc import Iterator
from dataclasses import dataclass
from itertools import islice

from bfcl_pipeline.ask.generation import Adapter, Asking, conversation
from bfcl_pipeline.ask.generation.backends import ReplayBackend, Session
from bfcl_pipeline.ask.generation.counts import ProgressCounts
from bfcl_pipeline.base.errors import ConfigError, PipelineError, TableError
from bfcl_pipeline.benchmark.config import model_folder, trial_of
from bfcl_pipeline.benchmark.records import Entry, Exchange, Json, Request
from bfcl_pipeline.dialogue.release_texts import read_texts
from bfcl_pipeline.runs.journal import JournalsReader, journals_in
from bfcl_pipeline.runs.run import Run
from bfcl_pipeline.show.playback.conditions import Conditions
from bfcl_pipeline.show.transcripts.entry import has_memory
from bfcl_pipeline.show.transcripts.memory import SessionMemories
from bfcl_pipeline.world.web.presented import present_entry


@dataclass(frozen=True, slots=True)
class ModelOfRun:
    """One model in one run, whose requests are made again."""

    adapter: Adapter  # of its recorded row
    run: Run
    name: str  # in the run, with the number of a later trial


def first_request(entry: Entry, asking: Asking, conditions: Conditions) -> Request:
    """The first request to a model that is asked as `asking` says; a memory is empty.

    Raises MalformedRelease if the staged texts are incomplete.
    """
    return next(_requests(entry, asking, conditions, None, None))


def recorded_request(entry: Entry, model: ModelOfRun, conditions: Conditions, step: int) -> Request:
    """Request number `step`, from 1, of the conversation over `entry` in a run.

    Args:
        conditions: of the run.
        step: counts the requests of all turns.

    Raises:
        ConfigError: the conversation has fewer requests.
        TableError: the request cannot be made again: an answer or a result before it is not recorded.
    """
    before: Json = None
    if has_memory(entry):
        memory = SessionMemories(model.run, model.name, entry.category).around(entry).before
        if memory.missing is not None or memory.failed:
            raise TableError(f"{entry.entry_id}: {memory.missing or 'the session before it failed.'}")
        before = memory.snapshot
    folder = model.run.journals / model_folder(model.name)
    with JournalsReader(journals_in(folder)) as journals:
        trial = trial_of(model.name).number
        backend = ReplayBackend(model.adapter, journals, trial, ProgressCounts())
        session = backend.session(entry, 1)
        made = _requests(entry, backend.asking, conditions, session, before, model.name)
        requests: list[Request] = []
        try:
            requests.extend(islice(made, step))
        except PipelineError as error:
            raise TableError(
                f"{entry.entry_id}: only the first {len(requests)} requests can be made again: {error}"
            ) from error
    if len(requests) < step:
        raise ConfigError(
            f"{entry.entry_id}: its last request is number {len(requests)}: --step {step} is too large."
        )
    return requests[-1]


def request_text(request: Request, adapter: Adapter | None) -> str:
    """A request as it is sent: the prompt, or the body in JSON; without an adapter, messages and tools."""
    if request.prompt is not None:
        return request.prompt
    if adapter is None:
        body: Json = {"messages": list(request.messages), "tools": list(request.tools)}
    else:
        body = adapter.body(request)
    return json.dumps(body, indent=2, ensure_ascii=False)


def _requests(
    entry: Entry,
    asking: Asking,
    conditions: Conditions,
    session: Session | None,
    before: Json,
    model: str | None = None,
) -> Iterator[Request]:
    """The requests over `entry`, each followed by what `session` answers; without one, the first."""
    web = conditions.web.mode
    world = conditions.world(entry, model, web, before).world
    asked = present_entry(entry, conditions.web)
    talk = conversation(asked, asking, read_texts(conditions.data), world)
    request = next(talk)
    yield request
    while session is not None:
        try:
            request = talk.send(asyncio.run(_answer(session, request)))
        except StopIteration:
            return
        yield request


async def _answer(session: Session, request: Request) -> Exchange:
    return await session(request)
