"""What a model is sent over one entry: its first request, or one of a recorded conversation.

A recorded conversation is replayed from the model's journal. Nothing is sent.
"""

import json
from pathlib import Path

from bfcl_pipeline.ask.generation import Adapter, ChatAsking, conversation
from bfcl_pipeline.ask.generation.backends import ReplayedRequest
from bfcl_pipeline.ask.jobs.captured import capture, replay_job
from bfcl_pipeline.ask.models import build_adapter, build_derived, build_model
from bfcl_pipeline.base.errors import ConfigError, TableError
from bfcl_pipeline.base.text import Log
from bfcl_pipeline.benchmark.config import KINDS, ModelRow, load_models, model_folder, model_row, trial_of
from bfcl_pipeline.benchmark.config.families import is_own, way_of_asking
from bfcl_pipeline.benchmark.records import Entry, Json, Request, Status
from bfcl_pipeline.dialogue.release_texts import read_texts
from bfcl_pipeline.runs.run import Run
from bfcl_pipeline.show.entry.entry_page import find_entry
from bfcl_pipeline.show.playback.conditions import Conditions, default_conditions, read_conditions
from bfcl_pipeline.show.transcripts.entry import has_memory
from bfcl_pipeline.world.web.presented import present_entry


def first_request(
    data: Path, cache: Path, models: list[Path] | None, entry_id: str, model: str, log: Log
) -> str:
    """The first request to a model as a run would send it now, as text; a memory is empty.

    models: models files; None: those of this folder. Raises ConfigError if there is no such entry or model,
    or the model is sent nothing.
    """
    row = model_row(load_models(models), model)
    _log_own_family(row, log)
    return FirstRequests(row, default_conditions(data, cache), log).text(find_entry(data, entry_id))


def recorded_request(run: Run, entry_id: str, model: str, step: int, log: Log) -> str:
    """Request number `step`, from 1, of the conversation over an entry in a run, as text.

    Args:
        run: whose models, release and web are meant.
        entry_id: as of `find_entry`.
        model: in the run, with the number of a later trial.
        step: counts the requests of all turns.
        log: receives a remark on an empty memory, and on a family that the leaderboard does not have.

    Raises:
        ConfigError: there is no such entry or model, or it was sent fewer requests.
        TableError: the request cannot be made again: an answer or a result before it is not recorded.
    """
    entry, row = find_entry(run.data, entry_id), model_row(run.rows, trial_of(model).model)
    _log_own_family(row, log)
    if KINDS[row.kind].embedded and step > 1:
        raise ConfigError(f"{row.name} is embedded: it has no journal, from which requests are made again.")
    if KINDS[row.kind].embedded or row.recorded:
        return FirstRequests(row, read_conditions(run), log).text(entry)
    requests: list[Request] = []

    def received(one: ReplayedRequest) -> None:
        if one.entry.entry_id == entry.entry_id:
            requests.append(one.request)

    adapter, folder = build_derived(row, run, model_folder(model)), model_folder(model)
    completed = capture(replay_job(run, folder), received, {entry.entry_id}, adapter)
    response = next(one.response for one in completed if one.entry.entry_id == entry.entry_id)
    if len(requests) >= step:
        return _text(requests[step - 1], adapter)
    if response.status is not Status.ANSWERED:
        raise TableError(
            f"{entry.entry_id}: only the first {len(requests)} requests can be made again: "
            f"{response.status_detail}"
        )
    raise ConfigError(
        f"{entry.entry_id}: its last request is number {len(requests)}: --step {step} is too large."
    )


class FirstRequests:
    """What a model is sent first over entries, under the conditions of a run or the usual ones."""

    def __init__(self, row: ModelRow, conditions: Conditions, log: Log) -> None:
        """Raises ConfigError if the model is sent nothing."""
        if row.recorded:
            raise ConfigError(f"{row.name}: its answers are read from results; nothing is sent.")
        self._adapter = None if KINDS[row.kind].embedded else build_adapter(row, offline=True)
        self._asking = ChatAsking(build_model(row).mode) if self._adapter is None else self._adapter.asking
        self._conditions, self._texts, self._log = conditions, read_texts(conditions.data), log

    def request(self, entry: Entry) -> Request:
        """The first request; a memory is empty."""
        if has_memory(entry):
            self._log("The memory is empty here; in a run, it has what the model stored before.")
        web = self._conditions.web
        world = self._conditions.world(entry, None, web.mode, None).world
        return next(conversation(present_entry(entry, web), self._asking, self._texts, world))

    def text(self, entry: Entry) -> str:
        """As it is sent."""
        return _text(self.request(entry), self._adapter)


def _log_own_family(row: ModelRow, log: Log) -> None:
    """Says that the leaderboard does not send this prompt, if its family is one of our own."""
    if is_own(row.family):
        log(f"{row.name}: {way_of_asking(row.family, row.mode)}.")


def _text(request: Request, adapter: Adapter | None) -> str:
    """A request as it is sent: the prompt, or the body in JSON; without an adapter, messages and tools."""
    if request.prompt is not None:
        return request.prompt
    if adapter is None:
        body: Json = {"messages": list(request.messages), "tools": list(request.tools)}
    else:
        body = adapter.body(request)
    return json.dumps(body, indent=2, ensure_ascii=False)
