"""Stored answers of official handlers in their uniform form."""

from __future__ import annotations

import json

import pytest

from bfcl_pipeline.calls import decode
from bfcl_pipeline.records import DecodeFailure, Mode
from bfcl_pipeline.staging.official_forms import assumed_form, known_form

CALL = {"name": "a.b", "arguments": {"x": 1}}
UNIFORM = [{"a.b": '{"x": 1}'}]
FORMS = ("OpenAIResponsesHandler", "GeminiHandler", "CohereHandler", "MiningHandler", "QwenFCHandler")
FORMS += ("BitAgentHandler", "HammerHandler", "SalesforceLlamaHandler")


@pytest.mark.parametrize(
    ("handler", "stored"),
    [
        ("OpenAIResponsesHandler", UNIFORM),
        ("GeminiHandler", [{"a.b": {"x": 1}}]),
        ("CohereHandler", [{"tool_name": "a.b", "parameters": {"x": 1}}]),
        ("MiningHandler", [CALL]),
        (
            "QwenFCHandler",
            f"thus\n<tool_call>\n{json.dumps(CALL)}\n</tool_call>\n<tool_call>\n{{\n</tool_call>",
        ),
        ("BitAgentHandler", json.dumps(CALL)),
        ("HammerHandler", f"```{json.dumps([CALL])}```"),
        ("SalesforceLlamaHandler", json.dumps([CALL])),
    ],
)
def test_calls_have_one_form(handler, stored):
    """Whatever form a handler stores calls in, the uniform one comes out."""
    form = known_form(handler, is_fc_model=True)
    assert form.mode is Mode.FC
    assert form.convert(stored) == UNIFORM


@pytest.mark.parametrize("handler", FORMS)
@pytest.mark.parametrize(
    "uniform",
    [UNIFORM, [], [*UNIFORM, {"c": "{}"}], [{"a": '{"x": ["</tool_call>", null, "\\u00e9;"]}'}]],
)
def test_calls_are_read_as_they_were_written(handler, uniform):
    """What a form is written from comes out when it is read, but for the spelling of the arguments."""
    form = known_form(handler, is_fc_model=True)
    back = form.convert(form.restore(uniform))
    assert [{name: json.loads(text) for name, text in call.items()} for call in back] == [
        {name: json.loads(text) for name, text in call.items()} for call in uniform
    ]


@pytest.mark.parametrize("handler", ["GeminiHandler", "MiningHandler", "QwenFCHandler", "BitAgentHandler"])
@pytest.mark.parametrize("text", ['{"broken": ', "[1]", "5"])
def test_arguments_that_are_none_stay_unreadable(handler, text):
    """They are written so that the handler finds no call in them either."""
    form = known_form(handler, is_fc_model=True)
    assert isinstance(decode(form.convert(form.restore([{"a": text}])), mode=Mode.FC), DecodeFailure)


@pytest.mark.parametrize("handler", ["QwenFCHandler", "HammerHandler", "CohereHandler"])
def test_a_text_without_calls_is_no_call_where_the_handler_says_so(handler):
    """Handlers that find no calls in a text decode an empty list, which is no failure."""
    assert known_form(handler, is_fc_model=True).convert("I cannot.") == []


@pytest.mark.parametrize(
    ("handler", "stored"),
    [
        ("OpenAIResponsesHandler", "I cannot."),
        ("OpenAIResponsesHandler", None),
        ("GeminiHandler", ["I cannot."]),
        ("GeminiHandler", None),
        ("BitAgentHandler", "I cannot."),
        ("SalesforceQwenHandler", '{"name": "a"}; {}'),
        ("QwenFCHandler", '<tool_call>\n{"name": 1, "arguments": {}}\n</tool_call>'),
        ("QwenFCHandler", ["no text"]),
        ("MiningHandler", [{"name": "a"}]),
    ],
)
def test_what_is_no_call_stays_as_it_is(handler, stored):
    """An answer that the handler itself cannot decode is passed on unchanged."""
    assert known_form(handler, is_fc_model=True).convert(stored) == stored


def test_prompted_answers_are_texts():
    """Prompted answers stay texts, but for the fences that a vendor adds."""
    assert known_form("OpenAIResponsesHandler", is_fc_model=False).convert(" [f()]") == " [f()]"
    gemini = known_form("GeminiHandler", is_fc_model=False)
    assert (gemini.mode, gemini.convert("```tool_code\n[f()]\n```")) == (Mode.PROMPT, "[f()]")
    assert known_form("PhiHandler", is_fc_model=False).convert(" ```json[f()]") == "[f()]"


def test_listed_modes_that_are_not_the_real_ones():
    """A handler that decodes text is read as prompted, one that stores calls as function calling."""
    assert known_form("LlamaHandler", is_fc_model=True).mode is Mode.PROMPT
    assert known_form("MistralFCHandler", is_fc_model=False).mode is Mode.FC


def test_a_form_that_is_not_listed_is_not_guessed():
    """A function-calling handler with a text form of its own has no conversion."""
    assert known_form("GLMHandler", is_fc_model=True).convert is None


def test_other_models_are_read_as_most_are():
    """For a model that is not listed, arguments may be JSON text or objects."""
    assumed = assumed_form(Mode.FC)
    assert assumed.convert([{"a.b": {"x": 1}}]) == assumed.convert(UNIFORM) == UNIFORM
    assert assumed_form(Mode.PROMPT).convert("[f()]") == "[f()]"


def test_every_official_model_has_a_form(real_release):
    """Of the release's models, nine in ten can be read, and none of a mode that is not one."""
    from bfcl_pipeline.staging.model_list import read_models

    forms = [known_form(row["handler"], row["is_fc_model"]) for row in read_models(real_release)]
    assert sum(form.convert is not None for form in forms) >= 0.9 * len(forms)
