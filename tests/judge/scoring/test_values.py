"""Types and values of parameters."""

import pytest

from bfcl_pipeline.benchmark.definition import Language
from bfcl_pipeline.benchmark.records import Rules
from bfcl_pipeline.judge.scoring.expected import expected_call
from bfcl_pipeline.judge.scoring.functions import check_argument

TWO_PUTS = 'new HashMap<>() {{ put("k", 1); put("b", true); }}'


def parameter(type_name, acceptable, items=None, language=Language.PYTHON):
    schema = {"type": type_name, "description": "p"}
    if items:
        schema["items"] = {"type": items}
    doc = {"name": "f", "parameters": {"properties": {"p": schema}, "required": ["p"]}}
    return expected_call([doc], "f", {"p": acceptable}, language).parameters["p"]


def error(type_name, acceptable, value, items=None, language=Language.PYTHON, rules=Rules.OFFICIAL):
    finding = check_argument(parameter(type_name, acceptable, items, language), value, rules)
    return None if finding is None else finding.error_type


@pytest.mark.parametrize(
    ("type_name", "items", "acceptable", "value", "expected"),
    [
        ("integer", None, [3], 3, None),
        ("integer", None, [3], 3.0, "type_error:simple"),
        ("integer", None, [1], True, "type_error:simple"),
        ("float", None, [3.0], 3, None),
        ("float", None, [3.5], 10**400, "value_error:others"),
        ("boolean", None, [True], False, "value_error:others"),
        ("string", None, ["New York, NY"], "new-york ny", None),
        ("string", None, ["it's"], 'IT"S', None),
        ("string", None, ["a"], "", "value_error:string"),
        ("any", None, ["x"], "X", None),
        ("any", None, [5], 5, None),
        ("string", None, ["", "x"], None, "type_error:simple"),
        ("array", "string", [["a", "B"]], ["A", "b."], None),
        ("array", "string", [["a", "b"]], ["b", "a"], "value_error:list/tuple"),
        ("array", "string", [["a"]], [1], "type_error:nested"),
        ("array", "string", [["a"]], ("a",), "type_error:simple"),
        ("array", "integer", [[1]], [True], "type_error:nested"),
        ("tuple", "float", [[1.0, 2.0]], (1.0, 2.0), None),
        ("array", "string", ["names", ["a"]], "names", None),
        ("array", "string", ["", ["a"]], [1], "value_error:list/tuple"),
        ("dict", None, [{"a": [1], "b": ["x", ""]}], {"a": 1}, None),
        ("dict", None, [{"a": [1], "b": ["x", ""]}], {"a": 1, "b": "X"}, None),
        ("dict", None, [{"a": [1]}], {"a": 2}, "value_error:dict_value"),
        ("dict", None, [{"a": [1]}], {"a": 1, "c": 1}, "value_error:dict_key"),
        ("dict", None, [{"a": [1], "b": [2]}], {"a": 9}, "value_error:dict_key"),
        ("dict", None, [{"a": [1]}, {"c": [1]}], {"c": 1}, None),
        ("array", "dict", [[{"a": [1]}, {"a": [2]}]], [{"a": 1}, {"a": 2}], None),
        ("array", "dict", [[{"a": [1]}]], [], "value_error:list_dict_count"),
        ("array", "dict", [[{"a": [1]}]], [{"a": 3}], "value_error:dict_value"),
        ("array", "dict", ["", [{"a": [1]}]], ["text"], "value_error:dict_value"),
    ],
)
def test_python_values(type_name, items, acceptable, value, expected):
    """Types are compared exactly, down to the items of arrays, values by the rules of their type."""
    assert error(type_name, acceptable, value, items) == expected


def test_whole_numbers_in_arrays_of_floats():
    """Official rejects 2 for 2.0 in an array, corrected accepts it; neither accepts True."""
    assert error("array", [[1.0, 2.0]], [1, 2.0], "float") == "type_error:nested"
    assert error("array", [[1.0, 2.0]], [1, 2.0], "float", rules=Rules.CORRECTED) is None
    assert error("array", [[1.0]], [True], "float", rules=Rules.CORRECTED) == "type_error:nested"


def test_text_for_alternatives():
    """For a text in place of a list, official accepts its characters, corrected only the text."""
    assert error("dict", [{"k": "ab"}], {"k": "a"}) is None
    assert error("dict", [{"k": "ab"}], {}) is None
    assert error("dict", [{"k": "ab"}], {"k": "AB"}) == "value_error:dict_value"
    assert error("dict", [{"k": "ab"}], {"k": "AB"}, rules=Rules.CORRECTED) is None
    assert error("dict", [{"k": "ab"}], {}, rules=Rules.CORRECTED) == "value_error:dict_key"


