"""Calls written as Python text, plainly and in every odd way.

Covers Python syntax. Fences, prose, truncation and the like, which know no language, are `variant_text`.
"""

from __future__ import annotations

import json
import random
from collections.abc import Callable
from typing import Any

from tests.peer.variant_calls import Calls, PlainCall
from tests.peer.variant_values import EXPRESSIONS, Code


def value_text(value: Any) -> str:
    """`value` as a Python literal, `Code` inside it bare."""
    if isinstance(value, Code):
        return str(value)
    if isinstance(value, list):
        return "[" + ", ".join(map(value_text, value)) + "]"
    if isinstance(value, tuple):
        return "(" + ", ".join(map(value_text, value)) + ("," if len(value) == 1 else "") + ")"
    if isinstance(value, dict):
        return "{" + ", ".join(f"{value_text(k)}: {value_text(v)}" for k, v in value.items()) + "}"
    return repr(value)


def call_text(call: PlainCall) -> str:
    """`name(key=value, ...)`."""
    return f"{call.name}({', '.join(f'{name}={value_text(value)}' for name, value in call.arguments)})"


def write(calls: Calls) -> str:
    """The form that prompts require: a list of calls."""
    return "[" + ", ".join(map(call_text, calls)) + "]"


def _joined(separator: str, before: str = "", after: str = "") -> Callable[[Calls, random.Random], str]:
    return lambda calls, rng: before + separator.join(map(call_text, calls)) + after


def _each(form: str) -> Callable[[Calls, random.Random], str]:
    """Every call through a template with one `{}`."""
    return lambda calls, rng: "[" + ", ".join(form.replace("{}", call_text(call)) for call in calls) + "]"


def _with_arguments(
    arguments: Callable[[PlainCall, random.Random], str],
) -> Callable[[Calls, random.Random], str]:
    """Every call with its argument list written by `arguments`."""
    return lambda calls, rng: "[" + ", ".join(f"{c.name}({arguments(c, rng)})" for c in calls) + "]"


def _pairs(form: str, separator: str = ", ") -> Callable[[PlainCall, random.Random], str]:
    return lambda call, rng: separator.join(form.format(n=n, v=value_text(v)) for n, v in call.arguments)


def _positional(call: PlainCall, rng: random.Random) -> str:
    first = rng.randrange(len(call.arguments) + 1)
    texts = [
        value_text(v) if i < first else f"{n}={value_text(v)}" for i, (n, v) in enumerate(call.arguments)
    ]
    return ", ".join(texts)


def _misplaced_positional(call: PlainCall, rng: random.Random) -> str:
    texts = [f"{n}={value_text(v)}" for n, v in call.arguments]
    return ", ".join([*texts, rng.choice(("1", "*x", "**x", "x for x in y", "**{'a': 1}", "*[1]"))])


def _one_unpacked(call: PlainCall, rng: random.Random) -> str:
    return f"**{value_text(dict(call.arguments))}"


def _one_dict(call: PlainCall, rng: random.Random) -> str:
    return value_text(dict(call.arguments))


def _json_values(call: PlainCall, rng: random.Random) -> str:
    return ", ".join(f"{n}={json.dumps(v)}" for n, v in call.arguments)


def _double_quoted(call: PlainCall, rng: random.Random) -> str:
    return ", ".join(
        f'{n}="{v}"' if isinstance(v, str) else f"{n}={value_text(v)}" for n, v in call.arguments
    )


def _single_quoted(call: PlainCall, rng: random.Random) -> str:
    """Quoted without escaping, as models do."""
    return ", ".join(
        f"{n}='{v}'" if isinstance(v, str) else f"{n}={value_text(v)}" for n, v in call.arguments
    )


def _bare_values(call: PlainCall, rng: random.Random) -> str:
    return ", ".join(f"{n}={v}" for n, v in call.arguments)


def _curly_quotes(call: PlainCall, rng: random.Random) -> str:
    return ", ".join(f"{n}=“{v}”" for n, v in call.arguments)


