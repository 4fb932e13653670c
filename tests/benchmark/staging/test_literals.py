"""Literal constants out of Python source that is never executed."""

from __future__ import annotations

import ast
import json

import pytest

from bfcl_pipeline.base.errors import MalformedRelease
from bfcl_pipeline.benchmark.constants import ELLIPSIS
from bfcl_pipeline.benchmark.staging.literals import json_form, module_constants, read_literals, read_texts
from bfcl_pipeline.benchmark.staging.release_files import LITERAL_MODULES, LiteralModule
from bfcl_pipeline.benchmark.staging.source import Release


def constants(source: str) -> dict:
    """The literal constants of a module with `source`."""
    return module_constants(ast.parse(source))


def literals(source: str | bytes, required=(), inner=()) -> dict:
    """The content of texts.json for a module with `source`."""
    content = source if isinstance(source, bytes) else source.encode()
    return read_literals(Release("r", {"m.py": content}), LiteralModule("m", "m.py", required, inner))


def test_literals_are_read():
    """Texts, numbers, lists, mappings, tuples and annotated assignments have their values."""
    source = 'A = "a" \'b\'\nB: int = -3\nC = [1, 2.5, None]\nD = {"x": (1, True)}\nE = """x\n\\ty"""\n'
    assert constants(source) == {
        "A": "ab",
        "B": -3,
        "C": [1, 2.5, None],
        "D": {"x": (1, True)},
        "E": "x\n\ty",
    }


def test_texts_are_concatenated_from_earlier_ones():
    """A constant may name earlier constants and join texts; a later assignment counts."""
    source = 'A = "a"\nB = {"k": A}\nC = "x" + A + ("y" "z")\nA = "b"\nD = [A]\n'
    assert constants(source) == {"A": "b", "B": {"k": "a"}, "C": "xayz", "D": ["b"]}


@pytest.mark.parametrize(
    "expression",
    [
        "__import__('os').system('touch hacked')",
        "open('hacked', 'w')",
        "[x for x in (1, 2)]",
        "f'{open}'",
        "unknown",
        "1 + 1",
        "'a' * 10**9",
        "{**{}}",
        "(lambda: 1)()",
        "b'bytes'",
        "1j",
        "(yield)",
    ],
)
def test_other_expressions_are_ignored(expression, tmp_path, monkeypatch):
    """An expression that is not a literal has no value, and is not executed."""
    monkeypatch.chdir(tmp_path)
    assert literals(f"A = 1\nB = {expression}\nC = 2\n") == {"A": 1, "C": 2}
    assert not [*tmp_path.iterdir()]


def test_a_hostile_module_is_not_executed(altered, tmp_path, monkeypatch):
    """Code in a constants module of the release is not executed."""
    monkeypatch.chdir(tmp_path)
    path = LITERAL_MODULES[0].path
    hostile = (
        b"import os, sys\nopen('hacked', 'w').close()\nsys.modules['hacked'] = sys\n"
        b"class A:\n    open('hacked', 'w').close()\n\n"
        b"@open('hacked', 'w').write\ndef f(x=open('hacked', 'w')): ...\n"
    )
    original = altered({}).files[path]
    texts = read_texts(altered({path: hostile + original + b"\nraise SystemExit(open('hacked', 'w'))\n"}))
    assert texts == read_texts(altered({}))
    assert not [*tmp_path.iterdir()]


@pytest.mark.parametrize(
    "source",
    [b"A = (", b"A = 'x\0y'", b"A = '\xff'", b"A = " + b"(" * 10_000, b"A = " + b"-" * 100_000 + b"1"],
    ids=["cut", "null", "not-utf8", "deep", "deeper"],
)
def test_a_syntax_error_is_reported(source):
    """A module that does not parse is an error that names it and the line."""
    with pytest.raises(MalformedRelease, match=r"m\.py:1: expected Python source"):
        literals(source)


def test_a_value_that_is_nested_too_deeply_is_ignored():
    """A value that is nested too deeply has no value; other constants are read."""
    assert literals(f"A = 1\nB = {'+'.join(['x'] * 990)}\n") == {"A": 1}


def test_invalid_escapes_are_not_an_error():
    """Invalid escapes in the release cause no warnings."""
    assert literals(r"A = 'a\d'") == {"A": r"a\d"}


def test_a_required_constant_is_named_when_missing():
    """A required constant that is missing, or is not a literal, is an error with its name."""
    for source in ("B = 1\n", "A = f()\n", "A = 1\nA = f()\n"):
        with pytest.raises(MalformedRelease, match=r"m\.py: expected a literal constant A, got none"):
            literals(source, required=("A",))


def test_inner_literals_are_found_by_their_path():
    """Literals in classes and functions are read by path, of assignments and of returns."""
    source = """
class T:
    SIZE = 3
    def f(self):
        table: dict = {("a", "b"): 1}
        return ["x"]
    def g(self):
        table = {}
"""
    read = literals(source, inner=("T.f.table", "T.f.return", "T.SIZE"))
    assert read == {"T.f.table": [[["a", "b"], 1]], "T.f.return": ["x"], "T.SIZE": 3}
    with pytest.raises(MalformedRelease, match=r"expected a literal T\.g\.none, got none"):
        literals(source, inner=("T.g.none",))
    with pytest.raises(MalformedRelease, match=r"m\.py:4: expected a literal T\.f\.x, got g\(\)"):
        literals("class T:\n    def f(self):\n\n        x = g()\n", inner=("T.f.x",))


def test_json_forms():
    """Values that JSON cannot represent have a documented form; all others are unchanged."""
    value = {"a": (1, {2, 1}), "b": {1: "x", ("y",): ...}, "c": None}
    assert json_form(value) == {"a": [1, [1, 2]], "b": [[1, "x"], [["y"], ELLIPSIS]], "c": None}
    assert json_form({}) == {}


def test_the_real_texts_are_json(real_release):
    """The constants of the release, including the prompts, are unchanged by JSON."""
    texts = read_texts(real_release)
    assert json.loads(json.dumps(texts)) == texts
    prompts = texts["default_prompts"]
    assert set(prompts["OUTPUT_FORMAT_MAPPING"]) == {"python", "json", "verbose_xml", "concise_xml"}
    assert set(prompts["PROMPT_TEMPLATE_MAPPING"]) == {"plaintext", "markdown"}
    joined = prompts["DEFAULT_USER_PROMPT_FOR_ADDITIONAL_FUNCTION_PROMPTING"]
    assert joined.endswith(prompts["DEFAULT_USER_PROMPT_FOR_ADDITIONAL_FUNCTION_FC"])
    assert set(texts) == {module.key for module in LITERAL_MODULES}


def test_the_real_tables_of_the_simulated_apis_are_whole(real_release):
    """Every airport of the tables is in the list of the release, except one that the release omits."""
    travel = read_texts(real_release)["travel_booking"]
    airports = set(travel["TravelAPI.list_all_airports.return"])
    costs = travel["TravelAPI.get_flight_cost.base_costs"]
    assert {airport for pair, _ in costs for airport in pair} <= airports | {"PVG"}
    assert set(travel["TravelAPI.get_nearest_airport_by_city.airport_map"].values()) <= airports
