"""The forms in which official handlers store answers, read into a uniform form and written from it.

The uniform form of native calls is a list of {name: arguments as JSON text}; of prompted answers, the
text. Answers of open weights are read by the readers of their families. Most other handlers store exactly
the uniform form. Other forms are listed here with the reason; a form that is not listed is not
guessed. Nothing is evaluated: texts are parsed as JSON or stay texts. Arguments that are not a JSON object
stay text, which no handler can decode: the answer then contains no calls. A response becomes one line
of the official tool's results, in the form of the model's official handler.

Source: the decoding methods of the handlers of bfcl-eval 2026.3.23.
"""

import json
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import cache
from typing import TypeAlias

from bfcl_pipeline.base.text import loaded_json
from bfcl_pipeline.benchmark.config.families import FamilyRow, load_families
from bfcl_pipeline.benchmark.definition import CATEGORIES
from bfcl_pipeline.benchmark.records import Entry, Json, Mode, NameStyle, Response
from bfcl_pipeline.dialogue.families import READERS
from bfcl_pipeline.judge.scoring.judge import default_style


def as_it_is(result: Json) -> Json:
    """[{name: arguments as JSON text}]"""
    return result


def objects(result: Json) -> Json:
    """[{name: {...}}]"""
    if not _is_calls(result):
        return result
    return [{name: _arguments(text) for name, text in call.items()} for call in result]


def pairs(result: Json, name: str = "name", arguments: str = "arguments") -> Json:
    """[{name: ..., arguments: {...}}]"""
    if not _is_calls(result):
        return result
    return [{name: key, arguments: _arguments(text)} for call in result for key, text in call.items()]


def cohere(result: Json) -> Json:
    """[{tool_name: ..., parameters: {...}}]"""
    return pairs(result, "tool_name", "parameters")


def tagged_json(result: Json) -> Json:
    """Text with one <tool_call> section per call."""
    if not _is_calls(result):
        return result
    return "\n".join(f"<tool_call>\n{json.dumps(pair)}\n</tool_call>" for pair in pairs(result))


def json_list(result: Json) -> Json:
    """Text that is a JSON list of pairs."""
    return json.dumps(pairs(result)) if _is_calls(result) else result


def _is_calls(result: Json) -> bool:
    return isinstance(result, list) and all(isinstance(call, Mapping) for call in result)


def _arguments(text: Json) -> Json:
    """The JSON object in `text`; `text` itself if it is not one."""
    if not isinstance(text, str):
        return text
    value = loaded_json(text)
    return value if isinstance(value, dict) else text


Convert: TypeAlias = Callable[[Json, bool], Json]
"""Converts one stored answer to its uniform form; the flag says whether its calls are run.

An answer without calls stays as it is, and so decodes to the same failure."""

Restore: TypeAlias = Callable[[Json], Json]
"""Converts one answer from its uniform form."""


@dataclass(frozen=True, slots=True)
class AnswerForm:
    """The form of the answers of one model."""

    mode: Mode  # in which the uniform form is decoded
    convert: Convert | None  # to the uniform form; None: the form is not read
    restore: Restore | None = as_it_is  # from the uniform form; None: the form is not written


def _always(convert: Restore) -> Convert:
    """A conversion that is the same whether calls are run or compared."""
    return lambda stored, _runs: convert(stored)


def object_arguments(result: Json, _runs: bool) -> Json:
    """The uniform form of [{name: {...}}], arguments as a JSON object. A Convert."""
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


def _cohere(result: Json) -> Json:
    """Pairs under Cohere's keys; its handler finds no calls in a text."""
    return _pairs(result, "tool_name", "parameters") if isinstance(result, list) else []


def _without_tool_code(result: Json) -> Json:
    """Text answers of Gemini are in a code fence with this name."""
    return result.replace("```tool_code\n", "").replace("\n```", "") if isinstance(result, str) else result


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

_AS_IT_IS = _always(as_it_is)

_FC_FORMS: Mapping[str, AnswerForm] = {
    **dict.fromkeys(_UNIFORM, AnswerForm(Mode.FC, _AS_IT_IS)),
    # Arguments as JSON objects, parsed by the vendor's client or by the handler.
    **dict.fromkeys(("GeminiHandler", "NovaHandler"), AnswerForm(Mode.FC, object_arguments, objects)),
    "CohereHandler": AnswerForm(Mode.FC, _always(_cohere), cohere),
    "MiningHandler": AnswerForm(Mode.FC, _always(_pairs), pairs),
}

_PROMPT_FORMS: Mapping[str, AnswerForm] = {
    "GeminiHandler": AnswerForm(Mode.PROMPT, _always(_without_tool_code)),
    # Listed as prompted, but the handler stores calls.
    "DMCitoHandler": AnswerForm(Mode.FC, _always(_pairs), pairs),
}

