"""Stored answers of official handlers in their uniform form."""

from __future__ import annotations

import json

import pytest

from bfcl_pipeline.ask.results.forms import AnswerForm, assumed_form, known_form
from bfcl_pipeline.ask.results.layout import official_models
from bfcl_pipeline.benchmark.records import DecodeFailure, Mode
from bfcl_pipeline.dialogue.calls import decode

CALL = {"name": "a.b", "arguments": {"x": 1}}
UNIFORM = [{"a.b": '{"x": 1}'}]
FAMILY_MODELS = {
    "BitAgentHandler": "BitAgent/BitAgent-Bounty-8B",
    "HammerHandler": "MadeAgents/Hammer2.1-7b",
    "LlamaHandler": "meta-llama/Llama-3.2-1B-Instruct-FC",
    "MistralFCHandler": "mistralai/Ministral-8B-Instruct-2410",
    "PhiHandler": "microsoft/phi-4",
    "QwenFCHandler": "Qwen/Qwen3-8B-FC",
    "SalesforceLlamaHandler": "Salesforce/Llama-xLAM-2-8b-fc-r",
    "SalesforceQwenHandler": "Salesforce/xLAM-2-3b-fc-r",
}
"""An official model of each handler of open weights in these tests."""

UNREAD = {"gorilla-openfunctions-v2", "nvidia/llama-3.1-nemotron-ultra-253b-v1"}
"""Official models whose stored calls are not read."""

FORMS = ("OpenAIResponsesHandler", "GeminiHandler", "CohereHandler", "MiningHandler", "QwenFCHandler")
FORMS += ("BitAgentHandler", "HammerHandler", "SalesforceLlamaHandler")


def form_of(handler: str, *, fc: bool) -> AnswerForm:
    """The form of an official model with this handler."""
    name = FAMILY_MODELS.get(handler, "a model of its vendor")
    return known_form({"name": name, "handler": handler, "is_fc_model": fc})


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
    form = form_of(handler, fc=True)
    assert form.mode is Mode.FC
    assert form.convert(stored, False) == UNIFORM


@pytest.mark.parametrize("handler", FORMS)
@pytest.mark.parametrize(
    "uniform", [UNIFORM, [], [*UNIFORM, {"c": "{}"}], [{"a": '{"x": ["</tool_call>", null, "\\u00e9;"]}'}]]
)
def test_calls_are_read_as_they_were_written(handler, uniform):
    """Reading is the inverse of writing, except for the JSON formatting of arguments."""
    form = form_of(handler, fc=True)
    back = form.convert(form.restore(uniform), False)
    assert [{name: json.loads(text) for name, text in call.items()} for call in back] == [
        {name: json.loads(text) for name, text in call.items()} for call in uniform
    ]


@pytest.mark.parametrize("handler", ["GeminiHandler", "MiningHandler", "QwenFCHandler", "BitAgentHandler"])
@pytest.mark.parametrize("text", ['{"broken": ', "[1]", "5"])
def test_malformed_arguments_stay_unreadable(handler, text):
    """They are written so that the handler cannot decode them either."""
    form = form_of(handler, fc=True)
    assert isinstance(decode(form.convert(form.restore([{"a": text}]), False), mode=Mode.FC), DecodeFailure)


@pytest.mark.parametrize("handler", ["QwenFCHandler", "HammerHandler", "CohereHandler"])
def test_a_text_without_calls_is_an_empty_list_for_some_handlers(handler):
    """Handlers that find no calls in a text decode an empty list, which is not a failure."""
    assert form_of(handler, fc=True).convert("I cannot.", False) == []


@pytest.mark.parametrize(
    ("handler", "stored"),
    [
        ("OpenAIResponsesHandler", "I cannot."),
        ("OpenAIResponsesHandler", None),
        ("GeminiHandler", ["I cannot."]),
        ("GeminiHandler", None),
        ("BitAgentHandler", "I cannot."),
        ("SalesforceQwenHandler", '{"name": "a"}; {}'),
        ("QwenFCHandler", '<tool_call>\n{"name": "a", "arguments": 1}\n</tool_call>'),
        ("QwenFCHandler", ["no text"]),
        ("MiningHandler", [{"name": "a"}]),
    ],
)
def test_an_undecodable_answer_is_unchanged(handler, stored):
    """An answer that the handler itself cannot decode stays as it is."""
    assert form_of(handler, fc=True).convert(stored, False) == stored


def test_prompted_answers_are_texts():
    """Prompted answers stay texts, without the code fences that a vendor adds."""
    assert form_of("OpenAIResponsesHandler", fc=False).convert(" [f()]", False) == " [f()]"
    gemini = form_of("GeminiHandler", fc=False)
    assert (gemini.mode, gemini.convert("```tool_code\n[f()]\n```", False)) == (Mode.PROMPT, "[f()]")
    assert form_of("PhiHandler", fc=False).convert(" ```json[f()]", False) == "[f()]"


def test_the_mode_of_the_official_list_is_corrected():
    """A handler that decodes text is read as prompted; a handler that stores calls, as function calling."""
    assert form_of("LlamaHandler", fc=True).mode is Mode.PROMPT
    assert form_of("MistralFCHandler", fc=False).mode is Mode.FC


def test_an_unlisted_form_is_not_guessed():
    """A function-calling handler with a text form that is not listed has no conversion."""
    assert form_of("GorillaHandler", fc=True).convert is None


def test_unlisted_models_have_the_form_of_most_handlers():
    """Arguments of a model that is not in the list may be JSON text or objects."""
    assumed = assumed_form(Mode.FC)
    assert assumed.convert([{"a.b": {"x": 1}}], False) == assumed.convert(UNIFORM, False) == UNIFORM
    assert assumed_form(Mode.PROMPT).convert("[f()]", False) == "[f()]"


def test_nearly_every_official_model_has_a_form(staged):
    """The form of all models of the release but two is read, and of nine in ten also written."""
    forms = {row["name"]: known_form(row) for row in official_models(staged).values()}
    assert {name for name, form in forms.items() if form.convert is None} == UNREAD
    assert sum(form.restore is not None for form in forms.values()) >= 0.9 * len(forms)
