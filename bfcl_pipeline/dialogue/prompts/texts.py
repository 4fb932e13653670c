"""The benchmark's own prompt texts, which staging reads from the release.

Covers the parts of system prompts, the user messages that announce further functions, the system messages
of memories, and the check that all are complete. The texts are not in this repository;
`bfcl_pipeline.dialogue.release_texts` reads them from disk.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, fields
from string import Formatter

from bfcl_pipeline.base.errors import MalformedRelease
from bfcl_pipeline.benchmark.definition import FORMATS
from bfcl_pipeline.benchmark.records import Json


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
_PLACEHOLDERS: Mapping[str, frozenset[str]] = {
    "tool_call_no_tag": _CALL_FIELDS,
    "tool_call_with_tag": _CALL_FIELDS,
    "available_tools": frozenset({"format", "functions"}),
}
_LAYOUT_FIELDS = frozenset({"persona", "task", "tool_call_format", "multiturn_behavior", "available_tools"})
_LAYOUT_NAMES = {
    "plaintext": "_PLAINTEXT_SYSTEM_PROMPT_TEMPLATE",
    "markdown": "_MARKDOWN_SYSTEM_PROMPT_TEMPLATE",
}

_MORE_FUNCTIONS_FC = "DEFAULT_USER_PROMPT_FOR_ADDITIONAL_FUNCTION_FC"
_MEMORY_IN_TWO_PARTS = "MEMORY_BACKEND_INSTRUCTION_CORE_ARCHIVAL"
_MEMORY_IN_ONE_TEXT = "MEMORY_BACKEND_INSTRUCTION_UNIFIED"
_MEMORY_FIELDS = frozenset({"scenario_setting", "memory_content"})
_MORE_FUNCTIONS_PROMPT = "DEFAULT_USER_PROMPT_FOR_ADDITIONAL_FUNCTION_PROMPTING"


def load_texts(release: Mapping[str, Json]) -> Texts:
    """The prompt texts among the release's constants (the content of data/release/texts.json).

    Raises MalformedRelease if a text is missing, is not text, or has unknown placeholders.
    """
    constants = _mapping(release, _MODULE, "")
    styles = _mapping(constants, "PROMPT_STYLE_TEMPLATES", _MODULE)
    settings = _mapping(constants, "MEMORY_AGENT_SETTINGS", _MODULE)
    return Texts(
        output_formats=_by_return_format(constants, "OUTPUT_FORMAT_MAPPING"),
        param_types=_by_return_format(constants, "PARAM_TYPE_MAPPING"),
        styles={name: _style(styles, name) for name in sorted({fmt.style for fmt in FORMATS})},
        layouts={
            layout: _template(constants, name, _MODULE, _LAYOUT_FIELDS)
            for layout, name in _LAYOUT_NAMES.items()
        },
        more_functions_fc=_text(constants, _MORE_FUNCTIONS_FC, _MODULE),
        more_functions_prompt=_template(
            constants, _MORE_FUNCTIONS_PROMPT, _MODULE, frozenset({"functions"})
        ),
        memory_settings={
            scenario: _text(settings, scenario, f"{_MODULE}.MEMORY_AGENT_SETTINGS") for scenario in settings
        },
        memory_in_two_parts=_template(constants, _MEMORY_IN_TWO_PARTS, _MODULE, _MEMORY_FIELDS),
        memory_in_one_text=_template(constants, _MEMORY_IN_ONE_TEXT, _MODULE, _MEMORY_FIELDS),
    )


def _by_return_format(constants: Mapping[str, Json], name: str) -> dict[str, str]:
    table = _mapping(constants, name, _MODULE)
    wanted = dict.fromkeys(fmt.return_format.value for fmt in FORMATS)
    return {key: _text(table, key, f"{_MODULE}.{name}") for key in wanted}


def _style(styles: Mapping[str, Json], name: str) -> Style:
    where = f"{_MODULE}.PROMPT_STYLE_TEMPLATES"
    parts = _mapping(styles, name, where)
    texts: dict[str, str] = {}
    for part in (each.name for each in fields(Style)):
        placeholders = _PLACEHOLDERS.get(part)
        if placeholders is None:
            texts[part] = _text(parts, part, f"{where}.{name}")
        else:
            texts[part] = _template(parts, part, f"{where}.{name}", placeholders)
    return Style(**texts)


def _template(table: Mapping[str, Json], name: str, where: str, placeholders: frozenset[str]) -> str:
    template = _text(table, name, where)
    try:
        found = {field for _, field, _, _ in Formatter().parse(template) if field is not None}
    except ValueError as error:
        raise MalformedRelease.at(_place(where, name), "a template", str(error)) from error
    if not found <= placeholders:
        expected = f"placeholders among {sorted(placeholders)}"
        raise MalformedRelease.at(_place(where, name), expected, f"{sorted(found)}")
    return template


def _text(table: Mapping[str, Json], name: str, where: str) -> str:
    value = _value(table, name, where, "a text")
    if not isinstance(value, str):
        raise MalformedRelease.at(_place(where, name), "a text", type(value).__name__)
    return value


def _mapping(table: Mapping[str, Json], name: str, where: str) -> Mapping[str, Json]:
    value = _value(table, name, where, "a table of texts")
    if not isinstance(value, Mapping):
        raise MalformedRelease.at(_place(where, name), "a table of texts", type(value).__name__)
    return value


def _value(table: Mapping[str, Json], name: str, where: str, expected: str) -> Json:
    if name not in table:
        raise MalformedRelease.at(_place(where, name), expected, "nothing of that name")
    return table[name]


def _place(where: str, name: str) -> str:
    return f"texts of the release: {f'{where}.{name}'.lstrip('.')}"
