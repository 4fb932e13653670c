"""Enumerates every value of one parameter that could pass the AST checks, most natural first.

`audit` needs all of them to prove that no answer can pass, the oracle needs one that passes. The caller
checks the candidates, and tries an answer without the parameter.

The enumeration is complete because a checker accepts a value for its type and for being equal, after
normalisation, to an acceptable one. So every value that passes is, up to that equality, an acceptable
value itself, the same value as another type that compares equal (1, 1.0, True), for an object one
alternative per key, or the empty text or list that marks an optional parameter. In Java and JavaScript the
checker sees text, so the candidates are all spellings that the release's converters could read as such a
value, and the plain text, which they keep if they cannot read it.
"""

import itertools
from collections.abc import Iterator, Mapping, Sequence

from bfcl_pipeline.benchmark.definition import Language
from bfcl_pipeline.benchmark.records import Json
from bfcl_pipeline.dialogue.calls.spelling import spellings

_OBJECT_TYPES = frozenset({"dict", "HashMap"})
_LIST_TYPES = frozenset({"array", "tuple", "Array", "ArrayList"})


def candidate_values(
    acceptable: Sequence[Json], type_name: str, item_type: str | None, language: Language
) -> Iterator[Json]:
    """The values that could pass for a parameter with these `acceptable` values, each once.

    `type_name` and `item_type` are from the function doc without language hints. For Java and JavaScript
    every candidate is text.
    """
    seen: set[str] = set()
    for value in _values(acceptable, type_name, item_type):
        texts: Iterator[Json]
        if language is Language.PYTHON:
            texts = iter((value,))
        else:
            texts = spellings(value, type_name, item_type, language)
        for text in texts:
            key = repr(text)
            if key not in seen:
                seen.add(key)
                yield text


def _values(acceptable: Sequence[Json], type_name: str, item_type: str | None) -> Iterator[Json]:
    meant = [value for value in acceptable if value != ""]
    for value in meant:
        if type_name in _OBJECT_TYPES and isinstance(value, Mapping):
            yield from _objects(value)
        elif type_name in _LIST_TYPES and item_type in _OBJECT_TYPES and isinstance(value, list):
            choices = [list(_objects(each)) if isinstance(each, Mapping) else [each] for each in value]
            yield from map(list, itertools.product(*choices))
        yield value
    for value in meant:
        yield from _equal_values(value)
    if len(meant) < len(acceptable):
        yield from ("", [])


def _objects(alternatives: Mapping[str, Json]) -> Iterator[dict[str, Json]]:
    """Every object with one alternative for each key; keys whose alternatives include "" may be absent."""
    choices = [
        [(key, choice) for choice in _alternatives(value)] + ([None] if _may_be_absent(value) else [])
        for key, value in alternatives.items()
    ]
    for chosen in itertools.product(*choices):
        yield dict(pair for pair in chosen if pair is not None)


def _alternatives(value: Json) -> list[Json]:
    """The alternatives of one key; if the release has a text instead of a list, also its characters."""
    if isinstance(value, str):
        return [value, *dict.fromkeys(value)]
    if isinstance(value, list):
        meant = [item for item in value if item != ""]
        return meant + [""] * (len(meant) < len(value))
    return [value]


def _may_be_absent(value: Json) -> bool:
    return isinstance(value, str) or (isinstance(value, list) and "" in value)


def _equal_values(value: Json) -> Iterator[Json]:
    """The same number as another type that compares equal."""
    if isinstance(value, float) and value.is_integer():
        yield int(value)
    elif isinstance(value, int) and not isinstance(value, bool):
        yield float(value)
    if isinstance(value, bool):
        yield from (int(value), float(value))
    elif isinstance(value, (int, float)) and value in (0, 1):
        yield bool(value)
