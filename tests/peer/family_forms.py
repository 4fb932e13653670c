"""Calls written as models of each official family write them, in normal and unusual forms.

Covers the writing of calls and the marks around them; `family_answers` chooses the calls, and restyles and
cuts the texts.
"""

from __future__ import annotations

import json
import random
from collections.abc import Callable, Mapping
from typing import Any

from tests.peer import variant_python
from tests.peer.variant_calls import Calls, PlainCall
from tests.peer.variant_native import arguments_text

Form = Callable[[Calls, random.Random], str]
"""Calls as text. With a generator that is drawn from, so that some of them are unusual."""

ODD = 0.06  # share of the objects of calls that are unusual

ODD_ARGUMENTS = (
    "null",
    "[]",
    "[1]",
    '"text"',
    "3",
    "true",
    '"{}"',
    '"{\\"a\\": 1}"',
    "{}",
    "NaN",
    "{'a': 1}",
)
ODD_NAMES = ("null", "1", "true", "[]", "{}", '""', '" "', '"a b"', '"no_function"', '"f(x=1)"', '"self.f"')
ODD_OBJECTS = (
    "null", "1", "[]", "{}", '"text"', "[{}]", "true", '"1 + 1"', '"dict(name=1)"', '{"name": "f"}',
    '{"arguments": {}}', '{"parameters": {}}', '"{\\"name\\": \\"f\\", \\"arguments\\": {}}"',
    "\"{'name': 'f', 'arguments': {'a': True}}\"", '{"tool_calls": []}', "(1)", "{1: 2}", "{'name': 'f'}",
)  # fmt: skip


def pair(call: PlainCall, rng: random.Random, arguments: str = "arguments") -> str:
    """A JSON object with the name and the arguments of a call; some have odd values, keys or order."""
    name, values = json.dumps(call.name), arguments_text(call)
    if rng.random() >= ODD:
        return f'{{"name": {name}, "{arguments}": {values}}}'
    match rng.randrange(12):
        case 0:
            return f'{{"name": {rng.choice(ODD_NAMES)}, "{arguments}": {values}}}'
        case 1 | 2:
            return f'{{"name": {name}, "{arguments}": {rng.choice(ODD_ARGUMENTS)}}}'
        case 3:
            return rng.choice(ODD_OBJECTS)
        case 4:
            return f'{{"{arguments}": {values}, "name": {name}}}'
        case 5:
            return f'{{"name": {name}, "{arguments}": {values}, "type": "function"}}'
        case 6:
            return f'{{"{rng.choice(("function", "Name", "tool"))}": {name}, "{arguments}": {values}}}'
        case 7:
            return f'{{"name": {name}, "{rng.choice(("arguments", "parameters", "args"))}": {values}}}'
        case 8:
            return json.dumps(f'{{"name": {name}, "{arguments}": {values}}}')
        case 9:
            return repr({"name": call.name, arguments: dict(call.arguments)})
        case 10:
            return f'{{"name": {name}, "{arguments}": {json.dumps(values)}}}'
        case _:
            return f'{{"name": {name}, "{arguments}": {values}, "name": {name}}}'


def _pairs(calls: Calls, rng: random.Random, arguments: str = "arguments") -> list[str]:
    return [pair(call, rng, arguments) for call in calls]


def _one_of(*choices: str) -> Callable[[random.Random], str]:
    """The first choice mostly, else any of them."""
    return lambda rng: choices[0] if rng.random() < 0.85 else rng.choice(choices)


_SEPARATOR = _one_of(", ", ",", ",\n", "; ", ";", "\n", " ", "")


def json_list(calls: Calls, rng: random.Random, arguments: str = "arguments") -> str:
    """A JSON list; mostly of one line, sometimes without brackets or with another separator."""
    inner = _SEPARATOR(rng).join(_pairs(calls, rng, arguments))
    return _one_of("[{}]", "{}", "[\n  {}\n]", "[[{}]]", " [{}] ", "[{}],", '{{"tool_calls": [{}]}}')(
        rng
    ).format(inner)


