"""How many calls a request asks for, of which functions, and what each of them is told.

Covers one call; calls of several functions, each named in its own part of the request; and repeated
calls of one function, over parts that tell it the same kinds of things or over values in a row.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise, product

from bfcl_pipeline.benchmark import Language
from bfcl_pipeline.models.lexical.arguments import Filled, fill
from bfcl_pipeline.models.lexical.functions import Function
from bfcl_pipeline.models.lexical.reading import Reading, Span, part, read, spans
from bfcl_pipeline.models.lexical.selection import Scored, ranked
from bfcl_pipeline.models.lexical.values import scalar
from bfcl_pipeline.models.lexical.words import name_stems, stem
from bfcl_pipeline.records import Json

_MEANT = 1.5
"""A function is meant if its evidence is at least this much."""

_CLAIMED = 3.0
"""A part of a request asks for a function of its own if it shares this much with it."""

_PARTS = re.compile(
    r"(?<=[.?!;])\s+|\n+"
    r"|,?\s+(?=(?:and|then|also|finally|lastly|additionally|followed by|as well as)\s"
    r"(?:then|also|finally|the|an?|for|another|find|get|calculate|what|how|book|tell|[a-z]+e)\b)"
    r"|,\s+(?=(?:the\s+)?(?:second|third|fourth|fifth|last|another|one)\b)",
    re.IGNORECASE,
)
_FINE_PARTS = re.compile(r"(?<=[.?!;])\s+|\n+|,?\s+and\s+(?:then\s+|also\s+)?|,\s+|\s+or\s+", re.IGNORECASE)

_INNER_PLACES = frozenset(stem(word) for word in ("city", "town", "location", "county"))
_WHOLE_PLACES = frozenset(stem(word) for word in ("state", "country"))


@dataclass(frozen=True, slots=True)
class Asked:
    """One call that the request asks for."""

    function: Function
    values: dict[str, Json]  # by parameter


@dataclass(frozen=True, slots=True)
class _Claim:
    """A part of the request and the function that it asks for."""

    function: Function
    span: Span


def asked_calls(functions: Sequence[Function], text: str) -> list[Asked]:
    """The calls that `text` asks for; none if no function is meant."""
    if not functions:
        return []
    text = _unwrapped(text)
    reading = read(text)
    best = ranked(functions, reading)[0]
    whole = _filled(best.function, reading)
    if _evidence(best, whole) < _MEANT:
        return []
    claims = _claims(functions, reading) if len(functions) > 1 else []
    if len({claim.function.name for claim in claims}) > 1:
        return [asked for claim in claims for asked in _told(claim.function, reading, claim.span)]
    return _told(best.function, reading, Span(0, len(text)))


def _unwrapped(text: str) -> str:
    """A request without quotes around the whole of it."""
    inner = text.strip()
    if len(inner) > 2 and inner[0] == inner[-1] == '"' and '"' not in inner[1:-1]:
        return inner[1:-1]
    return inner


def _told(function: Function, reading: Reading, span: Span) -> list[Asked]:
    """The calls of one function that a stretch of the request asks for."""
    if _names_two_places(function):
        reading = read(reading.text, join_places=False)
    told = reading if span == Span(0, len(reading.text)) else part(reading, span)
    whole = _filled(function, told)
    if function.language is not Language.PYTHON or len(told.mentions) < 2:
        return [Asked(function, dict(whole.values))]
    over_row = _over_row(function, told, whole)
    if over_row:
        return over_row
    coarse = _over_spans(function, reading, span, _PARTS, whole)
    fine = _over_spans(function, reading, span, _FINE_PARTS, whole)
    return max(coarse, fine, key=len) or [Asked(function, dict(whole.values))]


def _names_two_places(function: Function) -> bool:
    """Whether a place is told in two parameters: a city and its state or country."""
    names = {stem for parameter in function.parameters for stem in name_stems(parameter.name)}
    return bool(names & _WHOLE_PLACES) and bool(names & _INNER_PLACES)


def _evidence(best: Scored, filled: Filled) -> float:
    """How much speaks for a function: shared words, its name said, nothing left to guess."""
    return best.shared + 2.0 * best.named - 2.0 * filled.guessed


def _filled(function: Function, reading: Reading) -> Filled:
    return fill(function.parameters, reading, frozenset(name_stems(function.name)))


def _claims(functions: Sequence[Function], reading: Reading) -> list[_Claim]:
    """The stretches that each ask for a function; one that asks for none goes with the one before."""
    claims: list[_Claim] = []
    for span in spans(reading, _PARTS):
        best = ranked(functions, part(reading, span))[0]
        claims_its_own = best.shared >= _CLAIMED and best.named >= 0.5
        if claims and (not claims_its_own or claims[-1].function is best.function):
            claims[-1] = _Claim(claims[-1].function, Span(claims[-1].span.start, span.end))
        elif claims_its_own:
            claims.append(_Claim(best.function, Span(span.start if claims else 0, span.end)))
    return claims


def _over_row(function: Function, reading: Reading, whole: Filled) -> list[Asked]:
    """Calls over values in a row, of which a parameter was given one and nobody the others."""
    by_place = {place: name for name, place in whole.places.items()}
    over: dict[str, list[int]] = {}
    place = 0
    for row in reading.rows:
        places = list(range(place, place + len(row)))
        place += len(row)
        taken = [one for one in places if one in by_place]
        if len(row) > 1 and len(taken) == 1 and not whole.used.intersection(set(places) - set(taken)):
            over[by_place[taken[0]]] = places
    if not over:
        return []
    known = {parameter.name: parameter for parameter in function.parameters}
    together = zip if "respectively" in reading.text.lower() else product
    calls = []
    for chosen in together(*over.values()):
        pairs = zip(over, chosen, strict=True)
        given = {name: scalar(known[name], reading.mentions[place]) for name, place in pairs}
        calls.append(Asked(function, {**whole.values, **given}))
    return calls


def _over_spans(
    function: Function, reading: Reading, span: Span, separator: re.Pattern[str], whole: Filled
) -> list[Asked]:
    """Calls over stretches that each tell the function the same kinds of things, but others."""
    told: list[dict[str, Json]] = []
    for inner in spans(reading, separator):
        if span.start <= inner.start and inner.end <= span.end:
            filled = _filled(function, part(reading, inner))
            given = {name: filled.values[name] for name in filled.places}
            if told and not given.keys() & told[-1].keys():
                told[-1].update(given)  # it tells more of the same: "a base of 3" "and a height of 4"
            elif given:
                told.append(given)
    needed = frozenset(p.name for p in function.parameters if p.required) & whole.places.keys()
    if len(told) < 2 or not needed or not all(needed <= given.keys() for given in told):
        return []
    if any(all(one[name] == other[name] for name in needed) for one, other in pairwise(told)):
        return []
    calls: list[Asked] = []
    for given in told:
        base = calls[-1].values if calls else whole.values
        calls.append(Asked(function, {**base, **given}))
    return calls
