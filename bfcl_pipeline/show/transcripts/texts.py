"""Messages, signatures, calls, results of web calls as items: what records of entries and answers share.

The result of a web call is one text to the model, a Python list of hits or a JSON object with the page. The
items have the same texts without the quotes around them; a result of another form is shown as it is.
"""

import json
from collections.abc import Callable, Generator, Iterable, Iterator, Sequence
from typing import Any

from bfcl_pipeline.base.differences import MISSING
from bfcl_pipeline.base.text import cut, on_one_line
from bfcl_pipeline.benchmark.records import Call, DecodeFailure, FunctionDoc, Json, Message
from bfcl_pipeline.dialogue.calls import executed_text
from bfcl_pipeline.judge.scoring.findings import shorten
from bfcl_pipeline.judge.scoring.web_results import result_document
from bfcl_pipeline.judge.scoring.web_use import FETCH_TOOL
from bfcl_pipeline.show.playback.conversation import MOST_CHANGES, Change, PlayedCall
from bfcl_pipeline.show.transcripts.parts import Item, Kind, TextLimits

_HIT = ({"title", "href"}, {"title", "href", "body"})
"""The keys of a hit, without and with a snippet."""


def web_result(played: PlayedCall, search_tools: Sequence[str], limits: TextLimits) -> Iterator[Item]:
    """The result of a call on the web. search_tools: the names of the search tool."""
    name = played.call.name.strip()
    document = result_document(played.result)
    hits = _hits(document) if name in search_tools else None
    page = _page(document) if name == FETCH_TOOL else None
    if hits is not None:
        for number, hit in enumerate(hits[: limits.hits], start=1):
            yield Item(Kind.RESULT, cut("\n".join(hit), limits.result), label=str(number))
        if len(hits) > limits.hits:
            yield Item(Kind.NOTE, f"(and {len(hits) - limits.hits:,} more results)")
        return
    if page is not None:
        yield Item(Kind.RESULT, cut(page, limits.page))
        return
    yield Item(Kind.RESULT, cut(played.result, limits.result))


def _hits(document: object) -> list[list[str]] | None:
    """Title, address and snippet of each hit; None if the result is not a list of hits."""
    if not isinstance(document, list):
        return None
    if not all(isinstance(hit, dict) and set(hit) in _HIT for hit in document):
        return None
    return [[str(text) for text in hit.values()] for hit in document]


def _page(document: object) -> str | None:
    """The text of a fetched page; None if the result is not one."""
    if isinstance(document, dict) and set(document) == {"content"} and isinstance(document["content"], str):
        return document["content"]
    return None


_ROLES = {kind.value: kind for kind in (Kind.SYSTEM, Kind.USER, Kind.ASSISTANT, Kind.TOOL)}


def message_items(messages: Sequence[Message], limits: TextLimits) -> Iterator[Item]:
    """Each message by its role."""
    for message in messages:
        role = str(message["role"])
        text = cut(str(message["content"]).rstrip(), limits.words)
        yield Item(_ROLES.get(role, Kind.USER), text, label="" if role in _ROLES else role)


def signature_items(docs: Iterable[FunctionDoc], limits: TextLimits) -> Iterator[Item]:
    """One line for each function."""
    for doc in docs:
        yield Item(Kind.FUNCTION, cut(signature(doc, limits), limits.call))


def signature(doc: FunctionDoc, limits: TextLimits) -> str:
    """A function as in Python, with the type names of the release."""
    required = doc["parameters"].get("required", ())
    parameters = (
        f"{name}: {_type(about)}" + ("" if name in required else f" = {_default(about, limits)}")
        for name, about in doc["parameters"].get("properties", {}).items()
    )
    return f"{doc['name']}({', '.join(parameters)})"


def _type(about: FunctionDoc) -> str:
    kind = str(about.get("type", "any"))
    items = about.get("items")
    return f"{kind}[{_type(items)}]" if isinstance(items, dict) and "type" in items else kind


def _default(about: FunctionDoc, limits: TextLimits) -> str:
    return cut(repr(about["default"]), limits.value) if "default" in about else "..."


def played_items(
    calls: Sequence[PlayedCall], limits: TextLimits, label: str = "", search_tools: Sequence[str] = ()
) -> Iterator[Item]:
    """Each call, its result, and its changes.

    Args:
        label: of the first call.
        search_tools: names of the search tool; empty if the calls are not on the web.
    """
    for place, played in enumerate(calls):
        yield Item(Kind.CALL, call_text(played.call, limits), label=label if place == 0 else "")
        if played.recorded:
            yield from (
                web_result(played, search_tools, limits)
                if search_tools
                else (Item(Kind.RESULT, cut(played.result, limits.result)),)
            )
        else:
            yield Item(Kind.NOTE, f"(result not recorded: {cut(played.result, limits.result)})")
        for text in _change_texts(played.changes, limits):
            yield Item(Kind.CHANGE, text)
        if not played.compared:
            yield Item(Kind.NOTE, "(its changes are not shown: too many calls before it have changes)")


def call_text(call: Call, limits: TextLimits) -> str:
    """A call as Python."""
    return cut(on_one_line(executed_text(call)), limits.call)


def no_call(why: str, limits: TextLimits) -> Item:
    """The note that an answer cannot be read as calls."""
    return Item(Kind.NOTE, f"(no call: {cut(why, limits.result)})")


def items_before_calls(
    result: Json,
    calls: Sequence[Call] | DecodeFailure,
    write: Callable[[Sequence[Call]], str],
    limits: TextLimits,
) -> Generator[Item, None, str]:
    """What a single answer has before the calls in it: its text if it is more, or why there are none.

    write: the text of calls alone. Returns the label of the first call.
    """
    if (
        isinstance(calls, DecodeFailure)
        or not calls
        or (isinstance(result, str) and result != write(calls))
    ):
        yield Item(Kind.TEXT, cut(raw_text(result), limits.words), label="answer")
        if isinstance(calls, DecodeFailure):
            yield no_call(calls.message, limits)
        return "read as"
    return "answer"


def raw_text(result: Json) -> str:
    """An answer that is not shown as calls: a text unchanged, any other value as JSON."""
    if isinstance(result, str):
        return result or "(an empty answer)"
    try:
        return json.dumps(result, ensure_ascii=False)
    except (ValueError, RecursionError):
        return shorten(result)


def _change_texts(changes: Sequence[Change], limits: TextLimits) -> Iterator[str]:
    for change in changes[: limits.changes]:
        path = cut(on_one_line(change.path), limits.value)
        before, after = (_value_text(value, limits) for value in (change.before, change.after))
        yield f"{change.api}.{path}: {before} -> {after}"
    more = len(changes) - limits.changes
    if more > 0:
        yield f"and {more:,} more" if len(changes) < MOST_CHANGES else f"and more than {more:,} more"


def _value_text(value: Any, limits: TextLimits) -> str:
    return "(nothing)" if value is MISSING else cut(shorten(value), limits.value)
