"""Calls written as Java, value by value as the function docs type them, plainly and oddly.

Covers Java syntax for `simple_java`. In function-calling mode the values are Java text inside JSON.
"""

from __future__ import annotations

import json
import random
from collections.abc import Callable, Mapping
from typing import Any

from bfcl_pipeline.benchmark.records import Entry
from tests.peer.variant_calls import Calls
from tests.peer.variant_values import Code, snippets

Docs = Mapping[str, Mapping[str, Any]]


def _quoted(text: str) -> str:
    return '"' + text.replace("\\", "\\\\").replace('"', '\\"').replace("\n", "\\n") + '"'


def _scalar(value: Any, kind: str) -> str:
    if isinstance(value, Code):
        return str(value)
    if isinstance(value, bool):
        return "true" if value else "false"
    if value is None:
        return "null"
    if isinstance(value, int):
        return (
            f"{value}L"
            if kind == "long"
            else f"{float(value)}"
            if kind == "double" and abs(value) < 10**15
            else str(value)
        )
    if isinstance(value, float):
        return f"{value}f" if kind == "float" else repr(value)
    if isinstance(value, str):
        return (
            _quoted(value)
            if kind in ("String", "")
            else f"'{value}'"
            if kind == "char" and len(value) == 1
            else value
        )
    if isinstance(value, (list, tuple)):
        return "new Object[]{" + ", ".join(_scalar(item, "") for item in value) + "}"
    return _map(value, "String, Object")


def _map(value: dict[Any, Any], types: str, put: str = "put") -> str:
    puts = " ".join(f"{put}({_quoted(str(k))}, {_scalar(v, '')});" for k, v in value.items())
    return f"new HashMap<{types}>() {{{{ {puts} }}}}" if value else f"new HashMap<{types}>()"


def _boxed(kind: str) -> str:
    return {
        "integer": "Integer",
        "long": "Long",
        "float": "Float",
        "double": "Double",
        "boolean": "Boolean",
        "char": "Character",
        "any": "Object",
    }.get(kind, kind)


def _array_list(items: str, element: str, rng: random.Random, parts: list[str]) -> str:
    boxed = _boxed(element)
    return rng.choice(
        (
            f"new ArrayList<{boxed}>(Arrays.asList({items}))",
            f"new ArrayList<{boxed}>(Arrays.asList({items}))",
            f"new ArrayList<>(Arrays.asList({items}))",
            f"new ArrayList<>(List.of({items}))",
            f"Arrays.asList({items})",
            f"new ArrayList<{boxed}>() {{{{ {' '.join(f'add({part});' for part in parts)} }}}}",
            f"new ArrayList<{boxed}>()",
            "new ArrayList<>()",
            f"List.of({items})",
            f"new java.util.ArrayList<{boxed}>(Arrays.asList({items}))",
            f"new ArrayList<List<{boxed}>>(Arrays.asList({items}))",
            f"new  ArrayList<{boxed}>(Arrays.asList( {items} ))",
            f"new ArrayList<{boxed}>(Arrays.asList(\n{items}\n))",
            f"new LinkedList<>(Arrays.asList({items}))",
            f"[{items}]",
            f"{{{items}}}",
        )
    )


def _array(items: str, element: str, rng: random.Random) -> str:
    kind = {"integer": "int", "any": "Object"}.get(element, element) or "Object"
    return rng.choice(
        (
            f"new {kind}[]{{{items}}}",
            f"new {kind}[]{{{items}}}",
            f"new {kind}[] {{{items}}}",
            f"new {kind}[]{{ {items} }}",
            f"new {kind}[3]",
            f"new {kind}[0]",
            f"new {kind}[]{{}}",
            f"{{{items}}}",
            f"[{items}]",
            f"new {kind}[][]{{{{{items}}}}}",
            f"new {kind}[]{{{items},}}",
            f"new {kind}[]{{\n{items}\n}}",
            f"({kind}[]) {{{items}}}",
            f"Arrays.asList({items})",
            f"new java.lang.{kind}[]{{{items}}}",
            f"({items})",
            f"new {kind}[]{{{{{items}}}, {{{items}}}}}",
        )
    )


