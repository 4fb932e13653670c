"""The forms in which templates receive function docs, by the name that families.yaml gives."""

from collections.abc import Callable, Mapping, Sequence
from copy import deepcopy
from typing import Any, TypeAlias

from bfcl_pipeline.benchmark.records import FunctionDoc, Json
from bfcl_pipeline.dialogue.families.python_code import python_code
from bfcl_pipeline.dialogue.prompts import WireFormat, tool_schemas

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


def _flat(functions: Sequence[FunctionDoc], earlier: int) -> Sequence[Json]:
    """Parameters without a schema around them, which say themselves whether they are required.

    The release changes its docs at every request, so texts about defaults are repeated from step to step.
    """
    changed: Any = deepcopy(list(functions))
    for _ in range(earlier + 1):
        for function in changed:
            _flatten(function["parameters"])
    return [_named(function) for function in changed]


def _flatten(schema: dict[str, Any]) -> None:
    parameters = schema.get("properties", {})
    for name, parameter in parameters.items():
        if isinstance(parameter.get("properties"), dict):
            parameters[name] = parameter["properties"]
            for required in parameter.get("required", []):
                parameters[name][required]["required"] = True
    for required in schema.get("required", []):
        parameters[required]["required"] = True
    for parameter in parameters.values():
        if "default" in parameter:
            parameter["description"] += f"default is '{parameter['default']}'"


def _properties(functions: Sequence[FunctionDoc], _earlier: int) -> Sequence[Json]:
    """Parameters without a schema around them."""
    return [_named(function) for function in functions]


def _named(function: Mapping[str, Any]) -> Json:
    return {
        "name": function["name"],
        "description": function["description"],
        "parameters": function["parameters"].get("properties", {}),
    }


FORMS: Mapping[str, Form] = {
    "bare_tools": _bare_tools,
    "docs": _docs,
    "flat": _flat,
    "properties": _properties,
    "python_code": _python_code,
}
