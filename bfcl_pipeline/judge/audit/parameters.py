"""Compares accepted values of single-turn parameters with the enums of function docs."""

from collections.abc import Iterator, Mapping

from bfcl_pipeline.benchmark.records import Json
from bfcl_pipeline.judge.audit.accepted import OMITTED, accepted_parameters
from bfcl_pipeline.judge.audit.benchmark import Benchmark, Suspicion
from bfcl_pipeline.judge.scoring.findings import shown_options


def values_outside_enums(benchmark: Benchmark) -> Iterator[Suspicion]:
    """Each parameter for which the truth accepts no value of the enum in the function doc.

    Such an answer cannot be given under a strict tool schema. Covers enums of parameters, of the items of
    arrays and of the properties of objects. Values are compared with their types: True is not the text
    True. An enum of texts at an array, which may be meant for its items, has no array; the finding says so.
    """
    for each in accepted_parameters(benchmark):
        if each.is_key or each.may_be_left_out or any(_fits(value, each.schema) for value in each.given):
            continue
        if each.given:
            detail = f"accepted: {shown_options(each.given)}; not in the enum of the doc"
            if "enum" in each.schema and "items" in each.schema:
                detail += ", which is at the array and not at its items"
            yield Suspicion(each.entry, each.where, detail)


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
            OMITTED in alternatives or any(_fits(each, properties.get(key, {})) for each in alternatives)
            for key, alternatives in value.items()
            if isinstance(alternatives, list)
        )
    return True
