"""Calls in the native result form `[{name: arguments as JSON text}]`, in normal and malformed variants.

Covers the form itself: other values in place of the list, the item, the name and the arguments.
"""

from __future__ import annotations

import json
import random
from collections.abc import Callable
from typing import Any

from tests.peer.variant_calls import Calls, PlainCall
from tests.peer.variant_text import restyled


def arguments_text(call: PlainCall) -> str:
    """The arguments as a JSON object; an argument that occurs twice is a duplicate key."""
    pairs = (f"{json.dumps(name)}: {json.dumps(_plain(value))}" for name, value in call.arguments)
    return "{" + ", ".join(pairs) + "}"


def _plain(value: Any) -> Any:
    """`value` with the sets, bytes and odd keys that JSON lacks as text."""
    if isinstance(value, dict):
        return {
            k if isinstance(k, (str, int, float, type(None))) else repr(k): _plain(v)
            for k, v in value.items()
        }
    if isinstance(value, (list, tuple)):
        return [_plain(item) for item in value]
    return value


def write(calls: Calls) -> list[dict[str, str]]:
    """The official native form."""
    return [{call.name: arguments_text(call)} for call in calls]


def _items(form: Callable[[PlainCall, random.Random], Any]) -> Callable[[Calls, random.Random], Any]:
    return lambda calls, rng: [form(call, rng) for call in calls]


def _arguments(form: Callable[[str, random.Random], Any]) -> Callable[[Calls, random.Random], Any]:
    """Every call with its arguments text changed by `form`."""
    return lambda calls, rng: [{call.name: form(arguments_text(call), rng)} for call in calls]


def _some_item(item: Any) -> Callable[[Calls, random.Random], Any]:
    """The calls with `item` put among them."""

    def oddity(calls: Calls, rng: random.Random) -> Any:
        items: list[Any] = list(write(calls))
        items.insert(rng.randrange(len(items) + 1), item)
        return items

    return oddity


def _fixed(*results: Any) -> Callable[[Calls, random.Random], Any]:
    return lambda calls, rng: rng.choice(results)


_OTHER_ARGUMENTS = (
    "",
    " ",
    "null",
    "[]",
    "[{}]",
    "{",
    "}",
    "{}",
    '"text"',
    "5",
    "true",
    "text",
    "NaN",
    "Infinity",
    '{"a": NaN}',
    '{"a": -Infinity}',
    "{'a': 1}",
    '{"a": 1,}',
    "{a: 1}",
    '{"a": 1} trailing',
    '{"a": 1}{"b": 2}',
    "// comment\n{}",
    '{"a": 1, "a": 2}',
    '\ufeff{"a": 1}',
    '{"": 1}',
    '{"a": "\\ud800"}',
    '{"a": "\x01"}',
    '{"a": "\t"}',
    "[[1, 2]]",
    '[["a", 1]]',
    "{}\n",
    "\n{}",
    "0",
    '""',
    '{"a": 1e999}',
    '{"a": 01}',
    '{"a": 1.}',
    '{"a": .5}',
    '{"a": +1}',
    '{"a": 0x1F}',
    '{"a": True}',
    '{"a": None}',
    '{"a": ' + "9" * 5000 + "}",
    "[" * 200 + "]" * 200,
    '{"a":' * 200 + "1" + "}" * 200,
    "```json\n{}\n```",
)

STYLES: dict[str, Callable[[Calls, random.Random], Any]] = {
    "plain": lambda calls, rng: write(calls),
    "compact": _arguments(lambda text, rng: json.dumps(json.loads(text), separators=(",", ":"))),
    "indented": _arguments(lambda text, rng: json.dumps(json.loads(text), indent=2)),
    "ascii_off": _arguments(lambda text, rng: json.dumps(json.loads(text), ensure_ascii=False)),
    "arguments_object": _arguments(lambda text, rng: json.loads(text)),
    "arguments_list": _arguments(lambda text, rng: f"[{text}]"),
    "arguments_values": _arguments(lambda text, rng: json.dumps(list(json.loads(text).values()))),
    "arguments_pairs": _arguments(lambda text, rng: json.dumps(list(json.loads(text).items()))),
    "arguments_twice_encoded": _arguments(lambda text, rng: json.dumps(text)),
    "arguments_wrapped": _arguments(
        lambda text, rng: f'{{"{rng.choice(("parameters", "arguments", "kwargs", "args"))}": {text}}}'
    ),
    "arguments_restyled": _arguments(lambda text, rng: restyled(text, rng, 1)[0]),
    "arguments_python": _arguments(lambda text, rng: repr(json.loads(text))),
    "arguments_other": _arguments(lambda text, rng: rng.choice(_OTHER_ARGUMENTS)),
    "arguments_not_text": _arguments(lambda text, rng: rng.choice((None, 5, True, [], {}, [text], 1.5))),
    "arguments_twice": _arguments(lambda text, rng: text + rng.choice(("", "\n", ",")) + text),
    "values_as_text": _items(
        lambda call, rng: {
            call.name: json.dumps(
                {n: v if isinstance(v, str) else json.dumps(_plain(v)) for n, v in call.arguments}
            )
        }
    ),
    "named_item": _items(lambda call, rng: {"name": call.name, "arguments": arguments_text(call)}),
    "function_item": _items(
        lambda call, rng: {
            "type": "function",
            "function": {"name": call.name, "arguments": arguments_text(call)},
        }
    ),
    "two_keys": _items(
        lambda call, rng: {call.name: arguments_text(call), "id": rng.choice(("call_1", "{}", None))}
    ),
    "id_first": _items(
        lambda call, rng: {"id": rng.choice(("call_1", "{}", None)), call.name: arguments_text(call)}
    ),
    "item_text": _items(lambda call, rng: f"{call.name}({arguments_text(call)})"),
    "item_json_text": _items(lambda call, rng: json.dumps({call.name: arguments_text(call)})),
    "item_list": _items(lambda call, rng: [call.name, arguments_text(call)]),
    "nested_list": lambda calls, rng: [write(calls)],
    "one_item_for_all": lambda calls, rng: [{call.name: arguments_text(call) for call in calls}],
    "object": lambda calls, rng: {call.name: arguments_text(call) for call in calls},
    "empty_item": _some_item({}),
    "null_item": _some_item(None),
    "text_item": _some_item("text"),
    "list_item": _some_item([]),
    "number_item": _some_item(1),
    "empty_name_item": _some_item({"": "{}"}),
    "json_text": lambda calls, rng: json.dumps(write(calls)),
    "truncated_text": lambda calls, rng: restyled(json.dumps(write(calls)), rng, 1)[0],
    "other": _fixed(
        None,
        "",
        " ",
        "text",
        "I cannot help with that.",
        [],
        {},
        [[]],
        [{}],
        [None],
        [""],
        ["text"],
        ["a", "b"],
        0,
        1,
        1.5,
        True,
        False,
        [1],
        [[{}]],
        {"a": "{}"},
        {"": ""},
        [{"": ""}],
        [{"": "{}"}],
        "[]",
        "{}",
        [{"f": "{}"}],
        [{"f": "{}"}, {"f": "{}"}],
        [{"f": '{"x": 1}'}],
        [{"f": {}}],
        [{"f": None}],
        [{"f": "null"}],
        [{"f": "[]"}],
        [{"f": "[]"}, {"f": "{}"}],
        [{"f": "{}", "g": "{}"}],
        "f(x=1)",
        ["f(x=1)"],
        "Error during inference: timeout",
    ),
}
"""Every way to put calls into the native form, by name. Python text as arguments arises from the values."""
