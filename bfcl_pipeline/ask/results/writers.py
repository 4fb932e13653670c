"""Writing calls in the forms of official handlers: the inverse of `results.forms`.

The uniform form of native calls is a list of {name: arguments as JSON text}; a text stays a text in every
form. Arguments that are not a JSON object stay text, which no handler can decode: as in the uniform form,
the answer then contains no calls.
"""

import json
from collections.abc import Mapping

from bfcl_pipeline.base.text import loaded_json
from bfcl_pipeline.benchmark.records import Json


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
