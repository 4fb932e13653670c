"""A call written as Java."""

import pytest

from bfcl_pipeline.benchmark.definition import ReturnFormat
from bfcl_pipeline.benchmark.records import Call, DecodeFailure, Mode, Rules
from bfcl_pipeline.dialogue.calls import decode


def read(text, rules=Rules.OFFICIAL):
    return decode(text, mode=Mode.PROMPT, return_format=ReturnFormat.JAVA, rules=rules)


def value(source, rules=Rules.OFFICIAL):
    calls = read(f"[Some.method(argument = {source}, other = 1)]", rules)
    assert not isinstance(calls, DecodeFailure), calls
    return calls[0].arguments["argument"]


def test_a_call_is_read_with_its_class():
    """The name joins object and method; named arguments keep their source text."""
    assert read('[a.b.Some.run(x = 1, y = "two", z = true)]') == (
        Call("a.b.Some.run", {"x": "1", "y": "two", "z": "true"}),
    )


@pytest.mark.parametrize(
    ("source", "expected"),
    [
        ('"quoted"', "quoted"),
        ("'c'", "c"),
        ("42L", "42L"),
        ("new int[]{1, 2}", "new int[]{1,2}"),
        ('new ArrayList<>(Arrays.asList("a", "b"))', 'new ArrayList<>(Arrays.asList("a", "b"))'),
        ("new Thing(1, x)", "new Thing(1, x)"),
        ("a + b", "a+b"),
        ("call(1, 2)", "call(1, 2)"),
        ("Some.FIELD", "Some.FIELD"),
    ],
)
def test_values_are_source_text(source, expected):
    """A value is its source without space between its parts, and without the quotes of a literal."""
    assert value(source) == expected


def test_unnamed_arguments():
    """One bare name stays without a name, two are an error, other bare values are ignored."""
    assert read("[Some.run(first, 1)]") == (Call("Some.run", {None: "first"}),)
    assert isinstance(read("[Some.run(first, second)]"), DecodeFailure)
    assert isinstance(read("[Some.run(a = 1, a = 2)]"), DecodeFailure)


def test_no_call_is_the_wrong_format():
    """Java without a call and text that is not Java have different error types."""
    nothing = read("[int x = 1;]")
    assert isinstance(nothing, DecodeFailure)
    assert nothing.error_type == "ast_decoder:decoder_wrong_output_format"
    prose = read("I am sorry, but no function fits.")
    assert isinstance(prose, DecodeFailure)
    assert prose.error_type == "ast_decoder:decoder_failed"


def test_offsets_rule():
    """Official cuts at byte offsets, so text after a character outside ASCII is shifted."""
    text = '[Some.run(a = "é", other = "plain")]'
    assert read(text) == (Call("Some.run", {"a": 'é"', "ther ": 'lain"'}),)
    assert read(text, Rules.CORRECTED) == (Call("Some.run", {"a": "é", "other": "plain"}),)


def test_initialiser_rule():
    """Official drops the body of a created object, corrected keeps it."""
    source = "new ArrayList<>() {{ add(1); }}"
    assert value(source) == "new ArrayList<>()"
    assert value(source, Rules.CORRECTED) == "new ArrayList<>() {{ add(1); }}"


def test_parsing_ends_after_a_number_of_operations():
    """Text that takes the parser long is given up after a number of its operations, not after a time."""
    hostile, plain = "|-" * 600, "f(" + ", ".join(f"a{i} = {i}" for i in range(200)) + ")"
    assert read(f"[{hostile}]").message == "not java: parsing was given up."
    assert not isinstance(read(f"[{plain}]"), DecodeFailure)