def fenced_list(calls: Calls, rng: random.Random) -> str:
    """A JSON list between marks of code, sometimes."""
    return _one_of("{}", "```{}```", "```\n{}\n```", "```json\n{}\n```", "{}```")(rng).format(
        json_list(calls, rng)
    )


def tagged_each(calls: Calls, rng: random.Random) -> str:
    """Each call between tags on lines of their own."""
    opening = _one_of(
        "<tool_call>\n", "<tool_call>", "<tool_call>\n\n", "<tool_calls>\n", "<TOOL_CALL>\n", ""
    )
    closing = _one_of("\n</tool_call>", "</tool_call>", "\n</tool_call", "\n\n</tool_call>", "")
    between = _one_of("\n", "", " and ", "\n\n")
    parts = [f"{opening(rng)}{text}{closing(rng)}" for text in _pairs(calls, rng)]
    return between(rng).join(parts)


def tagged_list(calls: Calls, rng: random.Random) -> str:
    """A JSON list between one pair of tags."""
    opening = _one_of("<tool_call>\n", "<tool_call>", "<tool_call>```json\n", "<tool_call> ", "")
    closing = _one_of("\n</tool_call>", "</tool_call>", "\n```</tool_call>", "")
    return f"{opening(rng)}{json_list(calls, rng)}{closing(rng)}"


def marked_list(calls: Calls, rng: random.Random) -> str:
    """A list after a special token, which may end with another."""
    opening = _one_of("<|tool_call|>", "<tool_call>", "ASSISTANT: <tool_call>", "<|tool_call|>\n", "")
    closing = _one_of("<|/tool_call|>", "", "</tool_call>", "<|/tool_call|><|end|>", "\n")
    return f"{opening(rng)}{json_list(calls, rng)}{closing(rng)}"


def marked_each(calls: Calls, rng: random.Random) -> str:
    """Several lists, each between special tokens."""
    return "".join(marked_list([call], rng) for call in calls)


def semicolons(calls: Calls, rng: random.Random) -> str:
    """Objects with parameters between semicolons or commas, after the token of code."""
    objects = _one_of("; ", ";", ", ", "\n")(rng).join(_pairs(calls, rng, "parameters"))
    if rng.random() < 0.4:
        objects = json_list(calls, rng, "parameters")
    if rng.random() < 0.15:
        objects = repr([{"name": call.name, "parameters": dict(call.arguments)} for call in calls])
    return _one_of("", "<|python_tag|>", "<|python_tag|><|python_tag|>", " ")(rng) + objects


def after_function_call(calls: Calls, rng: random.Random) -> str:
    """Objects, each after a mark."""
    opening = _one_of("<function_call> ", "<function_call>", "<|function_call|>", "")
    return _one_of("\n", "", " ")(rng).join(opening(rng) + text for text in _pairs(calls, rng))


def name_and_line(calls: Calls, rng: random.Random) -> str:
    """The name on one line, the arguments on the next."""
    parts = []
    for call in calls:
        values = arguments_text(call) if rng.random() >= 2 * ODD else rng.choice(ODD_ARGUMENTS)
        parts.append(
            _one_of("{}\n{}", "{} {}", "{}\n\n{}", " {}\n {}\n", "{}", "{}\n")(rng).format(
                call.name, values
            )
        )
    return "\n".join(parts)


def escaped_values(calls: Calls, rng: random.Random) -> str:
    """Calls in FunctionGemma's own notation, with escaped texts."""
    parts = []
    for call in calls:
        opening = _one_of("<start_function_call>", "<start_function_call> ", "<start_function_calls>", "")(
            rng
        )
        closing = _one_of("<end_function_call>", "", "<end_function_call>\n", "<end_function_calls>")(rng)
        inner = ",".join(f"{_bare(name, rng)}:{_escaped(value, rng)}" for name, value in call.arguments)
        body = _one_of("{{{}}}", "{{ {} }}", "{{{}", "{}", "({})", "{{{}}}}}", "{{{{{}}}}}", "[{}]", "")(
            rng
        )
        call_mark = _one_of("call:", "call: ", "", "Call:")(rng)
        parts.append(f"{opening}{call_mark}{call.name}{body.format(inner)}{closing}")
    return _one_of("", "\n", " ")(rng).join(parts)


