"""The search for entries that no answer can pass."""

from bfcl_pipeline.benchmark.records import Entry, Mode
from bfcl_pipeline.judge.audit.unpassable import obstacles


def entry(properties, required, truth, category="simple_python"):
    doc = {"name": "f", "description": "d", "parameters": {"properties": properties, "required": required}}
    return Entry("x_0", category, turns=(), functions=(doc,), truth=[{"f": truth}])


def test_a_passable_entry_has_no_obstacle():
    """An entry that an answer can pass is not listed, in either mode."""
    on = entry({"a": {"type": "integer"}}, ["a"], {"a": ["x", 1]})
    assert obstacles(on, Mode.FC) == obstacles(on, Mode.PROMPT) == []


def test_acceptable_values_of_the_wrong_type():
    """A required parameter is an obstacle if all its acceptable values fail the type check."""
    on = entry({"a": {"type": "array", "items": {"type": "integer"}}}, ["a"], {"a": [[1, "x"]]})
    found = obstacles(on, Mode.FC)
    assert [where for where, _ in found] == ["f, a"]
    assert "array of integer" in found[0][1]


def test_contradictions_between_doc_and_truth():
    """A parameter that only the doc or only the truth requires can be neither given nor omitted."""
    unknown = entry({"a": {"type": "integer"}}, ["a"], {"a": [1], "b": [2]})
    assert (
        obstacles(unknown, Mode.FC)[0][1] == "the truth requires it, but the function doc does not have it"
    )
    missing = entry({"a": {"type": "integer"}, "b": {"type": "integer"}}, ["a", "b"], {"a": [1]})
    assert (
        obstacles(missing, Mode.FC)[0][1] == "the function doc requires it, but the truth does not have it"
    )


def test_optional_parameters_are_not_an_obstacle():
    """A parameter that can be omitted is not an obstacle."""
    on = entry({"a": {"type": "integer"}}, [], {"a": ["", [None]]})
    assert obstacles(on, Mode.FC) == []
