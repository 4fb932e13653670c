"""Writes calls as text, in every syntax that a prompt of the benchmark requests.

Covers the inverse of decoding: Python, JSON, verbose and concise XML, Java and JavaScript call text,
and the native form of function-calling mode. Values in Java or JavaScript syntax are written by
`bfcl_pipeline.dialogue.calls.spelling`; here such a value is already text.

Values that no spelling brings through the release's decoders (a lone surrogate in XML, a list of objects
inside JSON call text) are written in the plain form.
"""

import json
import math
import re
from collections.abc import Callable, Mapping, Sequence
from typing import Any

from bfcl_pipeline.benchmark.definition import ReturnFormat
from bfcl_pipeline.benchmark.records import Call, Json

TAG_OPEN = "<TOOLCALL>"
TAG_CLOSE = "</TOOLCALL>"

_XML_TYPES: dict[type, str] = {
    str: "string",
    bool: "boolean",
    int: "integer",
    float: "float",
    list: "array",
    tuple: "tuple",
    dict: "dict",
    type(None): "null",  # not a type that prompts allow, but none of those can express it
}

_XML_UNWRITABLE = re.compile("[\x00-\x08\x0b\x0c\x0e-\x1f\ud800-\udfff\ufffe\uffff]")
"""Characters that XML 1.0 cannot contain, even escaped."""

_JAVA_EXPRESSION = re.compile(
    r"""-?\d[\d_]*(\.\d+)?([eE][+-]?\d+)?[lLfFdD]?  # a number
    | true | false | null
    | new\s.*                                        # an object, an array
    | .*["\\].*                                      # a quoted part: the decoder does not unescape
    """,
    re.VERBOSE | re.DOTALL,
)

_JAVASCRIPT_EXPRESSION = re.compile(
    r"""-?\d+(\.\d+)?n? | true | false | null
    | \[.*\] | \{.*\} | new\s.*
    | .*"'.* | .*'".* | .*\\.*                       # cannot be quoted unchanged
    """,
    re.VERBOSE | re.DOTALL,
)


def write_calls(calls: Sequence[Call], return_format: ReturnFormat, tool_call_tag: bool = False) -> str:
    """The text of `calls` in the form that prompts with `return_format` request.

    In Java and JavaScript, text arguments are source text of that language, which the release's decoder
    returns and compares as text.
    """
    text = _WRITERS[return_format](calls)
    return f"{TAG_OPEN}{text}{TAG_CLOSE}" if tool_call_tag else text


def write_native(calls: Sequence[Call]) -> list[dict[str, str]]:
    """`calls` as the official result form of function-calling mode: {name: arguments as JSON text}.

    Dots in names become underscores, as function-calling APIs require.
    """
    return [
        {call.name.replace(".", "_"): json.dumps(dict(call.arguments), ensure_ascii=False)}
        for call in calls
    ]


def _list_of_calls(calls: Sequence[Call], value_text: Callable[[Json], str]) -> str:
    return f"[{', '.join(_call(call, value_text) for call in calls)}]"


def _call(call: Call, value_text: Callable[[Json], str]) -> str:
    arguments = (
        value_text(value) if name is None else f"{name}={value_text(value)}"
        for name, value in call.arguments.items()
    )
    return f"{call.name}({', '.join(arguments)})"


def _json_calls(calls: Sequence[Call]) -> str:
    listed = [{"function": call.name, "parameters": dict(call.arguments)} for call in calls]
    return f"```json\n{_json(listed)}\n```"


def _verbose_xml_calls(calls: Sequence[Call]) -> str:
    functions = []
    for call in calls:
        params = []
        for name, value in call.arguments.items():
            kind, text = _xml_value(value, trimmed=False)
            params.append(f"<param name={_quoted(name)} value={_quoted(text)} type={_quoted(kind)}/>")
        functions.append(
            f"<function name={_quoted(call.name)}><params>{''.join(params)}</params></function>"
        )
    return f"<functions>{''.join(functions)}</functions>"


