"""Holds the conversations of many entries with one model, one after the other.

Covers the order, the worlds that the entries start in, the sums over exchanges and the statuses. A failure
of the machinery becomes a status of that entry and never an answer; any other exception stops the job.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, replace

from bfcl_pipeline.errors import ModelError, NotRecorded, WebError
from bfcl_pipeline.generation.conversation import Conversation, conversation
from bfcl_pipeline.generation.memory import Memories
from bfcl_pipeline.generation.model import Model, Responder
from bfcl_pipeline.prompts import Texts
from bfcl_pipeline.records import Entry, Exchange, Json, Response, Status, Step, total
from bfcl_pipeline.tools import Setting, World

SESSION_ATTEMPTS = 3
"""How often a session before the questions is tried: all questions after it depend on it."""

SettingOf = Callable[[Entry], Setting]
"""What the world of an entry is made from: the same for all, but for what is drawn by entry."""


@dataclass(frozen=True, slots=True)
class Conversed:
    """One entry, asked."""

    entry: Entry
    response: Response
    snapshot: Json = None  # a session before memory questions: the memory after it; else None


def generate(
    entries: Sequence[Entry],
    model: Model,
    texts: Texts,
    setting_of: SettingOf,
    run: str | None = None,
    web: str | None = None,
) -> Iterator[Conversed]:
    """One response for each entry, in order; sessions stand before what depends on them.

    `run`, and which `web` was searched, are written into each response.
    """
    memories = Memories()
    model.meet(entries)
    for entry in entries:
        obstacle = memories.obstacle(entry)
        if obstacle is not None:
            conversed = Conversed(entry, _response(entry, model, run, [], None, *obstacle))
        else:
            attempts = SESSION_ATTEMPTS if entry.prerequisite else 1
            for _ in range(attempts):
                conversed = _converse(entry, model, texts, setting_of(entry), memories, run)
                if conversed.response.status is not Status.INFRASTRUCTURE_ERROR:
                    break
        response = replace(conversed.response, web=web)
        memories.keep(entry, response.status, response.status_detail, conversed.snapshot)
        yield replace(conversed, response=response)


def _converse(
    entry: Entry, model: Model, texts: Texts, setting: Setting, memories: Memories, run: str | None
) -> Conversed:
    exchanges: list[Exchange] = []
    world = World.for_entry(entry, setting, "model", memories.before(entry))
    try:
        talk = conversation(entry, model.mode, texts, world)
        result = _hold(talk, model.responder(entry), exchanges)
    except (ModelError, WebError) as error:
        recorded = not isinstance(error, NotRecorded)
        status = Status.INFRASTRUCTURE_ERROR if recorded else Status.NOT_RECORDED
        return Conversed(entry, _response(entry, model, run, exchanges, None, status, str(error)))
    snapshot = world.memory.snapshot() if entry.prerequisite and world.memory is not None else None
    answer = json.dumps(result, ensure_ascii=False)
    return Conversed(
        entry, _response(entry, model, run, exchanges, answer, Status.ANSWERED, None), snapshot
    )


def _hold(talk: Conversation, respond: Responder, exchanges: list[Exchange]) -> Json:
    """Drives `talk` to its end; every exchange is kept in `exchanges` before it is used."""
    request = next(talk)
    while True:
        exchange = respond(request)
        exchanges.append(exchange)
        try:
            request = talk.send(exchange)
        except StopIteration as end:
            return end.value


def _response(
    entry: Entry,
    model: Model,
    run: str | None,
    exchanges: list[Exchange],
    result_json: str | None,
    status: Status,
    detail: str | None,
) -> Response:
    return Response(
        entry_id=entry.entry_id,
        category=entry.category,
        mode=model.mode,
        result_json=result_json,
        status=status,
        status_detail=detail,
        model=model.name,
        run=run,
        input_tokens=total(exchange.input_tokens for exchange in exchanges),
        output_tokens=total(exchange.output_tokens for exchange in exchanges),
        latency_seconds=total(exchange.latency_seconds for exchange in exchanges),
        steps=tuple(
            Step(
                one.request.turn,
                one.input_tokens,
                one.output_tokens,
                one.latency_seconds,
                one.finish_reason,
            )
            for one in exchanges
        ),
    )


def responses(conversed: Iterable[Conversed]) -> list[Response]:
    """The responses to the entries that are scored."""
    return [one.response for one in conversed if not one.entry.prerequisite]
