"""What a server changes of an answer, as one class, and the smallest answer that shows it."""

import json
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from enum import StrEnum

from bfcl_pipeline.ask.generation.conversation import answer_message
from bfcl_pipeline.ask.jobs.captured import Written
from bfcl_pipeline.base.text import loaded_json
from bfcl_pipeline.benchmark.records import Json, Message
from bfcl_pipeline.dialogue.prompts import WireFormat, messages_for
from bfcl_pipeline.show.servers.reading import USER, ParsingServer, ServerError, ServerReading


class Loss(StrEnum):
    """What a server did to an answer; of several, the first of this list."""

    ERROR = "server error"
    NO_CALL = "no call found"
    CALL_LOST = "call lost"
    INVENTED = "call invented"
    BROKEN = "arguments are not JSON"
    ORDER = "order changed"
    NAME = "name changed"
    ARGUMENT_LOST = "argument lost"
    ARGUMENT_ADDED = "argument added"
    TYPE = "value changed in type"
    VALUE = "value changed"
    TEXT = "text left over"


@dataclass(frozen=True, slots=True)
class ReadAnswer:
    """One answer that a model would write, and what the server made of it."""

    meant: ServerReading  # what the model means: calls, or a text
    tools: Sequence[Json]  # that were offered
    written: Written
    reading: ServerReading
    piece: int  # tokens in a piece; 0: at once

    @property
    def loss(self) -> Loss | None:
        """What the server did to it; None if it reads what was meant."""
        if self.reading.error is not None:
            return Loss.ERROR
        wanted, found = (read_calls(each.result) for each in (self.meant, self.reading))
        if len(found) < len(wanted):
            return Loss.CALL_LOST if found else Loss.NO_CALL
        if len(found) > len(wanted):
            return Loss.INVENTED
        if any(not isinstance(arguments, dict) for _, arguments in found):
            return Loss.BROKEN
        if as_text(wanted) != as_text(found) and sorted(map(as_text, wanted)) == sorted(
            map(as_text, found)
        ):
            return Loss.ORDER
        losses = [loss for pair in zip(wanted, found, strict=True) if (loss := _of_call(*pair)) is not None]
        if losses:
            return min(losses, key=list(Loss).index)
        same_text = (self.reading.content or "").strip() == (self.meant.content or "").strip()
        return None if same_text else Loss.TEXT


def through(
    server: ParsingServer,
    messages: Sequence[Message],
    tools: Sequence[Json],
    meant: ServerReading,
    piece: int,
) -> ReadAnswer:
    """An answer to messages, written and read by a server; what it cannot write it reads as an error."""
    answer, written = answer_message(meant.result, len(messages)), Written()
    wire = messages_for(WireFormat.OPENAI_CHAT, [*messages, answer]).messages
    try:
        written = server.write(wire, tools)
        reading = server.read(written, tools, piece)
    except ServerError as error:
        reading = ServerReading(error=str(error))
    return ReadAnswer(meant, tools, written, reading, piece)


def _of_call(wanted: tuple[str, Json], found: tuple[str, Json]) -> Loss | None:
    (name, arguments), (read_name, read) = wanted, found
    if name != read_name:
        return Loss.NAME
    if arguments.keys() - read.keys():
        return Loss.ARGUMENT_LOST
    if read.keys() - arguments.keys():
        return Loss.ARGUMENT_ADDED
    if any(type(value) is not type(read[key]) for key, value in arguments.items()):
        return Loss.TYPE
    return None if as_text(wanted) == as_text(found) else Loss.VALUE


def read_calls(result: Json) -> list[tuple[str, Json]]:
    """The calls of a result in the official form; arguments that are not JSON stay a text."""
    calls = result if isinstance(result, list) else []
    return [
        (name, loaded_json(text or "{}", default=text)) for call in calls for name, text in call.items()
    ]


def as_text(value: Json) -> str:
    """Equal for values that are the same as JSON: 1 and 1.0 differ, the order of keys does not count."""
    return json.dumps(value, sort_keys=True)


MOST_TRIES = 400
"""Answers that are tried for one example."""


def shrink(server: ParsingServer, answer: ReadAnswer, most: int = MOST_TRIES) -> ReadAnswer:
    """A smaller answer with the same loss, found by leaving out and shortening; else `answer` itself."""
    used = {name for name, _ in answer.meant.calls}
    tools = [tool for tool in answer.tools if tool["function"]["name"] in used] or list(answer.tools[:1])
    best = through(server, [USER], tools, answer.meant, answer.piece)
    candidates = _smaller(best.meant)
    for _ in range(most):
        if (meant := next(candidates, None)) is None:
            break
        found = through(server, [USER], tools, meant, answer.piece)
        if found.loss is answer.loss:
            best, candidates = found, _smaller(meant)
    return best if best.loss is answer.loss else answer


def _smaller(meant: ServerReading) -> Iterator[ServerReading]:
    """Answers with something less, the largest steps first."""
    calls = meant.calls
    if meant.content:
        yield from (replace(meant, content=text) for text in _lesser(meant.content))
    if len(calls) > 1:
        yield from (replace(meant, calls=(*calls[:at], *calls[at + 1 :])) for at in range(len(calls)))
    for at, (name, arguments) in enumerate(calls):
        for lesser in _lesser(json.loads(arguments)):
            yield replace(meant, calls=(*calls[:at], (name, json.dumps(lesser)), *calls[at + 1 :]))


def _lesser(value: Json) -> Iterator[Json]:
    """Values of the same type with something less: without an item, or half of a text."""
    match value:
        case dict():
            yield from ({other: value[other] for other in value if other != key} for key in value)
            for key, inner in value.items():
                yield from ({**value, key: lesser} for lesser in _lesser(inner))
        case list():
            yield from (value[:at] + value[at + 1 :] for at in range(len(value)))
            for at, inner in enumerate(value):
                yield from ([*value[:at], lesser, *value[at + 1 :]] for lesser in _lesser(inner))
        case str():
            middle = len(value) // 2
            yield from (value[:middle], value[middle:]) if middle else ()
            if len(value) <= 12:
                yield from (value[:at] + value[at + 1 :] for at in range(len(value)))
