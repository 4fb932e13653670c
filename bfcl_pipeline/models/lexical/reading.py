"""A request, or a part of one, read once: its words, what it mentions, and how these stand together."""

from __future__ import annotations

import bisect
import re
from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache

from bfcl_pipeline.models.lexical.mentions import Mention, mentions, runs
from bfcl_pipeline.models.lexical.words import Word, text_stems, words

_BEFORE = 6
_AFTER = 3


@dataclass(frozen=True, slots=True)
class Reading:
    """What there is to know of a text without any function in mind."""

    text: str
    words: tuple[Word, ...]
    mentions: tuple[Mention, ...]
    rows: tuple[tuple[Mention, ...], ...]  # mentions that stand in a row: "A, B and C"
    stems: frozenset[str]  # of its words without stop words
    neighbours: tuple[Neighbours, ...]  # of each mention


@dataclass(frozen=True, slots=True)
class Neighbours:
    """The words around a mention, nearest first, up to the next mention or sentence end."""

    before: tuple[str, ...]  # stems
    after: tuple[str, ...]  # stems


@dataclass(frozen=True, slots=True)
class Span:
    """A stretch of a text."""

    start: int
    end: int


@lru_cache(maxsize=2048)
def read(text: str, join_places: bool = True) -> Reading:
    """The reading of `text`. `join_places`: "Paris, France" is one mention, else two."""
    listed = tuple(words(text))
    found = tuple(mentions(text, join_places))
    return Reading(
        text,
        listed,
        found,
        tuple(tuple(row) for row in runs(list(found), text)),
        frozenset(text_stems(text)),
        _neighbours(text, listed, found),
    )


def spans(reading: Reading, separator: re.Pattern[str]) -> list[Span]:
    """The stretches between separators; one inside a mention separates nothing."""
    found: list[Span] = []
    start = 0
    for match in separator.finditer(reading.text):
        inside = any(one.start < match.end() and match.start() < one.end for one in reading.mentions)
        if not inside and match.end() > start:
            found.append(Span(start, match.start()))
            start = match.end()
    found.append(Span(start, len(reading.text)))
    return [span for span in found if span.end > span.start]


def part(reading: Reading, span: Span) -> Reading:
    """The reading of a stretch, as it stands in the whole: nothing is read anew."""
    kept = [
        place
        for place, mention in enumerate(reading.mentions)
        if span.start <= mention.start and mention.end <= span.end
    ]
    places = frozenset(kept)
    rows: list[tuple[Mention, ...]] = []
    place = 0
    for row in reading.rows:
        inside = tuple(one for offset, one in enumerate(row) if place + offset in places)
        place += len(row)
        if inside:
            rows.append(inside)
    text = reading.text[span.start : span.end]
    return Reading(
        text,
        tuple(word for word in reading.words if span.start <= word.start and word.end <= span.end),
        _at(reading.mentions, kept),
        tuple(rows),
        frozenset(text_stems(text)),
        tuple(reading.neighbours[place] for place in kept),
    )


def _at(found: Sequence[Mention], places: Sequence[int]) -> tuple[Mention, ...]:
    return tuple(found[place] for place in places)


def _neighbours(text: str, listed: tuple[Word, ...], found: tuple[Mention, ...]) -> tuple[Neighbours, ...]:
    starts = [word.start for word in listed]
    around = []
    for index, mention in enumerate(found):
        low = found[index - 1].end if index else 0
        high = found[index + 1].start if index + 1 < len(found) else len(text)
        place = bisect.bisect_left(starts, mention.start)
        before = _before(text, listed[max(0, place - _BEFORE) : place], low, mention.start)
        place = bisect.bisect_left(starts, mention.end)
        after = _after(text, listed[place : place + _AFTER], mention.end, high)
        around.append(Neighbours(before, after))
    return tuple(around)


def _before(text: str, listed: Sequence[Word], low: int, end: int) -> tuple[str, ...]:
    """Stems of the words that end at `end`, nearest first, within the sentence and not before `low`."""
    stems = []
    for word in reversed(listed):
        if word.start < low or _ends_sentence(text, word.end, end):
            break
        stems.append(word.stem)
        end = word.start
    return tuple(stems)


def _after(text: str, listed: Sequence[Word], start: int, high: int) -> tuple[str, ...]:
    """Stems of the words from `start` on, within the sentence and not after `high`."""
    stems = []
    for word in listed:
        if word.end > high or _ends_sentence(text, start, word.start):
            break
        stems.append(word.stem)
        start = word.end
    return tuple(stems)


def _ends_sentence(text: str, start: int, end: int) -> bool:
    between = text[start:end]
    return any(mark in between for mark in (". ", "? ", "! ", "; ", "\n"))
