"""Calls written as verbose or concise XML, as some prompts require, in normal and unusual forms."""

from __future__ import annotations

import json
import random
from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from typing import Any
from xml.sax.saxutils import escape, quoteattr

from tests.peer.variant_calls import Calls, PlainCall
from tests.peer.variant_native import arguments_text
from tests.peer.variant_python import value_text
from tests.peer.variant_values import snippets


def _type(value: Any) -> str:
    if isinstance(value, bool):
        return "boolean"
    kinds = {
        int: "integer",
        float: "float",
        list: "array",
        tuple: "tuple",
        dict: "dict",
        type(None): "null",
    }
    return kinds.get(type(value), "string")


def _text(value: Any) -> str:
    """A value as written in XML: text unchanged, everything else as a Python literal."""
    return _printable(value if isinstance(value, str) else value_text(value))


def _printable(text: str) -> str:
    return "".join(c for c in text if c in "\t\n" or c >= " ")


@dataclass(frozen=True, slots=True)
class Xml:
    """One of the two XML syntaxes: how parameters and calls are written."""

    verbose: bool  # values in attributes, parameters in a container

    def param(self, name: str, value: Any, kind: str | None = None) -> str:
        """One parameter; `kind` replaces the type that fits the value, and "" leaves it out."""
        kind = _type(value) if kind is None else kind
        stated = f' type="{kind}"' if kind else ""
        named = quoteattr(_printable(name))
        if self.verbose:
            return f"<param name={named} value={quoteattr(_text(value))}{stated}/>"
        return f"<param name={named}{stated}>{escape(_text(value))}</param>"

    def call(self, call: PlainCall, params: str | None = None) -> str:
        """One call; `params` replaces its parameters."""
        params = "".join(self.param(n, v) for n, v in call.arguments) if params is None else params
        inner = f"<params>{params}</params>" if self.verbose else params
        return f"<function name={quoteattr(call.name)}>{inner}</function>"

    def write(self, calls: Calls) -> str:
        """The form that prompts require."""
        return "<functions>" + "".join(map(self.call, calls)) + "</functions>"


Style = Callable[[Xml, Calls, random.Random], str]
ParamForm = Callable[[Xml, str, Any, random.Random], str]


def _each_param(form: ParamForm) -> Style:
    """Every parameter written by `form`."""

    def style(xml: Xml, calls: Calls, rng: random.Random) -> str:
        params = (xml.call(c, "".join(form(xml, n, v, rng) for n, v in c.arguments)) for c in calls)
        return f"<functions>{''.join(params)}</functions>"

    return style


def _replace(*pairs: tuple[str, str]) -> Style:
    """One of the pairs, everywhere in the plain form."""

    def style(xml: Xml, calls: Calls, rng: random.Random) -> str:
        old, new = rng.choice(pairs)
        return xml.write(calls).replace(old, new)

    return style


def _one_of(*texts: str) -> Style:
    return lambda xml, calls, rng: rng.choice(texts)


_KINDS = (
    *("", "string", "integer", "float", "boolean", "array", "tuple", "object", "dict", "null"),
    *("number", "any", "list", "Integer", "int"),
)
_ODD_VALUES = (*snippets("xml_values"), "9" * 5000, "[" * 90 + "]" * 90)


def _as_json(xml: Xml, name: str, value: Any, rng: random.Random) -> str:
    """A parameter with its value as JSON instead of a Python literal."""
    read = json.loads(arguments_text(PlainCall("", (("v", value),))))["v"]
    return xml.param(name, value if isinstance(value, str) else json.dumps(read), _type(value))


def _both_places(xml: Xml, name: str, value: Any, rng: random.Random) -> str:
    """A parameter with its value, unescaped, as attribute and as text."""
    text = _text(value)
    return f'<param name="{name}" value="{text}" type="{_type(value)}">{text}</param>'


