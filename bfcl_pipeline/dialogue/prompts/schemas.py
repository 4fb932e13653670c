"""Tool schemas: function docs in the form that each wire format requires.

Covers type names, function names, and facts that move into a description because the wire format has no
schema key for them. Two shortcomings of the release are part of its interface and are kept: type names
are translated only a few levels below `items`, and Gemini's restrictions are applied to the top level
only. Source: the release's model_handler/utils.py.
"""

import json
from collections.abc import Callable, Mapping, Sequence
from enum import StrEnum

from bfcl_pipeline.benchmark.definition.types import OPENAPI_TYPES
from bfcl_pipeline.benchmark.records import FunctionDoc, Json


class WireFormat(StrEnum):
    """The request format of a family of APIs."""

    OPENAI_CHAT = "openai_chat"  # chat completions; also vLLM and most other servers
    OPENAI_RESPONSES = "openai_responses"
    ANTHROPIC = "anthropic"
    GEMINI = "gemini"


def tool_schemas(functions: Sequence[FunctionDoc], wire: WireFormat) -> tuple[Json, ...]:
    """The tool schemas of `functions` in the form of `wire`, in the same order."""
    shape = _SHAPES[wire]
    return tuple(shape(_openapi(function)) for function in functions)


def _openapi(function: FunctionDoc) -> dict[str, Json]:
    """The part that all wire formats share: no dots in the name, OpenAPI's type names."""
    parameters = function["parameters"]
    return {
        **function,
        "name": function["name"].replace(".", "_"),
        "parameters": {
            **parameters,
            "type": "object",
            "properties": _properties(parameters["properties"]),
        },
    }


def _properties(properties: Mapping[str, Json]) -> dict[str, Json]:
    return {name: _property(schema) for name, schema in properties.items()}


def _property(schema: Mapping[str, Json]) -> dict[str, Json]:
    translated = dict(schema)
    if schema.get("type") == "float":
        translated["format"] = "float"
        translated["description"] = schema.get("description", "") + " This is a float type value."
    translated["type"] = _openapi_type(schema)
    if translated["type"] in ("array", "object"):
        if "properties" in schema:
            translated["properties"] = _properties(schema["properties"])
        elif "items" in schema:
            translated["items"] = _items(schema["items"])
    return translated


def _items(schema: Mapping[str, Json]) -> dict[str, Json]:
    translated = {**schema, "type": _openapi_type(schema)}
    if translated["type"] == "array" and "items" in schema:
        translated["items"] = {**schema["items"], "type": _openapi_type(schema["items"])}
    elif translated["type"] == "object" and "properties" in schema:
        translated["properties"] = _properties(schema["properties"])
    return translated


def _openapi_type(schema: Mapping[str, Json]) -> str:
    return OPENAPI_TYPES.get(schema.get("type", "string"), "string")


def _openai_chat(function: dict[str, Json]) -> Json:
    return {"type": "function", "function": function}


def _openai_responses(function: dict[str, Json]) -> Json:
    return {**function, "type": "function"}


def _anthropic(function: dict[str, Json]) -> Json:
    tool = response_in_words(function)
    tool["input_schema"] = tool.pop("parameters")
    return tool


def _gemini(function: dict[str, Json]) -> Json:
    tool = response_in_words(function)
    parameters = {key: value for key, value in tool["parameters"].items() if key != "optional"}
    parameters["properties"] = {
        name: _gemini_property(schema) for name, schema in parameters["properties"].items()
    }
    tool["parameters"] = parameters
    return tool


def response_in_words(function: Mapping[str, Json]) -> dict[str, Json]:
    """`function` with its `response` schema moved into the description, for formats without such a key."""
    tool = {key: value for key, value in function.items() if key != "response"}
    if "response" in function:
        schema = json.dumps(function["response"])
        tool["description"] += f" The response field has the following schema: {schema}"
    return tool


_NOT_IN_GEMINI = {
    "default": "Default is",
    "optional": "Optional",
    "required": "Required",
    "maximum": "Maximum value",
    "minItems": "Minimum number of items",
    "maxItems": "Maximum number of items",
    "additionalProperties": "Additional properties",
}
"""Keys of a parameter that Gemini rejects, with the words that replace them in its description."""


def _gemini_property(schema: Mapping[str, Json]) -> dict[str, Json]:
    described = {**schema, "description": schema.get("description", "")}
    only_some_types = {"format": "Format"} if schema["type"] == "string" else {"enum": "Enum values"}
    for key, words in {**_NOT_IN_GEMINI, **only_some_types}.items():
        if key in described:
            described["description"] += f" {words}: {described.pop(key)}."
    return described


_SHAPES: Mapping[WireFormat, Callable[[dict[str, Json]], Json]] = {
    WireFormat.OPENAI_CHAT: _openai_chat,
    WireFormat.OPENAI_RESPONSES: _openai_responses,
    WireFormat.ANTHROPIC: _anthropic,
    WireFormat.GEMINI: _gemini,
}
