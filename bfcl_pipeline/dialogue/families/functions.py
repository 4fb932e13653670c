"""The forms in which templates receive function docs, by the name that families.yaml gives.

MiniCPM receives Python code: a signature, its parameters as fields of a class, further classes. The package
datamodel-code-generator writes the classes, in the version that the official tool has, since their text is
part of the prompt; it is the extra `minicpm`, imported when it is first needed. A function that it cannot
write has no code, as in the release. Source: the release's minicpm_fc.
"""

import json
import warnings
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from copy import deepcopy
from functools import lru_cache
from typing import Any, TypeAlias

import yaml

from bfcl_pipeline.base.errors import ConfigError
from bfcl_pipeline.benchmark.records import FunctionDoc, Json
from bfcl_pipeline.dialogue.prompts import WireFormat, tool_schemas

_ROOT = "class Model(BaseModel):"


@lru_cache(maxsize=4096)
def _code(written: str) -> str | None:
    function = json.loads(written)
    classes = _classes(json.dumps(function["parameters"]))
    if classes is None:
        return None
    _, start, rest = classes.partition("class")
    before, root, fields = (start + rest if start else classes).partition(_ROOT)
    if not root:
        return None
    description = function.get("description", "")
    return (
        f"{before}def {function['name']}({_parameters(function['parameters'])}):\n"
        f'    """\n    {description}\n    Args:\n{fields}\n    """\n'
    )


def _parameters(schema: Json) -> str:
    """The names of required parameters, then the others with their defaults."""
    required = schema.get("required", [])
    plain, others = [], []
    for name, each in schema["properties"].items():
        if "default" in each or name not in required:
            others.append(f"{name}={each.get('default')!r}")
        else:
            plain.append(name)
    return ", ".join(plain + others)


@contextmanager
def _yaml_as_it_was() -> Iterator[None]:
    """Undoes that the package, when imported, makes all YAML of the process read dates as texts."""
    loaders = {yaml.SafeLoader, getattr(yaml, "CSafeLoader", yaml.SafeLoader)}
    known = {loader: dict(loader.yaml_constructors) for loader in loaders}
    try:
        yield
    finally:
        for loader, constructors in known.items():
            loader.yaml_constructors.update(constructors)


def _classes(schema: str) -> str | None:
    with warnings.catch_warnings(), _yaml_as_it_was():
        warnings.simplefilter("ignore")  # of the package about itself
        try:
            from bfcl_pipeline.dialogue.families.written_classes import written_classes  # optional
        except ImportError as error:
            raise ConfigError(
                f"the prompts of MiniCPM with functions need datamodel-code-generator ({error}). "
                "Run: pip install 'bfcl-pipeline[minicpm]'"
            ) from None
        return written_classes(schema)


Form: TypeAlias = Callable[[Sequence[FunctionDoc], int], Sequence[Json]]
"""Docs with language hints, and the number of earlier requests, to what a template receives."""


def _bare_tools(functions: Sequence[FunctionDoc]) -> Sequence[Json]:
    return [tool["function"] for tool in tool_schemas(functions, WireFormat.OPENAI_CHAT)]


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


def _named(function: Mapping[str, Any]) -> Json:
    return {
        "name": function["name"],
        "description": function["description"],
        "parameters": function["parameters"].get("properties", {}),
    }


FORMS: Mapping[str, Form] = {
    # OpenAI tools as plain function docs: dots in names become underscores.
    "bare_tools": lambda functions, _earlier: _bare_tools(functions),
    # As the benchmark documents them.
    "docs": lambda functions, _earlier: functions,
    "flat": _flat,
    # Parameters without a schema around them.
    "properties": lambda functions, _earlier: [_named(function) for function in functions],
    # Python code, null for a function that has none.
    "python_code": lambda functions, _earlier: [_code(json.dumps(tool)) for tool in _bare_tools(functions)],
}
