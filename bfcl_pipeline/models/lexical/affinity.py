"""How well a mention of the request suits a parameter.

Covers the one number that arguments are assigned by: what the mention looks like, the words around it,
and the words of the parameter's name and description.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import lru_cache
from itertools import chain

from bfcl_pipeline.models.lexical.functions import Kind, Parameter
from bfcl_pipeline.models.lexical.mentions import Mention, Sort
from bfcl_pipeline.models.lexical.reading import Neighbours
from bfcl_pipeline.models.lexical.words import GENERIC_STEMS, name_stems, stem, text_stems


def _stems(text: str) -> frozenset[str]:
    return frozenset(stem(word) for word in text.split())


_PLACE = _stems("location city country place address state region destination origin town loc area venue")
_DATE = _stems("date day deadline birthday dob when check-in checkin checkout")
_TIME = _stems("time hour")
_YEAR = _stems("year")
_CODE = _stems("id code identifier number zip postal phone ssn isbn version account key token zipcode")
_RATE = _stems("rate percentage percent probability interest return")
_URL = _stems("url link website site uri endpoint")
_EMAIL = _stems("email mail recipient")
_CUES: dict[str, frozenset[str]] = {
    "from": _stems("from start source origin departure base initial first begin old sender low lower"),
    "to": _stems("to end target destination arrival final new recipient receiver last high upper second"),
    "in": _PLACE | _stems("year unit language"),
    "at": _PLACE | _stems("time rate"),
    "near": _PLACE,
    "around": _PLACE,
    "by": _stems("author artist director creator composer by"),
    "on": _stems("date day"),
    "for": _stems("duration day year month period term"),
    "with": _stems("with"),
}
_ARTICLES = frozenset(("the", "a", "an"))

_TEXT_BASE: dict[Sort, float] = {
    Sort.QUOTED: 2.0,
    Sort.CODE: 1.7,
    Sort.NAME: 1.5,
    Sort.URL: 0.3,
    Sort.EMAIL: 0.3,
    Sort.DATE: 0.2,
    Sort.TIME: 0.1,
    Sort.NUMBER: -0.4,
    Sort.LIST: -0.5,
}
"""How much a mention looks like a text argument, before anything else is known."""


@dataclass(frozen=True, slots=True)
class Traits:
    """What the words of a parameter say of it."""

    name: frozenset[str]  # stems of its name
    description: frozenset[str]  # stems of its description that its name lacks


@lru_cache(maxsize=16384)
def _traits(name: str, description: str) -> Traits:
    stems = frozenset(name_stems(name))
    return Traits(stems, frozenset(text_stems(description)) - stems - GENERIC_STEMS)


def traits(parameter: Parameter) -> Traits:
    """What the words of `parameter` say of it."""
    return _traits(parameter.name, parameter.description)


def affinity(parameter: Parameter, mention: Mention, around: Neighbours) -> float | None:
    """How well `mention` suits `parameter`; None where it cannot be its value at all."""
    known = traits(parameter)
    if parameter.kind in (Kind.INTEGER, Kind.NUMBER):
        base = _number_base(parameter, known, mention)
    elif parameter.kind is Kind.TEXT:
        base = _text_base(known, mention)
    else:
        return None
    if base is None:
        return None
    return base + _context(known, around)


def _number_base(parameter: Parameter, known: Traits, mention: Mention) -> float | None:
    if mention.sort is not Sort.NUMBER or mention.number is None:
        return None
    if parameter.kind is Kind.INTEGER and not float(mention.number).is_integer():
        return None
    like_year = (
        isinstance(mention.number, int) and 1000 <= mention.number <= 2100 and mention.text.isdigit()
    )
    if known.name & _YEAR and "years" not in parameter.name:
        return 2.5 if like_year else 0.5
    base = 1.2 if like_year else 1.5
    if mention.text.isalpha():
        base -= 1.2  # "two circles" rather counts than measures
    if mention.percent:
        base += 0.8 if _RATE & known.name else -0.2
    return base


def _text_base(known: Traits, mention: Mention) -> float | None:
    base = _TEXT_BASE[mention.sort]
    name = known.name
    if mention.sort is Sort.DATE:
        base = 2.5 if name & _DATE else (1.2 if name & _TIME else base)
    elif name & _DATE and not name & _PLACE:
        base -= 1.5
    if mention.sort is Sort.TIME:
        base = 2.5 if name & _TIME else base
    elif name & _TIME and mention.sort is not Sort.DATE:
        base -= 1.5
    if mention.sort is Sort.NAME and name & _PLACE:
        base += 0.8
    if mention.sort is Sort.URL:
        base = 3.0 if name & _URL else base
    if mention.sort is Sort.EMAIL:
        base = 3.0 if name & _EMAIL else base
    if mention.sort in (Sort.NUMBER, Sort.CODE) and name & _CODE:
        base += 1.5
    return base


def _context(known: Traits, around: Neighbours) -> float:
    """What the words next to a mention add: those of the parameter, and prepositions that point to it."""
    score = 0.0
    for near, weight in chain(_fading(around.before, 1.6, 0.8), _fading(around.after, 1.0, 0.7)):
        if near in known.name:
            score += weight
        elif near in known.description:
            score += 0.3 * weight
    for near in around.before[:3]:
        if near in _CUES:
            score += 1.2 if _CUES[near] & known.name else 0.0
            break
        if near not in _ARTICLES:
            break
    return score


def _fading(words: Sequence[str], weight: float, fade: float) -> Iterator[tuple[str, float]]:
    """Each word with its weight, which is less the farther it stands from the mention."""
    for word in words:
        yield word, weight
        weight *= fade
