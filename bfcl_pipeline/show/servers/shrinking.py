"""The smallest answer that a server reads in the same wrong way, found by leaving out and shortening."""

import json
from collections.abc import Iterator
from dataclasses import replace

from bfcl_pipeline.benchmark.records import Json
from bfcl_pipeline.show.servers.losses import ReadAnswer, through
from bfcl_pipeline.show.servers.reading import USER, ParsingServer, ServerReading

MOST_TRIES = 400
"""Answers that are tried for one example."""


def shrink(server: ParsingServer, answer: ReadAnswer, most: int = MOST_TRIES) -> ReadAnswer:
    """A smaller answer with the same loss; `answer` itself if none is found within `most` tries."""
    used = {name for name, _ in answer.meant.calls}
    tools = [tool for tool in answer.tools if tool["function"]["name"] in used]
    tools = tools or list(answer.tools[:1])
    best = through(server, [USER], tools, answer.meant, answer.piece)
    tried, smaller = 0, True
    while smaller:
        smaller = False
        for meant in _smaller(best.meant):
            if tried >= most:
                return best
            tried += 1
            found = through(server, [USER], tools, meant, answer.piece)
            if found.loss is answer.loss:
                best, smaller = found, True
                break
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