def _hash_map(value: dict[Any, Any], rng: random.Random) -> str:
    pairs = ", ".join(f"{_quoted(str(k))}, {_scalar(v, '')}" for k, v in value.items())
    entries = ", ".join(f"{_quoted(str(k))}: {_scalar(v, '')}" for k, v in value.items())
    return rng.choice(
        (
            _map(value, "String, Object"),
            _map(value, "String, Object"),
            _map(value, "String, String"),
            _map(value, ""),
            _map(value, "String, Integer"),
            _map(value, "String, List<String>"),
            f"Map.of({pairs})",
            f"new HashMap<>(Map.of({pairs}))",
            "new HashMap<>()",
            "new HashMap<String, Object>()",
            f"{{{entries}}}",
            _map(value, "String, Object").replace("{{ ", "{{").replace(" }}", "}}"),
            _map(value, "String, Object").replace("; ", ";\n"),
            _map(value, "", "add"),
            _map(value, "String, Object").replace("() {{", "(){ {").replace("}}", "} }"),
            _map(value, "String, Object").replace(", ", ","),
            _map(value, "String, Object").replace("HashMap", "java.util.HashMap"),
            _map(value, "String, Object").replace("{{ ", "{{ this."),
        )
    )


def _collection(items: list[Any], kind: str, element: str, rng: random.Random) -> str:
    parts = [_scalar(item, "String" if element == "String" else element) for item in items]
    if rng.random() < 0.3:
        parts = [str(item) for item in items]
    joined = ", ".join(parts)
    return _array_list(joined, element, rng, parts) if kind == "ArrayList" else _array(joined, element, rng)


def value_text(value: Any, doc: Mapping[str, Any], rng: random.Random) -> str:
    """`value` as Java source, by the documented type."""
    kind = doc.get("type", "String")
    if isinstance(value, (list, tuple)):
        return _collection(list(value), kind, doc.get("items", {}).get("type", ""), rng)
    if isinstance(value, dict):
        return _hash_map(value, rng)
    if kind == "any" and isinstance(value, str) and not isinstance(value, Code):
        return rng.choice((value, value, _quoted(value)))
    return _scalar(value, kind)


ODD_VALUES = snippets("java")
"""Java text for one argument, right and wrong."""


class JavaWriter:
    """Writes calls for one entry, with values in the types of its function docs."""

    def __init__(self, docs: Docs, rng: random.Random) -> None:
        self.docs = docs
        self.rng = rng

    def value(self, name: str, value: Any) -> str:
        """One argument's value."""
        return value_text(value, self.docs.get(name, {}), self.rng)

    def odd_value(self, name: str, value: Any) -> str:
        """The value, or one of the odd ones."""
        return self.rng.choice(ODD_VALUES) if self.rng.random() < 0.5 else self.value(name, value)

    def call(self, call: Any, form: str = "{n}={v}", separator: str = ", ", odd: bool = False) -> str:
        """`name(key=value, ...)` in the given form."""
        texts = (
            form.format(n=n, v=self.odd_value(n, v) if odd else self.value(n, v)) for n, v in call.arguments
        )
        return f"{call.name}({separator.join(texts)})"

    def positional(self, call: Any) -> str:
        """The first few arguments without a name."""
        first = self.rng.randrange(len(call.arguments) + 1)
        values = [(n, self.value(n, v)) for n, v in call.arguments]
        return (
            f"{call.name}({', '.join(v if i < first else f'{n}={v}' for i, (n, v) in enumerate(values))})"
        )


Style = Callable[[Calls, JavaWriter], str]


def _form(form: str, separator: str = ", ") -> Style:
    return lambda calls, w: "[" + ", ".join(w.call(call, form, separator) for call in calls) + "]"


def _each(template: str, odd: bool = False) -> Style:
    return lambda calls, w: (
        "[" + ", ".join(template.replace("{}", w.call(call, odd=odd)) for call in calls) + "]"
    )


