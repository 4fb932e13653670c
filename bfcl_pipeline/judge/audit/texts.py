"""Texts in entries: what messages, docs, results and values say, in a form that can be compared.

Covers dates: April 25th 2023, 25 April 2023, 2023-04-25, and days without a year.
"""

import json
import re
from collections.abc import Iterable, Iterator, Mapping
from datetime import date
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


MONTHS = ("jan", "feb", "mar", "apr", "may", "jun", "jul", "aug", "sep", "oct", "nov", "dec")
"""The months as they are recognised, by their first letters."""

_MONTH = rf"(?P<month{{0}}>{'|'.join(MONTHS)})[a-z]{{{{0,6}}}}\.?"
_DAY = r"(?P<day{0}>\d{{1,2}})(?:st|nd|rd|th)?"
_YEAR = r"(?P<year{0}>\d{{4}})"
_DATE = re.compile(
    "|".join(
        (
            rf"\b{_MONTH} (?:the )?{_DAY},? (?:of )?(?:the year )?{_YEAR}\b".format("A"),
            rf"\b{_DAY} (?:of )?{_MONTH},? {_YEAR}\b".format("B"),
            r"\b(?P<yearC>\d{4})-(?P<monthC>\d\d)-(?P<dayC>\d\d)\b",
        )
    ),
    re.IGNORECASE,
)
_MONTH_DAY = re.compile(
    "|".join(
        (
            rf"\b{_MONTH} {_DAY}\b".format("A"),
            rf"\b{_DAY} {_MONTH}\b".format("B"),
            r"\b(?:\d{4}[-/])?(?P<monthC>\d\d)[-/](?P<dayC>\d\d)\b",
        )
    ),
    re.IGNORECASE,
)


def dates(text: str) -> Iterator[tuple[int, int, date]]:
    """The dates with a year in a text, each with its start and end."""
    for match in _DATE.finditer(text):
        parts = _parts(match)
        try:
            day = date(int(parts["year"]), _month(parts["month"]), int(parts["day"]))
        except ValueError:
            continue
        yield match.start(), match.end(), day


def month_days(text: str) -> set[tuple[int, int]]:
    """The month and day of each date in a text, with a year or without."""
    found = map(_parts, _MONTH_DAY.finditer(text))
    return {(_month(parts["month"]), int(parts["day"])) for parts in found}


def _parts(match: re.Match[str]) -> dict[str, str]:
    return {name[:-1]: part for name, part in match.groupdict().items() if part}


def _month(text: str) -> int:
    return int(text) if text.isdigit() else MONTHS.index(text.casefold()) + 1