def _some_expression(call: PlainCall, rng: random.Random) -> str:
    at = rng.randrange(max(1, len(call.arguments)))
    texts = [
        f"{n}={rng.choice(EXPRESSIONS) if i == at else value_text(v)}"
        for i, (n, v) in enumerate(call.arguments)
    ]
    return ", ".join(texts)


def _deep(call: PlainCall, rng: random.Random) -> str:
    depth = rng.choice((5, 50, 150, 250))
    opening, closing = rng.choice(
        (("[", "]"), ("(", ")"), ("{1: ", "}"), ("f(", ")"), ("f(x=", ")"), ("-", ""), ("1+(", ")"))
    )
    texts = [f"{n}={value_text(v)}" for n, v in call.arguments[:-1]]
    last = call.arguments[-1][0] if call.arguments else "x"
    return ", ".join([*texts, f"{last}={opening * depth}1{closing * depth}"])


def _reserved(call: PlainCall, rng: random.Random) -> str:
    name = rng.choice(
        (
            "from",
            "class",
            "lambda",
            "None",
            "True",
            "print",
            "ﬁle",
            "a-b",
            "a b",
            "1a",
            "é",
            "𝒙",
            "$a",
            "self",
        )
    )
    return ", ".join([*(f"{n}={value_text(v)}" for n, v in call.arguments), f"{name}=1"])


def _as_objects(calls: Calls, rng: random.Random) -> str:
    return json.dumps([{call.name: dict(call.arguments)} for call in calls])


def _as_named_objects(calls: Calls, rng: random.Random) -> str:
    keys = rng.choice((("name", "arguments"), ("function", "parameters"), ("name", "parameters")))
    return json.dumps([{keys[0]: call.name, keys[1]: dict(call.arguments)} for call in calls])


def _fixed(*texts: str) -> Callable[[Calls, random.Random], str]:
    return lambda calls, rng: rng.choice(texts)