STYLES: dict[str, Style] = {
    "plain": _form("{n}={v}"),
    "odd_values": _each("{}", odd=True),
    "odd_values_2": _each("{}", odd=True),
    "odd_values_3": _each("{}", odd=True),
    "positional": lambda calls, w: "[" + ", ".join(map(w.positional, calls)) + "]",
    "no_brackets": lambda calls, w: ", ".join(map(w.call, calls)),
    "statements": lambda calls, w: " ".join(f"{w.call(call)};" for call in calls),
    "statements_in_list": lambda calls, w: "[" + " ".join(f"{w.call(call)};" for call in calls) + "]",
    "lines": lambda calls, w: "\n".join(map(w.call, calls)),
    "arguments_lines": _form("{n}={v}", ",\n    "),
    "arguments_spaced": _form("{n} = {v}"),
    "arguments_colon": _form("{n}: {v}"),
    "arguments_comment": _form("/* {n} */ {v}"),
    "arguments_commented": _form("{n}={v} /* c */"),
    "arguments_line_comment": _form("{n}={v}", ", // c\n"),
    "arguments_typed": _form("String {n}={v}"),
    "arguments_quoted": _form('"{n}"={v}'),
    "arguments_text": _form('{n}="{v}"'),
    "arguments_single": _form("{n}='{v}'"),
    "arguments_plus": _form("{n}+={v}"),
    "arguments_equals": _form("{n}=={v}"),
    "arguments_chained": _form("{n}=x={v}"),
    "arguments_attribute": _form("this.{n}={v}"),
    "arguments_item": _form("{n}[0]={v}"),
    "arguments_twice": _form("{n}={v}, {n}={v}"),
    "arguments_with_names": _form("{n}={v}, x"),
    "arguments_with_two_names": _form("x, {n}={v}, y"),
    "arguments_with_text": _form('"a", {n}={v}, 5'),
    "arguments_with_accent": lambda calls, w: w.call(calls[0], "é={v}, {n}={v}") if calls else "é()",
    "accent_before": _each('x("é", {})'),
    "accent_comment": _each("/* né日本😀 */ {}"),
    "accent_receiver": _each("Å.{}"),
    "class_prefix": _each("Utils.{}"),
    "package_prefix": _each("com.example.Utils.{}"),
    "on_new": _each("new Utils().{}"),
    "on_call": _each("x.get(0).{}"),
    "on_super": _each("super.{}"),
    "on_this": _each("this.{}"),
    "generic": _each("Utils.<String>{}"),
    "new_call": _each("new {}"),
    "then": _each("{}.then(x=1)"),
    "item": _each("{}[0]"),
    "assigned": _each("var r = {}"),
    "typed": _each("String r = {};"),
    "returned": _each("return {};"),
    "cast": _each("(String) {}"),
    "printed": _each("System.out.println({});"),
    "in_lambda": _each("() -> {}"),
    "in_block": _each("{ {}; }"),
    "in_class": _each("class A { void f() { {}; } }"),
    "in_method": _each("void f() { {}; }"),
    "in_try": _each("try { {}; } catch (E e) { }"),
    "in_if": _each("if (x) {};"),
    "annotated": _each("@A {}"),
    "negated": _each("!{}"),
    "added": _each("{} + {}"),
    "ternary": _each("x ? {} : y"),
    "parenthesised": _each("({})"),
    "import_before": _each("import a.b; {};"),
    "trailing_comma": lambda calls, w: "[" + ", ".join(map(w.call, calls)) + ",]",
    "arguments_trailing_comma": _form("{n}={v},", " "),
    "unclosed": lambda calls, w: "[" + ", ".join(w.call(call)[:-1] for call in calls) + "]",
    "semicolon_after": lambda calls, w: "[" + ", ".join(map(w.call, calls)) + "];",
}
"""Every way to write calls as Java text, by name."""


def write(calls: Calls, entry: Entry, rng: random.Random, style: str) -> str:
    """`calls` as Java text in the style of that name."""
    return STYLES[style](calls, JavaWriter(_docs(entry), rng))


def native(calls: Calls, entry: Entry, rng: random.Random) -> list[dict[str, str]]:
    """The native form with every value as Java text, as the hints in the function docs require."""
    writer = JavaWriter(_docs(entry), rng)
    return [
        {c.name: json.dumps({n: _unquoted(writer.odd_value(n, v), rng) for n, v in c.arguments})}
        for c in calls
    ]


def _unquoted(text: str, rng: random.Random) -> str:
    quoted = len(text) > 1 and text[0] == text[-1] == '"'
    return text[1:-1] if quoted and rng.random() < 0.7 else text


def _docs(entry: Entry) -> Docs:
    return {
        name: doc for f in entry.functions for name, doc in f["parameters"].get("properties", {}).items()
    }
