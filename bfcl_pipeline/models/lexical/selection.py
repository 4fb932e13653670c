"""Which offered function a text asks for, by the words they share.

Covers scoring every function against a text, and whether the best of them is meant at all. Words that
many of the offered functions share count less (inverse document frequency over what is offered).
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache

from bfcl_pipeline.models.lexical.functions import Function
from bfcl_pipeline.models.lexical.reading import Reading
from bfcl_pipeline.models.lexical.words import GENERIC_STEMS, name_stems, text_stems

_NAME = 2.0
_DESCRIPTION = 1.2
_PARAMETER = 0.6
_GENERIC = 0.15


@dataclass(frozen=True, slots=True)
class Scored:
    """An offered function and what it shares with a text."""

    function: Function
    score: float  # weight of the shared words, rare ones counting more
    shared: float  # the same without regard to the other functions
    named: float  # the share of its name, without words that many names have, that the text says


def profile(function: Function) -> dict[str, float]:
    """The stems that describe a function, each with its weight."""
    texts = tuple((p.name, p.description) for p in function.parameters)
    return _profile(function.name, function.description, texts)


@lru_cache(maxsize=8192)
def _profile(name: str, description: str, parameters: tuple[tuple[str, str], ...]) -> dict[str, float]:
    weights: dict[str, float] = {}
    for parameter, about in parameters:
        _raise(weights, text_stems(about), _PARAMETER / 2)
        _raise(weights, name_stems(parameter), _PARAMETER)
    _raise(weights, text_stems(description), _DESCRIPTION)
    _raise(weights, name_stems(name), _NAME)
    for stem in GENERIC_STEMS & weights.keys():
        weights[stem] *= _GENERIC
    return weights


def _raise(weights: dict[str, float], stems: Sequence[str], weight: float) -> None:
    for stem in stems:
        weights[stem] = max(weight, weights.get(stem, 0.0))


def ranked(functions: Sequence[Function], reading: Reading) -> list[Scored]:
    """Every function with its score, best first; equal ones in the order offered."""
    profiles = [profile(function) for function in functions]
    holding = Counter(stem for weights in profiles for stem in weights)
    rarity = {stem: math.log(1 + len(functions) / count) for stem, count in holding.items()}
    scored = [
        _scored(function, weights, reading, rarity)
        for function, weights in zip(functions, profiles, strict=True)
    ]
    return sorted(scored, key=lambda one: -one.score)


def _scored(
    function: Function, weights: dict[str, float], reading: Reading, rarity: dict[str, float]
) -> Scored:
    common = sorted(reading.stems & weights.keys())
    score = sum(weights[stem] * rarity[stem] for stem in common)
    telling = [stem for stem in dict.fromkeys(name_stems(function.name)) if stem not in GENERIC_STEMS]
    named = sum(stem in reading.stems for stem in telling) / len(telling) if telling else 0.0
    return Scored(function, score + named, sum(weights[stem] for stem in common), named)
