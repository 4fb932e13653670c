"""A server of one published form without vLLM: a chat template and our own reader, with a planted fault."""

from __future__ import annotations

import json
from collections.abc import Callable, Sequence

from jinja2 import Environment

from bfcl_pipeline.benchmark.records import Json
from bfcl_pipeline.show.servers.formats import Format, format_of
from bfcl_pipeline.show.servers.reader import read_written
from bfcl_pipeline.show.servers.reading import ServerReading, Written

Fault = Callable[[ServerReading, str], ServerReading]
"""Changes what was read of a text."""


class TemplateServer:
    """Writes and reads answers in one form. A ParsingServer."""

    version = "0"

    def __init__(self, parser: str, fault: Fault | None = None) -> None:
        self.form: Format = format_of(parser)
        self.written = self.read_count = 0
        self._fault = fault
        self._template = Environment().from_string(self.form.template)

    def prompt(self, messages: Sequence[Json], tools: Sequence[Json]) -> str:
        """The text of all messages, with the beginning of an answer."""
        shown = [with_objects(message) for message in messages]
        return self._template.render(messages=shown, tools=tools, add_generation_prompt=True)

    def write(self, messages: Sequence[Json], tools: Sequence[Json]) -> Written:
        """The text of the last message; a token for each letter."""
        self.written += 1
        before = self.prompt(messages[:-1], tools)
        whole = self._template.render(messages=list(map(with_objects, messages)), tools=tools)
        text = whole[len(before) :].rpartition("<|end|>")[0]
        return Written(tuple(map(ord, text)), text)

    def read(self, written: Written, tools: Sequence[Json], piece: int) -> ServerReading:
        """As the model wrote it, but for the fault."""
        self.read_count += 1
        reading = honest_reading(self.form, written.text, tools)
        return reading if self._fault is None else self._fault(reading, written.text)


def with_objects(message: Json) -> Json:
    """A message whose calls have objects as arguments."""
    calls = [
        {"function": {**call["function"], "arguments": json.loads(call["function"]["arguments"])}}
        for call in message.get("tool_calls") or ()
    ]
    return {**message, "tool_calls": calls}


def honest_reading(form: Format, text: str, tools: Sequence[Json]) -> ServerReading:
    """What the model wrote: calls, or else a text."""
    calls = read_written(form, text, tools)
    read = tuple((name, json.dumps(arguments)) for name, arguments in calls)
    return ServerReading(read, None if read else text)
