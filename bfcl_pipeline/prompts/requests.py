"""The first request of an entry, in prompt mode and in function-calling mode.

Covers which functions a model is shown and where the system prompt goes. Messages are those of a chat;
what a wire format makes of them is `wire`. Later turns and steps, and what a memory adds to the system
prompt, belong to the conversation loop.
"""

from __future__ import annotations

from collections.abc import Sequence

from bfcl_pipeline.benchmark import (
    CATEGORIES,
    DEFAULT_FORMAT,
    Language,
    category_of,
    parse_format,
    unknown_name,
)
from bfcl_pipeline.errors import ConfigError
from bfcl_pipeline.prompts.hints import hinted
from bfcl_pipeline.prompts.schemas import WireFormat, tool_schemas
from bfcl_pipeline.prompts.system import system_prompt
from bfcl_pipeline.prompts.texts import Texts
from bfcl_pipeline.records import Entry, FunctionDoc, Message, Mode, Request


def prompt_request(entry: Entry, texts: Texts) -> Request:
    """What a prompted model is sent first: the functions as text in the system prompt.

    The format is the entry's own, or the default one. Raises ConfigError if it or the category is
    unknown.
    """
    fmt = DEFAULT_FORMAT if entry.prompt_format is None else parse_format(entry.prompt_format)
    prompt = system_prompt(texts, fmt, offered_functions(entry))
    return Request(Mode.PROMPT, _with_system_prompt(prompt, _first_turn(entry)))


def fc_request(entry: Entry, wire: WireFormat = WireFormat.OPENAI_CHAT) -> Request:
    """What a function-calling model is sent first: the messages, and the functions as tools."""
    return Request(Mode.FC, _first_turn(entry), tool_schemas(offered_functions(entry), wire))


def offered_functions(entry: Entry) -> tuple[FunctionDoc, ...]:
    """The entry's functions with the hints a model sees.

    The release hints the entries of format_sensitivity twice: when it loads the entry that is restated,
    and when it loads the restatement. What multi_turn_miss_func holds out is never hinted.
    """
    functions = entry.functions
    if entry.base_entry_id is not None:
        functions = hinted(functions, _language(category_of(entry.base_entry_id)))
    return hinted(functions, _language(entry.category))


def _language(category: str) -> Language:
    if category not in CATEGORIES:
        raise ConfigError(unknown_name("category", category, CATEGORIES))
    return CATEGORIES[category].language


def _first_turn(entry: Entry) -> tuple[Message, ...]:
    return entry.turns[0] if entry.turns else ()


def _with_system_prompt(prompt: str, messages: Sequence[Message]) -> tuple[Message, ...]:
    """`messages` with `prompt` first; a system message that is already there goes on after it."""
    if messages and messages[0]["role"] == "system":
        first, *rest = messages
        return ({**first, "content": f"{prompt}\n\n{first['content']}"}, *rest)
    return ({"role": "system", "content": prompt}, *messages)
