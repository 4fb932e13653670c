"""Words of requests and function docs, made comparable.

Covers splitting (also of camelCase and snake_case names), a light stemmer, and the words that carry no
meaning here. No language but English is known.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from functools import lru_cache

_PART = re.compile(r"[A-Z]+(?![a-z])|[A-Z]?[a-z]+|\d+(?:\.\d+)?|[^\W\d_A-Za-z]+")
_WORD = re.compile(r"[^\W_]+(?:'[a-z]+)?")

_SUFFIXES = (
    "ations", "ation", "ators", "ator", "ating", "ates", "ated", "ate", "ings", "ing", "ies", "ions",
    "ion", "ers", "er", "ors", "or", "ed", "es", "al", "ly", "e", "s", "y",
)  # fmt: skip
"""Longest first among those that overlap; a stem keeps at least three letters."""

_STOP = """
    a an the and or of in on at to for from by with as is are was were be been being do does did done have
    has had having i me my we our us you your he she it its they them their this that these those there
    here what which who whom whose when where why how can could would should will shall may might must
    please help want need like also just so if then than but not no yes any some all each every both more
    most other another such only own same very too into over under about after before between during while
    up down out off again further once new let give given using use used based one two provide tell show
    know make sure hi hello hey thanks thank going get am s t d ll re ve m im id
"""
STOP_WORDS = frozenset(_STOP.split())
"""Words that say nothing about which function is meant."""

_GENERIC = """
    get find calculate search retrieve fetch compute return returns set create generate check list show
    function value values given specified specific provided details detail information info data name type
    number certain various different following based number parameter result results user
"""
GENERIC_WORDS = frozenset(_GENERIC.split())
"""Words that many functions share: they count, but little."""


@dataclass(frozen=True, slots=True)
class Word:
    """One word of a text."""

    stem: str  # comparable form
    start: int  # where it begins in the text
    end: int  # just after it


@lru_cache(maxsize=65536)
def stem(word: str) -> str:
    """The comparable form of one word."""
    word = word.lower()
    if len(word) <= 3 or not word.isascii():
        return word
    for suffix in _SUFFIXES:
        if word.endswith(suffix) and len(word) - len(suffix) >= 3:
            return word[: -len(suffix)]
    return word


def words(text: str) -> list[Word]:
    """The words of running text, with their places."""
    return [Word(stem(match[0]), match.start(), match.end()) for match in _WORD.finditer(text)]


@lru_cache(maxsize=16384)
def name_stems(name: str) -> tuple[str, ...]:
    """The stems of the parts of an identifier."""
    return tuple(stem(part) for part in _PART.findall(name))


@lru_cache(maxsize=16384)
def text_stems(text: str) -> tuple[str, ...]:
    """The stems of a description or request without stop words, once each, in order."""
    stems: dict[str, None] = {}
    for match in _WORD.finditer(text):
        if match[0].lower() not in STOP_WORDS:
            stems[stem(match[0])] = None
            if not match[0].islower():
                stems.update(dict.fromkeys(name_stems(match[0])))
    return tuple(stems)


GENERIC_STEMS = frozenset(stem(word) for word in GENERIC_WORDS)
STOP_STEMS = frozenset(stem(word) for word in STOP_WORDS)
