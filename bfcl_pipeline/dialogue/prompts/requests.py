"""The first request of an entry, in prompt mode and in function-calling mode.

Covers the offered functions and the place of the system prompt. Messages are chat messages; `wire`
writes them in a wire format. Later turns and steps belong to the conversation loop, the system message of
a memory to `memory`.
"""

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
from bfcl_pipeline.benchmark.records import Entry, FunctionDoc, Message, Mode, Request
from bfcl_pipeline.dialogue.prompts.hints import add_hints
from bfcl_pipeline.dialogue.prompts.schemas import WireFormat, tool_schemas
from bfcl_pipeline.dialogue.prompts.system import system_prompt, with_system_prompt
from bfcl_pipeline.dialogue.prompts.texts import Texts


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
