"""Calls as JSON after the first <tool_call>, also between code fences. Source: the handler falcon_fc."""

from typing import Any

from bfcl_pipeline.benchmark.records import Json
from bfcl_pipeline.dialogue.calls import parse_json
from bfcl_pipeline.dialogue.families.readers.answers import (
    Reader,
    call_name,
    named_calls,
    read_plain_text,
    uniform_rejected,
)

_START, _END, _FENCE = "<tool_call>", "</tool_call>", "```"


def _uniform(stored: Json, runs: bool) -> Json:
    try:
        return named_calls(
            (str(name) if runs else call_name(name), arguments) for name, arguments in _calls(stored)
        )
    except (KeyError, RecursionError, TypeError, ValueError):
        return uniform_rejected(stored, runs)


def _calls(text: str) -> list[tuple[Any, Any]]:
    """Names and arguments, of any JSON type. Raises an error of their reading if the text has no calls."""
    _, start, rest = text.partition(_START)
    if not start:
        raise ValueError("no calls")
    written = rest.split(_START, 1)[0].split(_END, 1)[0].strip()
    if written.startswith(_FENCE) and written.endswith(_FENCE):
        written = written.strip("`").strip().removeprefix("json").strip()
    values: Any = parse_json(written)
    values = values if isinstance(values, list) else [values]
    return [(each["name"], each["arguments"]) for each in values]


FALCON = Reader(read_plain_text, _uniform)
