"""Values that a doc lists: which of them a text names, and whether it says yes or no."""

from __future__ import annotations

import re
from functools import lru_cache

from bfcl_pipeline.models.lexical.affinity import traits
from bfcl_pipeline.models.lexical.functions import Parameter
from bfcl_pipeline.models.lexical.reading import Reading
from bfcl_pipeline.models.lexical.words import GENERIC_STEMS, STOP_STEMS, stem, text_stems
from bfcl_pipeline.records import Json

_NEGATION_WORDS = "no not without exclude excluding don't dont avoid disable off never"
_NEGATIONS = frozenset(stem(word) for word in _NEGATION_WORDS.split())


def named_choice(parameter: Parameter, reading: Reading) -> Json:
    """The one of its choices that the text names, the longest first; None if it names none."""
    ordered = sorted(parameter.choices, key=lambda choice: -len(str(choice)))
    for choice in ordered:
        if _says(str(choice), reading.text):
            return choice
    for choice in ordered:
        stems = text_stems(str(choice).replace("_", " "))
        if stems and not str(choice).isdigit() and reading.stems.issuperset(stems):
            return choice
    return None


def named_choices(item: Parameter, reading: Reading) -> list[Json]:
    """Those of a list item's choices that the text names, in the doc's order."""
    named = []
    for choice in item.choices:
        stems = text_stems(str(choice).replace("_", " "))
        if _says(str(choice), reading.text) or (stems and reading.stems.issuperset(stems)):
            named.append(choice)
    return named


def truth_value(parameter: Parameter, reading: Reading) -> bool | None:
    """Whether the text says yes or no to a parameter; None if it does not speak of it."""
    telling = traits(parameter).name - GENERIC_STEMS - STOP_STEMS - {"includ", "has", "i", "enabl", "allow"}
    if not telling or not telling <= {word.stem for word in reading.words}:
        return None
    for place, word in enumerate(reading.words):
        if word.stem in telling:
            before = {other.stem for other in reading.words[max(0, place - 4) : place]}
            return not before & _NEGATIONS
    return None


@lru_cache(maxsize=8192)
def _pattern(choice: str) -> re.Pattern[str]:
    words = re.split(r"[\s_-]+", choice)
    return re.compile(r"(?<!\w)" + r"[\s_-]?".join(map(re.escape, words)) + r"(?!\w)", re.IGNORECASE)


def _says(choice: str, text: str) -> bool:
    return bool(choice) and _pattern(choice).search(text) is not None
