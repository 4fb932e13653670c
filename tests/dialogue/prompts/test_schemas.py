"""Tool schemas per wire format, written out by hand."""

from __future__ import annotations

from typing import Any

import pytest

from bfcl_pipeline.dialogue.prompts import WireFormat, tool_schemas

OPENAPI: dict[str, Any] = {
    "type": "object",
    "properties": {
        "city": {"type": "string", "description": "Where to, é.", "enum": ["Rome", "Oslo"]},
        "budget": {
            "type": "number",
            "description": "In euro. This is a float type value.",
            "default": 1.5,
            "format": "float",
        },
        "days": {"type": "array", "items": {"type": "integer"}, "description": "Which, if any."},
        "hotel": {
            "type": "object",
            "description": "The hotel.",
            "properties": {"stars": {"type": "integer", "description": "How many.", "default": 3}},
            "required": ["stars"],
        },
    },
    "required": ["city", "days"],
}
RESPONSE = {"properties": {"price": {"type": "float"}}}
IN_WORDS = (
    "Plans a trip. The response field has the following schema: "
    '{"properties": {"price": {"type": "float"}}}'
)


def schema_of(wire: WireFormat, **schema: Any) -> dict[str, Any]:
    doc = {"name": "f", "description": "F.", "parameters": {"type": "dict", "properties": {"p": schema}}}
    (tool,) = tool_schemas([doc], wire)
    parameter: dict[str, Any] = tool["parameters"]["properties"]["p"]
    return parameter


FUNCTION = {
    "name": "travel_plan",
    "description": "Plans a trip.",
    "parameters": OPENAPI,
    "response": RESPONSE,
}


@pytest.mark.parametrize(
    ("wire", "tool"),
    [
        (WireFormat.OPENAI_CHAT, {"type": "function", "function": FUNCTION}),
        (WireFormat.OPENAI_RESPONSES, {**FUNCTION, "type": "function"}),
        (
            WireFormat.ANTHROPIC,
            {"name": "travel_plan", "description": IN_WORDS, "input_schema": OPENAPI},
        ),
    ],
)
def test_a_tool(wire: WireFormat, tool: dict[str, Any], trip: dict[str, Any]) -> None:
    """Anthropic has the response schema in the description; the order of keys counts."""
    (found,) = tool_schemas([trip], wire)
    assert (found, list(found)) == (tool, list(tool))


def test_gemini_moves_unsupported_keys_into_the_description(trip: dict[str, Any]) -> None:
    """Gemini: defaults and requirements move into the description, at the top level only."""
    (tool,) = tool_schemas([trip], WireFormat.GEMINI)
    properties = tool["parameters"]["properties"]
    assert tool["description"] == IN_WORDS
    assert properties["budget"] == {
        "type": "number",
        "description": "In euro. This is a float type value. Default is: 1.5.",
        "format": "float",
    }
    assert properties["city"] == OPENAPI["properties"]["city"]
    assert properties["hotel"]["description"] == "The hotel. Required: ['stars']."
    assert properties["hotel"]["properties"]["stars"]["default"] == 3


def test_gemini_keeps_choices_of_strings_and_formats_of_numbers() -> None:
    """Gemini: `enum` stays only on strings, `format` on all other types."""
    number = schema_of(WireFormat.GEMINI, type="float", description="N.", enum=[1.0, 2.0])
    assert number == {
        "type": "number",
        "description": "N. This is a float type value. Enum values: [1.0, 2.0].",
        "format": "float",
    }
    text = schema_of(WireFormat.GEMINI, type="string", description="T.", enum=["a"], format="date")
    assert text == {"type": "string", "description": "T. Format: date.", "enum": ["a"]}


def test_gemini_describes_every_parameter() -> None:
    """Gemini: a missing description becomes an empty one, and notes come in a fixed order."""
    assert schema_of(WireFormat.GEMINI, type="string") == {"type": "string", "description": ""}
    noted = schema_of(
        WireFormat.GEMINI, type="array", maxItems=3, minItems=1, optional=True, default=None, maximum=9
    )
    assert noted["description"] == (
        " Default is: None. Optional: True. Maximum value: 9."
        " Minimum number of items: 1. Maximum number of items: 3."
    )


def test_gemini_drops_the_list_of_optional_parameters(trip: dict[str, Any]) -> None:
    """Gemini: the function's list of optional parameters is removed; other formats keep it."""
    trip["parameters"]["optional"] = ["budget"]
    assert "optional" not in tool_schemas([trip], WireFormat.GEMINI)[0]["parameters"]
    assert "optional" in tool_schemas([trip], WireFormat.ANTHROPIC)[0]["input_schema"]


@pytest.mark.parametrize(
    ("schema", "expected"),
    [
        ({"type": "Bigint"}, {"type": "integer"}),
        ({"type": "no such type"}, {"type": "string"}),
        ({"description": "untyped"}, {"description": "untyped", "type": "string"}),
        (
            {"type": "tuple", "items": {"type": "float", "description": "x"}},
            {"type": "array", "items": {"type": "number", "description": "x"}},
        ),
        (
            {
                "type": "array",
                "items": {"type": "array", "items": {"type": "array", "items": {"type": "any"}}},
            },
            {
                "type": "array",
                "items": {"type": "array", "items": {"type": "array", "items": {"type": "any"}}},
            },
        ),
        (
            {"type": "array", "items": {"type": "dict", "properties": {"x": {"type": "long"}}}},
            {"type": "array", "items": {"type": "object", "properties": {"x": {"type": "integer"}}}},
        ),
        (
            {"type": "any", "properties": {"x": {"type": "long"}}},
            {"type": "string", "properties": {"x": {"type": "long"}}},
        ),
        (
            {"type": "dict", "additionalProperties": {"type": "float"}},
            {"type": "object", "additionalProperties": {"type": "float"}},
        ),
    ],
)
def test_types_become_those_of_openapi(schema: dict[str, Any], expected: dict[str, Any]) -> None:
    """Type names are translated to the same depth as in the release."""
    assert schema_of(WireFormat.OPENAI_RESPONSES, **schema) == expected
