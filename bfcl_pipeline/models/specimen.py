"""A well-formed call of an offered function, whatever the request says.

Covers the filling of required parameters by their types. Whether the call makes sense is not asked.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from bfcl_pipeline.records import Call, FunctionDoc, Json

_SPECIMENS: dict[str, Json] = {
    "string": "text",
    "String": "text",
    "any": "text",
    "char": "c",
    "integer": 1,
    "byte": 1,
    "short": 1,
    "long": 1,
    "Bigint": 1,
    "float": 1.0,
    "number": 1.0,
    "double": 1.0,
    "boolean": True,
    "Boolean": True,
}
"""A value of each scalar type of the release."""

_OBJECTS = ("dict", "object", "HashMap", "Hashtable")


def specimen_call(functions: Sequence[FunctionDoc]) -> Call:
    """A call of the first function, with its required parameters filled in."""
    doc = functions[0]
    return Call(doc["name"], dict(_required(doc["parameters"]).items()))


def _required(schema: Mapping[str, Json]) -> dict[str, Json]:
    properties = schema.get("properties") or {}
    return {
        name: _specimen(properties[name]) for name in schema.get("required") or () if name in properties
    }


def _specimen(about: Mapping[str, Json]) -> Json:
    if about.get("enum"):
        return about["enum"][0]
    kind = about.get("type", "string")
    if kind in _SPECIMENS:
        return _SPECIMENS[kind]
    if kind in _OBJECTS:
        return _required(about)
    return [_specimen(about.get("items") or {})]
