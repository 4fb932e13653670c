"""What one model of a run was asked and answered, entry by entry.

Covers models with a journal, whose requests are made again from it, and all others, of which the tables of
responses have the answers alone. A request is kept as a digest, unless the caller wants it: those of a full
run have gigabytes.
"""

import json
from collections.abc import Callable, Collection, Iterator
from dataclasses import dataclass, field
from hashlib import blake2b

from bfcl_pipeline.ask.generation.backends import ReplayedRequest
from bfcl_pipeline.ask.jobs.captured import capture, replay_job
from bfcl_pipeline.base.errors import PipelineError, TableError
from bfcl_pipeline.base.text import loaded_json
from bfcl_pipeline.benchmark.definition import CATEGORIES, ReturnFormat
from bfcl_pipeline.benchmark.records import Json, Message, Request, Response, Status
from bfcl_pipeline.benchmark.tables import read_responses
from bfcl_pipeline.runs.run import Run

CONTENT = frozenset(("messages", "input", "system", "contents", "systemInstruction", "tools", "prompt"))
"""The keys of bodies, of all wire formats, that are no options."""

EntryKey = tuple[str, str]
"""Category and id of an entry."""


@dataclass(frozen=True, slots=True)
class Asked:
    """One request of a conversation, and its answer."""

    turn: int  # of the entry, from 0
    result: Json  # the answer in the official form; None if there is none
    answered: bool
    return_format: str = ReturnFormat.PYTHON.value  # the syntax of calls in it
    tool_call_tag: bool = False
    digest: bytes | None = None  # of what was asked; None: not known
    request: Request | None = None  # what was asked, if it was to be kept


@dataclass(frozen=True, slots=True)
class Conversation:
    """The conversation over one entry."""

    response: Response  # as the table has it
    session: bool  # a memory session before the questions
    asked: tuple[Asked, ...]


@dataclass(slots=True)
class Conversations:
    """All conversations of one model, in the order of the tables."""

    by_entry: dict[EntryKey, Conversation] = field(default_factory=dict)
    options: dict[str, Json] | None = None  # that each request has, and the model; None: not known
    requests: int = 0  # that were made again
    not_derived: int = 0  # answered conversations that do not follow from the journals
    why: str = ""  # the first of them is not, or all are not


def read_conversations(
    run: Run,
    model: str,
    only: Collection[str] | None = None,
    keep: Callable[[str, int], bool] = lambda _entry_id, _number: False,
) -> Conversations:
    """The conversations of a model of a run.

    Args:
        run: the run.
        model: its name in the run.
        only: ids of entries; None: all.
        keep: whether to keep a request of an entry, by its number from 1.

    Raises:
        TableError: its responses cannot be read.
    """
    found = Conversations()
    derived: dict[str, tuple[Response, tuple[Asked, ...]]] = {}
    if run.generated and run.recorded.job_of(run.models[model]).remote:
        try:
            derived = _derived(run, model, found, only, keep)
        except PipelineError as error:
            found.why = run.name_source(str(error))
    for response, session in _responses(run, model):
        if only is not None and response.entry_id not in only:
            continue
        again, asked = derived.get(response.entry_id, (None, ()))
        if again is None:
            asked = tuple(_from_table(response))
        elif (again.status, again.result_json) != (response.status, response.result_json):
            asked = tuple(_from_table(response))
            found.not_derived += 1
            reason = f"{response.entry_id}: {again.status_detail or 'another answer follows'}"
            found.why = found.why or reason
        found.by_entry[response.category, response.entry_id] = Conversation(response, session, asked)
    return found


def _responses(run: Run, model: str) -> Iterator[tuple[Response, bool]]:
    """The responses in the tables, sessions before questions; each with whether it is of a session."""
    own = run.models[model]
    for category in CATEGORIES:
        for path, session in ((run.sessions(own, category), True), (run.responses(own, category), False)):
            for response in read_responses(path) if path.is_file() else ():
                if response.category != category:
                    raise TableError(f"{path}: a row is of {response.category!r:.80}, not of {category}.")
                yield response, session


def _derived(
    run: Run,
    model: str,
    found: Conversations,
    only: Collection[str] | None,
    keep: Callable[[str, int], bool],
) -> dict[str, tuple[Response, tuple[Asked, ...]]]:
    """The responses that follow from the journals, with the requests before them, by entry."""
    asked: dict[str, list[Asked]] = {}
    digests = _Digests()

    def received(one: ReplayedRequest) -> None:
        found.requests += 1
        if found.options is None:
            found.options = {key: value for key, value in one.body.items() if key not in CONTENT}
        entry_id, request = one.entry.entry_id, one.request
        if one.number == 1:
            asked[entry_id] = []
            digests.start()
        asked[entry_id].append(
            Asked(
                request.turn,
                None if one.exchange is None else one.exchange.result,
                one.exchange is not None,
                request.return_format,
                request.tool_call_tag,
                digests.of(request),
                request if keep(entry_id, one.number) else None,
            )
        )

    completed = capture(replay_job(run, run.models[model]), received, only)
    return {
        one.entry.entry_id: (one.response, tuple(asked.get(one.entry.entry_id, ()))) for one in completed
    }


def _from_table(response: Response) -> Iterator[Asked]:
    """The answers of a response; what was asked is not known."""
    category = CATEGORIES[response.category]
    if response.status is not Status.ANSWERED:
        return
    result = loaded_json(response.result_json)
    if category.single_turn:
        yield Asked(0, result, True, ReturnFormat(category.language.value).value)
        return
    for turn, steps in enumerate(result if isinstance(result, list) else []):
        for step in steps if isinstance(steps, list) else []:
            yield Asked(turn, step, True)


def what_was_asked(request: Request) -> dict[str, Json]:
    """What a model was told in a request: messages, functions, and the prompt of open weights.

    The text of the model's own messages is left out, as they are compared as answers, and so are the ids
    that link results to calls.
    """
    return {
        "messages": list(map(_comparable, request.messages)),
        "functions": list(request.functions),
        "prompt": request.prompt,
    }


def _comparable(message: Message) -> dict[str, Json]:
    if message["role"] == "assistant":
        return {"role": "assistant"}
    return {key: value for key, value in message.items() if key != "tool_call_id"}


class _Digests:
    """Digests of requests. Those of a conversation share messages, of which each is read once."""

    def start(self) -> None:
        """A new conversation begins."""
        # The object is kept, so that no other one gets its id.
        self._of: dict[int, tuple[object, bytes]] = {}

    def of(self, request: Request) -> bytes:
        """The digest of `what_was_asked`."""
        digest = blake2b((request.prompt or "").encode("utf-8", "surrogatepass"), digest_size=16)
        for message in request.messages:
            if message["role"] != "assistant":
                digest.update(self._part(message, _comparable(message)))
        digest.update(self._part(request.functions, list(request.functions)))
        return digest.digest()

    def _part(self, shared: object, value: Json) -> bytes:
        if id(shared) not in self._of:
            text = json.dumps(value, sort_keys=True, default=str)
            self._of[id(shared)] = shared, blake2b(text.encode(), digest_size=16).digest()
        return self._of[id(shared)][1]
