"""Properties of all prompts: inputs are not changed, and equal inputs give equal text."""

from __future__ import annotations

import copy
import json
from typing import Any

from hypothesis import given, settings
from hypothesis import strategies as st

from bfcl_pipeline.benchmark.definition import Language
from bfcl_pipeline.benchmark.definition.types import JAVA_TYPES, JAVASCRIPT_TYPES, OPENAPI_TYPES
from bfcl_pipeline.dialogue.prompts import WireFormat, messages_for, tool_schemas
from bfcl_pipeline.dialogue.prompts.function_docs import function_docs
from bfcl_pipeline.dialogue.prompts.requests import add_hints

TYPES = st.sampled_from(sorted({*OPENAPI_TYPES, *JAVA_TYPES, *JAVASCRIPT_TYPES}))
VALUES = st.one_of(st.none(), st.booleans(), st.integers(), st.floats(allow_nan=False), st.text(max_size=5))


def schemas(children: st.SearchStrategy[Any]) -> st.SearchStrategy[dict[str, Any]]:
    return st.fixed_dictionaries(
        {"type": TYPES, "description": st.text(max_size=10)},
        optional={
            "default": st.one_of(VALUES, st.lists(VALUES, max_size=2)),
            "enum": st.lists(VALUES, max_size=2),
            "format": st.text(max_size=5),
            "optional": st.booleans(),
            "items": children,
            "additionalProperties": children,
            "properties": st.dictionaries(st.text(max_size=3), children, max_size=2),
        },
    )


SCHEMAS = st.recursive(schemas(st.fixed_dictionaries({"type": TYPES})), schemas, max_leaves=4)
FUNCTIONS = st.lists(
    st.fixed_dictionaries(
        {
            "name": st.text(max_size=5),
            "description": st.text(max_size=5),
            "parameters": st.fixed_dictionaries(
                {
                    "type": st.just("dict"),
                    "properties": st.dictionaries(st.text(max_size=3), SCHEMAS, max_size=3),
                }
            ),
        },
        optional={"response": SCHEMAS},
    ),
    max_size=3,
)
MESSAGES = st.lists(
    st.fixed_dictionaries(
        {"role": st.sampled_from(["system", "user", "assistant"]), "content": st.text(max_size=5)}
    ),
    max_size=6,
)


@given(functions=FUNCTIONS)
@settings(max_examples=60, deadline=None)
def test_no_rendering_changes_the_docs(functions: list[dict[str, Any]]) -> None:
    """Docs, hints and tool schemas do not change their inputs, for any schema."""
    before = copy.deepcopy(functions)
    for doc_format in ("json", "python", "xml"):
        function_docs(functions, doc_format)
    for language in Language:
        for wire in WireFormat:
            tools = tool_schemas(add_hints(functions, language), wire)
            assert len(tools) == len(functions)
            json.dumps(tools)
    assert functions == before


@given(functions=FUNCTIONS)
@settings(max_examples=60, deadline=None)
def test_json_docs_read_back(functions: list[dict[str, Any]]) -> None:
    """The JSON form is parsed as the same docs, in the same order of keys."""
    assert json.dumps(json.loads(function_docs(functions, "json"))) == json.dumps(functions)


@given(functions=FUNCTIONS)
@settings(max_examples=60, deadline=None)
def test_no_tool_name_has_a_dot(functions: list[dict[str, Any]]) -> None:
    """Names of tools differ from those of the docs only in the dots."""
    names = [tool["name"] for tool in tool_schemas(functions, WireFormat.GEMINI)]
    assert names == [function["name"].replace(".", "_") for function in functions]


@given(messages=MESSAGES)
@settings(max_examples=60, deadline=None)
def test_no_wire_format_loses_or_changes_a_message(messages: list[dict[str, Any]]) -> None:
    """Every wire format sends every text of the conversation, and the messages are not changed."""
    before = copy.deepcopy(messages)
    for wire in WireFormat:
        sent = json.dumps([messages_for(wire, messages).system, *messages_for(wire, messages).messages])
        assert all(json.dumps(message["content"])[1:-1] in sent for message in messages)
    assert messages == before
