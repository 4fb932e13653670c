"""A call written as Java or JavaScript, whose values stay source text."""

from __future__ import annotations

from typing import Any

import pytest

from bfcl_pipeline.benchmark.definition import ReturnFormat
from bfcl_pipeline.benchmark.records import Call, DecodeFailure, Mode, Rules
from bfcl_pipeline.dialogue.calls import decode

JAVA, SCRIPT = ReturnFormat.JAVA, ReturnFormat.JAVASCRIPT
FAILED, WRONG_FORMAT = "ast_decoder:decoder_failed", "ast_decoder:decoder_wrong_output_format"


def read(return_format: ReturnFormat, text: str, rules: Rules = Rules.OFFICIAL) -> Any:
    """The one call that is read, or the error type."""
    found = decode(text, mode=Mode.PROMPT, return_format=return_format, rules=rules)
    if isinstance(found, DecodeFailure):
        return found.error_type
    (call,) = found
    return call


@pytest.mark.parametrize(
    ("return_format", "source", "expected"),
    [
        (JAVA, '"quoted"', "quoted"),
        (JAVA, "'c'", "c"),
        (JAVA, "42L", "42L"),
        (JAVA, "new int[]{1, 2}", "new int[]{1,2}"),
        (JAVA, 'new ArrayList<>(Arrays.asList("a", "b"))', 'new ArrayList<>(Arrays.asList("a", "b"))'),
        (JAVA, "new Thing(1, x)", "new Thing(1, x)"),
        (JAVA, "a + b", "a+b"),
        (JAVA, "call(1, 2)", "call(1, 2)"),
        (JAVA, "Some.FIELD", "Some.FIELD"),
        (SCRIPT, '"quoted"', "quoted"),
        (SCRIPT, "'quoted'", "quoted"),
        (SCRIPT, "[1, 'é', {a: 1}]", "[1, 'é', {a: 1}]"),
        (SCRIPT, "(x) => x + 1", "(x) => x + 1"),
        (SCRIPT, "`template`", "`template`"),
        (SCRIPT, "null", "null"),
    ],
)
def test_values_are_source_text(return_format: ReturnFormat, source: str, expected: str) -> None:
    """A value is its source, in Java without space between its parts, without the quotes of a literal."""
    call = read(return_format, f"[Some.method(argument = {source}, other=1)]")
    assert call == Call("Some.method", {"argument": expected, "other": "1"})


@pytest.mark.parametrize(
    ("return_format", "text", "expected"),
    [
        # The name joins object and method; the first call among the statements is read.
        (JAVA, "[a.b.Some.run(x = 1, z = true)]", Call("a.b.Some.run", {"x": "1", "z": "true"})),
        (SCRIPT, "[let x = 1; a.b(c=1); d(e=2);]", Call("a.b", {"c": "1"})),
        # One bare name stays without a name, two are an error, other bare values are ignored.
        (JAVA, "[Some.run(first, 1)]", Call("Some.run", {None: "first"})),
        (JAVA, "[Some.run(first, second)]", FAILED),
        (JAVA, "[Some.run(a = 1, a = 2)]", FAILED),
        (SCRIPT, "[run(first, 'x')]", Call("run", {None: "first"})),
        (SCRIPT, "[run(first, true)]", FAILED),
        # An answer without a call has the wrong format; text that is not of the language fails.
        (JAVA, "[int x = 1;]", WRONG_FORMAT),
        (JAVA, "I am sorry, but no function fits.", FAILED),
        (SCRIPT, "[let x = 1;]", WRONG_FORMAT),
        (SCRIPT, "[run(a=]", FAILED),
    ],
)
def test_calls(return_format: ReturnFormat, text: str, expected: Any) -> None:
    """Named arguments are kept; what is no call has its official error type."""
    assert read(return_format, text) == expected


def test_offsets_rule() -> None:
    """Official cuts at byte offsets, so text after a character outside ASCII is shifted."""
    text = '[Some.run(a = "é", other = "plain")]'
    assert read(JAVA, text) == Call("Some.run", {"a": 'é"', "ther ": 'lain"'})
    assert read(JAVA, text, Rules.CORRECTED) == Call("Some.run", {"a": "é", "other": "plain"})


def test_initialiser_rule() -> None:
    """Official drops the body of a created object, corrected keeps it."""
    source = "new ArrayList<>() {{ add(1); }}"
    for rules, expected in ((Rules.OFFICIAL, "new ArrayList<>()"), (Rules.CORRECTED, source)):
        assert read(JAVA, f"[Some.run(a = {source})]", rules) == Call("Some.run", {"a": expected})


def test_parsing_ends_after_a_number_of_operations() -> None:
    """Text that takes the parser long is given up after a number of its operations, not after a time."""
    hostile, plain = "|-" * 600, "f(" + ", ".join(f"a{i} = {i}" for i in range(200)) + ")"
    found = decode(f"[{hostile}]", mode=Mode.PROMPT, return_format=JAVA)
    assert isinstance(found, DecodeFailure)
    assert found.message == "not java: parsing was given up."
    assert isinstance(read(JAVA, f"[{plain}]"), Call)
