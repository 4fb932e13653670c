"""Finds dates that do not agree: with their weekday, or in the year of the request and of the truth.

A weekday right before or after a full date in a message must be that of the date. If a text of the truth
has a date of the request with another year, the year must occur in a message, too. Covers single-turn and
multi-turn entries.
"""

import re
from collections.abc import Iterator

from bfcl_pipeline.benchmark.definition import Check
from bfcl_pipeline.benchmark.records import Entry
from bfcl_pipeline.judge.audit.benchmark import Benchmark, Suspicion
from bfcl_pipeline.judge.audit.texts import all_texts, content_of, dates

NAME = "calendar"

_WEEKDAYS = ("monday", "tuesday", "wednesday", "thursday", "friday", "saturday", "sunday")
_WEEKDAY = rf"(?P<weekday>{'|'.join(_WEEKDAYS)})"
_BEFORE = re.compile(rf"\b{_WEEKDAY},? (?:on )?(?:the )?$", re.IGNORECASE)
_AFTER = re.compile(rf"^,? ?\(?(?:a |which is a )?{_WEEKDAY}\b", re.IGNORECASE)

_SINGLE_TURN = (Check.SIMPLE, Check.MULTIPLE, Check.PARALLEL, Check.IRRELEVANCE, Check.RELEVANCE)


def suspicions(benchmark: Benchmark) -> Iterator[Suspicion]:
    """One finding per wrong weekday, and per date of the truth with the wrong year."""
    for entry in filter(benchmark.wants, benchmark.checked_with(*_SINGLE_TURN, Check.MULTI_TURN)):
        for number, messages in enumerate(entry.turns, 1):
            for detail in _weekdays(content_of(messages)):
                yield Suspicion(NAME, entry.category, entry.entry_id, f"turn {number}", detail)
        for detail in _years(entry):
            yield Suspicion(NAME, entry.category, entry.entry_id, "truth", detail)


def _weekdays(text: str) -> Iterator[str]:
    for start, end, day in dates(text):
        match = _BEFORE.search(text[:start][-40:]) or _AFTER.search(text[end:][:40])
        right = _WEEKDAYS[day.weekday()].capitalize()
        if match is not None and match["weekday"].capitalize() != right:
            yield f"{match['weekday']} is said of {day}, which is a {right}"


def _years(entry: Entry) -> Iterator[str]:
    request = " ".join(map(content_of, entry.turns))
    asked = {day for _, _, day in dates(request)}
    for day in sorted({day for text in all_texts(entry.truth) for _, _, day in dates(text)}):
        others = sorted(each for each in asked if (each.month, each.day) == (day.month, day.day))
        if others and day not in others and str(day.year) not in request:
            yield f"the truth has {day}, the request {', '.join(map(str, others))}"
