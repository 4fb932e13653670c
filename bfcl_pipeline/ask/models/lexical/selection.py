"""Which functions a request needs, and how many calls of each.

Each part of the request is compared with all functions. Parts that repeat the required arguments of a
function make further calls of it.
"""

import re
from collections import Counter
from collections.abc import Sequence

from bfcl_pipeline.ask.models.lexical.arguments import Arguments, fill, properties
from bfcl_pipeline.ask.models.lexical.words import keywords, mentions, stems
from bfcl_pipeline.benchmark.records import Call, FunctionDoc, Json

_ENOUGH = 1.0
"""Weight of shared words that a call needs; each guessed argument takes 2 from it."""

_ENOUGH_FOR_ANOTHER = 3.0
"""Weight of shared words that a part needs for a call of another function than the part before."""

_SEPARATOR = re.compile(r"(?<=[.?!;])\s+|\n+|,?\s{1,20}+(?:and|or|then|also)\s+|,\s+", re.IGNORECASE)

Span = tuple[int, int]


def requested_calls(functions: Sequence[FunctionDoc], text: str) -> list[Call]:
    """The calls that `text` requests; none if no function matches."""
    if not functions:
        return []
    whole = (0, len(text))
    doc, weight = _best_match(functions, text)
    if weight - 2 * _arguments(doc, text, whole).guessed < _ENOUGH:
        return []
    claims: list[tuple[FunctionDoc, Span]] = []
    for start, end in _spans(text, whole):
        part, weight = _best_match(functions, text[start:end])
        if weight >= _ENOUGH_FOR_ANOTHER and not (claims and claims[-1][0] is part):
            claims.append((part, (start if claims else 0, end)))
        elif claims:
            claims[-1] = (claims[-1][0], (claims[-1][1][0], end))
    if len(claims) < 2:
        claims = [(doc, whole)]
    return [call for doc, span in claims for call in _repeated(doc, text, span)]


def _best_match(docs: Sequence[FunctionDoc], text: str) -> tuple[FunctionDoc, float]:
    """The function that shares most words with `text`, the first of equals, and the weight of these words.

    Words of several functions count less in the comparison, but not in the returned weight.
    """
    words, profiles = keywords(text), [_profile(doc) for doc in docs]
    holders = Counter(word for profile in profiles for word in profile)
    shared = [sorted(words & profile.keys()) for profile in profiles]
    ranks = [sum(p[word] / holders[word] for word in s) for p, s in zip(profiles, shared, strict=True)]
    best = ranks.index(max(ranks))
    return docs[best], sum(profiles[best][word] for word in shared[best])


def _profile(doc: FunctionDoc) -> dict[str, float]:
    """The keywords of a function with their weights."""
    schemas = properties(doc["parameters"])
    parameters = " ".join(f"{name} {about.get('description', '')}" for name, about in schemas.items())
    weights = dict.fromkeys(keywords(parameters), 0.5)
    weights |= dict.fromkeys(keywords(str(doc.get("description", ""))), 1.0)
    return weights | dict.fromkeys(keywords(doc["name"]), 2.0)


def _repeated(doc: FunctionDoc, text: str, span: Span) -> list[Call]:
    """One call of a function, or several if parts of the span repeat what it needs."""
    whole = _arguments(doc, text, span)
    needed = whole.mentioned.keys() & set(doc["parameters"].get("required") or ())
    rounds: list[dict[str | None, Json]] = []
    for part in _spans(text, span):
        given = _arguments(doc, text, part).mentioned
        if rounds and not given.keys() & rounds[-1].keys():
            rounds[-1].update(given)
        elif given and given not in rounds:
            rounds.append(dict(given))
    repeated = needed and all(needed <= given.keys() for given in rounds)
    return [Call(doc["name"], {**whole.values, **given}) for given in (repeated and rounds) or [{}]]


def _arguments(doc: FunctionDoc, text: str, span: Span) -> Arguments:
    inside = [mention for mention in mentions(text) if span[0] <= mention.start and mention.end <= span[1]]
    return fill(doc["parameters"], text[span[0] : span[1]], inside, frozenset(stems(doc["name"])))


def _spans(text: str, within: Span) -> list[Span]:
    """The parts of `text` between separators; a separator inside a mention does not count."""
    bounds = [within[0]]
    for match in _SEPARATOR.finditer(text, *within):
        if not any(one.start < match.end() and match.start() < one.end for one in mentions(text)):
            bounds += match.span()
    bounds.append(within[1])
    return list(zip(bounds[::2], bounds[1::2], strict=True))
