"""Verdicts of single-turn responses."""

import json

import pytest

from bfcl_pipeline.base.errors import TableError
from bfcl_pipeline.benchmark.definition import FORMATS, ReturnFormat
from bfcl_pipeline.benchmark.records import Call, Entry, Mode, NameStyle, Response, Rules, Status
from bfcl_pipeline.dialogue.calls import write_calls
from bfcl_pipeline.judge.scoring import judge
from bfcl_pipeline.judge.scoring.findings import MAX_MESSAGE, shorten
from bfcl_pipeline.judge.scoring.judge import MAX_RESULT
from tests.support.work import measured

TRIANGLE = {
    "name": "shape.area",
    "description": "Area of a triangle.",
    "parameters": {
        "type": "dict",
        "properties": {
            "base": {"type": "integer", "description": "Base."},
            "height": {"type": "float", "description": "Height."},
            "unit": {"type": "string", "description": "Unit."},
        },
        "required": ["base", "height"],
    },
}
TRUTH = [{"shape.area": {"base": [10], "height": [5.0], "unit": ["Square cm", ""]}}]


def entry(category="simple_python", truth=None, **fields):
    return Entry(
        entry_id=f"{category}_0",
        category=category,
        turns=(({"role": "user", "content": "Area?"},),),
        functions=(TRIANGLE,),
        truth=TRUTH if truth is None else truth,
        **fields,
    )


def verdict(result, mode=Mode.PROMPT, on=None, rules=Rules.OFFICIAL, **fields):
    on = on or entry()
    response = Response(on.entry_id, on.category, mode, json.dumps(result), **fields)
    return judge(on, response, rules)


NATIVE = [{"shape_area": '{"base": 10, "height": 5}'}]
COUNT, CALLED = "simple_function_checker:wrong_count", "irrelevance_error:decoder_success"
NAMED, NOT_CALLED = "simple_function_checker:wrong_func_name", "relevance_error:decoder_failed"


@pytest.mark.parametrize(
    ("result", "error_type"),
    [
        ("[shape.area(base=10, height=5)]", None),
        ("[shape.area(height=5.0, base=10, unit='square-CM')]", None),
        ("shape.area(base=5 * 2, height=10 / 2)", None),
        ("Sorry.", "ast_decoder:decoder_failed"),
        ("[]", COUNT),
        ("[shape.area(base=10, height=5), shape.area(base=10, height=5)]", COUNT),
        ("[area(base=10, height=5)]", NAMED),
        ("[shape_area(base=10, height=5)]", NAMED),
        ("[shape.area(base=10)]", "simple_function_checker:missing_required"),
        ("[shape.area(base=10, height=5, depth=1)]", "simple_function_checker:unexpected_param"),
        ("[shape.area(base='10', height=5)]", "type_error:simple"),
        ("[shape.area(base=True, height=5)]", "type_error:simple"),
        ("[shape.area(base=11, height=5)]", "value_error:others"),
        ("[shape.area(base=10, height=5, unit='m')]", "value_error:string"),
    ],
)
def test_one_call(result, error_type):
    """Order, spelling and arithmetic do not matter; each mistake has its error type and a message."""
    found = verdict(result)
    assert (found.valid, found.error_type, found.status) == (
        error_type is None,
        error_type,
        Status.ANSWERED,
    )
    assert bool(found.error_message) is (error_type is not None)
    if error_type == "value_error:others":
        assert found.error_message == "Parameter 'base': expected 10, got 11."


def test_missing_optional():
    """Leaving out a parameter that is not optional in the truth is an error."""
    on = entry(truth=[{"shape.area": {"base": [10], "height": [5.0], "unit": ["cm"]}}])
    found = verdict("[shape.area(base=10, height=5)]", on=on)
    assert found.error_type == "simple_function_checker:missing_optional"


def test_name_styles():
    """Function-calling answers are compared with underscored names by default."""
    dotted = [{"shape.area": NATIVE[0]["shape_area"]}]
    assert verdict(NATIVE, Mode.FC).valid
    assert not verdict(NATIVE, Mode.FC, name_style=NameStyle.DOTTED).valid
    assert verdict(dotted, Mode.FC, name_style=NameStyle.DOTTED).valid


@pytest.mark.parametrize(
    ("category", "result", "error_type"),
    [
        ("irrelevance", "[shape.area(base=1)]", CALLED),
        ("live_irrelevance", "No function fits.", None),
        ("live_irrelevance", "[]", None),
        ("live_relevance", "[anything(x=1)]", None),
        ("live_relevance", "No function fits.", NOT_CALLED),
        ("live_relevance", "[]", NOT_CALLED),
    ],
)
def test_relevance(category, result, error_type):
    """Irrelevance requires no call, relevance any call; answers to entries with a call have no class."""
    found = verdict(result, on=entry(category, truth=[]))
    assert found.error_type == error_type
    assert (found.answer_class is None) is (category == "live_relevance")
    assert verdict(result).answer_class is None


