"""Verdicts of single-turn responses."""

import json

import pytest

from bfcl_pipeline.base.errors import TableError
from bfcl_pipeline.benchmark.definition import FORMATS, GROUPS, ReturnFormat
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


@pytest.mark.parametrize(
    "result",
    [
        "[shape.area(base=10, height=5)]",
        "[shape.area(height=5.0, base=10, unit='square-CM')]",
        "shape.area(base=5 * 2, height=10 / 2)",
    ],
)
def test_right_answers(result):
    """Order, spelling of text, ints for floats and arithmetic do not matter."""
    assert verdict(result).valid is True
    assert verdict(result).error_type is None


@pytest.mark.parametrize(
    ("result", "error_type"),
    [
        ("Sorry.", "ast_decoder:decoder_failed"),
        ("[]", "simple_function_checker:wrong_count"),
        (
            "[shape.area(base=10, height=5), shape.area(base=10, height=5)]",
            "simple_function_checker:wrong_count",
        ),
        ("[area(base=10, height=5)]", "simple_function_checker:wrong_func_name"),
        ("[shape_area(base=10, height=5)]", "simple_function_checker:wrong_func_name"),
        ("[shape.area(base=10)]", "simple_function_checker:missing_required"),
        ("[shape.area(base=10, height=5, depth=1)]", "simple_function_checker:unexpected_param"),
        ("[shape.area(base='10', height=5)]", "type_error:simple"),
        ("[shape.area(base=True, height=5)]", "type_error:simple"),
        ("[shape.area(base=11, height=5)]", "value_error:others"),
        ("[shape.area(base=10, height=5, unit='m')]", "value_error:string"),
    ],
)
def test_wrong_answers(result, error_type):
    """Each kind of mistake has its official error type, and a message."""
    found = verdict(result)
    assert (found.valid, found.error_type) == (False, error_type)
    assert found.error_message
    assert found.status is Status.ANSWERED


def test_messages_name_expected_and_got():
    """A message has the expected and the actual value."""
    assert verdict("[shape.area(base=11, height=5)]").error_message == (
        "Parameter 'base': expected 10, got 11."
    )


def test_missing_optional():
    """Leaving out a parameter that is not optional in the truth is an error."""
    on = entry(truth=[{"shape.area": {"base": [10], "height": [5.0], "unit": ["cm"]}}])
    assert verdict("[shape.area(base=10, height=5)]", on=on).error_type == (
        "simple_function_checker:missing_optional"
    )


def test_name_styles():
    """Function-calling answers are compared with underscored names by default."""
    native = [{"shape_area": '{"base": 10, "height": 5}'}]
    assert verdict(native, Mode.FC).valid
    assert not verdict(native, Mode.FC, name_style=NameStyle.DOTTED).valid
    dotted = [{"shape.area": '{"base": 10, "height": 5}'}]
    assert verdict(dotted, Mode.FC, name_style=NameStyle.DOTTED).valid


@pytest.mark.parametrize(
    ("category", "result", "error_type"),
    [
        ("irrelevance", "[shape.area(base=1)]", "irrelevance_error:decoder_success"),
        ("live_irrelevance", "No function fits.", None),
        ("live_irrelevance", "[]", None),
        ("live_relevance", "[anything(x=1)]", None),
        ("live_relevance", "No function fits.", "relevance_error:decoder_failed"),
        ("live_relevance", "[]", "relevance_error:decoder_failed"),
    ],
)
def test_relevance(category, result, error_type):
    """Irrelevance requires no call, relevance any call."""
    assert verdict(result, on=entry(category, truth=[])).error_type == error_type


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


def test_a_malformed_call_is_shown():
    """The message has the mark of the attempted call."""
    found = verdict("So: [shape.area(base=", on=entry("irrelevance", truth=[]), rules=Rules.CORRECTED)
    assert found.error_message == (
        "No function fits the request, yet a call that cannot be decoded is attempted: '[shape.area('"
    )


def test_an_unreadable_answer_is_a_malformed_call():
    """An irrelevance answer beyond the bound on its length is not an abstention."""
    on = entry("irrelevance", truth=[])
    response = Response(on.entry_id, on.category, Mode.PROMPT, "[" * (MAX_RESULT + 1))
    assert judge(on, response).valid is True
    assert judge(on, response, Rules.CORRECTED).answer_class == "malformed call"


