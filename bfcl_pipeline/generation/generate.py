"""Holds the conversations of many entries with one model, one after the other.

Covers the order, the sums over exchanges and the statuses. A failure of the machinery becomes a
status of that entry and never an answer; any other exception stops the job.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator

from bfcl_pipeline.errors import ModelError
from bfcl_pipeline.generation.conversation import Conversation, conversation
from bfcl_pipeline.generation.model import Model, Responder
from bfcl_pipeline.prompts import Texts
from bfcl_pipeline.records import Entry, Exchange, Json, Response, Status, Step, total
from bfcl_pipeline.tools import Constants


def generate(
    entries: Iterable[Entry],
    model: Model,
    texts: Texts,
    constants: Constants,
    run: str | None = None,
) -> Iterator[Response]:
    """One response for each entry, in order. `run` is written into each."""
    for entry in entries:
        exchanges: list[Exchange] = []
        try:
            talk = conversation(entry, model.mode, texts, constants)
            result = _hold(talk, model.responder(entry), exchanges)
        except ModelError as error:
            yield _response(entry, model, run, exchanges, None, Status.INFRASTRUCTURE_ERROR, str(error))
        else:
            yield _response(entry, model, run, exchanges, _dump(result), Status.ANSWERED, None)


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


def _dump(result: Json) -> str:
    return json.dumps(result, ensure_ascii=False)


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
            Step(one.request.turn, one.input_tokens, one.output_tokens, one.latency_seconds)
            for one in exchanges
        ),
    )
