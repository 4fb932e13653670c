"""Reads calls written as XML: `<functions><function name="..."> ... </function></functions>`.

Covers the verbose form (`<params><param name= value= type=/></params>`) and the concise one
(`<param name= type=>value</param>`). The parser rejects document types and entities.
Source: the release's reading of the XML return formats.
"""

from collections.abc import Callable
from typing import Any
from xml.etree.ElementTree import Element, ParseError

from defusedxml import DefusedXmlException
from defusedxml.ElementTree import fromstring

from bfcl_pipeline.dialogue.calls.limits import Undecodable, check_text
from bfcl_pipeline.dialogue.calls.python import read_literal

_OPEN, _CLOSE = "<functions>", "</functions>"


def read_verbose_xml(text: str) -> list[tuple[str, dict[str | None, Any]]]:
    """Names and arguments of the calls in verbose XML. Raises Undecodable."""
    return [
        (
            _attribute(function, "name"),
            {
                param.get("name"): _value(param.get("value", ""), param.get("type", "string"))
                for param in _params(function)
            },
        )
        for function in _functions(text)
    ]


def read_concise_xml(text: str) -> list[tuple[str, dict[str | None, Any]]]:
    """Names and arguments of the calls in concise XML. Raises Undecodable."""
    return [
        (
            _attribute(function, "name"),
            {
                _attribute(param, "name"): _value((param.text or "").strip(), param.get("type", "string"))
                for param in function.findall("param")
            },
        )
        for function in _functions(text)
    ]


def _functions(text: str) -> list[Element]:
    check_text(text)
    start = text.find(_OPEN)
    end = text.find(_CLOSE, start + len(_OPEN)) if start >= 0 else -1
    if end < 0:
        raise Undecodable(f"no {_OPEN} ... {_CLOSE} in the text")
    try:
        root = fromstring(text[start : end + len(_CLOSE)], forbid_dtd=True)
    except (ParseError, DefusedXmlException, ValueError) as error:
        raise Undecodable(f"not XML ({error})") from None
    return list(root.findall("function"))


def _params(function: Element) -> list[Element]:
    container = function.find("params")
    return list((function if container is None else container).findall("param"))


def _attribute(element: Element, name: str) -> str:
    value = element.get(name)
    if value is None:
        raise Undecodable(f"a <{element.tag}> has no {name!r}")
    return value


_READERS: dict[str, Callable[[str], Any]] = {
    "integer": int,
    "float": float,
    "boolean": lambda text: text.lower() == "true",
    "null": lambda _text: None,
    "array": read_literal,
    "tuple": read_literal,
    "object": read_literal,
    "dict": read_literal,
}


def _value(text: str, kind: str) -> Any:
    """`text` converted to the type `kind`; unchanged for `string` and unknown types."""
    try:
        return _READERS.get(kind, str)(text)
    except ValueError as error:
        raise Undecodable(f"a {kind} cannot be read ({error})") from None
