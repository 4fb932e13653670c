"""Compares accepted values of single-turn parameters with the enums and defaults of function docs."""

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass

from bfcl_pipeline.benchmark.definition import Check
from bfcl_pipeline.benchmark.records import Entry, Json
from bfcl_pipeline.judge.audit.benchmark import Benchmark, Suspicion
from bfcl_pipeline.judge.audit.texts import content_of, words
from bfcl_pipeline.judge.scoring.expected import standardize
from bfcl_pipeline.judge.scoring.findings import shorten, shown_options

_OMITTED = ""  # among accepted values: the parameter may be left out

_IN_DESCRIPTION = re.compile(
    r"\bdefault(?:s to| is set to| value is| is| value:| value of|:)? ?(?P<quote>['\"`]?)"
    r"(?P<value>[^'\"`\s][^'\"`]*?)(?:(?P=quote)|[.,;)\s])(?:[.,;)\s]|$)",
    re.IGNORECASE,
)


@dataclass(frozen=True, slots=True)
class _Accepted:
    """One parameter of one demanded call that both the truth and the function doc have."""

    entry: Entry
    where: str  # function and parameter, for a finding
    schema: Mapping[str, Json]  # of the function doc
    required: bool  # in the function doc
    values: list[Json]


def _accepted_parameters(benchmark: Benchmark) -> Iterator[_Accepted]:
    for entry in benchmark.checked_with(Check.SIMPLE, Check.MULTIPLE, Check.PARALLEL):
        docs = {doc["name"]: doc["parameters"] for doc in entry.functions}
        for function, arguments in (pair for call in entry.truth for pair in call.items()):
            doc = docs.get(function, {})
            properties, required = doc.get("properties", {}), doc.get("required", ())
            for name, values in arguments.items():
                if name in properties:
                    where = f"{function}, {name}"
                    yield _Accepted(entry, where, properties[name], name in required, values)


def values_outside_enums(benchmark: Benchmark) -> Iterator[Suspicion]:
    """Each parameter for which the truth accepts no value of the enum in the function doc.

    Such an answer cannot be given under a strict tool schema. Covers enums of parameters, of the items of
    arrays and of the properties of objects. Values are compared with their types: True is not the text
    True. An enum of texts at an array, which may be meant for its items, has no array; the finding says so.
    """
    for accepted in _accepted_parameters(benchmark):
        values = accepted.values
        if not values or _OMITTED in values or any(_fits(value, accepted.schema) for value in values):
            continue
        detail = f"accepted: {shown_options(values)}; not in the enum of the doc"
        if "enum" in accepted.schema and "items" in accepted.schema:
            detail += ", which is at the array and not at its items"
        yield Suspicion(accepted.entry, accepted.where, detail)


def _fits(value: Json, schema: Mapping[str, Json]) -> bool:
    """Whether a value agrees with every enum in its schema."""
    options = schema.get("enum")
    if options is not None and not any(value == each and type(value) is type(each) for each in options):
        return False
    if isinstance(value, list):
        return all(_fits(item, schema.get("items", {})) for item in value)
    if isinstance(value, dict):
        properties = schema.get("properties", {})
        return all(
            _OMITTED in alternatives or any(_fits(each, properties.get(key, {})) for each in alternatives)
            for key, alternatives in value.items()
            if isinstance(alternatives, list)
        )
    return True


def rejected_omissions(benchmark: Benchmark) -> Iterator[Suspicion]:
    """Each optional parameter of a function whose default is accepted, while leaving it out is not.

    The default is that of the function doc: its key `default`, or what its description says. A call with
    the default and a call without the parameter mean the same. One finding, however often it is called.
    """
    listed = set[tuple[str, str]]()
    for accepted in _accepted_parameters(benchmark):
        place = (accepted.entry.entry_id, accepted.where)
        if place in listed or accepted.required or _OMITTED in accepted.values:
            continue
        for default in _defaults(accepted.schema):
            if default is not None and _among(default, accepted.values):
                listed.add(place)
                request = f" {' '.join(words(content_of(accepted.entry.turns[0])))} "
                said = "says it" if f" {' '.join(words(str(default)))} " in request else "does not say it"
                detail = f"the default {shorten(default)} is accepted, its omission is not"
                yield Suspicion(accepted.entry, accepted.where, f"{detail}; the request {said}")
                break


def _defaults(schema: Mapping[str, Json]) -> Iterator[Json]:
    if "default" in schema:
        yield schema["default"]
    for match in _IN_DESCRIPTION.finditer(str(schema.get("description", ""))[:2000]):
        yield match["value"].strip()


def _among(default: Json, values: list[Json]) -> bool:
    """Whether a default is an accepted value; one from a description is text."""
    text = standardize(str(default))
    return text != "" and text in {standardize(str(value)) for value in values}
