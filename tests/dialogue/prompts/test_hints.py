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


def test_python_functions_get_one_sentence(trip: dict[str, Any]) -> None:
    """A Python doc only changes at the end of its description."""
    assert add_hints([trip], Language.PYTHON) == ({**trip, "description": "Plans a trip." + PYTHON_HINT},)


def test_hints_add_up(trip: dict[str, Any]) -> None:
    """A doc with the hint applied twice has the sentence twice."""
    (doc,) = add_hints(add_hints([trip], Language.PYTHON), Language.PYTHON)
    assert doc["description"] == "Plans a trip." + 2 * PYTHON_HINT


@pytest.mark.parametrize(
    ("language", "schema", "note"),
    [
        (Language.JAVA, {"type": "any"}, "can be of any type of Java object in string representation."),
        (Language.JAVA, {"type": "HashMap"}, "is Java HashMap type parameter in string representation."),
        (
            Language.JAVASCRIPT,
            {"type": "any"},
            "can be of any type of JavaScript object in string representation.",
        ),
        (
            Language.JAVASCRIPT,
            {"type": "Bigint"},
            "is JavaScript Bigint type parameter in string representation.",
        ),
    ],
)
def test_parameters_become_strings(language: Language, schema: dict[str, Any], note: str) -> None:
    """The type of a Java or JavaScript parameter moves into its description."""
    result = rewritten(language, description="D.", **schema)
    assert result["type"] == "string"
    assert result["description"].startswith("D. This ")
    assert result["description"].endswith(note)


@pytest.mark.parametrize(
    ("language", "kind", "in_words"),
    [
        (Language.JAVA, "ArrayList", True),
        (Language.JAVA, "Array", True),
        (Language.JAVA, "array", False),
        (Language.JAVASCRIPT, "array", True),
        (Language.JAVASCRIPT, "Array", False),
    ],
)
def test_list_items_are_put_into_words(language: Language, kind: str, in_words: bool) -> None:
    """The items of the language's list types move into the description; others keep the schema."""
    result = rewritten(language, type=kind, description="D.", items={"type": "char"})
    sentence = " The list elements are of type char; they are not in string representation."
    assert result["description"].endswith(sentence) is in_words
    assert ("items" in result) is not in_words


def test_javascript_dicts_are_put_into_words() -> None:
    """The schema of a JavaScript dict's entries moves into the description, as JSON."""
    entries = {"a": {"type": "String", "description": "é"}}
    result = rewritten(Language.JAVASCRIPT, type="dict", description="D.", properties=entries)
    assert result == {
        "type": "string",
        "description": (
            "D. This is JavaScript dict type parameter in string representation."
            " The dictionary entries have the following schema; they are not in string representation."
            ' {"a": {"type": "String", "description": "\\u00e9"}}'
        ),
    }


def test_java_dicts_keep_their_properties() -> None:
    """Only JavaScript dicts are changed."""
    assert rewritten(Language.JAVA, type="dict", description="D.", properties={})["properties"] == {}


def test_a_parameter_without_type_or_items_is_of_any_type() -> None:
    """A missing type counts as `any`."""
    assert "any type of Java object" in rewritten(Language.JAVA, description="D.")["description"]
    listed = rewritten(Language.JAVASCRIPT, type="array", description="D.")
    assert "elements are of type any;" in listed["description"]


@pytest.mark.parametrize("language", Language)
def test_nothing_is_hinted_where_nothing_is_offered(language: Language) -> None:
    """An entry without functions has none afterwards."""
    assert add_hints([], language) == ()
