"""The values that could pass for a parameter."""

import pytest

from bfcl_pipeline.benchmark.definition import Language
from bfcl_pipeline.judge.scoring.candidates import candidate_values


@pytest.mark.parametrize(
    ("acceptable", "type_name", "item_type", "values"),
    [
        (["a", "b"], "string", None, ["a", "b"]),
        ([5.0], "integer", None, [5.0, 5]),
        ([True], "boolean", None, [True, 1, 1.0]),
        (["", 3], "integer", None, [3, 3.0, "", []]),
        ([{"k": [1, 2]}], "dict", None, [{"k": 1}, {"k": 2}, {"k": [1, 2]}]),
        ([{"k": ["x", ""]}], "dict", None, [{"k": "x"}, {"k": ""}, {}, {"k": ["x", ""]}]),
        ([[{"k": [1]}]], "array", "dict", [[{"k": 1}], [{"k": [1]}]]),
        ([[1, 2]], "array", "integer", [[1, 2]]),
        ([], "array", "string", []),
    ],
)
def test_python_candidates(acceptable, type_name, item_type, values):
    """Acceptable values, their alternatives, and equal values of other types are yielded once each."""
    found = list(candidate_values(acceptable, type_name, item_type, Language.PYTHON))
    assert repr(found) == repr(values)


def test_java_candidates_are_text():
    """In Java and JavaScript every candidate is source text, in several spellings."""
    found = list(candidate_values([["-v"]], "Array", "String", Language.JAVA))
    assert found == ['new String[]{"-v"}', "new String[]{-v}", '"new String[]{-v}"']
    assert list(candidate_values([True], "Boolean", None, Language.JAVASCRIPT)) == ["true", "1", "1.0"]
