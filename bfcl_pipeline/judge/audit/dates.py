"""Dates in texts: April 25th 2023, 25 April 2023, 2023-04-25, and days without a year."""

import re
from collections.abc import Iterator
from datetime import date

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
