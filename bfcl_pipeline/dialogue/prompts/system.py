"""The system prompt of prompt mode, in each of the 26 formats, and the system message of a memory entry.

Combines the release's texts with the function docs, which `function_docs` writes. Source: the release's
model_handler/utils.py.
"""

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import TypeVar

from bfcl_pipeline.base.errors import ConfigError, MalformedRelease
from bfcl_pipeline.base.text import unknown_name
from bfcl_pipeline.benchmark.definition import CATEGORIES, MemoryBackend, PromptFormat
from bfcl_pipeline.benchmark.records import Entry, FunctionDoc, Message
from bfcl_pipeline.dialogue.prompts.function_docs import function_docs
from bfcl_pipeline.dialogue.prompts.texts import Texts

_T = TypeVar("_T")


def system_prompt(texts: Texts, fmt: PromptFormat, functions: Sequence[FunctionDoc]) -> str:
    """The system prompt of a prompted model: the task, the call format, the functions.

    `functions` must already have their language hints. Raises ConfigError if the format has a style,
    layout, doc format or return format that the release has no text for.
    """
    style = _named("prompt style", texts.styles, fmt.style)
    layout = _named("prompt layout", texts.layouts, fmt.layout)
    output_format = _named("return format of a prompt", texts.output_formats, fmt.return_format.value)
    how_to_call = style.tool_call_with_tag if fmt.tool_call_tag else style.tool_call_no_tag
    return layout.format(
        persona=style.persona,
        task=style.task,
        tool_call_format=how_to_call.format(
            output_format=output_format,
            param_types=texts.param_types[fmt.return_format.value],
        ),
        multiturn_behavior=style.multiturn_behavior,
        available_tools=style.available_tools.format(
            format=fmt.doc_format,
            functions=function_docs(functions, fmt.doc_format),
        ),
    )


def _named(kind: str, known: Mapping[str, _T], name: str) -> _T:
    if name not in known:
        raise ConfigError(unknown_name(kind, name, known))
    return known[name]


def with_memory(entry: Entry, texts: Texts, content: str) -> Entry:
    """`entry` with the memory's system message first.

    content: the part of the memory that is shown in the prompt. The text of an existing system message is
    appended. Raises MalformedRelease if the entry's scenario is unknown.
    """
    setting = texts.memory_settings.get(entry.scenario or "")
    if setting is None:
        known = f"one of {', '.join(texts.memory_settings)}"
        raise MalformedRelease.at(f"{entry.entry_id}: scenario", known, f"{entry.scenario!r}")
    one_text = CATEGORIES[entry.category].backend is MemoryBackend.SUMMARY
    template = texts.memory_in_one_text if one_text else texts.memory_in_two_parts
    system = template.format(scenario_setting=setting, memory_content=content)
    first, *later = entry.turns
    return replace(entry, turns=(with_system_prompt(system, first), *later))


def with_system_prompt(prompt: str, messages: Sequence[Message]) -> tuple[Message, ...]:
    """`messages` with `prompt` first; the text of an existing system message is appended to it."""
    if messages and messages[0]["role"] == "system":
        first, *rest = messages
        return ({**first, "content": f"{prompt}\n\n{first['content']}"}, *rest)
    return ({"role": "system", "content": prompt}, *messages)
