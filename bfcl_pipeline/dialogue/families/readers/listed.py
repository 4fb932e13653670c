"""Calls as JSON objects with name and arguments, which are kept as a list of {name: arguments}.

An answer without such calls is kept as text, which cannot be decoded. Where the release evaluates text,
Python literals and arithmetic are read; for other text the release mostly fails, and its whole answer is an
error message, which cannot be decoded either.
Source: the handlers arch, phi_fc and granite_3.
"""

import json
from collections.abc import Callable, Iterator
from typing import Any

from bfcl_pipeline.benchmark.records import Json
from bfcl_pipeline.dialogue.calls import Work, parse_json, read_value
from bfcl_pipeline.dialogue.families.readers.answers import (
    Answer,
    Reader,
    is_shallow,
    named_calls,
    read_arguments,
    uniform_rejected,
)
from bfcl_pipeline.dialogue.families.readers.between import between
from bfcl_pipeline.dialogue.families.readers.tagged import END, START

_PHI_START, _PHI_END = "<|tool_call|>", "<|/tool_call|>"


def _split_arch(text: str, _earlier: int) -> Answer:
    calls = [_json_or_text(written) for written in between(text, START, END)]
    work = Work()
    try:
        evaluated = [read_value(call, work) if isinstance(call, str) else call for call in calls]
        stored = _stored(evaluated)
    except (ValueError, TypeError, LookupError, RecursionError):
        stored = None
    if not calls or stored is None:
        return Answer(text, {"role": "assistant", "content": text})
    if not all(isinstance(call.get("function", call), dict) and is_shallow(call) for call in evaluated):
        return Answer(stored, {"role": "assistant", "content": text})
    return Answer(stored, {"role": "assistant", "content": None, "tool_calls": evaluated})


def _of_lists(written: Callable[[str], Iterator[str]]) -> Callable[[str, int], Answer]:
    """Splits a text by what it writes as lists of calls; the history keeps the text."""

    def split(text: str, _earlier: int) -> Answer:
        reply = {"role": "assistant", "content": text}
        work = Work()
        try:
            calls = [call for part in written(text) for call in _listed(part, work)]
            only_calls = all(
                isinstance(call, dict) and call.keys() == {"name", "arguments"} for call in calls
            )
            return Answer(_stored(calls) if calls and only_calls else text, reply)
        except (ValueError, TypeError, RecursionError):
            return Answer(text, reply)

    return split


def _phi_parts(text: str) -> Iterator[str]:
    """What is between the marks; if none ends, what follows the first, without one line end."""
    parts = between(text, _PHI_START, _PHI_END)
    _, start, rest = text.partition(_PHI_START)
    if not parts and start:
        parts.append(rest.removesuffix("\n"))
    yield from parts


def _granite_parts(text: str) -> Iterator[str]:
    """What follows the first mark, of which there are two forms."""
    text = text.lstrip("ASSISTANT:").lstrip()  # noqa: B005  # these characters, as the release does
    mark = "<tool_call>"
    if mark in text:
        text = text.replace("</tool_call>", "")
    else:
        mark = _PHI_START
    _, start, rest = text.partition(mark)
    if start:
        yield rest.strip()


def _listed(part: str, work: Work) -> list[Any]:
    """The items of a list, which may lack its brackets. Raises ValueError."""
    if not part.startswith("[") and not part.endswith("]"):
        part = f"[{part}]"
    try:
        value = parse_json(part)
    except json.JSONDecodeError:
        return [part]
    if not isinstance(value, list):
        return [value]
    return [read_value(item, work) if isinstance(item, str) else item for item in value]


def _json_or_text(written: str) -> Json:
    try:
        return parse_json(written)
    except (ValueError, RecursionError):
        return written


def _stored(calls: list[Any]) -> Json:
    """Calls by their names, as they are after they were written as JSON.

    Raises ValueError, TypeError, LookupError or RecursionError where the release fails.
    """
    return parse_json(json.dumps([{call["name"]: call["arguments"]} for call in calls]))


def _uniform(stored: Json, runs: bool) -> Json:
    if not isinstance(stored, list) or not all(isinstance(call, dict) for call in stored):
        return uniform_rejected(stored, runs)
    try:
        return named_calls(
            (name, read_arguments(arguments, runs)) for call in stored for name, arguments in call.items()
        )
    except (ValueError, RecursionError):
        return stored


ARCH_CALLS = Reader(_split_arch, _uniform, stores_calls=True)
"""Each between <tool_call> tags."""

PHI_CALLS = Reader(_of_lists(_phi_parts), _uniform, stores_calls=True)
"""In lists between <|tool_call|> marks."""

GRANITE_3_CALLS = Reader(_of_lists(_granite_parts), _uniform, stores_calls=True)
"""In one list after <tool_call> or <|tool_call|>."""