_FAMILY_WRITERS: Mapping[str, Restore] = {
    **dict.fromkeys(("arch", "granite_3", "mistral", "phi"), objects),
    **dict.fromkeys(("tool_call_tags", "tool_call_tags_only"), tagged_json),
    **dict.fromkeys(("hammer", "json_array", "json_array_or_semicolons"), json_list),
}
"""How calls of families that store them are written, by the name of the family's reader."""


def known_form(model: Mapping[str, Json]) -> AnswerForm:
    """The form of the answers of a model, given as its row in the official list."""
    if (family := _families().get(model["name"])) is not None:
        written = as_it_is if family.mode is Mode.PROMPT else _FAMILY_WRITERS.get(family.reader)
        return AnswerForm(family.mode, READERS[family.reader].uniform, written)
    if model["is_fc_model"]:
        return _FC_FORMS.get(model["handler"], AnswerForm(Mode.FC, None, None))
    return _PROMPT_FORMS.get(model["handler"], AnswerForm(Mode.PROMPT, _AS_IT_IS))


@cache
def _families() -> Mapping[str, FamilyRow]:
    """The family of each model of the official list that has one."""
    return {model: family for family in load_families().values() for model in family.models}


def assumed_form(mode: Mode) -> AnswerForm:
    """The form that is assumed for any other model: that of most handlers."""
    return AnswerForm(mode, object_arguments if mode is Mode.FC else _AS_IT_IS)


def convert_result(result: Json, category: str, convert: Convert) -> Json:
    """The uniform form of an answer, or of each step of each turn."""
    single_turn = CATEGORIES[category].single_turn
    if single_turn or not isinstance(result, list):
        return convert(result, not single_turn)
    return [
        [_step(step, convert) for step in turn] if isinstance(turn, list) else convert(turn, True)
        for turn in result
    ]


def _step(stored: Json, convert: Convert) -> Json:
    """The uniform form of a step; without calls its text, which may be the answer to a question."""
    uniform = convert(stored, True)
    return uniform if uniform != [] else stored


_NUMBERS = {
    "input_token_count": "input_tokens",
    "output_token_count": "output_tokens",
    "latency": "latency_seconds",
}
"""The official keys for tokens and latency, and the fields of a step with their values."""


@dataclass(frozen=True, slots=True)
class Target:
    """An official model, under which answers are exported."""

    name: str
    mode: Mode  # of the answers that can be written
    restore: Restore  # writes an answer in the form of its handler
    style: NameStyle  # of the names of functions


def result_line(response: Response, entry: Entry, target: Target) -> str:
    """The line of an answered `response` to `entry`, in ASCII, without line feed."""
    result = json.loads(response.result_json or "null")
    if CATEGORIES[response.category].single_turn:
        stored = target.restore(_renamed(result, response, entry, target.style))
        numbers = _totals(response)
    else:
        stored = _of_steps(result, target.restore)
        numbers = _by_turn(response, len(result) if isinstance(result, list) else 0)
    return json.dumps({"id": response.entry_id, "result": stored, **numbers})


def _of_steps(result: Json, restore: Restore) -> Json:
    """A conversation (turns of steps) in the form of the handler."""
    if not isinstance(result, list):
        return result
    return [[restore(step) for step in turn] if isinstance(turn, list) else turn for turn in result]


def _renamed(result: Json, response: Response, entry: Entry, style: NameStyle) -> Json:
    """Native calls with the functions of the entry named in `style`; text is unchanged.

    Only functions of single-turn entries have dots in their names.
    """
    current = response.name_style or default_style(response.mode)
    if response.mode is not Mode.FC or current is style or not isinstance(result, list):
        return result
    dotted = [str(doc["name"]) for doc in entry.functions]
    pairs = [(name.replace(".", "_"), name) for name in dotted]
    names = dict(pairs if style is NameStyle.DOTTED else [(after, before) for before, after in pairs])
    return [
        {names.get(name, name): arguments for name, arguments in call.items()}
        if isinstance(call, Mapping)
        else call
        for call in result
    ]


def _totals(response: Response) -> dict[str, Json]:
    """Tokens and latency of the exchange; null if unknown."""
    exchange = response.steps[0] if response.steps else response
    return {key: getattr(exchange, field) for key, field in _NUMBERS.items()}


def _by_turn(response: Response, turns: int) -> dict[str, Json]:
    """Tokens and latency of each exchange by turn and step; null if unknown, empty without steps."""
    if not response.steps:
        return {}
    turns = max(turns, response.steps[-1].turn + 1)
    steps = [[step for step in response.steps if step.turn == turn] for turn in range(turns)]
    return {
        key: [[getattr(step, field) for step in turn] for turn in steps] for key, field in _NUMBERS.items()
    }
