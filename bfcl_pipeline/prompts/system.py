"""The system prompt of prompt mode, in each of the 26 formats.

Covers how the release's texts and the function docs are put together; the docs themselves are
`function_docs`. Source: the release's model_handler/utils.py.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TypeVar

from bfcl_pipeline.benchmark import PromptFormat, unknown_name
from bfcl_pipeline.errors import ConfigError
from bfcl_pipeline.prompts.function_docs import function_docs
from bfcl_pipeline.prompts.texts import Texts
from bfcl_pipeline.records import FunctionDoc

_T = TypeVar("_T")


def system_prompt(texts: Texts, fmt: PromptFormat, functions: Sequence[FunctionDoc]) -> str:
    """What a prompted model is told before the conversation: the task, the format, the functions.

    `functions` are rendered as given: language hints are the caller's. Raises ConfigError if the
    format names a wording, layout, doc format or return format that no prompt has.
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
