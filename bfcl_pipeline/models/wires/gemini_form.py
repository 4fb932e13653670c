"""Requests in the form of Gemini's REST API.

Covers how contents and tools are spelt there, the ids of results, and options inside of options; what the
contents are is `prompts.wire`, what the tools `prompts.schemas`, which have both as Google's client takes
them.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from bfcl_pipeline.records import Json

_PARTS = {"function_call": "functionCall", "function_response": "functionResponse"}
"""Parts of a content, and how the REST API spells them."""


def rest_contents(contents: Sequence[Mapping[str, Json]]) -> list[Json]:
    """`contents` as the REST API has them.

    The result of a call to which the API gave an id gets that id too, as it documents.
    """
    spelt: list[Json] = []
    called: list[Mapping[str, Json]] = []
    for content in contents:
        parts = [{_PARTS.get(key, key): value for key, value in part.items()} for part in content["parts"]]
        results = [part["functionResponse"] for part in parts if "functionResponse" in part]
        for call, result in zip(called, results, strict=False):
            if call.get("id"):
                result["id"] = call["id"]
        called = [part["functionCall"] for part in parts if named_call(part)]
        spelt.append({"role": content["role"], "parts": parts})
    return spelt


def named_call(part: Mapping[str, Json]) -> bool:
    """Whether a part of an answer is a call; one without a name is none."""
    return bool(part.get("functionCall", {}).get("name"))


def rest_tool(function: Mapping[str, Json]) -> dict[str, Json]:
    """A function as the REST API declares it."""
    return {**function, "parameters": _schema(function["parameters"])}


def merged(body: Mapping[str, Json], options: Mapping[str, Json]) -> dict[str, Json]:
    """`body` with the options of a row, which win, inside of mappings too; a null one removes its key."""
    both = dict(body)
    for key, value in options.items():
        if isinstance(value, Mapping) and isinstance(both.get(key), Mapping):
            both[key] = merged(both[key], value)
        else:
            both[key] = value
    return {key: value for key, value in both.items() if value is not None or key not in options}


def _schema(schema: Mapping[str, Json]) -> dict[str, Json]:
    """A schema in Google's own dialect: types in capitals, and nothing that is null."""
    shaped = {key: value for key, value in schema.items() if value is not None}
    if "type" in schema:
        shaped["type"] = schema["type"].upper()
    if "properties" in schema:
        shaped["properties"] = {name: _schema(inner) for name, inner in schema["properties"].items()}
    if "items" in schema:
        shaped["items"] = _schema(schema["items"])
    return shaped
