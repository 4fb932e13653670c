"""Decodes model output as Calls, in every mode and format, and as Calls that are run in a simulated world.

Every input results in calls or a `DecodeFailure`, never in an exception, and nothing is evaluated. XML is
`<functions><function name="..."> ... </function></functions>` with the verbose form of parameters
(`<params><param name= value= type=/></params>`) or the concise one (`<param name= type=>value</param>`).
The parser rejects document types and entities. For calls that are run, every name in a native item is a
call, a nested mapping of mappings is a call among the arguments, and keys of other mappings become text.
Source: the release's handlers, its default and its execution decoding, and its reading of the XML formats.
"""

from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any, TypeAlias
from xml.etree.ElementTree import Element, ParseError

from defusedxml import DefusedXmlException
from defusedxml.ElementTree import fromstring

from bfcl_pipeline.benchmark.definition import ReturnFormat
from bfcl_pipeline.benchmark.records import Call, DecodeFailure, Json, Mode, Rules
from bfcl_pipeline.dialogue.calls.grammar import read_java, read_javascript
from bfcl_pipeline.dialogue.calls.json_calls import read_arguments, read_json, read_native, require_few
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


_STEP = 100
"""Steps of `Work` of one step of a conversation, and of one call."""

Steps: TypeAlias = tuple[tuple[Call, ...], ...]
"""The calls of each step, in order; a step without calls, or whose text cannot be decoded, is empty."""


def calls_by_step(result: Json, mode: Mode) -> Steps:
    """The calls of all turns of a result in the official form: a list of turns, each a list of steps."""
    turns = result if isinstance(result, list) else []
    steps = [step for turn in turns if isinstance(turn, list) for step in turn]
    work = Work()
    decoded = (decode_step(step, mode, work) for step in steps)
    return tuple(() if isinstance(calls, DecodeFailure) else calls for calls in decoded)


def decode_step(
    result: Json, mode: Mode, work: Work | None = None, *, rules: Rules = Rules.OFFICIAL
) -> tuple[Call, ...] | DecodeFailure:
    """The calls in one answer of a conversation, in order; empty if it has none.

    `result` is the official result form of one step: in function-calling mode a list of {name:
    arguments as JSON text}, in prompt mode text with a Python list of calls. An argument may itself be
    a Call, which is run first. `work` is what may still be done for all steps of the answer.
    """
    work = work or Work()
    try:
        work.spend(_STEP)
        if mode is Mode.FC:
            return tuple(_native_calls(result, work))
        calls = decode(result, mode=mode, rules=rules, work=work)
        if isinstance(calls, DecodeFailure):
            return calls
        work.spend(_STEP * len(calls))
        return tuple(
            Call(call.name, {name: _executable(value, rules) for name, value in call.arguments.items()})
            for call in calls
        )
    except Undecodable as error:
        return DecodeFailure(FAILED, f"{error}.")


def _native_calls(result: Json, work: Work) -> Iterator[Call]:
    if isinstance(result, Mapping):
        result = [result]
    if isinstance(result, str) and not result:
        return
    if not isinstance(result, list):
        raise Undecodable(f"expected a list of tool calls, got {type(result).__name__}")
    for item in require_few(result):
        if not isinstance(item, Mapping):
            raise Undecodable(f"expected {{name: arguments}}, got {type(item).__name__}")
        for name, written in item.items():
            work.spend(_STEP)
            arguments = read_arguments(name, written) if isinstance(written, str) else written
            if not isinstance(arguments, Mapping):
                kind = type(arguments).__name__
                raise Undecodable(f"the arguments of {name!r} are {kind}, not a mapping")
            yield Call(name, arguments)


def _executable(value: Any, rules: Rules) -> Any:
    if not isinstance(value, dict):
        return value
    if not value:
        return empty_object(rules)
    if all(isinstance(item, dict) for item in value.values()):
        name, arguments = next(iter(value.items()))
        return Call(str(name), {key: _executable(item, rules) for key, item in arguments.items()})
    return {_quoted(key): _executable(item, rules) for key, item in value.items()}


def empty_object(rules: Rules) -> dict[str, Any]:
    """What `{}` among the arguments of a prompted call is. Rule `empty-object`. Raises Undecodable."""
    if rules is Rules.OFFICIAL:
        raise Undecodable("an argument is an empty mapping, which is read as a call without a name")
    return {}


def _quoted(key: Any) -> str:
    """The key after the release wrote it between quotes, without escaping, and read it back."""
    text = str(key)
    if "'" not in text and "\\" not in text:
        return text
    try:
        return str(read_literal(f"'{text}'"))
    except Undecodable:
        return text


def executed_text(call: Call) -> str:
    """`call` as one line of Python, the form in which the release shows it to a prompted model."""
    arguments = ", ".join(f"{name}={_value_text(value)}" for name, value in call.arguments.items())
    return f"{call.name}({arguments})"


def _value_text(value: Any) -> str:
    if isinstance(value, Call):
        return executed_text(value)
    if isinstance(value, dict):
        return "{" + ", ".join(f"'{key}': {_value_text(item)}" for key, item in value.items()) + "}"
    return repr(value)
