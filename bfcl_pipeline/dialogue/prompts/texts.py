"""The benchmark's own prompt texts, which staging reads from the release.

Covers the parts of system prompts, the user messages that announce further functions, the system messages
of memories, and the check that all are complete. The texts are not in this repository;
`bfcl_pipeline.dialogue.release_texts` reads them from disk.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, fields, replace
from string import Formatter
from typing import TypeVar

from bfcl_pipeline.base.errors import ConfigError, MalformedRelease
from bfcl_pipeline.base.text import unknown_name
from bfcl_pipeline.benchmark.definition import CATEGORIES, FORMATS, MemoryBackend, PromptFormat
from bfcl_pipeline.benchmark.records import Entry, FunctionDoc, Json, Message
from bfcl_pipeline.dialogue.prompts.function_docs import function_docs


@dataclass(frozen=True, slots=True)
class Style:
    """One wording of the parts of a system prompt; the names are the release's."""

    persona: str  # the role of the model
    task: str  # the task of the model
    tool_call_no_tag: str  # syntax of calls; has {output_format} and {param_types}
    tool_call_with_tag: str  # syntax of calls between <TOOLCALL> and </TOOLCALL>
    multiturn_behavior: str  # when a turn ends
    available_tools: str  # introduces the functions; has {format} and {functions}


@dataclass(frozen=True, slots=True)
class Texts:
    """All texts of system prompts, memories and announcements of further functions."""

    output_formats: Mapping[str, str]  # a sample of each return format
    param_types: Mapping[str, str]  # the note on types for each return format; often empty
    styles: Mapping[str, Style]  # classic, experimental
    layouts: Mapping[str, str]  # plaintext, markdown: templates that combine the parts
    more_functions_fc: str  # user message at a turn with further functions, in function-calling mode
    more_functions_prompt: str  # user message at such a turn in prompt mode; has {functions}
    memory_settings: Mapping[str, str]  # description of the assistant's role, by scenario
    memory_in_two_parts: str  # for a core and an archival memory; has {scenario_setting}, {memory_content}
    memory_in_one_text: str  # for a memory of one text; has the same placeholders
    families: Mapping[str, Sequence[str]] = field(default_factory=dict)
    # long texts of the prompts of open-weight models, by module of the release; empty: not staged


_MODULE = "default_prompts"
_CALL_FIELDS = frozenset({"output_format", "param_types"})
_STYLE_FIELDS: Mapping[str, frozenset[str]] = {
    "tool_call_no_tag": _CALL_FIELDS,
    "tool_call_with_tag": _CALL_FIELDS,
    "available_tools": frozenset({"format", "functions"}),
}
_LAYOUT_FIELDS = frozenset({"persona", "task", "tool_call_format", "multiturn_behavior", "available_tools"})
_LAYOUT_NAMES = {
    "plaintext": "_PLAINTEXT_SYSTEM_PROMPT_TEMPLATE",
    "markdown": "_MARKDOWN_SYSTEM_PROMPT_TEMPLATE",
}
_MORE_FUNCTIONS = "DEFAULT_USER_PROMPT_FOR_ADDITIONAL_FUNCTION"
_MEMORY = "MEMORY_BACKEND_INSTRUCTION"
_MEMORY_FIELDS = frozenset({"scenario_setting", "memory_content"})


def load_texts(release: Mapping[str, Json]) -> Texts:
    """The prompt texts among the release's constants (the content of data/release/texts.json).

    Raises MalformedRelease if a text is missing, is not text, or has unknown placeholders.
    """

    def text(*path: str, placeholders: frozenset[str] | None = None) -> str:
        return _text(release, (_MODULE, *path), placeholders)

    def style(name: str) -> Style:
        return Style(
            **{
                part.name: text(
                    "PROMPT_STYLE_TEMPLATES", name, part.name, placeholders=_STYLE_FIELDS.get(part.name)
                )
                for part in fields(Style)
            }
        )

    formats = dict.fromkeys(fmt.return_format.value for fmt in FORMATS)
    scenarios = _value(release, (_MODULE, "MEMORY_AGENT_SETTINGS"), Mapping)
    return Texts(
        output_formats={name: text("OUTPUT_FORMAT_MAPPING", name) for name in formats},
        param_types={name: text("PARAM_TYPE_MAPPING", name) for name in formats},
        styles={name: style(name) for name in sorted({fmt.style for fmt in FORMATS})},
        layouts={layout: text(name, placeholders=_LAYOUT_FIELDS) for layout, name in _LAYOUT_NAMES.items()},
        more_functions_fc=text(f"{_MORE_FUNCTIONS}_FC"),
        more_functions_prompt=text(f"{_MORE_FUNCTIONS}_PROMPTING", placeholders=frozenset({"functions"})),
        memory_settings={name: text("MEMORY_AGENT_SETTINGS", name) for name in scenarios},
        memory_in_two_parts=text(f"{_MEMORY}_CORE_ARCHIVAL", placeholders=_MEMORY_FIELDS),
        memory_in_one_text=text(f"{_MEMORY}_UNIFIED", placeholders=_MEMORY_FIELDS),
    )


def _text(release: Mapping[str, Json], path: Sequence[str], placeholders: frozenset[str] | None) -> str:
    """The text at `path`; as a template it may have some of `placeholders`."""
    text: str = _value(release, path, str)
    if placeholders is None:
        return text
    try:
        found = {name for _, name, _, _ in Formatter().parse(text) if name is not None}
    except ValueError as error:
        raise _malformed(path, "a template", str(error)) from error
    if not found <= placeholders:
        raise _malformed(path, f"placeholders among {sorted(placeholders)}", f"{sorted(found)}")
    return text


def _value(release: Mapping[str, Json], path: Sequence[str], kind: type) -> Json:
    """The value at `path`, which must be a `kind`, in tables of texts."""
    value: Json = release
    for depth, name in enumerate(path, 1):
        wanted = kind if depth == len(path) else Mapping
        expected = "a text" if wanted is str else "a table of texts"
        if name not in value:
            raise _malformed(path[:depth], expected, "nothing of that name")
        value = value[name]
        if not isinstance(value, wanted):
            raise _malformed(path[:depth], expected, type(value).__name__)
    return value


def _malformed(path: Sequence[str], expected: str, got: str) -> MalformedRelease:
    return MalformedRelease.at(f"texts of the release: {'.'.join(path)}", expected, got)


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