@pytest.mark.parametrize(
    ("result", "mode", "answer_class", "corrected"),
    [
        ("No function fits.", Mode.PROMPT, "abstained in words", None),
        ("No function fits.", Mode.FC, "abstained in words", None),
        ("[None]", Mode.PROMPT, "abstained in words", None),
        (["No function fits."], Mode.FC, "abstained in words", None),
        (42, Mode.FC, "abstained in words", None),
        ("", Mode.PROMPT, "empty", None),
        ("", Mode.FC, "empty", None),
        ("[]", Mode.PROMPT, "empty", None),
        ([], Mode.FC, "empty", None),
        ([{}, ""], Mode.FC, "empty", None),
        (None, Mode.FC, "empty", None),
        ("[shape.area(base='it's')]", Mode.PROMPT, "malformed call", "irrelevance_error:malformed_call"),
        ("<tool_call>{'n", Mode.FC, "malformed call", "irrelevance_error:malformed_call"),
        ([{"shape_area": "{base: 1}"}], Mode.FC, "malformed call", "irrelevance_error:malformed_call"),
        ([{"shape_area": {"base": 1}}], Mode.FC, "malformed call", "irrelevance_error:malformed_call"),
        ({"shape_area": "{}"}, Mode.FC, "malformed call", "irrelevance_error:malformed_call"),
        (["<tool_call>f"], Mode.FC, "malformed call", "irrelevance_error:malformed_call"),
        ("[shape.area(base=1)]", Mode.PROMPT, "called", "irrelevance_error:decoder_success"),
        ([{"shape_area": "{}"}], Mode.FC, "called", "irrelevance_error:decoder_success"),
    ],
)
@pytest.mark.parametrize("category", ["irrelevance", "live_irrelevance"])
def test_irrelevance_classes(category, result, mode, answer_class, corrected):
    """Official accepts all answers but those that call; corrected none that attempt a call."""
    on = entry(category, truth=[])
    official = verdict(result, mode, on=on)
    assert (official.answer_class, official.valid) == (answer_class, answer_class != "called")
    found = verdict(result, mode, on=on, rules=Rules.CORRECTED)
    assert (found.answer_class, found.error_type, found.valid) == (
        answer_class,
        corrected,
        corrected is None,
    )


@pytest.mark.parametrize("base", ["simple_python", "irrelevance"])
@pytest.mark.parametrize("prompt_format", FORMATS, ids=lambda prompt_format: prompt_format.key)
def test_format_sensitivity(prompt_format, base):
    """A restated entry is decoded in its own format, and scored and classed like the entry it restates."""
    on = Entry(
        entry_id=f"format_sensitivity_0:{prompt_format.key}:{base}_0",
        category="format_sensitivity",
        turns=(),
        functions=(TRIANGLE,),
        truth=TRUTH if base == "simple_python" else [],
        prompt_format=prompt_format.key,
        base_entry_id=f"{base}_0",
    )
    call, kind = Call("shape.area", {"base": 10, "height": 5.0}), prompt_format.return_format
    text = write_calls([call], kind, prompt_format.tool_call_tag)
    if base == "simple_python":
        other = ReturnFormat.JSON if kind is ReturnFormat.PYTHON else ReturnFormat.PYTHON
        assert [verdict(each, on=on).valid for each in (text, write_calls([call], other))] == [True, False]
        return
    answers = ("No function fits.", text, text[: len(text) * 2 // 3], "")
    classes = ["abstained in words", "called", "malformed call", "empty"]
    assert [verdict(answer, on=on).answer_class for answer in answers] == classes


@pytest.mark.parametrize("category", ["simple_python", "irrelevance", "live_relevance"])
def test_without_an_answer_there_is_no_verdict(category):
    """Whatever text a failure has; a missing result is one, JSON null is a result."""
    on = entry(category)
    for status in set(Status) - {Status.ANSWERED}:
        found = verdict("Error: timeout", on=on, status=status, status_detail="timeout")
        assert (found.valid, found.error_type, found.status, found.answer_class) == (
            *(None, None),
            status,
            None,
        )
        assert found.error_message == "timeout"
    found = judge(on, Response(on.entry_id, on.category, Mode.PROMPT, None))
    assert (found.valid, found.status) == (None, Status.NOT_RECORDED)
    assert verdict(None, on=on).status is Status.ANSWERED
    found = verdict([], on=entry("memory_kv", truth=[], prerequisite=True))
    assert (found.valid, found.status) == (None, Status.UNSUPPORTED)


def _nested(depth):
    return [_nested(depth - 1)] * 12 if depth else "a" * 20


@pytest.mark.parametrize(
    "result",
    [
        [{"shape_area": json.dumps({"base": _nested(4), "height": 5})}],
        [{"f" * 1_000_000: "{}"}],
        [{"shape_area": json.dumps({"base": 10, "height": 5, "x" * 100_000: 1})}],
    ],
)
def test_messages_are_bounded(result):
    """A message shows only the beginning of large values and long names, which is little work."""
    found = verdict(result, Mode.FC)
    assert found.valid is False
    assert len(found.error_message) <= MAX_MESSAGE + 3
    with measured() as work:
        shorten(_nested(5))
    assert work.calls < 100_000


def test_messages_show_what_was_attempted():
    """The mark of a malformed call; text with lone surrogates can be encoded."""
    found = verdict("So: [shape.area(base=", on=entry("irrelevance", truth=[]), rules=Rules.CORRECTED)
    assert found.error_message == (
        "No function fits the request, yet a call that cannot be decoded is attempted: '[shape.area('"
    )
    message = verdict([{"shape_area": '{"base": "\\ud800", "height": 1}'}], Mode.FC).error_message
    assert b"ud800" in message.encode()


def test_a_result_that_cannot_be_read():
    """Text that is not JSON is an error of the table; an endless result fails, and is not an abstention."""
    on, abstain = entry(), entry("irrelevance", truth=[])
    with pytest.raises(TableError, match=r"simple_python_0.*JSON string"):
        judge(on, Response(on.entry_id, on.category, Mode.PROMPT, "[f(a=1)]  plain"))
    endless = Response(on.entry_id, on.category, Mode.PROMPT, "[" * (MAX_RESULT + 1))
    assert judge(on, endless).error_type == "ast_decoder:decoder_failed"
    assert judge(abstain, endless).valid is True
    assert judge(abstain, endless, Rules.CORRECTED).answer_class == "malformed call"
