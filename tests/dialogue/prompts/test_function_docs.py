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


def test_the_forms_of_a_doc(trip: dict[str, Any]) -> None:
    """A docstring of Python and nested XML; JSON is ASCII, indented by four spaces."""
    assert function_docs([trip], "python") == PYTHON
    assert function_docs([trip, trip], "python") == f"{PYTHON}\n\n{PYTHON}"
    assert function_docs([trip], "xml") == XML
    assert function_docs([trip, trip], "xml") == f"{XML}\n{XML}"
    assert function_docs([trip], "json") == json.dumps([trip], indent=4)
    assert [function_docs([], name) for name in ("json", "python", "xml")] == ["[]", "", ""]
    doc = {"name": "f", "description": "D.", "parameters": {"type": "dict", "properties": {}}}
    assert function_docs([doc], "python").startswith('# Function: f\n    """\n    D.\n\n    """\n')


def test_xml_tags_lose_their_commas() -> None:
    """In names and defaults, not in descriptions; without a list of required parameters all are."""
    text = function_docs([function(type="array", description="x, y", default=["a,b", 1])], "xml")
    assert """<param name="p" type="array" required="true" default="['ab' 1]">""" in text
    assert "<desc>x, y</desc>" in text


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
