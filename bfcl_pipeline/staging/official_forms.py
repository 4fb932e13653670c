"""How the official tool's answers are stored, per handler, and the uniform form of each.

The uniform form of native calls is a list of {name: arguments as JSON text}; of prompted answers, the
text. Most handlers store just that. Some store calls in a form of their own, listed here with the
reason; a form that is not listed is not guessed. Nothing is evaluated: texts are JSON or stay texts.
The way back is `staging.official_writers`.

Source: the decoding methods of the handlers of bfcl-eval 2026.3.23.
"""

from __future__ import annotations

import json
import re
from collections.abc import Callable
from dataclasses import dataclass

from bfcl_pipeline.records import Json, Mode
from bfcl_pipeline.staging.official_writers import as_it_is, cohere, json_list, objects, pairs, tagged_json

Convert = Callable[[Json], Json]
"""From one stored answer to its uniform form, or back. What is no call there stays as it is, and so
decodes to the same failure."""


@dataclass(frozen=True, slots=True)
class AnswerForm:
    """How the answers of one handler are to be read."""

    mode: Mode  # what decodes the uniform form
    convert: Convert | None  # to the uniform form; None: stored in a form that is not listed here
    restore: Convert = as_it_is  # from the uniform form


def _object_arguments(result: Json) -> Json:
    """[{name: {...}}], arguments as a JSON object."""
    if not isinstance(result, list):
        return result
    return [
        {
            name: json.dumps(arguments) if isinstance(arguments, dict) else arguments
            for name, arguments in call.items()
        }
        if isinstance(call, dict) and len(call) == 1
        else call
        for call in result
    ]


def _pairs(result: Json, name: str = "name", arguments: str = "arguments") -> Json:
    """[{name: ..., arguments: {...}}], the two under keys of their own."""
    if not isinstance(result, list):
        return result
    calls = []
    for call in result:
        if not isinstance(call, dict) or not isinstance(call.get(name), str) or arguments not in call:
            return result
        calls.append({call[name]: json.dumps(call[arguments])})
    return calls


def _pairs_or(calls: Json, text: str) -> Json:
    """The pairs `calls`, or `text` where they are not all pairs."""
    uniform = _pairs(calls)
    return text if uniform is calls else uniform


def _cohere(result: Json) -> Json:
    """Pairs under Cohere's keys; its handler reads a text as no call at all."""
    return _pairs(result, "tool_name", "parameters") if isinstance(result, list) else []


_TOOL_CALL = re.compile(r"<tool_call>\n(.*?)\n</tool_call>", re.DOTALL)


def _tagged_json(result: Json) -> Json:
    """Text with <tool_call> sections of one pair each; sections that are not JSON do not count."""
    if not isinstance(result, str):
        return result
    calls = [call for text in _TOOL_CALL.findall(result) if (call := _parse(text)) is not _NOT_JSON]
    if not all(isinstance(call, dict) and isinstance(call.get("arguments"), dict) for call in calls):
        return result
    return _pairs_or(calls, result)


def _json_list(result: Json) -> Json:
    """Text that is a JSON list of pairs, or one pair."""
    if not isinstance(result, str):
        return result
    calls = _parse(result)
    return _pairs_or([calls] if isinstance(calls, dict) else calls, result)


def _json_list_or_semicolons(result: Json) -> Json:
    """The same, or pairs with semicolons between."""
    if not isinstance(result, str) or _parse(result) is not _NOT_JSON:
        return _json_list(result)
    return _pairs_or([_parse(part.strip()) for part in result.split(";")], result)


def _hammer(result: Json) -> Json:
    """A JSON list of pairs, perhaps in code fences; any other text is read as no call at all."""
    if not isinstance(result, str):
        return result
    calls = _parse(result.replace("```", ""))
    return [] if calls is _NOT_JSON else _pairs_or(calls, result)


def _without_tool_code(result: Json) -> Json:
    """Gemini puts its text answers into a fence of this name."""
    return result.replace("```tool_code\n", "").replace("\n```", "") if isinstance(result, str) else result


def _without_language(result: Json) -> Json:
    """Phi names the language of its fences."""
    if not isinstance(result, str):
        return result
    return result.strip().removeprefix("```json").removeprefix("```python")


_NOT_JSON = object()


def _parse(text: str) -> Json:
    try:
        return json.loads(text)
    except (ValueError, RecursionError):
        return _NOT_JSON


_UNIFORM = (
    "ClaudeHandler",
    "DeepSeekAPIHandler",
    "FireworksHandler",
    "FunctionaryHandler",
    "GLMAPIHandler",
    "GrokHandler",
    "KimiHandler",
    "LingAPIHandler",
    "MistralHandler",
    "NanbeigeAPIHandler",
    "NovitaHandler",
    "OpenAICompletionsHandler",
    "OpenAIResponsesHandler",
    "QwenAPIHandler",
    "QwenAgentNoThinkHandler",
    "QwenAgentThinkHandler",
    "WriterHandler",
)

_FC_FORMS: dict[str, AnswerForm] = {
    **dict.fromkeys(_UNIFORM, AnswerForm(Mode.FC, as_it_is)),
    # Arguments as JSON objects: the vendor's client or the handler has parsed them already.
    **dict.fromkeys(
        (
            "ArchHandler",
            "GeminiHandler",
            "Granite3FCHandler",
            "MistralFCHandler",
            "NovaHandler",
            "PhiFCHandler",
        ),
        AnswerForm(Mode.FC, _object_arguments, objects),
    ),
    "CohereHandler": AnswerForm(Mode.FC, _cohere, cohere),
    "MiningHandler": AnswerForm(Mode.FC, _pairs, pairs),
    # The model's own text, kept as it was written.
    **dict.fromkeys(
        ("Granite4FCHandler", "NanbeigeFCHandler", "PelicanVLFCHandler", "QwenFCHandler"),
        AnswerForm(Mode.FC, _tagged_json, tagged_json),
    ),
    "BitAgentHandler": AnswerForm(Mode.FC, _json_list, json_list),
    "HammerHandler": AnswerForm(Mode.FC, _hammer, json_list),
    **dict.fromkeys(
        ("SalesforceLlamaHandler", "SalesforceQwenHandler"),
        AnswerForm(Mode.FC, _json_list_or_semicolons, json_list),
    ),
    # Listed as function calling, yet asked for Python text and decoded like a prompted model.
    "LlamaHandler": AnswerForm(Mode.PROMPT, as_it_is),
}

_PROMPT_FORMS: dict[str, AnswerForm] = {
    "GeminiHandler": AnswerForm(Mode.PROMPT, _without_tool_code),
    "PhiHandler": AnswerForm(Mode.PROMPT, _without_language),
    # Listed as prompted, yet the handler stores calls.
    "DMCitoHandler": AnswerForm(Mode.FC, _pairs, pairs),
    "MistralFCHandler": AnswerForm(Mode.FC, _object_arguments, objects),
}


def known_form(handler: str, is_fc_model: bool) -> AnswerForm:
    """How the answers of a model of the official list are stored."""
    if is_fc_model:
        return _FC_FORMS.get(handler, AnswerForm(Mode.FC, None))
    return _PROMPT_FORMS.get(handler, AnswerForm(Mode.PROMPT, as_it_is))


def assumed_form(mode: Mode) -> AnswerForm:
    """How the answers of any other model are taken to be stored: as most handlers store them."""
    return AnswerForm(mode, _object_arguments if mode is Mode.FC else as_it_is)