@pytest.mark.parametrize(
    ("type_name", "items", "acceptable", "value", "expected"),
    [
        ("integer", None, [42], "42", None),
        ("integer", None, [42], "42L", "type_error:simple"),
        ("long", None, [42], "42L", None),
        ("float", None, [1.5], "1.5f", None),
        ("double", None, [1.5], "1.5", None),
        ("boolean", None, [True], "true", None),
        ("String", None, ["Text"], "text", None),
        ("any", None, ["obj"], "obj", None),
        ("integer", None, [42], 42, "type_error:java"),
        ("Array", "integer", [[1, 2]], "new int[]{1, 2}", None),
        ("ArrayList", "String", [["a", "b"]], 'new ArrayList<>(Arrays.asList("a", "b"))', None),
        ("ArrayList", "integer", [[1]], "new ArrayList<Integer>() {{ add(1); }}", None),
        ("ArrayList", "integer", [[]], "new ArrayList<>()", None),
        (
            "HashMap",
            None,
            [{"k": [1], "b": [True]}],
            'new HashMap<>() {{ put("k", 1); put("b", true); }}',
            None,
        ),
        ("HashMap", None, [{"k": [1]}], "someMap", "type_error:simple"),
    ],
)
def test_java_values(type_name, items, acceptable, value, expected):
    """Values are Java source, converted by the documented type."""
    assert error(type_name, acceptable, value, items, Language.JAVA) == expected


@pytest.mark.parametrize(
    ("type_name", "items", "acceptable", "value", "corrected"),
    [
        ("Array", "String", [["a", "b"]], 'new String[]{"a", "b"}', None),
        ("Array", "char", [["a"]], "new char[]{'a'}", None),
        ("ArrayList", "any", [["a", "5"]], 'new ArrayList<>(Arrays.asList("a", 5))', None),
        ("Array", "String", [["a"]], 'new String[]{"a}', "value_error:list/tuple"),
        ("Array", "integer", [[5]], 'new int[]{"5"}', "type_error:nested"),
    ],
)
def test_quotes_of_java_items(type_name, items, acceptable, value, corrected):
    """Corrected rules read the text in quotes; official ones refuse it, and accept the bare word only."""
    given = (type_name, acceptable, value, items, Language.JAVA)
    assert error(*given) is not None
    assert error(*given, rules=Rules.CORRECTED) == corrected
    bare = value.replace('"', "").replace("'", "")
    assert error(type_name, acceptable, bare, items, Language.JAVA) is None


def test_a_java_long_without_its_suffix():
    """Corrected rules read it as Java does; official ones want the suffix, and both refuse other text."""
    given = ("long", [42], "42", None, Language.JAVA)
    assert error(*given) == "type_error:simple"
    assert error(*given, rules=Rules.CORRECTED) is None
    for rules in (Rules.OFFICIAL, Rules.CORRECTED):
        assert error("long", [42], "42L", None, Language.JAVA, rules=rules) is None
        assert error("long", [42], "42.0", None, Language.JAVA, rules=rules) == "type_error:simple"
        assert error("long", [42], "43L", None, Language.JAVA, rules=rules) == "value_error:others"


@pytest.mark.parametrize(
    ("type_name", "items", "acceptable", "value", "expected"),
    [
        ("integer", None, [7], "7", None),
        ("float", None, [7.5], "7.5", None),
        ("Bigint", None, [7], "7n", None),
        ("Boolean", None, [False], "false", None),
        ("String", None, ["x"], "'x'", None),
        ("any", None, ["x"], "x", None),
        ("Boolean", None, [False], False, "type_error:js"),
        ("array", "String", [["a", "b"]], "['a', \"b\"]", None),
        ("array", "float", [[1.0, 2.5]], "[1, 2.5]", None),
        ("array", "array", [[[1, 2], [3]]], "[[1, 2], [3]]", None),
        ("array", "integer", [[1, 2]], "new Array(1, 2)", None),
        ("dict", None, [{"a": [1], "b": [["x", "y"]]}], "{a: 1, 'b': ['x', 'y']}", None),
        ("dict", None, [{}], "{}", None),
        ("dict", None, [{"a": [1]}], "config", "type_error:simple"),
    ],
)
def test_javascript_values(type_name, items, acceptable, value, expected):
    """Values are JavaScript source, converted by the documented type."""
    assert error(type_name, acceptable, value, items, Language.JAVASCRIPT) == expected
