"""The proof that no answer can pass an entry."""

from bfcl_pipeline.records import Entry, Mode
from bfcl_pipeline.scoring.audit import obstacles


def entry(properties, required, truth, category="simple_python"):
    doc = {"name": "f", "description": "d", "parameters": {"properties": properties, "required": required}}
    return Entry("x_0", category, turns=(), functions=(doc,), truth=[{"f": truth}])


def test_a_passable_entry_has_no_obstacle():
    """An entry that some answer passes is not listed, in either mode."""
    on = entry({"a": {"type": "integer"}}, ["a"], {"a": ["x", 1]})
    assert obstacles(on, Mode.FC) == obstacles(on, Mode.PROMPT) == []


def test_acceptable_values_of_the_wrong_type():
    """A required parameter whose acceptable values all fail the type check is an obstacle."""
    on = entry({"a": {"type": "array", "items": {"type": "integer"}}}, ["a"], {"a": [[1, "x"]]})
    found = obstacles(on, Mode.FC)
    assert [(obstacle.call, obstacle.parameter) for obstacle in found] == [("f", "a")]
    assert "array of integer" in found[0].reason


def test_contradictions_between_doc_and_truth():
    """What one side demands and the other does not know cannot be given nor left out."""
    unknown = entry({"a": {"type": "integer"}}, ["a"], {"a": [1], "b": [2]})
    assert (
        obstacles(unknown, Mode.FC)[0].reason == "the truth demands it, the function doc does not know it"
    )
    missing = entry({"a": {"type": "integer"}, "b": {"type": "integer"}}, ["a", "b"], {"a": [1]})
    assert (
        obstacles(missing, Mode.FC)[0].reason == "the function doc demands it, the truth does not know it"
    )


def test_optional_parameters_are_no_obstacle():
    """A parameter that can be left out stands in nobody's way."""
    on = entry({"a": {"type": "integer"}}, [], {"a": ["", [None]]})
    assert obstacles(on, Mode.FC) == []