def _concise_xml_calls(calls: Sequence[Call]) -> str:
    functions = []
    for call in calls:
        params = []
        for name, value in call.arguments.items():
            kind, text = _xml_value(value, trimmed=True)
            params.append(f"<param name={_quoted(name)} type={_quoted(kind)}>{_escaped(text)}</param>")
        functions.append(f"<function name={_quoted(call.name)}>{''.join(params)}</function>")
    return f"<functions>{''.join(functions)}</functions>"


_WRITERS: dict[ReturnFormat, Callable[[Sequence[Call]], str]] = {
    ReturnFormat.PYTHON: lambda calls: _list_of_calls(calls, _python),
    ReturnFormat.JSON: _json_calls,
    ReturnFormat.VERBOSE_XML: _verbose_xml_calls,
    ReturnFormat.CONCISE_XML: _concise_xml_calls,
    ReturnFormat.JAVA: lambda calls: _list_of_calls(calls, _java),
    ReturnFormat.JAVASCRIPT: lambda calls: _list_of_calls(calls, _javascript),
}


def _python(value: Any) -> str:
    """A Python literal on one line that is decoded as `value`."""
    if isinstance(value, str):
        return repr(value).replace("</", "<\\x2f")  # a closing tag inside a string would end the calls
    if isinstance(value, float) and math.isinf(value):
        return "1e999" if value > 0 else "-1e999"
    if isinstance(value, Mapping):
        return f"{{{', '.join(f'{_python(k)}: {_python(v)}' for k, v in value.items())}}}"
    if isinstance(value, list):
        return f"[{', '.join(map(_python, value))}]"
    if isinstance(value, tuple):
        return f"({', '.join(map(_python, value))}{',' if len(value) == 1 else ''})"
    return repr(value)


def _json(value: Any) -> str:
    """JSON text without braces or tags in strings, which the decoder would take for structure."""
    if isinstance(value, str):
        try:
            value.encode()
            text = json.dumps(value, ensure_ascii=False)
        except UnicodeEncodeError:  # a lone surrogate cannot be written as UTF-8, but can be escaped
            text = json.dumps(value)
        return text.replace("}", "\\u007d").replace("</", "<\\/")
    if isinstance(value, Mapping):
        return f"{{{', '.join(f'{_json(str(k))}: {_json(v)}' for k, v in value.items())}}}"
    if isinstance(value, (list, tuple)):
        return f"[{', '.join(map(_json, value))}]"
    return json.dumps(value)


def _xml_value(value: Any, trimmed: bool) -> tuple[str, str]:
    """The type name and text of a value; `trimmed`: the decoder strips white space around the text."""
    if isinstance(value, str):
        if _XML_UNWRITABLE.search(value) or (trimmed and value != value.strip()):
            return "array", ascii(value)  # a literal, the only form that keeps such a string
        return "string", value
    kind = _XML_TYPES.get(type(value), "string")
    if isinstance(value, bool):
        return kind, str(value).lower()
    if isinstance(value, float):
        return kind, repr(value)
    text = _python(value)
    if _XML_UNWRITABLE.search(text):
        text = ascii(value)
    return kind, text


def _escaped(text: str) -> str:
    text = text.replace("&", "&amp;").replace("<", "&lt;").replace(">", "&gt;")
    return text.replace("\r", "&#13;")  # an unescaped one would be read as a line feed


def _quoted(text: str | None) -> str:
    escaped = _escaped(text or "").replace('"', "&quot;")
    return '"' + escaped.replace("\n", "&#10;").replace("\t", "&#9;") + '"'


def _java(value: Any) -> str:
    if not isinstance(value, str):
        return _literal(value)
    if value.startswith('""') and value.endswith('""') and len(value) > 4:
        return f'"{value}"'  # a text block; the decoder removes one quote at each end
    if _JAVA_EXPRESSION.fullmatch(value):
        return value
    return f'"{value}"'


def _javascript(value: Any) -> str:
    if not isinstance(value, str):
        return _literal(value)
    if _JAVASCRIPT_EXPRESSION.fullmatch(value):
        return value
    quote = "'" if '"' in value else '"'
    return f"{quote}{value}{quote}"


def _literal(value: Any) -> str:
    return value if isinstance(value, str) else json.dumps(value, ensure_ascii=False)