STYLES: dict[str, Callable[[Calls, random.Random], str]] = {
    "plain": lambda calls, rng: write(calls),
    "no_brackets": _joined(", "),
    "one_per_line": _joined(",\n  ", "[\n  ", "\n]"),
    "lines": _joined("\n"),
    "semicolons": _joined("; "),
    "semicolons_in_list": _joined("; ", "[", "]"),
    "trailing_comma": _joined(", ", "[", ",]"),
    "leading_comma": _joined(", ", "[,", "]"),
    "double_comma": _joined(",, ", "[", "]"),
    "missing_comma": _joined(" ", "[", "]"),
    "tuple": _joined(", ", "(", ")"),
    "tuple_in_list": _joined(", ", "[(", ")]"),
    "set": _joined(", ", "{", "}"),
    "list_in_list": _joined(", ", "[[", "]]"),
    "several_lists": _joined("], [", "[", "]"),
    "lists_on_lines": _joined("]\n[", "[", "]"),
    "open_bracket_only": _joined(", ", "["),
    "close_bracket_only": _joined(", ", "", "]"),
    "extra_bracket": _joined(", ", "[", "]]"),
    "unclosed_call": lambda calls, rng: write(calls)[:-2] + "]",
    "over_closed_call": lambda calls, rng: write(calls)[:-1] + ")]",
    "quoted_whole": _joined(", ", "'[", "]'"),
    "double_quoted_whole": _joined(", ", '"[', ']"'),
    "quoted_calls": _each('"{}"'),
    "apostrophes": _joined(", ", "''", "''"),
    "print": _each("print({})"),
    "await": _each("await {}"),
    "starred": _each("*{}"),
    "attribute": _each("{}.result"),
    "subscript": _each("{}[0]"),
    "chained": _each("{}.then(x=1)"),
    "called_again": _each("{}(x=1)"),
    "conditional": _each("{} if True else None"),
    "comprehension": _each("{} for x in y"),
    "in_lambda": _each("lambda: {}"),
    "walrus": _each("(r := {})"),
    "added": _each("{} + {}"),
    "negated": _each("not {}"),
    "parenthesised": _each("({})"),
    "prefixed": _each("functions.{}"),
    "on_self": _each("self.api[0].{}"),
    "on_text": _each("'x'.{}"),
    "on_call": _each("client().{}"),
    "dollar": _each("${}"),
    "comment": _each("{}  # the call"),
    "comment_line": _joined(",\n", "[\n# calls\n", "\n]"),
    "assignment": _joined("\n", "result = "),
    "assignment_in_list": _each("result = {}"),
    "named_list": _joined(", ", "calls = [", "]"),
    "with_text_item": _joined(", ", "[", ", 'done']"),
    "with_none": _joined(", ", "[", ", None]"),
    "with_name": _joined(", ", "[x, ", "]"),
    "function_definition": _joined("\n    ", "def main():\n    "),
    "import_line": _joined("\n", "import json\n"),
    "spaced": lambda calls, rng: write(calls).replace("(", " ( ").replace("=", " = ").replace(",", " ,"),
    "arguments_on_lines": _with_arguments(_pairs("{n}={v}", ",\n    ")),
    "arguments_trailing_comma": _with_arguments(_pairs("{n}={v},", " ")),
    "arguments_colon": _with_arguments(_pairs("{n}: {v}")),
    "arguments_quoted_names": _with_arguments(_pairs("'{n}'={v}")),
    "arguments_quoted_colon": _with_arguments(_pairs('"{n}": {v}')),
    "arguments_double_equals": _with_arguments(_pairs("{n}=={v}")),
    "arguments_walrus": _with_arguments(_pairs("{n}:={v}")),
    "arguments_typed": _with_arguments(_pairs("{n}: str = {v}")),
    "arguments_semicolons": _with_arguments(_pairs("{n}={v}", "; ")),
    "arguments_wrapped": _with_arguments(_pairs("{n}=({v})")),
    "arguments_positional": _with_arguments(_positional),
    "arguments_misplaced": _with_arguments(_misplaced_positional),
    "arguments_unpacked": _with_arguments(_one_unpacked),
    "arguments_one_dict": _with_arguments(_one_dict),
    "arguments_json": _with_arguments(_json_values),
    "arguments_double_quoted": _with_arguments(_double_quoted),
    "arguments_single_quoted": _with_arguments(_single_quoted),
    "arguments_bare": _with_arguments(_bare_values),
    "arguments_curly_quotes": _with_arguments(_curly_quotes),
    "arguments_expression": _with_arguments(_some_expression),
    "arguments_deep": _with_arguments(_deep),
    "arguments_reserved": _with_arguments(_reserved),
    "no_parentheses": lambda calls, rng: "[" + ", ".join(call.name for call in calls) + "]",
    "backticked_name": lambda calls, rng: (
        "[" + ", ".join(f"`{c.name}`({_pairs('{n}={v}')(c, rng)})" for c in calls) + "]"
    ),
    "as_objects": _as_objects,
    "as_named_objects": _as_named_objects,
    "nothing": _fixed(
        "",
        " ",
        "\n",
        "[]",
        "[ ]",
        "[[]]",
        "[{}]",
        "[()]",
        "()",
        "{}",
        "None",
        "[None]",
        "[...]",
        "...",
        "[1]",
        "['text']",
        "```\n```",
        "'",
        "''",
        "[''",
        "`",
        "[",
        "]",
        "][",
    ),
    "refusal": _fixed(
        "None of the functions can be used.",
        "I'm sorry, I can't do that.",
        "Which city do you mean?",
        "The answer is 42.",
        "sorry",
        "No",
        "f",
        "N/A",
        "[No function]",
        "The function requires `city`, which is not given.",
        "You can call get_weather(city='Paris').",
        '["I cannot"]',
        "{'error': 'none'}",
        "Error: missing parameter (unit)",
        "I can't (sorry)",
        "(sorry)",
        "help()",
        "a.b.c()",
        "f()()",
        "f()[0]",
        "x = f()",
        "f() + g()",
        "[f() + g()]",
        "-f()",
        "[f(x=1) for x in y]",
        "(lambda: 0)()",
        "f(lambda: 0)",
        "print('hi')",
        "[print('hi')]",
    ),
}
"""Every way to write a list of calls as Python text, by name."""
