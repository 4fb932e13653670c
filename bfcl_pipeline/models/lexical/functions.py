"""What lexical knows of an offered function, read from its JSON schema.

Covers tool schemas of function-calling mode and JSON function docs, with the type names of either.
Docs written as Python or XML are `prompt_docs`.
"""

from __future__ import annotations

import ast
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from enum import StrEnum
from typing import Any

from bfcl_pipeline.benchmark import Language
from bfcl_pipeline.records import Json


class Kind(StrEnum):
    """What sort of value a parameter takes."""

    TEXT = "text"
    INTEGER = "integer"
    NUMBER = "number"
    BOOLEAN = "boolean"
    LIST = "list"
    OBJECT = "object"


@dataclass(frozen=True, slots=True)
class Parameter:
    """One parameter of a function, or one key of an object."""

    name: str  # as in the doc
    kind: Kind  # what sort of value it takes
    description: str  # without what only restates its type
    required: bool  # must be given
    choices: tuple[Json, ...] = ()  # the only values allowed; empty if any is
    item: Parameter | None = None  # what a list holds
    parts: tuple[Parameter, ...] = ()  # the keys of an object
    native_type: str = ""  # Java, JavaScript: the type name that the description gives
    native_item: str = ""  # likewise of what a list holds


@dataclass(frozen=True, slots=True)
class Function:
    """One offered function."""

    name: str  # as in the doc: with dots, or underscores in function-calling mode
    description: str  # without the language hint
    parameters: tuple[Parameter, ...]
    language: Language = Language.PYTHON  # whose syntax its values are written in


_KINDS: dict[str, Kind] = {
    "string": Kind.TEXT, "str": Kind.TEXT, "any": Kind.TEXT, "char": Kind.TEXT,
    "integer": Kind.INTEGER, "int": Kind.INTEGER, "byte": Kind.INTEGER, "short": Kind.INTEGER,
    "long": Kind.INTEGER, "bigint": Kind.INTEGER,
    "number": Kind.NUMBER, "float": Kind.NUMBER, "double": Kind.NUMBER,
    "boolean": Kind.BOOLEAN, "bool": Kind.BOOLEAN,
    "array": Kind.LIST, "list": Kind.LIST, "tuple": Kind.LIST, "arraylist": Kind.LIST,
    "queue": Kind.LIST, "stack": Kind.LIST, "set": Kind.LIST,
    "object": Kind.OBJECT, "dict": Kind.OBJECT, "hashmap": Kind.OBJECT, "hashtable": Kind.OBJECT,
}  # fmt: skip
"""Every type name that a doc may use, in lower case."""

_LANGUAGE_HINT = re.compile(r" Note that the provided function is in (\w+)[^.]*syntax\.")
_LANGUAGES: dict[str, Language] = {"Java": Language.JAVA, "JavaScript": Language.JAVASCRIPT}
_NATIVE_HINT = re.compile(
    r" This (?:is (?:Java|JavaScript) (?P<type>\w+) type parameter"
    r"|parameter can be of any type of (?:Java|JavaScript) object) in string representation\."
    r"(?: The list elements are of type (?P<item>\w+); they are not in string representation\.)?"
)
_FLOAT_HINT = " This is a float type value."
_CHOICES_NOTE = re.compile(r" ?Enum values: (\[.*\])\.?", re.DOTALL)


def kind_of(type_name: Any) -> Kind:
    """The kind that a type name stands for; text if it is unknown."""
    return _KINDS.get(str(type_name).lower(), Kind.TEXT)


def read_function(doc: Mapping[str, Any]) -> Function:
    """A function from its doc; missing parts are taken as empty."""
    schema = doc.get("parameters") or {}
    return function(str(doc.get("name", "")), str(doc.get("description") or ""), read_parameters(schema))


def function(name: str, description: str, parameters: Sequence[Parameter]) -> Function:
    """A function whose description may end in hints on its language."""
    hint = _LANGUAGE_HINT.search(description)
    language = _LANGUAGES.get(hint[1], Language.PYTHON) if hint else Language.PYTHON
    return Function(name, _LANGUAGE_HINT.sub("", description), tuple(parameters), language)


def read_parameters(schema: Mapping[str, Any]) -> tuple[Parameter, ...]:
    """The parameters of a function's or object's schema."""
    required = schema.get("required")
    names = frozenset(required) if isinstance(required, list) else frozenset()
    properties = schema.get("properties")
    if not isinstance(properties, Mapping):
        return ()
    return tuple(
        _read_parameter(name, about, name in names)
        for name, about in properties.items()
        if isinstance(about, Mapping)
    )


def _read_parameter(name: str, about: Mapping[str, Any], required: bool) -> Parameter:
    items = about.get("items")
    choices = about.get("enum")
    return parameter(
        name,
        kind_of(about.get("type", "string")),
        str(about.get("description") or ""),
        required,
        choices=tuple(choices) if isinstance(choices, list) else (),
        item=_read_parameter(name, items, False) if isinstance(items, Mapping) else None,
        parts=read_parameters(about),
    )


def parameter(
    name: str,
    kind: Kind,
    description: str,
    required: bool,
    choices: tuple[Json, ...] = (),
    item: Parameter | None = None,
    parts: tuple[Parameter, ...] = (),
) -> Parameter:
    """A parameter; what its description says of type and choices is taken out of it and understood."""
    note = _CHOICES_NOTE.search(description)
    if note is not None:
        description = _CHOICES_NOTE.sub("", description)
        choices = choices or _literal_choices(note[1])
    if kind is Kind.LIST and choices:  # they are of what the list holds
        item = replace(item or Parameter(name, Kind.TEXT, "", False), choices=choices)
        choices = ()
    found = Parameter(name, kind, description.replace(_FLOAT_HINT, ""), required, choices, item, parts)
    native = _NATIVE_HINT.search(description)
    return found if native is None else _native(found, native)


def _native(found: Parameter, hint: re.Match[str]) -> Parameter:
    type_name = hint["type"] or "any"
    kind = kind_of(type_name)
    item = Parameter(found.name, kind_of(hint["item"]), "", False) if hint["item"] else None
    return replace(
        found,
        kind=kind,
        description=found.description[: hint.start()],
        item=item,
        native_type=type_name,
        native_item=hint["item"] or "",
    )


def _literal_choices(text: str) -> tuple[Json, ...]:
    try:
        values = ast.literal_eval(text)
    except (ValueError, SyntaxError):
        return ()
    return tuple(values) if isinstance(values, list) else ()
