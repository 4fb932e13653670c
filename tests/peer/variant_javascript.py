"""Calls written as JavaScript, plainly and oddly.

Covers JavaScript syntax for `simple_javascript`. In function-calling mode the values are JavaScript
text inside JSON.
"""

from __future__ import annotations

import json
import random
from collections.abc import Callable
from typing import Any

from tests.peer.variant_calls import Calls, PlainCall
from tests.peer.variant_values import Code, snippets

_QUOTES = ("'", '"', '"', "`")


def value_text(value: Any, rng: random.Random) -> str:
    """`value` as JavaScript source."""
    if isinstance(value, Code):
        return str(value)
    if isinstance(value, bool):
        return "true" if value else "false"
    if value is None:
        return rng.choice(("null", "undefined"))
    if isinstance(value, (list, tuple)):
        items = ", ".join(value_text(item, rng) for item in value)
        return rng.choice(
            (
                f"[{items}]",
                f"[{items}]",
                f"[{items}]",
                f"new Array({items})",
                f"[ {items} ]",
                f"[{items},]",
                f"[{items.replace(', ', ',')}]",
                f"[\n{items}\n]",
                f"Array.of({items})",
                f"[...[{items}]]",
                f"[[{items}]]",
                f"[[{items}], [{items}]]",
            )
        )
    if isinstance(value, dict):
        return _object(value, rng)
    if isinstance(value, (int, float)):
        return rng.choice(
            (
                repr(value),
                repr(value),
                repr(value),
                f"{value}n",
                f"{float(value)}" if abs(value) < 10**15 else "1e999",
                f"Number({value})",
            )
        )
    quote = rng.choice(_QUOTES)
    return rng.choice(
        (value, quote + value + quote, quote + value + quote, quote + value + quote, json.dumps(value))
    )


def _object(value: dict[Any, Any], rng: random.Random) -> str:
    quote = rng.choice(("", "'", '"'))
    pairs = [f"{quote}{key}{quote}: {value_text(item, rng)}" for key, item in value.items()]
    joined = ", ".join(pairs)
    return rng.choice(
        (
            f"{{{joined}}}",
            f"{{{joined}}}",
            f"{{ {joined} }}",
            f"{{{joined},}}",
            f"{{{joined.replace(': ', ':').replace(', ', ',')}}}",
            "{\n  " + ",\n  ".join(pairs) + "\n}",
            f"new Map(Object.entries({{{joined}}}))",
            json.dumps(value),
            f"{{...{{{joined}}}}}",
            f"({{{joined}}})",
            "{" + ", ".join(map(str, value)) + "}",
            f"[{{{joined}}}]",
            f"{{{joined}, nested: {{a: 1, b: [2, 3]}}}}",
            "{}",
        )
    )


ODD_VALUES = snippets("javascript")
"""JavaScript text for one argument, right and wrong."""


def _arguments(
    call: PlainCall, rng: random.Random, form: str = "{n}={v}", separator: str = ", ", odd: float = 0.0
) -> str:
    texts = (
        form.format(n=n, v=rng.choice(ODD_VALUES) if rng.random() < odd else value_text(v, rng))
        for n, v in call.arguments
    )
    return f"{call.name}({separator.join(texts)})"


Style = Callable[[Calls, random.Random], str]


def _form(form: str, separator: str = ", ", odd: float = 0.0) -> Style:
    return lambda calls, rng: (
        "[" + ", ".join(_arguments(call, rng, form, separator, odd) for call in calls) + "]"
    )


def _each(template: str) -> Style:
    return lambda calls, rng: (
        "[" + ", ".join(template.replace("{}", _arguments(call, rng)) for call in calls) + "]"
    )


def _positional(calls: Calls, rng: random.Random) -> str:
    texts = []
    for call in calls:
        first = rng.randrange(len(call.arguments) + 1)
        values = [(n, value_text(v, rng)) for n, v in call.arguments]
        texts.append(
            f"{call.name}({', '.join(v if i < first else f'{n}={v}' for i, (n, v) in enumerate(values))})"
        )
    return "[" + ", ".join(texts) + "]"


