"""The forms in which official handlers store answers, and their conversion to a uniform form.

The uniform form of native calls is a list of {name: arguments as JSON text}; of prompted answers, the
text. Most handlers store exactly that. Other forms are listed here with the reason; a form that is not
listed is not guessed. Nothing is evaluated: texts are parsed as JSON or stay texts. The inverse is
`official.writers`.

Source: the decoding methods of the handlers of bfcl-eval 2026.3.23.
"""

import json
import re
from collections.abc import Callable
from dataclasses import dataclass

from bfcl_pipeline.official.writers import as_it_is, cohere, json_list, objects, pairs, tagged_json
from bfcl_pipeline.records import Json, Mode

Convert = Callable[[Json], Json]
"""Converts one stored answer to its uniform form, or back. An answer without calls stays as it is, and so
decodes to the same failure."""


@dataclass(frozen=True, slots=True)
class AnswerForm:
    """The form of the answers of one handler."""

    mode: Mode  # in which the uniform form is decoded
    convert: Convert | None  # to the uniform form; None: the form is not supported
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
    """[{name: ..., arguments: {...}}], under the given keys."""
    if not isinstance(result, list):
        return result
    calls = []
    for call in result:
        if not isinstance(call, dict) or not isinstance(call.get(name), str) or arguments not in call:
            return result
        calls.append({call[name]: json.dumps(call[arguments])})
    return calls


def _pairs_or(calls: Json, text: str) -> Json:
    """The pairs `calls`, or `text` if not all of them are pairs."""
    uniform = _pairs(calls)
    return text if uniform is calls else uniform


def _cohere(result: Json) -> Json:
    """Pairs under Cohere's keys; its handler finds no calls in a text."""
    return _pairs(result, "tool_name", "parameters") if isinstance(result, list) else []


_TOOL_CALL = re.compile(r"<tool_call>\n(.*?)\n</tool_call>", re.DOTALL)


def _tagged_json(result: Json) -> Json:
    """Text with <tool_call> sections of one pair each; sections that are not JSON are ignored."""
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
    """A JSON list of pairs, or pairs separated by semicolons."""
    if not isinstance(result, str) or _parse(result) is not _NOT_JSON:
        return _json_list(result)
    return _pairs_or([_parse(part.strip()) for part in result.split(";")], result)


def _hammer(result: Json) -> Json:
    """A JSON list of pairs, possibly in code fences; the handler finds no calls in any other text."""
    if not isinstance(result, str):
        return result
    calls = _parse(result.replace("```", ""))
    return [] if calls is _NOT_JSON else _pairs_or(calls, result)


def _without_tool_code(result: Json) -> Json:
    """Text answers of Gemini are in a code fence with this name."""
    return result.replace("```tool_code\n", "").replace("\n```", "") if isinstance(result, str) else result


def _without_language(result: Json) -> Json:
    """Text answers of Phi are in a code fence with a language."""
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
    # Arguments as JSON objects, parsed by the vendor's client or by the handler.
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
    # The text of the model, unchanged.
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
    # Listed as function calling, but prompted for Python text and decoded as such.
    "LlamaHandler": AnswerForm(Mode.PROMPT, as_it_is),
}

_PROMPT_FORMS: dict[str, AnswerForm] = {
    "GeminiHandler": AnswerForm(Mode.PROMPT, _without_tool_code),
    "PhiHandler": AnswerForm(Mode.PROMPT, _without_language),
    # Listed as prompted, but the handler stores calls.
    "DMCitoHandler": AnswerForm(Mode.FC, _pairs, pairs),
    "MistralFCHandler": AnswerForm(Mode.FC, _object_arguments, objects),
}


def known_form(handler: str, is_fc_model: bool) -> AnswerForm:
    """The form of the answers of a model in the official list."""
    if is_fc_model:
        return _FC_FORMS.get(handler, AnswerForm(Mode.FC, None))
    return _PROMPT_FORMS.get(handler, AnswerForm(Mode.PROMPT, as_it_is))


def assumed_form(mode: Mode) -> AnswerForm:
    """The form that is assumed for any other model: that of most handlers."""
    return AnswerForm(mode, _object_arguments if mode is Mode.FC else as_it_is)