@pytest.mark.parametrize("prompt_format", FORMATS, ids=lambda prompt_format: prompt_format.key)
def test_restated_irrelevance_has_classes(prompt_format):
    """The answer to a restated irrelevance entry is classed in each prompt format."""
    on = Entry(
        entry_id=f"format_sensitivity_0:{prompt_format.key}:irrelevance_0",
        category="format_sensitivity",
        turns=(),
        functions=(TRIANGLE,),
        truth=[],
        prompt_format=prompt_format.key,
        base_entry_id="irrelevance_0",
    )
    call = Call("shape.area", {"base": 1})
    text = write_calls([call], prompt_format.return_format, prompt_format.tool_call_tag)
    assert verdict("No function fits.", on=on).answer_class == "abstained in words"
    assert verdict(text, on=on).answer_class == "called"
    assert verdict(text[: len(text) * 2 // 3], on=on).answer_class == "malformed call"
    assert verdict("", on=on).answer_class == "empty"


@pytest.mark.parametrize("category", ["simple_python", "live_relevance"])
def test_other_categories_have_no_classes(category):
    """An answer to an entry with a call to make has no class."""
    assert verdict("No function fits.", on=entry(category)).answer_class is None


@pytest.mark.parametrize("status", [status for status in Status if status is not Status.ANSWERED])
@pytest.mark.parametrize("category", ["simple_python", "irrelevance", "live_relevance"])
def test_an_infrastructure_failure_has_no_verdict(status, category):
    """A response that is not an answer is neither valid nor invalid, with any text."""
    found = verdict("Error: timeout", on=entry(category), status=status, status_detail="timeout")
    assert (found.valid, found.error_type, found.status) == (None, None, status)
    assert found.error_message == "timeout"
    assert found.answer_class is None


@pytest.mark.parametrize("category", ["simple_python", "irrelevance"])
def test_a_missing_result_has_no_verdict(category):
    """A response without a result is not scored, since the cause is unknown. JSON null is a result."""
    on = entry(category)
    found = judge(on, Response(on.entry_id, on.category, Mode.PROMPT, None))
    assert (found.valid, found.status) == (None, Status.NOT_RECORDED)
    assert verdict(None, on=on).status is Status.ANSWERED


def test_sessions_have_no_verdict():
    """A session before the questions is not scored as invalid."""
    found = verdict([], on=entry("memory_kv", truth=[], prerequisite=True))
    assert (found.valid, found.status) == (None, Status.UNSUPPORTED)


@pytest.mark.parametrize("prompt_format", FORMATS, ids=lambda prompt_format: prompt_format.key)
def test_format_sensitivity(prompt_format):
    """A restated entry is decoded in its own format, and scored like the entry that it restates."""
    on = Entry(
        entry_id=f"format_sensitivity_0:{prompt_format.key}:simple_python_0",
        category="format_sensitivity",
        turns=(),
        functions=(TRIANGLE,),
        truth=TRUTH,
        prompt_format=prompt_format.key,
        base_entry_id="simple_python_0",
    )
    call = Call("shape.area", {"base": 10, "height": 5.0})
    text = write_calls([call], prompt_format.return_format, prompt_format.tool_call_tag)
    assert verdict(text, on=on).valid
    other = ReturnFormat.JSON if prompt_format.return_format is ReturnFormat.PYTHON else ReturnFormat.PYTHON
    assert not verdict(write_calls([call], other), on=on).valid


def test_a_result_that_is_not_json_is_named():
    """A result_json with plain text is an error of the table, not of the model."""
    on = entry()
    with pytest.raises(TableError, match=r"simple_python_0.*JSON string"):
        judge(on, Response(on.entry_id, on.category, Mode.PROMPT, "[f(a=1)]  plain"))


def test_messages_can_be_written():
    """A message about text with lone surrogates can be encoded."""
    message = verdict([{"shape_area": '{"base": "\\ud800", "height": 1}'}], Mode.FC).error_message
    assert message is not None
    assert "ud800" in message
    message.encode()


@pytest.mark.parametrize("category", GROUPS["single_turn"])
def test_every_entry_has_a_judge(category, entries):
    """Every entry of the release can be prepared, and an empty answer scored."""
    for on in entries(category):
        assert isinstance(verdict("", on=on).valid, bool)


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
    """A message shows only the beginning of large values and long names."""
    found = verdict(result, Mode.FC)
    assert found.valid is False
    assert len(found.error_message) <= MAX_MESSAGE + 3


def test_showing_a_value_takes_little_work():
    """Few parts of a value with many are visited for a message."""
    with measured() as work:
        shorten(_nested(5))
    assert work.calls < 100_000


def test_an_endless_result_is_not_read():
    """A result beyond the bound on its length is a decode failure, whatever it is."""
    response = Response("simple_python_0", "simple_python", Mode.PROMPT, "[" * (MAX_RESULT + 1))
    assert judge(entry(), response).error_type == "ast_decoder:decoder_failed"
