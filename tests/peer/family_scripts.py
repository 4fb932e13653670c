"""The answers of a scripted open-weight model in its family's own form, deterministic.

Covers what `conversation_scripts` and `agentic_conversation_scripts` plan, written as models of each
official handler write it: calls in tags, JSON, Python or marks; with reasoning or text before them, cut
off, with one character missing, or in the form of another family. A single turn has one such answer.
"""

from __future__ import annotations

import json
import random
from collections.abc import Callable, Mapping, Sequence
from typing import Any, TypeAlias

from bfcl_pipeline.benchmark.records import Entry, Json, Mode
from bfcl_pipeline.dialogue.prompts import WireFormat
from tests.peer.agentic_conversation_scripts import agentic_script
from tests.peer.conversation_scripts import Answer, script

Calls: TypeAlias = Sequence[tuple[str, str]]
"""Names and arguments as JSON text, which may be broken."""

_THOUGHTS = ("The user wants this.", "I need\n\ntwo steps – é.", "", "<tool_call> is a tag.", "a</think>b")
_TEXTS = ("Let me see: é.", "I'll do it.\n", "[ls()]", "ASSISTANT: ", "Sure; now:\n\n")
_ENDINGS = ("Done.", "", "None", "[]", 'It\'s "so".\n', "Which folder?", "no_function", "a\nb")


def _object(name: str, arguments: str, key: str = "arguments") -> str:
    return f'{{"name": {json.dumps(name)}, "{key}": {arguments}}}'


def _objects(calls: Calls, key: str = "arguments") -> list[str]:
    return [_object(name, arguments, key) for name, arguments in calls]


def _python(calls: Calls) -> list[str]:
    return [f"{name}({_keywords(arguments)})" for name, arguments in calls]


def _keywords(arguments: str) -> str:
    try:
        read = json.loads(arguments)
    except ValueError:
        return arguments
    if not isinstance(read, dict):
        return arguments
    return ", ".join(f"{key}={value!r}" for key, value in read.items())


def _tags(calls: Calls) -> str:
    return "\n".join(f"<tool_call>\n{each}\n</tool_call>" for each in _objects(calls))


def _json_list(calls: Calls) -> str:
    return f"[{', '.join(_objects(calls))}]"


def _semicolons(calls: Calls) -> str:
    return "; ".join(_objects(calls))


def _parameters(calls: Calls) -> str:
    return "<|python_tag|>" + "; ".join(_objects(calls, "parameters"))


def _parameters_list(calls: Calls) -> str:
    return f"[{', '.join(_objects(calls, 'parameters'))}]"


def _python_list(calls: Calls) -> str:
    return f"[{', '.join(_python(calls))}]"


def _fenced_python(calls: Calls) -> str:
    return f"```python\n{_python_list(calls)}\n```"


def _fenced_json(calls: Calls) -> str:
    return f"```\n{_json_list(calls)}\n```"


def _after_thinking(calls: Calls) -> str:
    return f"<think>I call.</think>{_json_list(calls)}"


def _marked(calls: Calls) -> str:
    return f"<|tool_call|>{_json_list(calls)}"


def _tag_and_list(calls: Calls) -> str:
    return f"<tool_call>{_json_list(calls)}</tool_call>"


def _enclosed(calls: Calls) -> str:
    return f"<|tool_call|>{_json_list(calls)}<|/tool_call|>"


def _prefixed(calls: Calls) -> str:
    return "\n".join(f"<function_call> {each}" for each in _objects(calls))


def _lines(calls: Calls) -> str:
    return "\n".join(f"{name}\n{arguments}" for name, arguments in calls)


def _code(calls: Calls) -> str:
    code = "\n".join(_python(calls))
    return f"<|tool_call_start|>\n```python\n{code}\n```\n<|tool_call_end|>\n"


def _thought_and_code(calls: Calls) -> str:
    return f"<|thought_start|>\nI call.\n<|thought_end|>\n{_code(calls)}Here."


def _escaped(calls: Calls) -> str:
    return "".join(
        f"<start_function_call>call:{name}{_escaped_value(arguments)}<end_function_call>"
        for name, arguments in calls
    )


def _escaped_value(arguments: str) -> str:
    try:
        return _marks(json.loads(arguments))
    except ValueError:
        return arguments


def _marks(value: Any) -> str:
    match value:
        case dict():
            return "{" + ",".join(f"{key}:{_marks(item)}" for key, item in value.items()) + "}"
        case list():
            return "[" + ",".join(map(_marks, value)) + "]"
        case str():
            return f"<escape>{value}<escape>"
        case _:
            return json.dumps(value)


