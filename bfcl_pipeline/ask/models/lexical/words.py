"""Words of requests and function docs in a comparable form. English only."""

import re
from functools import lru_cache

_WORD = re.compile(r"[A-Z]+(?![a-z])|[A-Z]?[a-z]+|\d+|[^\W\d_A-Za-z]+")  # also splits camelCase, snake_case
_SUFFIX = re.compile(
    r"(?<=\w{3})(?:ations?|at(?:ors?|ing|e[sd]?)|ings?|ies|ions?|ers?|ors?|ed|es|al|ly|[esy])$"
)

_STOP_WORDS = """
    a an the and or of in on at to for from by with as is are was were be been being do does did have has
    had having i me my we our us you your he she it its they them their this that these those there here
    what which who whom whose when where why how can could would should will shall may might must please
    help want need like also just so if then than but not no yes any some all each every both more most
    other another into over under about after before between during while up down out new let give given
    using use used based one two three provide tell show know s t get find calculate search retrieve fetch
    compute return returns set create generate check list function value values specified specific
    provided details detail information info data name type number various following parameter result
    results user
"""
STOP_WORDS = frozenset(_STOP_WORDS.split())
"""Words that do not distinguish one function or parameter from another."""


@lru_cache(maxsize=65536)
def stem(word: str) -> str:
    """`word` in lower case without a common ending; at least three letters remain."""
    return _SUFFIX.sub("", word.lower(), count=1)


@lru_cache(maxsize=16384)
def stems(text: str) -> tuple[str, ...]:
    """The stems of all words of `text`, in order; the parts of an identifier are words."""
    return tuple(stem(word) for word in _WORD.findall(text))


@lru_cache(maxsize=16384)
def keywords(text: str) -> frozenset[str]:
    """The stems of the words of `text` that are not stop words."""
    return frozenset(stem(word) for word in _WORD.findall(text) if word.lower() not in STOP_WORDS)
