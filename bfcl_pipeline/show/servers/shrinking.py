"""The smallest answer that a server reads in the same wrong way, found by leaving out and shortening."""

import json
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace

from bfcl_pipeline.benchmark.records import Json
from bfcl_pipeline.show.servers.losses import Asked, Changed, loss_of
from bfcl_pipeline.show.servers.reading import Server, ServerError

MOST_TRIES = 400
"""Answers that are tried for one example."""

_QUESTION = {"role": "user", "content": "."}


def shrink(server: Server, changed: Changed, most: int = MOST_TRIES) -> Changed:
    """A smaller answer with the same loss; `changed` itself if none is found within `most` tries."""
    best = _tried(server, changed, _bare(changed.asked)) or changed
    tried = 0
    smaller = True
    while smaller:
        smaller = False
        for asked in _smaller(best.asked):
            if tried >= most:
                return best
            tried += 1
            found = _tried(server, changed, asked)
            if found is not None:
                best, smaller = found, True
                break
    return best


def _tried(server: Server, changed: Changed, asked: Asked) -> Changed | None:
    calls = [
        {
            "id": str(place),
            "type": "function",
            "function": {"name": name, "arguments": json.dumps(arguments)},
        }
        for place, (name, arguments) in enumerate(asked.calls)
    ]
    answer = {"role": "assistant", "content": asked.text, **({"tool_calls": calls} if calls else {})}
    try:
        written = server.write([_QUESTION, answer], asked.tools)
        reading = server.read(written, asked.tools, changed.piece)
    except ServerError:
        return None
    if loss_of(asked, reading) is not changed.loss:
        return None
    return replace(changed, asked=asked, written=written, reading=reading)


def _bare(asked: Asked) -> Asked:
    """The answer with the tools that it calls, without descriptions and what the calls do not use."""
    used = dict(asked.calls)
    tools = [_bare_tool(tool, used) for tool in asked.tools if tool["function"]["name"] in used]
    return replace(asked, tools=tools or asked.tools[:1])


def _bare_tool(tool: Json, used: Mapping[str, Mapping[str, Json]]) -> Json:
    name = tool["function"]["name"]
    properties = tool["function"]["parameters"]["properties"]
    kept = {key: {"type": about["type"]} for key, about in properties.items() if key in used[name]}
    return {
        "type": "function",
        "function": {"name": name, "parameters": {"type": "object", "properties": kept}},
    }


def _smaller(asked: Asked) -> Iterator[Asked]:
    """Answers with something less, the largest steps first."""
    if asked.text:
        yield from (replace(asked, text=text) for text in _shorter(asked.text))
    calls = list(asked.calls)
    if len(calls) > 1:
        for place in range(len(calls)):
            yield replace(asked, calls=calls[:place] + calls[place + 1 :])
    for place, (name, arguments) in enumerate(calls):
        for lesser in _lesser(dict(arguments)):
            yield replace(asked, calls=[*calls[:place], (name, lesser), *calls[place + 1 :]])


def _lesser(value: Json) -> Iterator[Json]:
    """Values of the same type with something less."""
    match value:
        case dict():
            for key in value:
                yield {other: value[other] for other in value if other != key}
            for key, inner in value.items():
                yield from ({**value, key: lesser} for lesser in _lesser(inner))
        case list():
            for place, inner in enumerate(value):
                yield value[:place] + value[place + 1 :]
                yield from ([*value[:place], lesser, *value[place + 1 :]] for lesser in _lesser(inner))
        case str():
            yield from _shorter(value)


def _shorter(text: str) -> Sequence[str]:
    """Halves of a text; of a short one also what is left without each character."""
    middle = len(text) // 2
    halves = [text[:middle], text[middle:]] if middle else []
    less = [text[:place] + text[place + 1 :] for place in range(len(text))] if len(text) <= 12 else []
    return [*halves, *less]
