"""Functions and the wished form of calls, read from a system prompt.

Covers function docs written as JSON, Python or XML, the four return formats and the tool-call tag. It
goes by the shape of the text, so that it knows neither the wording nor the order of a prompt.
"""

from __future__ import annotations

import ast
import json
import re
from dataclasses import dataclass
from functools import lru_cache

from bfcl_pipeline.benchmark import ReturnFormat
from bfcl_pipeline.models.lexical.functions import (
    Function,
    Kind,
    Parameter,
    function,
    kind_of,
    parameter,
    read_function,
)
from bfcl_pipeline.records import FunctionDoc


@dataclass(frozen=True, slots=True)
class PromptReading:
    """What a system prompt offers and asks for."""

    functions: tuple[Function, ...]
    return_format: ReturnFormat
    tool_call_tag: bool


_JSON_DOCS = re.compile(r"^\[\n? *\{", re.MULTILINE)
_PYTHON_DOC = re.compile(
    r'^# Function: (?P<name>[^\n]+)\n    """\n    (?P<description>.*?)\n\n'
    r'(?:    Args:\n(?P<args>.*?))?    """$',
    re.MULTILINE | re.DOTALL,
)
_PYTHON_ARGUMENT = re.compile(
    r"^(?P<indent> {8,})(?P<name>[\w.$-]+) "
    r"\((?P<type>\w+(?:\[.*?\])*)(?P<default>, default=.*?)?\): ?(?P<description>.*)$"
)
_OPTIONAL = re.compile(r"\b(?:optional|default)", re.IGNORECASE)
_XML_DOC = re.compile(
    r'^<function name="(?P<name>[^"\n]+)">\n(?P<body>.*?)^</function>$', re.MULTILINE | re.DOTALL
)
_XML_PART = re.compile(
    r'<param name="(?P<name>.*?)" type="(?P<type>.*?)" required="(?P<required>true|false)".*?>$'
    r"|<desc>(?P<description>.*?)</desc>$"
    r"|^ *(?P<end></param>)$",
    re.MULTILINE | re.DOTALL,
)


@lru_cache(maxsize=512)
def read_prompt(text: str) -> PromptReading:
    """The functions and the form of calls that a system prompt names."""
    functions = _json_functions(text) or _python_functions(text) or _xml_functions(text)
    return PromptReading(functions, _return_format(text), "<TOOLCALL>" in text)


@lru_cache(maxsize=512)
def later_docs(text: str) -> tuple[FunctionDoc, ...]:
    """Function docs that a message opens with, as the first line of a turn at which they appear."""
    line = text.partition("\n")[0]
    if not line.startswith("[{'name': "):
        return ()
    try:
        return tuple(ast.literal_eval(line))
    except (ValueError, SyntaxError, RecursionError, MemoryError):
        return ()


def _return_format(text: str) -> ReturnFormat:
    start = text.find("<functions><function name=")
    if start >= 0:
        sample = text[start : text.find("</functions>", start)]
        return ReturnFormat.VERBOSE_XML if "<params>" in sample else ReturnFormat.CONCISE_XML
    if re.search(r'\{"function": ?"', text):
        return ReturnFormat.JSON
    return ReturnFormat.PYTHON


def _json_functions(text: str) -> tuple[Function, ...]:
    for start in _JSON_DOCS.finditer(text):
        try:
            docs, _end = json.JSONDecoder().raw_decode(text, start.start())
        except ValueError:
            continue
        if all(isinstance(doc, dict) and "name" in doc for doc in docs):
            return tuple(read_function(doc) for doc in docs)
    return ()


def _python_functions(text: str) -> tuple[Function, ...]:
    return tuple(
        function(doc["name"], doc["description"], _python_parameters(doc["args"] or ""))
        for doc in _PYTHON_DOC.finditer(text)
    )


@dataclass(slots=True)
class _Draft:
    """A parameter whose description or parts may still follow."""

    level: int  # how deep it stands
    name: str
    type_name: str
    required: bool
    description: str = ""

    def parameter(self, parts: tuple[Parameter, ...]) -> Parameter:
        """The parameter, now that all of it was read."""
        outer, _bracket, inner = self.type_name.removesuffix("]").partition("[")
        kind = kind_of(outer)
        item = None
        if kind is Kind.LIST and inner:
            item = _Draft(self.level, self.name, inner, False).parameter(())
        return parameter(self.name, kind, self.description, self.required, item=item, parts=parts)


def _assembled(drafts: list[_Draft]) -> tuple[Parameter, ...]:
    """The parameters of the least level among `drafts`; deeper ones are parts of the one before."""
    found: list[Parameter] = []
    index = 0
    while index < len(drafts):
        end = index + 1
        while end < len(drafts) and drafts[end].level > drafts[index].level:
            end += 1
        found.append(drafts[index].parameter(_assembled(drafts[index + 1 : end])))
        index = end
    return tuple(found)


def _python_parameters(text: str) -> tuple[Parameter, ...]:
    """Python docs do not say what is required: what has no default and no word of being optional."""
    drafts: list[_Draft] = []
    for line in text.splitlines():
        match = _PYTHON_ARGUMENT.match(line)
        if match is not None:
            about = match["description"]
            required = match["default"] is None and not _OPTIONAL.search(about)
            drafts.append(_Draft(len(match["indent"]), match["name"], match["type"], required, about))
        elif drafts:
            drafts[-1].description += f"\n{line}"
    return _assembled(drafts)


def _xml_functions(text: str) -> tuple[Function, ...]:
    return tuple(_xml_function(doc["name"], doc["body"]) for doc in _XML_DOC.finditer(text))


def _xml_function(name: str, body: str) -> Function:
    description = ""
    drafts: list[_Draft] = []
    level = 0
    for part in _XML_PART.finditer(body):
        if part["name"] is not None:
            drafts.append(_Draft(level, part["name"], part["type"], part["required"] == "true"))
            level += 1
        elif part["end"] is not None:
            level -= 1
        elif drafts:
            drafts[-1].description = part["description"]
        else:
            description = part["description"]
    return function(name, description, _assembled(drafts))