_STYLES: dict[str, Style] = {
    "plain": lambda xml, calls, rng: xml.write(calls),
    "indented": _replace(("><", ">\n  <")),
    "other_type": _each_param(lambda xml, n, v, rng: xml.param(n, v, rng.choice(_KINDS))),
    "odd_value": _each_param(
        lambda xml, n, v, rng: xml.param(n, rng.choice(_ODD_VALUES), rng.choice(_KINDS))
    ),
    "json_value": _each_param(_as_json),
    "no_name": _each_param(
        lambda xml, n, v, rng: xml.param(n, v).replace("name=", rng.choice(("", "Name=", "key=", "id=")), 1)
    ),
    "cdata": _each_param(
        lambda xml, n, v, rng: f'<param name="{n}" type="{_type(v)}"><![CDATA[{_text(v)}]]></param>'
    ),
    "child_in_param": _each_param(
        lambda xml, n, v, rng: f'<param name="{n}" type="string">{escape(_text(v))}<b>x</b>tail</param>'
    ),
    "padded": _each_param(lambda xml, n, v, rng: xml.param(n, f"  {_text(v)}\n", _type(v))),
    "both_places": _each_param(_both_places),
    "other_syntax": lambda xml, calls, rng: Xml(not xml.verbose).write(calls),
    "params_wrapped": _replace(
        ("<param ", "<params><param "),
        ("<params>", ""),
        ("</params>", ""),
        ("params>", "parameters>"),
        ("<params>", "<params><params>"),
    ),
    "renamed": _replace(
        ("functions>", "Functions>"),
        ("<functions>", "<functions >"),
        ("<functions>", '<functions xmlns="urn:x">'),
        ("functions>", "tools>"),
        ("<function ", "<Function "),
        ("function name", "function id"),
        ("name=", "NAME="),
        ("function ", "call "),
    ),
    "unbalanced": _replace(
        ("</function>", ""),
        ("</functions>", ""),
        ("<functions>", ""),
        ("</functions>", "</functions></functions>"),
        ("<functions>", "<functions><functions>"),
    ),
    "entities": _replace(
        *(("a", "&#97;"), ("e", "&#x65;"), ("e", "&eacute;"), (" ", "&nbsp;"), ("a", "&amp;"), ("o", "&")),
        *(("e", "&#0;"), ("e", "&#xD800;"), ("i", "<")),
    ),
    "comments": _replace(
        ("<param", "<!-- c --><param"),
        ("<functions>", "<functions><!-- </functions> -->"),
        ("<functions>", "<functions><?php x ?>"),
        ("<function ", "text<function "),
    ),
    "declared": lambda xml, calls, rng: (
        rng.choice(('<?xml version="1.0"?>', "<!DOCTYPE x>", '<!DOCTYPE x [<!ENTITY a "b">]>', "<root>"))
        + xml.write(calls)
    ),
    "prefixed": _replace(("<function ", "<x:function "), ("param ", "p:param ")),
    "attribute_quotes": _replace(('"', "'"), ('"', ""), ('="', '= "'), ('" ', '"'), ('"', "“")),
    "double_attribute": _replace(("name=", 'name="x" name='), ("<param ", '<param extra="1" ')),
    "self_closing": _replace(("></param>", "/>"), ("/>", "></param>"), ("</param>", "")),
    "two_blocks": lambda xml, calls, rng: "\n".join(xml.write([call]) for call in calls),
    "nested_function": _replace(
        ("<functions>", "<functions><group>"), ("</functions>", "</group></functions>")
    ),
    "grouped": lambda xml, calls, rng: (
        f"<functions><group>{''.join(map(xml.call, calls))}</group></functions>"
    ),
    "nothing": _one_of(
        "",
        "<functions></functions>",
        "<functions/>",
        "<functions>",
        "</functions>",
        "<functions><function/></functions>",
        "<functions>text</functions>",
        '<functions><function name=""/></functions>',
        '<functions><function name="f"><params/></function></functions>',
    ),
}


def _bound(xml: Xml) -> dict[str, Callable[[Calls, random.Random], str]]:
    return {name: partial(style, xml) for name, style in _STYLES.items()}


VERBOSE_STYLES = _bound(Xml(verbose=True))
CONCISE_STYLES = _bound(Xml(verbose=False))
"""Every way to write a list of calls in each of the two syntaxes, by name."""