def _bare(name: str, rng: random.Random) -> str:
    return _one_of("{}", "<escape>{}<escape>", " {} ", "<escape>{}", '"{}"')(rng).format(name)


def _escaped(value: Any, rng: random.Random) -> str:
    match value:
        case None | bool():
            return json.dumps(value) if rng.random() < 0.9 else str(value)
        case str():
            return _one_of("<escape>{}<escape>", "{}", "<escape>{}", '"{}"', "<escape>{}<escape> <escape>")(
                rng
            ).format(value)
        case list() | tuple():
            return f"[{','.join(_escaped(item, rng) for item in value)}]"
        case dict():
            inner = ",".join(f"{_bare(str(k), rng)}:{_escaped(v, rng)}" for k, v in value.items())
            return f"{{{inner}}}"
        case _:
            return str(value)


def python_block(calls: Calls, rng: random.Random) -> str:
    """A block of Python with a call a line, between special tokens, after a thought."""
    style = "plain" if rng.random() < 0.8 else rng.choice(list(variant_python.STYLES))
    lines = "\n".join(variant_python.STYLES[style]([call], rng).strip()[1:-1] for call in calls)
    opening = _one_of(
        "<|tool_call_start|>\n```python\n",
        "<|tool_call_start|>",
        "<|tool_call_start|>\n```\n",
        "```python\n",
    )(rng)
    closing = _one_of("\n```\n<|tool_call_end|>", "<|tool_call_end|>", "\n```", "\n<|tool_call_end|>\n")(
        rng
    )
    thought = _one_of(
        "", "<|thought_start|>\nI call it.\n<|thought_end|>\n", "<|thought_start|>", "<|thought_end|>"
    )
    after = _one_of("", "\nDone.", "<|im_end|>")
    return f"{thought(rng)}{opening}{lines}{closing}{after(rng)}"


def python_list(calls: Calls, rng: random.Random) -> str:
    """A Python list of calls, in a named block sometimes."""
    style = "plain" if rng.random() < 0.6 else rng.choice(list(variant_python.STYLES))
    text = variant_python.STYLES[style](calls, rng)
    return _one_of("{}", "```json{}", "```python\n{}\n```", " ```python{}", "```json\n{}```")(rng).replace(
        "{}", text
    )


def after_thought(calls: Calls, rng: random.Random) -> str:
    """A JSON list after a closed thought."""
    thought = _one_of(
        "<think>\nhm\n</think>\n", "hm</think>", "<think>it's</think>", "", "</think></think>"
    )
    return thought(rng) + json_list(calls, rng)


FORMS: Mapping[str, tuple[Form, ...]] = {
    "ArchHandler": (tagged_each,),
    "BielikHandler": (python_list,),
    "BitAgentHandler": (json_list,),
    "DeepseekReasoningHandler": (python_list,),
    "Falcon3FCHandler": (tagged_list, tagged_each),
    "FunctionGemmaHandler": (escaped_values,),
    "GLMHandler": (name_and_line,),
    "GemmaHandler": (python_list,),
    "Granite3FCHandler": (marked_list, marked_each, tagged_each),
    "Granite4FCHandler": (tagged_each,),
    "GraniteFunctionCallingHandler": (after_function_call,),
    "HammerHandler": (fenced_list,),
    "LlamaHandler": (python_list,),
    "LlamaHandler_3_1": (semicolons,),
    "MiniCPMFCHandler": (python_block,),
    "MiniCPMHandler": (python_list,),
    "MistralFCHandler": (json_list,),
    "NanbeigeFCHandler": (tagged_each,),
    "PelicanVLFCHandler": (tagged_each,),
    "PhiFCHandler": (marked_list, marked_each),
    "PhiHandler": (python_list,),
    "QwenFCHandler": (tagged_each,),
    "QwenHandler": (python_list,),
    "SalesforceLlamaHandler": (json_list, semicolons),
    "SalesforceQwenHandler": (json_list, semicolons),
    "ThinkAgentHandler": (after_thought,),
}
"""How the models of each official handler write calls. The keys are all handlers of open weights."""
