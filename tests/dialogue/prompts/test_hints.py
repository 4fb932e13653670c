"""Language hints and the rewriting of parameters."""

from __future__ import annotations

from typing import Any

import pytest

from bfcl_pipeline.benchmark.definition import Language
from bfcl_pipeline.dialogue.prompts.requests import add_hints

PYTHON_HINT = " Note that the provided function is in Python 3 syntax."


def rewritten(language: Language, **schema: Any) -> dict[str, Any]:
    doc = {"name": "f", "description": "F.", "parameters": {"type": "dict", "properties": {"p": schema}}}
    (result,) = add_hints([doc], language)
    parameter: dict[str, Any] = result["parameters"]["properties"]["p"]
    return parameter


NOT_TEXT = "they are not in string representation."
ENTRIES = {"a": {"type": "String", "description": "é"}}
JAVA, JAVASCRIPT = Language.JAVA, Language.JAVASCRIPT


def test_python_functions_get_one_sentence(trip: dict[str, Any]) -> None:
    """A Python doc only changes at the end of its description; a hint applied twice stands twice."""
    once = add_hints([trip], Language.PYTHON)
    assert once == ({**trip, "description": "Plans a trip." + PYTHON_HINT},)
    (doc,) = add_hints(once, Language.PYTHON)
    assert doc["description"] == "Plans a trip." + 2 * PYTHON_HINT
    assert [add_hints([], language) for language in Language] == [()] * len(Language)


@pytest.mark.parametrize(
    ("language", "schema", "note"),
    [
        (JAVA, {"type": "any"}, "This parameter can be of any type of Java object"),
        (JAVA, {}, "This parameter can be of any type of Java object"),
        (JAVA, {"type": "HashMap"}, "This is Java HashMap type parameter"),
        (JAVASCRIPT, {"type": "any"}, "This parameter can be of any type of JavaScript object"),
        (JAVASCRIPT, {"type": "Bigint"}, "This is JavaScript Bigint type parameter"),
    ],
)
def test_parameters_become_strings(language: Language, schema: dict[str, Any], note: str) -> None:
    """The type of a Java or JavaScript parameter moves into its description; a missing one is `any`."""
    result = rewritten(language, description="D.", **schema)
    assert result == {"type": "string", "description": f"D. {note} in string representation."}


@pytest.mark.parametrize(
    ("language", "schema", "sentence"),
    [
        (
            JAVA,
            {"type": "ArrayList", "items": {"type": "char"}},
            f"The list elements are of type char; {NOT_TEXT}",
        ),
        (
            JAVA,
            {"type": "Array", "items": {"type": "char"}},
            f"The list elements are of type char; {NOT_TEXT}",
        ),
        (JAVA, {"type": "array", "items": {"type": "char"}}, None),
        (
            JAVASCRIPT,
            {"type": "array", "items": {"type": "char"}},
            f"The list elements are of type char; {NOT_TEXT}",
        ),
        (JAVASCRIPT, {"type": "array"}, f"The list elements are of type any; {NOT_TEXT}"),
        (JAVASCRIPT, {"type": "Array", "items": {"type": "char"}}, None),
        (
            JAVASCRIPT,
            {"type": "dict", "properties": ENTRIES},
            f"The dictionary entries have the following schema; {NOT_TEXT}"
            ' {"a": {"type": "String", "description": "\\u00e9"}}',
        ),
        (JAVA, {"type": "dict", "properties": {}}, None),
    ],
)
def test_schemas_are_put_into_words(
    language: Language, schema: dict[str, Any], sentence: str | None
) -> None:
    """Items of the language's lists and entries of JavaScript's dicts move into the description."""
    result = rewritten(language, description="D.", **schema)
    name = {JAVA: "Java", JAVASCRIPT: "JavaScript"}[language]
    kind = f"D. This is {name} {schema['type']} type parameter in string representation."
    kept = {key: value for key, value in schema.items() if key != "type" and sentence is None}
    description = kind + (f" {sentence}" if sentence else "")
    assert result == {"type": "string", "description": description, **kept}
