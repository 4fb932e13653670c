"""The first request of an entry, in prompt mode and in function-calling mode.

Covers the offered functions with their language hints, and the place of the system prompt. Messages are
chat messages; `wire` writes them in a wire format. Later turns and steps belong to the conversation loop.
"""

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from bfcl_pipeline.base.errors import ConfigError
from bfcl_pipeline.base.text import unknown_name
from bfcl_pipeline.benchmark.definition import (
    CATEGORIES,
    DEFAULT_FORMAT,
    Language,
    ReturnFormat,
    category_of,
    parse_format,
)
from bfcl_pipeline.benchmark.records import Entry, FunctionDoc, Json, Message, Mode, Request
from bfcl_pipeline.dialogue.prompts.schemas import WireFormat, tool_schemas
from bfcl_pipeline.dialogue.prompts.texts import Texts, system_prompt, with_system_prompt


def prompt_request(entry: Entry, texts: Texts) -> Request:
    """The first request in prompt mode, with the functions as text in the system prompt.

    The format is the entry's own, or the default format. Raises ConfigError if the format or the category
    is unknown.
    """
    fmt = DEFAULT_FORMAT if entry.prompt_format is None else parse_format(entry.prompt_format)
    prompt = system_prompt(texts, fmt, offered_functions(entry))
    return Request(
        Mode.PROMPT,
        with_system_prompt(prompt, _first_turn(entry)),
        functions=entry.functions,
        return_format=_return_format(entry) if entry.prompt_format is None else fmt.return_format,
        tool_call_tag=fmt.tool_call_tag,
    )


def fc_request(entry: Entry, wire: WireFormat = WireFormat.OPENAI_CHAT) -> Request:
    """The first request in function-calling mode, with the functions as tools."""
    return Request(
        Mode.FC,
        _first_turn(entry),
        tool_schemas(offered_functions(entry), wire),
        functions=entry.functions,
        return_format=_return_format(entry),
    )


def offered_functions(entry: Entry) -> tuple[FunctionDoc, ...]:
    """The entry's functions with language hints.

    As in the release, entries of format_sensitivity get the hints twice (for the restated entry and for the
    restatement), and the held-out functions of multi_turn_miss_func get none.
    """
    functions = entry.functions
    if entry.base_entry_id is not None:
        functions = add_hints(functions, _language(category_of(entry.base_entry_id)))
    return add_hints(functions, _language(entry.category))


def _language(category: str) -> Language:
    if category not in CATEGORIES:
        raise ConfigError(unknown_name("category", category, CATEGORIES))
    return CATEGORIES[category].language


def _return_format(entry: Entry) -> ReturnFormat:
    """The syntax of the category's language, in which argument values are read in either mode."""
    return ReturnFormat(_language(entry.category).value)


def _first_turn(entry: Entry) -> tuple[Message, ...]:
    return entry.turns[0] if entry.turns else ()


@dataclass(frozen=True, slots=True)
class _Syntax:
    """The changes to the docs of one language."""

    hint: str  # appended to the description of each function
    name: str | None = None  # language name in parameter descriptions; None: parameters stay as they are
    lists: frozenset[str] = frozenset()  # types whose `items` move into the description
    dicts: frozenset[str] = frozenset()  # types whose `properties` move into the description


_SYNTAX = {
    Language.PYTHON: _Syntax(" Note that the provided function is in Python 3 syntax."),
    Language.JAVA: _Syntax(
        " Note that the provided function is in Java 8 SDK syntax.",
        name="Java",
        lists=frozenset({"ArrayList", "Array"}),
    ),
    Language.JAVASCRIPT: _Syntax(
        " Note that the provided function is in JavaScript syntax.",
        name="JavaScript",
        lists=frozenset({"array"}),
        dicts=frozenset({"dict"}),
    ),
}


def add_hints(functions: Sequence[FunctionDoc], language: Language) -> tuple[FunctionDoc, ...]:
    """`functions` with the hints of `language`; a second call adds the hints a second time.

    Every description gets a sentence about the language of the function. Java and JavaScript parameters
    also become strings, because their values are written in that language's syntax. Scoring uses the docs
    without hints. Source: the release's utils.py.
    """
    syntax = _SYNTAX[language]
    return tuple(_hinted_function(function, syntax) for function in functions)


def _hinted_function(function: FunctionDoc, syntax: _Syntax) -> FunctionDoc:
    described = {**function, "description": function["description"] + syntax.hint}
    if syntax.name is not None:
        parameters = function["parameters"]
        properties = {name: _as_string(schema, syntax) for name, schema in parameters["properties"].items()}
        described["parameters"] = {**parameters, "properties": properties}
    return described


def _as_string(schema: Mapping[str, Json], syntax: _Syntax) -> dict[str, Json]:
    """The parameter as a string whose description states the original type."""
    kind = schema.get("type", "any")
    rewritten = {**schema, "type": "string"}
    note = (
        f" This parameter can be of any type of {syntax.name} object in string representation."
        if kind == "any"
        else f" This is {syntax.name} {kind} type parameter in string representation."
    )
    if kind in syntax.lists:
        items = rewritten.pop("items", {"type": "any"})
        note += f" The list elements are of type {items['type']}; they are not in string representation."
    if kind in syntax.dicts and "properties" in rewritten:
        entries = json.dumps(rewritten.pop("properties"))
        note += (
            " The dictionary entries have the following schema; "
            f"they are not in string representation. {entries}"
        )
    rewritten["description"] = schema.get("description", "") + note
    return rewritten
