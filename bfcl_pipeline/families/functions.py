"""The forms in which templates receive function docs, by the name that families.yaml gives."""

from collections.abc import Callable, Mapping, Sequence
from typing import TypeAlias

from bfcl_pipeline.families.python_code import python_code
from bfcl_pipeline.prompts import WireFormat, tool_schemas
from bfcl_pipeline.records import FunctionDoc, Json

Form: TypeAlias = Callable[[Sequence[FunctionDoc], int], Sequence[Json]]
"""Docs with language hints, and the number of earlier requests, to what a template receives."""


def _docs(functions: Sequence[FunctionDoc], _earlier: int) -> Sequence[Json]:
    """As the benchmark documents them."""
    return functions


def _bare_tools(functions: Sequence[FunctionDoc], _earlier: int) -> Sequence[Json]:
    """The functions of tools of chat completions, with underscores in names."""
    return [tool["function"] for tool in tool_schemas(functions, WireFormat.OPENAI_CHAT)]


def _python_code(functions: Sequence[FunctionDoc], earlier: int) -> Sequence[Json]:
    """Python code, null for a function that has none."""
    return python_code(_bare_tools(functions, earlier))


def _tools(functions: Sequence[FunctionDoc], _earlier: int) -> Sequence[Json]:
    """As tools of chat completions, with underscores in names."""
    return tool_schemas(functions, WireFormat.OPENAI_CHAT)


FORMS: Mapping[str, Form] = {
    "bare_tools": _bare_tools,
    "docs": _docs,
    "python_code": _python_code,
    "tools": _tools,
}