FORMS: Mapping[str, tuple[Callable[[Calls], str], ...]] = {
    "ArchHandler": (_tags,),
    "BielikHandler": (_python_list,),
    "BitAgentHandler": (_json_list, _semicolons),
    "DeepseekReasoningHandler": (_python_list, _fenced_python),
    "Falcon3FCHandler": (_tag_and_list, _tags),
    "FunctionGemmaHandler": (_escaped,),
    "GLMHandler": (_lines,),
    "GemmaHandler": (_python_list, _fenced_python),
    "Granite3FCHandler": (_marked, _tag_and_list),
    "Granite4FCHandler": (_tags,),
    "GraniteFunctionCallingHandler": (_prefixed,),
    "HammerHandler": (_json_list, _fenced_json),
    "LlamaHandler": (_python_list, _fenced_python),
    "LlamaHandler_3_1": (_parameters, _parameters_list),
    "MiniCPMFCHandler": (_code, _thought_and_code),
    "MiniCPMHandler": (_python_list,),
    "MistralFCHandler": (_json_list,),
    "NanbeigeFCHandler": (_tags,),
    "PelicanVLFCHandler": (_tags,),
    "PhiFCHandler": (_enclosed, _marked),
    "PhiHandler": (_fenced_python, _python_list),
    "QwenFCHandler": (_tags,),
    "QwenHandler": (_python_list,),
    "SalesforceLlamaHandler": (_json_list, _semicolons),
    "SalesforceQwenHandler": (_json_list, _semicolons),
    "ThinkAgentHandler": (_after_thinking,),
}
"""How models of each official handler write calls."""


def texts_of(handler: str, entry: Entry, family: str) -> list[str]:
    """The answers of a model of `family`, whose official handler has that name, over `entry`."""
    rng = random.Random(f"{family} {entry.entry_id}")
    seed = rng.randrange(2**32)
    if entry.apis and entry.category.startswith("multi_turn"):
        planned = script(entry, Mode.FC, WireFormat.OPENAI_CHAT, seed)
    elif entry.apis:
        planned = agentic_script(entry, Mode.FC, WireFormat.OPENAI_CHAT, seed)
    else:
        planned = [_single(rng, entry)]
    if (
        entry.prerequisite
    ):  # spoilt answers stop some official handlers, and then a session leaves no memory
        return [_unspoilt(rng, handler, answer) for answer in planned]
    return [_text(rng, handler, answer) for answer in planned]


def _single(rng: random.Random, entry: Entry) -> Answer:
    """One answer to a single turn: calls of its functions, or a text."""
    if rng.random() < 0.1 or not entry.functions:
        return Answer(rng.choice(_ENDINGS))
    docs = rng.choices(entry.functions, k=rng.choice((1, 1, 2, 3)))
    calls = []
    for doc in docs:
        parameters = doc["parameters"]["properties"]
        calls.append((doc["name"], json.dumps({name: _value(rng) for name in parameters})))
    return Answer(None, tuple(calls))


def _value(rng: random.Random) -> Json:
    return rng.choice((1, -2.5, True, None, "a b", 'it\'s "x" é', [1, "a"], {"a": {"b": []}}, ""))


def _text(rng: random.Random, handler: str, answer: Answer) -> str:
    """An answer as the family writes it, here and there spoilt."""
    kind = rng.random()
    if not answer.calls:
        if handler == "GraniteFunctionCallingHandler" and kind < 0.9:
            return ""  # nothing else ends a turn
        text = rng.choice((answer.text or "", rng.choice(_ENDINGS)))
        return _thought(rng) + text if kind < 0.3 else text
    forms = FORMS[rng.choice(sorted(FORMS))] if kind < 0.03 else FORMS[handler]
    text = rng.choice(forms)(answer.calls)
    if 0.03 <= kind < 0.25:
        text = _thought(rng) + text
    elif kind < 0.35:
        text = rng.choice(_TEXTS) + text
    elif kind < 0.4:
        text += rng.choice(_TEXTS)
    elif kind < 0.43:
        text = text[: rng.randrange(len(text))]
    elif kind < 0.46:
        place = rng.randrange(len(text))
        text = text[:place] + text[place + 1 :]
    return text


def _unspoilt(rng: random.Random, handler: str, answer: Answer) -> str:
    """An answer as the family writes it, without calls that cannot be read."""
    if answer.calls and all(_readable(arguments) for _, arguments in answer.calls):
        return rng.choice(FORMS[handler])(answer.calls)
    return rng.choice(_ENDINGS)


def _readable(arguments: str) -> bool:
    try:
        return isinstance(json.loads(arguments), dict)
    except ValueError:
        return False


def _thought(rng: random.Random) -> str:
    opening = rng.choice(("<think>\n", "<think>", "", "\n<think>"))
    end = rng.choice(("</think>", "\n</think>\n\n", "</think>\n"))
    return f"{opening}{rng.choice(_THOUGHTS)}{end}"
