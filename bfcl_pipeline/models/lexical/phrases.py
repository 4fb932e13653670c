"""A text argument that nothing marks: the plain words that a request says about its subject."""

from __future__ import annotations

import re
from collections.abc import Collection

from bfcl_pipeline.models.lexical.affinity import traits
from bfcl_pipeline.models.lexical.functions import Parameter
from bfcl_pipeline.models.lexical.reading import Reading
from bfcl_pipeline.models.lexical.words import GENERIC_STEMS, STOP_STEMS, stem

_LEADS = ("called", "named", "about", "regarding", "of", "for", "on", "with", "in", "like", "between", "to")
"""Words that a subject tends to follow, the most telling ones first."""

_WORD = re.compile(r"[^\W_][\w'’-]*")
_LONGEST = 4


def phrase(
    parameter: Parameter, reading: Reading, about: frozenset[str], given: Collection[str]
) -> str | None:
    """Words of the text that could be the value of a text parameter; None if there are none.

    `about` holds the stems that name the function: they say what to do, not to what. `given` are texts
    that other parameters have.
    """
    text = reading.text
    for other in given:
        text = text.replace(other, " " * len(other))
    tokens = list(_WORD.finditer(text))
    blocked = about | traits(parameter).name | GENERIC_STEMS | STOP_STEMS
    free = [stem(token[0]) not in blocked for token in tokens]
    for lead in _leads(parameter):
        for place, token in enumerate(tokens):
            if token[0].lower() == lead:
                found = _free_words(tokens, free, place + 1, text)
                if found:
                    return found
    for place, token in enumerate(tokens):
        if stem(token[0]) in traits(parameter).name:
            found = _free_words(tokens, free, place + 1, text)
            if found:
                return found
    for place in range(len(tokens)):
        if free[place]:
            return _free_words(tokens, free, place, text)
    return None


def _leads(parameter: Parameter) -> tuple[str, ...]:
    own = [lead for lead in _LEADS if lead in parameter.name.lower().split("_")]
    return (*own, *_LEADS)


def _free_words(tokens: list[re.Match[str]], free: list[bool], place: int, text: str) -> str:
    """The run of words from `place` on that are not blocked, after an article."""
    while place < len(tokens) and tokens[place][0].lower() in ("a", "an", "the", "my", "this"):
        place += 1
    end = place
    while end < len(tokens) and end - place < _LONGEST and free[end]:
        if end > place and text[tokens[end - 1].end() : tokens[end].start()] != " ":
            break
        end += 1
    return text[tokens[place].start() : tokens[end - 1].end()] if end > place else ""
