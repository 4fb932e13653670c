"""A server of one published form without vLLM: a chat template and our own reader, with a planted fault."""

from __future__ import annotations

import json
from collections.abc import Callable, Sequence

from bfcl_pipeline.ask.generation.conversation import answer_message
from bfcl_pipeline.ask.jobs.captured import Written
from bfcl_pipeline.benchmark.records import Json
from bfcl_pipeline.dialogue.prompts import WireFormat, messages_for
from bfcl_pipeline.show.servers.formats import Format, format_of
from bfcl_pipeline.show.servers.reader import read_written
from bfcl_pipeline.show.servers.reading import USER, ServerReading

Fault = Callable[[ServerReading, str], ServerReading]
"""Changes what was read of a text."""


class TemplateServer:
    """Writes and reads answers in one form. A ParsingServer."""

    version = "0"

    def __init__(self, parser: str, fault: Fault | None = None) -> None:
        self.form: Format = format_of(parser)
        self.written = self.read_count = 0
        self._fault = fault
        self.prompt = self.form.prompt

    def write(self, messages: Sequence[Json], tools: Sequence[Json]) -> Written:
        """The text of the last message; a token for each letter."""
        self.written += 1
        text = self.form.write(messages, tools)
        return Written(tuple(map(ord, text)), text)

    def text(self, result: Json) -> str:
        """What a model writes for calls in the official form."""
        message = messages_for(WireFormat.OPENAI_CHAT, [answer_message(result, 0)]).messages
        return self.write([USER, *message], []).text

    def read(self, written: Written, tools: Sequence[Json], piece: int) -> ServerReading:
        """As the model wrote it, but for the fault."""
        self.read_count += 1
        reading = honest_reading(self.form, written.text, tools)
        return reading if self._fault is None else self._fault(reading, written.text)


def honest_reading(form: Format, text: str, tools: Sequence[Json]) -> ServerReading:
    """What the model wrote: calls, or else a text."""
    calls = read_written(form, text, tools)
    read = tuple((name, json.dumps(arguments)) for name, arguments in calls)
    return ServerReading(read, None if read else text)
