"""Function docs as text, written out by hand."""

from __future__ import annotations

import json
from typing import Any

import pytest

from bfcl_pipeline.dialogue.prompts.function_docs import function_docs

PYTHON = '''\
# Function: travel.plan
    """
    Plans a trip.

    Args:
        city (str): Where to, é. Enum values: ['Rome', 'Oslo'].
        budget (float, default=1.5): In euro.
        days (list[int]): Which, if any.
        hotel (dict): The hotel.
            stars (int, default=3): How many.
    """



'''

XML = """\
<function name="travel.plan">
  <desc>Plans a trip.</desc>
  <params>
    <param name="city" type="string" required="true">
      <desc>Where to, é. Enum values: ['Rome', 'Oslo'].</desc>
    </param>
    <param name="budget" type="float" required="false" default="1.5">
      <desc>In euro.</desc>
    </param>
    <param name="days" type="array[integer]" required="true">
      <desc>Which, if any.</desc>
    </param>
    <param name="hotel" type="dict" required="false">
      <desc>The hotel.</desc>
      <params>
        <param name="stars" type="integer" required="true" default="3">
          <desc>How many.</desc>
        </param>
      </params>
    </param>
  </params>
</function>
"""


def function(**schema: Any) -> dict[str, Any]:
    return {"name": "f", "description": "D.", "parameters": {"type": "dict", "properties": {"p": schema}}}


def test_python_docs_are_docstrings(trip: dict[str, Any]) -> None:
    """The Python form has an indented line per parameter and ends with blank lines."""
    assert function_docs([trip], "python") == PYTHON


def test_xml_docs_nest(trip: dict[str, Any]) -> None:
    """The XML form nests parameters and marks the required ones."""
    assert function_docs([trip], "xml") == XML


def test_json_docs_are_indented_ascii(trip: dict[str, Any]) -> None:
    """The JSON form is ASCII, indented by four spaces, and is parsed as the same docs."""
    text = function_docs([trip], "json")
    assert text.startswith('[\n    {\n        "name": "travel.plan",\n')
    assert "Where to, \\u00e9." in text
    assert json.loads(text) == [trip]


def test_several_functions_are_set_apart(trip: dict[str, Any]) -> None:
    """Between functions, the Python form has two more blank lines, the XML form one."""
    assert function_docs([trip, trip], "python") == f"{PYTHON}\n\n{PYTHON}"
    assert function_docs([trip, trip], "xml") == f"{XML}\n{XML}"


@pytest.mark.parametrize(("doc_format", "text"), [("json", "[]"), ("python", ""), ("xml", "")])
def test_no_functions_have_docs_too(doc_format: str, text: str) -> None:
    """The docs of an entry without functions are an empty list or an empty text."""
    assert function_docs([], doc_format) == text


def test_xml_tags_lose_their_commas() -> None:
    """Commas are removed from names and defaults in a tag, and stay in descriptions."""
    text = function_docs([function(type="array", description="x, y", default=["a,b", 1])], "xml")
    assert """<param name="p" type="array" required="true" default="['ab' 1]">""" in text
    assert "<desc>x, y</desc>" in text


def test_without_a_list_of_required_parameters_all_are() -> None:
    """In the XML form, all parameters are required if no list of required ones exists."""
    assert 'required="true"' in function_docs([function(type="string")], "xml")


@pytest.mark.parametrize(
    ("schema", "python", "xml"),
    [
        ({"description": ""}, "str", "string"),
        ({"type": "number"}, "float", "number"),
        ({"type": "boolean"}, "bool", "boolean"),
        ({"type": "HashMap"}, "HashMap", "HashMap"),
        ({"type": "array"}, "array", "array"),
        ({"type": "array", "items": {}}, "list[str]", "array"),
        ({"type": "tuple", "items": {"type": "float"}}, "list[float]", "tuple[float]"),
        (
            {"type": "array", "items": {"type": "array", "items": {"type": "integer"}}},
            "list[list[int]]",
            "array[array]",
        ),
        (
            {"type": "dict", "additionalProperties": {"type": "integer"}},
            "dict[str, int]",
            "dict[integer]",
        ),
        ({"type": "dict", "additionalProperties": True}, "dict[str, str]", "dict[string]"),
    ],
)
def test_types_are_named(schema: dict[str, Any], python: str, xml: str) -> None:
    """Each form names types in its own way: Python to any depth, XML one level deep."""
    assert f"p ({python}): " in function_docs([function(**schema)], "python")
    assert f'type="{xml}"' in function_docs([function(**schema)], "xml")


def test_a_function_without_parameters_has_no_arguments() -> None:
    """Without parameters the Python form has no heading for arguments."""
    doc = {"name": "f", "description": "D.", "parameters": {"type": "dict", "properties": {}}}
    assert function_docs([doc], "python").startswith('# Function: f\n    """\n    D.\n\n    """\n')