STYLES: dict[str, Style] = {
    "plain": _form("{n}={v}"),
    "odd_values": _form("{n}={v}", odd=0.5),
    "odd_values_2": _form("{n}={v}", odd=0.5),
    "odd_values_3": _form("{n}={v}", odd=0.5),
    "positional": _positional,
    "no_brackets": lambda calls, rng: ", ".join(_arguments(call, rng) for call in calls),
    "statements": lambda calls, rng: " ".join(f"{_arguments(call, rng)};" for call in calls),
    "statements_in_list": lambda calls, rng: (
        "[" + " ".join(f"{_arguments(call, rng)};" for call in calls) + "]"
    ),
    "lines": lambda calls, rng: "\n".join(_arguments(call, rng) for call in calls),
    "lines_in_list": lambda calls, rng: "[" + "\n".join(_arguments(call, rng) for call in calls) + "]",
    "empty_first": _each("; {}"),
    "arguments_lines": _form("{n}={v}", ",\n    "),
    "arguments_spaced": _form("{n} = {v}"),
    "arguments_colon": _form("{n}: {v}"),
    "arguments_object": lambda calls, rng: (
        "[" + ", ".join(f"{c.name}({_object(dict(c.arguments), rng)})" for c in calls) + "]"
    ),
    "arguments_comment": _form("/* {n} */ {v}"),
    "arguments_commented": _form("{n}={v} /* c */"),
    "arguments_comment_inside": _form("{n} /* c */ = {v}"),
    "arguments_comment_in_value": _form("{n} = /* c */ {v}"),
    "arguments_line_comment": _form("{n}={v}", ", // c\n"),
    "arguments_let": _form("let {n}={v}"),
    "arguments_text": _form('{n}="{v}"'),
    "arguments_single": _form("{n}='{v}'"),
    "arguments_quoted_name": _form('"{n}"={v}'),
    "arguments_plus": _form("{n}+={v}"),
    "arguments_equals": _form("{n}=={v}"),
    "arguments_chained": _form("{n}=x={v}"),
    "arguments_attribute": _form("this.{n}={v}"),
    "arguments_item": _form("{n}[0]={v}"),
    "arguments_destructured": _form("[{n}]=[{v}]"),
    "arguments_object_pattern": _form("{{{n}}}={v}"),
    "arguments_twice": _form("{n}={v}, {n}={v}"),
    "arguments_with_names": _form("{n}={v}, x"),
    "arguments_with_two_names": _form("x, {n}={v}, y"),
    "arguments_with_true": _form("true, {n}={v}"),
    "arguments_with_two_trues": _form("true, {n}={v}, true"),
    "arguments_with_false": _form("false, {n}={v}, null"),
    "arguments_spread": _form("...x, {n}={v}"),
    "arguments_optional": _form("{n}?={v}"),
    "arguments_coalesced": _form("{n}??={v}"),
    "accent": _form("é={v}, {n}={v}"),
    "prefix": _each("utils.{}"),
    "prefix_call": _each("utils().{}"),
    "prefix_item": _each("utils[0].{}"),
    "prefix_this": _each("this.{}"),
    "optional_call": _each("utils?.{}"),
    "then": _each("{}.then(x => x)"),
    "called_again": _each("{}(x=1)"),
    "item": _each("{}[0]"),
    "await": _each("await {}"),
    "new": _each("new {}"),
    "let": _each("let r = {}"),
    "const": _each("const r = {};"),
    "assigned": _each("r = {}"),
    "returned": _each("return {};"),
    "printed": _each("console.log({});"),
    "in_arrow": _each("() => {}"),
    "in_function": _each("function f() { {}; }"),
    "in_block": _each("{ {}; }"),
    "in_if": _each("if (x) {};"),
    "in_iife": _each("(() => { {}; })()"),
    "in_template": _each("`${{}}`"),
    "negated": _each("!{}"),
    "added": _each("{} + {}"),
    "sequence": _each("x, {}"),
    "parenthesised": _each("({})"),
    "void": _each("void {}"),
    "import_before": _each("import x from 'y'; {};"),
    "comment_before": _each("// né日本\n{}"),
    "strict": _each("'use strict'; {};"),
    "two_calls": _each("{}; other(x=1);"),
    "other_first": _each("other(x=1); {};"),
    "template_call": lambda calls, rng: "[" + ", ".join(f"{c.name}`{c.arguments}`" for c in calls) + "]",
    "no_parentheses": lambda calls, rng: "[" + ", ".join(c.name for c in calls) + "]",
    "trailing_comma": lambda calls, rng: "[" + ", ".join(_arguments(c, rng) for c in calls) + ",]",
    "arguments_trailing_comma": _form("{n}={v},", " "),
    "unclosed": lambda calls, rng: "[" + ", ".join(_arguments(c, rng)[:-1] for c in calls) + "]",
    "semicolon_after": lambda calls, rng: "[" + ", ".join(_arguments(c, rng) for c in calls) + "];",
}
"""Every way to write calls as JavaScript text, by name."""


def native(calls: Calls, rng: random.Random) -> list[dict[str, str]]:
    """The native form with every value as JavaScript text, as the hints in the function docs require."""

    def value(item: Any) -> str:
        return rng.choice(ODD_VALUES) if rng.random() < 0.3 else value_text(item, rng)

    return [{c.name: json.dumps({n: value(v) for n, v in c.arguments})} for c in calls]
