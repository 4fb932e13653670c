"""Finds optional parameters whose default is accepted as a value, while leaving them out is not.

The default is that of the function doc: its key `default`, or what its description says. A call with the
default and a call without the parameter mean the same.
"""

import re
from collections.abc import Iterator, Mapping

from bfcl_pipeline.benchmark.records import Json
from bfcl_pipeline.judge.audit.benchmark import OMITTED, Benchmark, Suspicion, accepted_parameters
from bfcl_pipeline.judge.audit.texts import content_of, words
from bfcl_pipeline.judge.scoring.expected import standardize
from bfcl_pipeline.judge.scoring.findings import shorten

NAME = "default"

_IN_DESCRIPTION = re.compile(
    r"\bdefault(?:s to| is set to| value is| is| value:| value of|:)? ?(?P<quote>['\"`]?)"
    r"(?P<value>[^'\"`\s][^'\"`]*?)(?:(?P=quote)|[.,;)\s])(?:[.,;)\s]|$)",
    re.IGNORECASE,
)


def suspicions(benchmark: Benchmark) -> Iterator[Suspicion]:
    """One finding per parameter of a function, however often it is called."""
    listed = set[tuple[str, str]]()
    for accepted in accepted_parameters(benchmark):
        place = (accepted.entry.entry_id, accepted.where)
        if place in listed or accepted.required or OMITTED in accepted.values:
            continue
        match = next(
            (value for value in _defaults(accepted.schema) if _among(value, accepted.values)), None
        )
        if match is not None:
            listed.add(place)
            entry = accepted.entry
            request = f" {' '.join(words(content_of(entry.turns[0])))} "
            said = "says it" if f" {' '.join(words(str(match)))} " in request else "does not say it"
            detail = f"the default {shorten(match)} is accepted, its omission is not; the request {said}"
            yield Suspicion(NAME, entry.category, entry.entry_id, accepted.where, detail)


def _defaults(schema: Mapping[str, Json]) -> Iterator[Json]:
    if "default" in schema:
        yield schema["default"]
    for match in _IN_DESCRIPTION.finditer(str(schema.get("description", ""))[:2000]):
        yield match["value"].strip()


def _among(default: Json, values: list[Json]) -> bool:
    """Whether a default is an accepted value; one from a description is text."""
    text = standardize(str(default))
    return text != "" and text in {standardize(str(value)) for value in values}
