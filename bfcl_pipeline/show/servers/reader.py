"""Reads calls in one of the published forms: our own reading of what a model wrote, beside the server's.

One reader for all forms of `formats.yaml`: texts between marks that hold JSON, or tags with values. A call
that breaks its form is not read. Nothing is evaluated.
"""

import json
from collections.abc import Sequence

from bfcl_pipeline.base.text import loaded_json
from bfcl_pipeline.benchmark.records import Json
from bfcl_pipeline.show.servers.formats import Format, load_formats

MOST_CHARACTERS = 200_000
"""Of a text that is read: with marks that never end, the work grows with the square of its length."""

_DECODER = json.JSONDecoder()


def read_written(
    form: Format | None, text: str, tools: Sequence[Json]
) -> list[tuple[str, dict[str, Json]]]:
    """The calls in `text`, in order: names and arguments.

    Args:
        form: of the calls; None: the first form with marks in which all are of functions of `tools`.
        tools: that were offered, with their types.
    """
    if form is None:
        names = {tool["function"]["name"] for tool in tools}
        read = (read_written(each, text, tools) for each in load_formats().values() if each.call[0])
        return next((found for found in read if found and names.issuperset(dict(found))), [])
    calls = []
    text, (begin, end) = text[:MOST_CHARACTERS], form.call
    start = text.find(begin or "")
    while start >= 0:
        start += len(begin or "")
        try:
            found, start = _BODIES[form.body](form, text, start, tools)
            calls += found
        except (ValueError, RecursionError, KeyError, TypeError):
            pass  # not in the form
        start = text.find(begin, start) if begin and end else -1
    return calls


_Found = tuple[list[tuple[str, dict[str, Json]]], int]
"""Calls, and where the text after them begins."""


def _objects(form: Format, text: str, start: int, _tools: Sequence[Json]) -> _Found:
    """One JSON object; without a mark at the end also those that follow, after blanks or a semicolon."""
    calls = []
    while True:
        value, start = _decoded(text, start)
        calls.append(_call(value))
        rest = text[start:].lstrip().removeprefix(";").lstrip()
        if form.call[1] is not None or not rest.startswith("{"):
            return calls, start
        start = len(text) - len(rest)


def _array(_form: Format, text: str, start: int, _tools: Sequence[Json]) -> _Found:
    values, start = _decoded(text, start)
    if not isinstance(values, list):
        raise TypeError("not a list")
    return [_call(value) for value in values], start


def _named(form: Format, text: str, start: int, _tools: Sequence[Json]) -> _Found:
    before, after = form.name
    begin = text.index(before, start) + len(before)
    end = text.index(after, begin)
    name, start = (text[begin:end].split() or [""])[0], end + len(after)
    if form.arguments is not None:
        found = text.index(form.arguments, end)
        if any(mark in text[end:found] for mark in (form.call[0] or "", form.marks[0])):
            raise ValueError("another message or call begins before the arguments")
        start = found + len(form.arguments)
    value, start = _decoded(text, start)
    return [_call({"name": name, "arguments": value})], start


def _tags(form: Format, text: str, start: int, tools: Sequence[Json]) -> _Found:
    (_, after), (opened, between, closed) = form.name, form.parameter
    end = text.index(after, start)
    name, start = text[start:end].strip(), end + len(after)
    end = text.index(form.call[1] or "", start)
    types = _types(name, tools)
    arguments: dict[str, Json] = {}
    begin = text.find(opened, start)
    while 0 <= begin < end:
        key_end = text.index(between, begin)
        key = text[begin + len(opened) : key_end].partition('" string="')[0]
        value_end = text.index(closed, key_end + len(between))
        arguments[key] = _value(text[key_end + len(between) : value_end], types.get(key))
        begin = text.find(opened, value_end)
        end = max(end, text.index(form.call[1] or "", value_end))
    return [_call({"name": name, "arguments": arguments})], end


def _types(name: str, tools: Sequence[Json]) -> dict[str, Json]:
    """The type of each parameter of a function."""
    for tool in tools:
        if tool["function"]["name"] == name:
            properties = tool["function"]["parameters"]["properties"]
            return {key: about.get("type") for key, about in properties.items()}
    return {}


def _value(text: str, kind: Json) -> Json:
    """A value in a tag: text as it is, else JSON."""
    return text if kind == "string" else loaded_json(text, default=text)


def _decoded(text: str, start: int) -> tuple[Json, int]:
    """The JSON value that begins after blanks, and where it ends."""
    return _DECODER.raw_decode(text, len(text) - len(text[start:].lstrip()))


def _call(value: Json) -> tuple[str, dict[str, Json]]:
    """Raises KeyError or TypeError for a value that is not a call."""
    name, arguments = value["name"], value["arguments" if "arguments" in value else "parameters"]
    if isinstance(arguments, str):
        arguments = json.loads(arguments)
    if not (isinstance(name, str) and name and isinstance(arguments, dict)):
        raise TypeError("not a call")
    return name, arguments


_BODIES = {"object": _objects, "array": _array, "named": _named, "tags": _tags}
