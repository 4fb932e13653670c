"""Decodes model output as Calls, in every mode and format; reads calls that are written as XML.

Every input results in calls or a `DecodeFailure`, never in an exception, and nothing is evaluated. XML is
`<functions><function name="..."> ... </function></functions>` with the verbose form of parameters
(`<params><param name= value= type=/></params>`) or the concise one (`<param name= type=>value</param>`).
The parser rejects document types and entities. Source: the release's handlers, its default decoding of
prompted answers and its reading of the XML return formats.
"""

from collections.abc import Callable, Sequence
from typing import Any
from xml.etree.ElementTree import Element, ParseError

from defusedxml import DefusedXmlException
from defusedxml.ElementTree import fromstring

from bfcl_pipeline.benchmark.definition import ReturnFormat
from bfcl_pipeline.benchmark.records import Call, DecodeFailure, Json, Mode, Rules
from bfcl_pipeline.dialogue.calls.grammar import read_java, read_javascript
from bfcl_pipeline.dialogue.calls.json_calls import read_json, read_native
from bfcl_pipeline.dialogue.calls.limits import Undecodable, Work, check_text
from bfcl_pipeline.dialogue.calls.python import read_literal, read_python

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


_XML_READERS: dict[str, Callable[[str], Any]] = {
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
        return _XML_READERS.get(kind, str)(text)
    except ValueError as error:
        raise Undecodable(f"a {kind} cannot be read ({error})") from None


FAILED = "ast_decoder:decoder_failed"
WRONG_FORMAT = "ast_decoder:decoder_wrong_output_format"

_Read = Sequence[tuple[str, Json]] | None

# The brackets around the text are not Java or JavaScript, so the first and last character are removed,
# whatever they are.
_READERS: dict[ReturnFormat, Callable[[str, Rules, Work], _Read]] = {
    ReturnFormat.PYTHON: read_python,
    ReturnFormat.JAVA: lambda text, rules, _work: read_java(text[1:-1], rules),
    ReturnFormat.JAVASCRIPT: lambda text, _rules, _work: read_javascript(text[1:-1]),
    ReturnFormat.JSON: lambda text, rules, _work: read_json(text, rules),
    ReturnFormat.VERBOSE_XML: lambda text, _rules, _work: read_verbose_xml(text),
    ReturnFormat.CONCISE_XML: lambda text, _rules, _work: read_concise_xml(text),
}


def decode(
    result: Json,
    *,
    mode: Mode,
    return_format: ReturnFormat = ReturnFormat.PYTHON,
    tool_call_tag: bool = False,
    rules: Rules = Rules.OFFICIAL,
    work: Work | None = None,
) -> tuple[Call, ...] | DecodeFailure:
    """The calls in a model's `result`.

    `result` is the official result form: in function-calling mode a list of {name: arguments as JSON
    text}, in prompt mode text in `return_format`, between <TOOLCALL> tags if `tool_call_tag`. `work` is
    what may still be done for the answer of which `result` is a part; by default it is the whole answer.
    """
    try:
        if mode is Mode.FC:
            calls: _Read = read_native(result)
        else:
            calls = _READERS[return_format](_prompt_text(result, tool_call_tag), rules, work or Work())
    except Undecodable as error:
        return DecodeFailure(FAILED, f"{error}.")
    if calls is None:
        return DecodeFailure(WRONG_FORMAT, "There is no call in the text.")
    for name, arguments in calls:
        if not isinstance(arguments, dict):
            kind = type(arguments).__name__
            return DecodeFailure(WRONG_FORMAT, f"The arguments of {name!r} are {kind}, not a mapping.")
    return tuple(Call(name, arguments) for name, arguments in calls)


def _prompt_text(result: Json, tool_call_tag: bool) -> str:
    """A prompted answer without code fences, in brackets; if tags are expected, only the tagged part."""
    if not isinstance(result, str):
        raise Undecodable(f"expected text, got {type(result).__name__}")
    text = result.strip("`\n ")
    if not text.startswith("["):
        text = "[" + text
    if not text.endswith("]"):
        text = text + "]"
    return _tagged(text) if tool_call_tag else text


def _tagged(text: str) -> str:
    start = text.find("<TOOLCALL>")
    end = text.find("</TOOLCALL>", start) if start >= 0 else -1
    if end < 0:
        raise Undecodable("no <TOOLCALL> ... </TOOLCALL> in the text")
    return text[start + len("<TOOLCALL>") : end].strip()
