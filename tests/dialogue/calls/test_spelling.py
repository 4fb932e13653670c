"""Values written in Java and JavaScript."""

import pytest

from bfcl_pipeline.benchmark.definition import Language
from bfcl_pipeline.dialogue.calls.spelling import spellings


@pytest.mark.parametrize(
    ("value", "type_name", "item_type", "first"),
    [
        ("mapController", "any", None, "mapController"),
        (5, "long", None, "5L"),
        (5, "integer", None, "5"),
        (0.5, "float", None, "0.5f"),
        (1, "double", None, "1.0"),
        (True, "boolean", None, "true"),
        ([1, 2], "Array", "integer", "new int[]{1, 2}"),
        ([1, 2], "ArrayList", "long", "new ArrayList<>(Arrays.asList(1L, 2L))"),
        (["a"], "ArrayList", "String", 'new ArrayList<>(Arrays.asList("a"))'),
        ([], "ArrayList", "String", "new ArrayList<>()"),
        ({"a": 1}, "HashMap", None, 'new HashMap<String, Object>() {{ put("a", 1); }}'),
        ({}, "HashMap", None, "new HashMap<>()"),
    ],
)
def test_the_first_java_spelling_is_the_natural_one(value, type_name, item_type, first):
    """The first spelling is the one of a Java programmer."""
    assert next(spellings(value, type_name, item_type, Language.JAVA)) == first


@pytest.mark.parametrize(
    ("value", "type_name", "text"),
    [
        (4.0, "float", "4.0"),
        (123, "Bigint", "123n"),
        (False, "Boolean", "false"),
        ([[1], ["a"]], "array", '[[1], ["a"]]'),
        ({"key": ["v"]}, "dict", '{key: ["v"]}'),
    ],
)
def test_javascript_spellings(value, type_name, text):
    """A value in JavaScript is written as its literal."""
    assert list(spellings(value, type_name, None, Language.JAVASCRIPT)) == [text]
