"""Calls written as the JSON list that some prompts require, in normal and unusual forms."""

from __future__ import annotations

import json
import random
from collections.abc import Callable
from typing import Any

from tests.peer.variant_calls import Calls, PlainCall
from tests.peer.variant_native import arguments_text

Style = Callable[[Calls, random.Random], str]


def _json(call: PlainCall, name: str = "function", arguments: str = "parameters") -> str:
    return (
        f"{{{json.dumps(name)}: {json.dumps(call.name)}, {json.dumps(arguments)}: {arguments_text(call)}}}"
    )


def _json_list(form: Callable[[PlainCall, random.Random], str], separator: str = ", ") -> Style:
    return lambda calls, rng: "[" + separator.join(form(call, rng) for call in calls) + "]"


def _json_with(name: Any, parameters: Any) -> str:
    return json.dumps([{"function": name, "parameters": parameters}])


STYLES: dict[str, Style] = {
    "plain": _json_list(lambda call, rng: _json(call)),
    "indented": lambda calls, rng: json.dumps(json.loads(STYLES["plain"](calls, rng)), indent=2),
    "lines": _json_list(lambda call, rng: _json(call), ",\n\n  "),
    "no_brackets": lambda calls, rng: ", ".join(map(_json, calls)),
    "object_only": lambda calls, rng: _json(calls[0]) if calls else "{}",
    "json_lines": lambda calls, rng: "\n".join(map(_json, calls)),
    "several_lists": lambda calls, rng: "\n".join(f"[{_json(call)}]" for call in calls),
    "lists_then_text": lambda calls, rng: f"{STYLES['plain'](calls, rng)} or [{{}}] or ]",
    "text_then_list": lambda calls, rng: f"the list [1] is {STYLES['plain'](calls, rng)}",
    "nested": lambda calls, rng: f"[{STYLES['plain'](calls, rng)}]",
    "wrapped": lambda calls, rng: f'{{"tool_calls": {STYLES["plain"](calls, rng)}}}',
    "other_keys": _json_list(
        lambda call, rng: _json(
            call, rng.choice(("name", "Function", "tool")), rng.choice(("arguments", "parameters", "args"))
        )
    ),
    "native": _json_list(lambda call, rng: f"{{{json.dumps(call.name)}: {arguments_text(call)}}}"),
    "extra_key": _json_list(lambda call, rng: _json(call)[:-1] + ', "id": 1}'),
    "no_parameters": _json_list(lambda call, rng: f'{{"function": {json.dumps(call.name)}}}'),
    "no_function": _json_list(lambda call, rng: f'{{"parameters": {arguments_text(call)}}}'),
    "duplicate_keys": _json_list(
        lambda call, rng: _json(call)[:-1] + f', "{rng.choice(("function", "parameters"))}": {{}}}}'
    ),
    "odd_function": lambda calls, rng: _json_with(rng.choice((None, 1, True, [], {}, ["a"], "", 1.5)), {}),
    "odd_parameters": lambda calls, rng: _json_with(
        calls[0].name if calls else "f", rng.choice((None, 1, "x", [], [1], {}, "{}", [["a", 1]]))
    ),
    "parameters_text": _json_list(
        lambda call, rng: (
            f'{{"function": {json.dumps(call.name)}, "parameters": {json.dumps(arguments_text(call))}}}'
        )
    ),
    "mixed_items": _json_list(
        lambda call, rng: f"{_json(call)}, {rng.choice(('null', '1', '[]', '{}', chr(34) + 'x' + chr(34)))}"
    ),
    "single_quotes": lambda calls, rng: repr(
        [{"function": c.name, "parameters": dict(c.arguments)} for c in calls]
    ),
    "trailing_comma": lambda calls, rng: STYLES["plain"](calls, rng)[:-1] + ",]",
    "comment": _json_list(lambda call, rng: f"{_json(call)} // call\n"),
    "nan": _json_list(lambda call, rng: _json(call).replace('": {', '": {"x": NaN, ', 1)),
    "spaced": lambda calls, rng: (
        STYLES["plain"](calls, rng).replace("{", "\n{ ").replace("[", "[\n ").replace("}", " }\n")
    ),
    "nothing": lambda calls, rng: rng.choice(
        (
            "",
            "[]",
            "[{}]",
            "{}",
            "null",
            "[null]",
            "1",
            "[1]",
            '"x"',
            "true",
            "[[]]",
            "[",
            "]",
            "][",
            "[{]",
            "NaN",
            "[{},{}]",
        )
    ),
}
"""Every way to write a list of calls as JSON, by name."""
