"""Dates of a request in the form that a parameter's description asks for."""

from __future__ import annotations

import re

_MONTHS = ("jan", "feb", "mar", "apr", "may", "jun", "jul", "aug", "sep", "oct", "nov", "dec")
_NUMERIC = re.compile(r"(\d{4})[-/.](\d{1,2})[-/.](\d{1,2})")
_FORM = re.compile(
    r"\b(?:YYYY|yyyy|MM|DD|dd|mm)(?:([-/.])(?:YYYY|yyyy|MM|DD|dd|mm)){2}\b|%Y-%m-%d|ISO.?8601"
)
_WORD = re.compile(r"[a-z]+|\d+", re.IGNORECASE)


def in_asked_form(text: str, description: str) -> str:
    """`text` rewritten if it is a whole date and the description names a form; else as it is."""
    asked = _FORM.search(description)
    parts = _parts(text) if asked else None
    if asked is None or parts is None:
        return text
    year, month, day = parts
    form = asked[0].upper() if asked[1] else "YYYY-MM-DD"
    return form.replace("YYYY", f"{year:04}").replace("MM", f"{month:02}").replace("DD", f"{day:02}")


def _parts(text: str) -> tuple[int, int, int] | None:
    """Year, month and day of a date; None unless it names all three without doubt."""
    numeric = _NUMERIC.fullmatch(text)
    if numeric is not None:
        return int(numeric[1]), int(numeric[2]), int(numeric[3])
    words = [word.lower() for word in _WORD.findall(text)]
    months = [_MONTHS.index(word[:3]) + 1 for word in words if word[:3] in _MONTHS]
    numbers = [int(word) for word in words if word.isdigit()]
    years = [number for number in numbers if number > 31]
    days = [number for number in numbers if 1 <= number <= 31]
    if len(months) == len(years) == len(days) == 1:
        return years[0], months[0], days[0]
    return None
