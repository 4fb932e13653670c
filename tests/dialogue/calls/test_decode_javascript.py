"""A call written as JavaScript."""

import pytest

from bfcl_pipeline.benchmark.definition import ReturnFormat
from bfcl_pipeline.benchmark.records import Call, DecodeFailure, Mode
from bfcl_pipeline.dialogue.calls import decode


def read(text):
    return decode(text, mode=Mode.PROMPT, return_format=ReturnFormat.JAVASCRIPT)


@pytest.mark.parametrize(
    ("source", "expected"),
    [
        ('"quoted"', "quoted"),
        ("'quoted'", "quoted"),
        ("[1, 'é', {a: 1}]", "[1, 'é', {a: 1}]"),
        ("(x) => x + 1", "(x) => x + 1"),
        ("`template`", "`template`"),
        ("null", "null"),
    ],
)
def test_values_are_source_text(source, expected):
    """A value is its source, without the quotes around it."""
    assert read(f"[run(a={source}, b=2)]") == (Call("run", {"a": expected, "b": "2"}),)


def test_the_first_call_counts():
    """The first call among the statements is read, for any object."""
    assert read("[let x = 1; a.b(c=1); d(e=2);]") == (Call("a.b", {"c": "1"}),)


def test_unnamed_arguments():
    """One bare name stays without a name, two are an error, other bare values are ignored."""
    assert read("[run(first, 'x')]") == (Call("run", {None: "first"}),)
    assert isinstance(read("[run(first, true)]"), DecodeFailure)


@pytest.mark.parametrize(
    ("text", "kind"),
    [("[let x = 1;]", "decoder_wrong_output_format"), ("[run(a=]", "decoder_failed")],
)
def test_failures(text, kind):
    """An answer without a call has the wrong format; a syntax error is a failure."""
    failure = read(text)
    assert isinstance(failure, DecodeFailure)
    assert failure.error_type == f"ast_decoder:{kind}"
