"""Language hints, which the benchmark adds to the function docs in a request.

Every description gets a sentence about the language of the function. Java and JavaScript parameters also
become strings, because their values are written in that language's syntax. Scoring uses the docs without
hints. Source: the release's utils.py.
"""

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from bfcl_pipeline.benchmark.definition import Language
from bfcl_pipeline.benchmark.records import FunctionDoc, Json


@dataclass(frozen=True, slots=True)
class _Syntax:
    """The changes to the docs of one language."""

    hint: str  # appended to the description of each function
    name: str | None = None  # language name in parameter descriptions; None: parameters stay as they are
    lists: frozenset[str] = frozenset()  # types whose `items` move into the description
    dicts: frozenset[str] = frozenset()  # types whose `properties` move into the description


_SYNTAX = {
    Language.PYTHON: _Syntax(" Note that the provided function is in Python 3 syntax."),
    Language.JAVA: _Syntax(
        " Note that the provided function is in Java 8 SDK syntax.",
        name="Java",
        lists=frozenset({"ArrayList", "Array"}),
    ),
    Language.JAVASCRIPT: _Syntax(
        " Note that the provided function is in JavaScript syntax.",
        name="JavaScript",
        lists=frozenset({"array"}),
        dicts=frozenset({"dict"}),
    ),
}


def add_hints(functions: Sequence[FunctionDoc], language: Language) -> tuple[FunctionDoc, ...]:
    """`functions` with the hints of `language`; a second call adds the hints a second time."""
    syntax = _SYNTAX[language]
    return tuple(_hinted_function(function, syntax) for function in functions)


def _hinted_function(function: FunctionDoc, syntax: _Syntax) -> FunctionDoc:
    described = {**function, "description": function["description"] + syntax.hint}
    if syntax.name is not None:
        parameters = function["parameters"]
        properties = {name: _as_string(schema, syntax) for name, schema in parameters["properties"].items()}
        described["parameters"] = {**parameters, "properties": properties}
    return described


def _as_string(schema: Mapping[str, Json], syntax: _Syntax) -> dict[str, Json]:
    """The parameter as a string whose description states the original type."""
    kind = schema.get("type", "any")
    rewritten = {**schema, "type": "string"}
    note = (
        f" This parameter can be of any type of {syntax.name} object in string representation."
        if kind == "any"
        else f" This is {syntax.name} {kind} type parameter in string representation."
    )
    if kind in syntax.lists:
        items = rewritten.pop("items", {"type": "any"})
        note += f" The list elements are of type {items['type']}; they are not in string representation."
    if kind in syntax.dicts and "properties" in rewritten:
        entries = json.dumps(rewritten.pop("properties"))
        note += (
            " The dictionary entries have the following schema; "
            f"they are not in string representation. {entries}"
        )
    rewritten["description"] = schema.get("description", "") + note
    return rewritten
