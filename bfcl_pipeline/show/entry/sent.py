"""What a model is sent over one entry: its first request, or one of a recorded conversation.

A recorded conversation is replayed from the model's journal. Nothing is sent.
"""

import json

from bfcl_pipeline.ask.generation import Adapter, Asking, conversation
from bfcl_pipeline.ask.generation.backends import ReplayedRequest
from bfcl_pipeline.ask.jobs.captured import capture, replay_job
from bfcl_pipeline.base.errors import ConfigError, TableError
from bfcl_pipeline.benchmark.config import model_folder
from bfcl_pipeline.benchmark.records import Entry, Json, Request, Status
from bfcl_pipeline.dialogue.release_texts import read_texts
from bfcl_pipeline.runs.run import Run
from bfcl_pipeline.show.playback.conditions import Conditions
from bfcl_pipeline.world.web.presented import present_entry


def first_request(entry: Entry, asking: Asking, conditions: Conditions) -> Request:
    """The first request to a model that is asked as `asking` says; a memory is empty.

    Raises MalformedRelease if the staged texts are incomplete.
    """
    world = conditions.world(entry, None, conditions.web.mode, None).world
    asked = present_entry(entry, conditions.web)
    return next(conversation(asked, asking, read_texts(conditions.data), world))


def recorded_request(entry: Entry, run: Run, model: str, adapter: Adapter, step: int) -> Request:
    """Request number `step`, from 1, of the conversation over `entry` in a run.

    Args:
        entry: an entry of the run.
        run: the run.
        model: its name in the run, with the number of a later trial.
        adapter: of its recorded row.
        step: counts the requests of all turns.

    Raises:
        ConfigError: the conversation has fewer requests.
        TableError: the request cannot be made again: an answer or a result before it is not recorded.
    """
    requests: list[Request] = []

    def received(one: ReplayedRequest) -> None:
        if one.entry.entry_id == entry.entry_id:
            requests.append(one.request)

    completed = capture(replay_job(run, model_folder(model)), received, {entry.entry_id}, adapter)
    response = next(one.response for one in completed if one.entry.entry_id == entry.entry_id)
    if len(requests) >= step:
        return requests[step - 1]
    if response.status is not Status.ANSWERED:
        raise TableError(
            f"{entry.entry_id}: only the first {len(requests)} requests can be made again: "
            f"{response.status_detail}"
        )
    raise ConfigError(
        f"{entry.entry_id}: its last request is number {len(requests)}: --step {step} is too large."
    )


def request_text(request: Request, adapter: Adapter | None) -> str:
    """A request as it is sent: the prompt, or the body in JSON; without an adapter, messages and tools."""
    if request.prompt is not None:
        return request.prompt
    if adapter is None:
        body: Json = {"messages": list(request.messages), "tools": list(request.tools)}
    else:
        body = adapter.body(request)
    return json.dumps(body, indent=2, ensure_ascii=False)
