"""Stored answers of official handlers in their uniform form."""

from __future__ import annotations

import json

import pytest

from bfcl_pipeline.calls import decode
from bfcl_pipeline.official.forms import assumed_form, known_form
from bfcl_pipeline.official.layout import official_models
from bfcl_pipeline.records import DecodeFailure, Mode

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
def test_calls_are_converted_to_the_uniform_form(handler, stored):
    """Each form of a handler has the same uniform form."""
    form = known_form(handler, is_fc_model=True)
    assert form.mode is Mode.FC
    assert form.convert(stored) == UNIFORM


@pytest.mark.parametrize("handler", FORMS)
@pytest.mark.parametrize(
    "uniform",
    [UNIFORM, [], [*UNIFORM, {"c": "{}"}], [{"a": '{"x": ["</tool_call>", null, "\\u00e9;"]}'}]],
)
def test_calls_are_read_as_they_were_written(handler, uniform):
    """Reading is the inverse of writing, except for the JSON formatting of arguments."""
    form = known_form(handler, is_fc_model=True)
    back = form.convert(form.restore(uniform))
    assert [{name: json.loads(text) for name, text in call.items()} for call in back] == [
        {name: json.loads(text) for name, text in call.items()} for call in uniform
    ]


@pytest.mark.parametrize("handler", ["GeminiHandler", "MiningHandler", "QwenFCHandler", "BitAgentHandler"])
@pytest.mark.parametrize("text", ['{"broken": ', "[1]", "5"])
def test_malformed_arguments_stay_unreadable(handler, text):
    """They are written so that the handler cannot decode them either."""
    form = known_form(handler, is_fc_model=True)
    assert isinstance(decode(form.convert(form.restore([{"a": text}])), mode=Mode.FC), DecodeFailure)


@pytest.mark.parametrize("handler", ["QwenFCHandler", "HammerHandler", "CohereHandler"])
def test_a_text_without_calls_is_an_empty_list_for_some_handlers(handler):
    """Handlers that find no calls in a text decode an empty list, which is not a failure."""
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
def test_an_undecodable_answer_is_unchanged(handler, stored):
    """An answer that the handler itself cannot decode stays as it is."""
    assert known_form(handler, is_fc_model=True).convert(stored) == stored


def test_prompted_answers_are_texts():
    """Prompted answers stay texts, without the code fences that a vendor adds."""
    assert known_form("OpenAIResponsesHandler", is_fc_model=False).convert(" [f()]") == " [f()]"
    gemini = known_form("GeminiHandler", is_fc_model=False)
    assert (gemini.mode, gemini.convert("```tool_code\n[f()]\n```")) == (Mode.PROMPT, "[f()]")
    assert known_form("PhiHandler", is_fc_model=False).convert(" ```json[f()]") == "[f()]"


def test_the_mode_of_the_official_list_is_corrected():
    """A handler that decodes text is read as prompted; a handler that stores calls, as function calling."""
    assert known_form("LlamaHandler", is_fc_model=True).mode is Mode.PROMPT
    assert known_form("MistralFCHandler", is_fc_model=False).mode is Mode.FC


def test_an_unlisted_form_is_not_guessed():
    """A function-calling handler with a text form that is not listed has no conversion."""
    assert known_form("GLMHandler", is_fc_model=True).convert is None


def test_unlisted_models_have_the_form_of_most_handlers():
    """Arguments of a model that is not in the list may be JSON text or objects."""
    assumed = assumed_form(Mode.FC)
    assert assumed.convert([{"a.b": {"x": 1}}]) == assumed.convert(UNIFORM) == UNIFORM
    assert assumed_form(Mode.PROMPT).convert("[f()]") == "[f()]"


def test_nearly_every_official_model_has_a_form(staged):
    """The form of nine in ten models of the release is supported."""
    rows = official_models(staged).values()
    forms = [known_form(row["handler"], row["is_fc_model"]) for row in rows]
    assert sum(form.convert is not None for form in forms) >= 0.9 * len(forms)
