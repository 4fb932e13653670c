"""Renders the prompt of a family, its template over messages and function docs; digests what makes it.

Templates run in Jinja's sandbox with these names: `messages`, `functions`, `earlier` (the number of earlier
requests of the conversation) and `release_text(module, beginning)` (a long text of the release); the
filters `json(indent, ensure_ascii)` and `repr` write values as Python does; `json_object` reads the JSON
object that a text is, none if it is not one.

`FORMS` has the forms in which templates receive function docs. MiniCPM receives Python code: a signature,
its parameters as fields of a class, further classes. The package datamodel-code-generator writes the
classes, in the version that the official tool has, since their text is part of the prompt; it is the extra
`minicpm`, imported when it is first needed. A function that it cannot write has no code, as in the
release. Source: the release's minicpm_fc.
"""

import hashlib
import json
import warnings
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from copy import deepcopy
from dataclasses import asdict
from functools import cache, lru_cache
from pathlib import Path
from typing import Any, TypeAlias

import yaml
from jinja2 import Environment, FileSystemLoader, StrictUndefined, Template, meta
from jinja2.sandbox import ImmutableSandboxedEnvironment

from bfcl_pipeline.base.errors import ConfigError, MalformedRelease
from bfcl_pipeline.benchmark.config.families import OWN_TEMPLATE, load_families
from bfcl_pipeline.benchmark.records import FunctionDoc, Json, Message
from bfcl_pipeline.dialogue.calls import parse_json
from bfcl_pipeline.dialogue.prompts import WireFormat, tool_schemas

TEMPLATES = Path(__file__).with_name("templates")
"""The templates of all families."""


def render(
    template: str,
    messages: Sequence[Message],
    functions: Sequence[Json],
    release_texts: Mapping[str, Sequence[str]],
    earlier: int = 0,
) -> str:
    """The prompt that `template` makes.

    Args:
        template: name of a file in `TEMPLATES`.
        messages: of the conversation so far, as the family keeps them.
        functions: in the family's form.
        release_texts: of the release, by module.
        earlier: the number of earlier requests of the conversation.

    Raises:
        MalformedRelease: the release lacks a text that the template names.
    """

    def release_text(module: str, beginning: str) -> str:
        found = [text for text in release_texts.get(module, ()) if text.startswith(beginning)]
        if len(found) != 1:
            raise MalformedRelease.at(
                f"texts of the release: {module}",
                f"one text that begins {beginning!r}",
                f"{len(found)}. Stage the release again (bfcl-pipeline stage)",
            )
        return found[0]

    text: str = _template(template).render(
        messages=messages, functions=functions, earlier=earlier, release_text=release_text
    )
    return text


@cache
def _template(name: str) -> Template:
    return _environment().get_template(name)


@cache
def _environment() -> ImmutableSandboxedEnvironment:
    environment = ImmutableSandboxedEnvironment(
        loader=FileSystemLoader(TEMPLATES),
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
        autoescape=False,  # prompts are plain text
    )
    environment.filters["json"] = _json
    environment.filters["json_object"] = _json_object
    environment.filters["repr"] = repr
    return environment


def _json(value: Any, indent: int | None = None, *, ensure_ascii: bool = True) -> str:
    return json.dumps(value, indent=indent, ensure_ascii=ensure_ascii)


def _json_object(text: str) -> Json | None:
    try:
        value = parse_json(text)
    except (ValueError, RecursionError):
        return None
    return value if isinstance(value, dict) else None


_NOT_OF_PROMPTS = ("name", "models", "official")
"""The keys of a row on which prompts do not depend."""


def prompts_digest(family: str) -> str:
    """`sha256:` and the digest of what makes the prompts of `family`: its row and its templates.

    Their long texts are of the release, which a run pins by its own SHA-256, and the template of a model's
    own tokenizer is one of the files that identify its weights; the code that renders them is not covered.
    """
    row = load_families()[family]
    facts = {key: value for key, value in asdict(row).items() if key not in _NOT_OF_PROMPTS}
    content = {"row": facts, "templates": _referenced_templates(row.template)}
    return f"sha256:{hashlib.sha256(json.dumps(content, sort_keys=True).encode()).hexdigest()}"


def _referenced_templates(name: str) -> dict[str, str]:
    """The text of a template and of those that it refers to, by name; none, if it is each model's own."""
    parser = Environment(autoescape=True)  # which only parses: nothing is rendered
    texts: dict[str, str] = {}
    waiting = [] if name == OWN_TEMPLATE else [name]
    while waiting:
        one = waiting.pop()
        if one not in texts:
            texts[one] = (TEMPLATES / one).read_text(encoding="utf-8")
            found = meta.find_referenced_templates(parser.parse(texts[one]))
            waiting += [other for other in found if other is not None]
    return texts


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
    """The classes of a JSON schema as text, by the settings of the official tool; None if it cannot."""
    with warnings.catch_warnings(), _yaml_as_it_was():
        warnings.simplefilter("ignore")  # of the package about itself
        try:
            from datamodel_code_generator import DataModelType  # optional
            from datamodel_code_generator.format import PythonVersion
            from datamodel_code_generator.model import get_data_model_types
            from datamodel_code_generator.parser.jsonschema import JsonSchemaParser
        except ImportError as error:
            raise ConfigError(
                f"the prompts of MiniCPM with functions need datamodel-code-generator ({error}). "
                "Run: pip install 'bfcl-pipeline[minicpm]'"
            ) from None
        types = get_data_model_types(
            DataModelType.PydanticBaseModel, target_python_version=PythonVersion.PY_310
        )
        try:
            code = JsonSchemaParser(
                schema,
                data_model_type=types.data_model,
                data_model_root_type=types.root_model,
                data_model_field_type=types.field_model,
                data_type_manager_type=types.data_type_manager,
                dump_resolve_reference_action=types.dump_resolve_reference_action,
                target_python_version=PythonVersion.PY_311,
                field_constraints=True,
            ).parse()
        except Exception:  # noqa: BLE001  # whatever the package raises for a schema
            return None
        return code if isinstance(code, str) else None


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
