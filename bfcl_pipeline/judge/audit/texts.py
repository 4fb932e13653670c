"""Texts in entries: what messages, docs, results and values say, in a form that can be compared."""

import json
import re
from collections.abc import Iterable, Iterator, Mapping
from typing import Any

from bfcl_pipeline.benchmark.records import Json, Message

_QUOTES = str.maketrans(dict.fromkeys('"`\u2018\u2019\u201c\u201d', "'"))


def plain_text(text: str) -> str:
    """`text` in lower case, with one kind of quote and single spaces."""
    return " ".join(text.casefold().translate(_QUOTES).split())


def words(text: str) -> list[str]:
    """The words and numbers of `text` in lower case, without punctuation."""
    return re.findall(r"[^\W_]+", text.casefold())


def content_of(messages: Iterable[Message]) -> str:
    """The texts of the messages."""
    return " ".join(str(message["content"]) for message in messages)


def scalars(value: Json) -> Iterator[str | int | float]:
    """The texts and numbers in a JSON value, at any depth, without keys."""
    if isinstance(value, dict):
        value = list(value.values())
    if isinstance(value, list | tuple):
        for item in value:
            yield from scalars(item)
    elif isinstance(value, str | int | float) and not isinstance(value, bool):
        yield value


def all_texts(value: Json) -> list[str]:
    """The texts, numbers and keys in a JSON value, at any depth, as text."""
    found = list[str]()
    left = [value]
    while left:
        part = left.pop()
        if isinstance(part, str):
            found.append(part)
        elif isinstance(part, Mapping):
            found += map(str, part)
            left += list(part.values())[::-1]
        elif isinstance(part, list | tuple):
            left += part[::-1]
        elif isinstance(part, int | float):
            found.append(str(part))
    return found


def result_texts(result: str) -> list[str]:
    """The texts in the result of a call, which is JSON or plain text."""
    try:
        value: Any = json.loads(result)
    except ValueError:
        value = result
    return all_texts(value)
