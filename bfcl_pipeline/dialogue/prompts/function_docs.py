"""Function docs as text: JSON, a Python-like docstring, or XML.

The layout is the benchmark's interface and is reproduced with its quirks: XML is not escaped and its
tags lose every comma; the Python form omits `required` and ends with blank lines. Source: the release's
model_handler/utils.py.
"""

import json
from collections.abc import Callable, Mapping, Sequence
from functools import lru_cache

from bfcl_pipeline.base.errors import ConfigError
from bfcl_pipeline.base.text import unknown_name
from bfcl_pipeline.benchmark.records import FunctionDoc, Json


def function_docs(functions: Sequence[FunctionDoc], doc_format: str) -> str:
    """`functions` as text in `doc_format` (json, python or xml).

    Raises ConfigError, listing the known formats, if the format is unknown.
    """
    if doc_format not in _RENDERERS:
        raise ConfigError(unknown_name("function doc format", doc_format, _RENDERERS))
    return _rendered(json.dumps(list(functions)), doc_format)


# Many entries and up to 26 formats share the same docs; their JSON is a cheap, exact cache key.
@lru_cache(maxsize=2048)
def _rendered(functions_json: str, doc_format: str) -> str:
    return _RENDERERS[doc_format](json.loads(functions_json))


def _as_python(functions: Sequence[FunctionDoc]) -> str:
    return "\n\n".join(part for function in functions for part in (_python_function(function), "\n"))


def _python_function(function: FunctionDoc) -> str:
    properties = function.get("parameters", {}).get("properties", {})
    lines = [f"# Function: {function['name']}", '    """', f"    {function.get('description', '')}", ""]
    if properties:
        lines.append("    Args:")
        lines.extend(_python_parameters(properties, indent=8))
    lines.append('    """')
    return "\n".join(lines) + "\n"


def _python_parameters(properties: Mapping[str, Json], indent: int) -> list[str]:
    lines: list[str] = []
    for name, schema in properties.items():
        default = f", default={schema['default']!r}" if "default" in schema else ""
        lines.append(f"{' ' * indent}{name} ({_python_type(schema)}{default}): {_description(schema)}")
        lines.extend(_python_parameters(schema.get("properties", {}), indent + 4))
    return lines


_PYTHON_NAMES = {"string": "str", "number": "float", "integer": "int", "boolean": "bool"}


def _python_type(schema: Json) -> str:
    kind = _type(schema)
    if kind in _PYTHON_NAMES:
        return _PYTHON_NAMES[kind]
    if kind in ("array", "list", "tuple") and "items" in schema:
        return f"list[{_python_type(schema['items'])}]"
    if kind in ("object", "dict"):
        if "additionalProperties" in schema:
            return f"dict[str, {_python_type(schema['additionalProperties'])}]"
        return "dict"
    return kind


def _xml_function(function: FunctionDoc) -> str:
    parameters = function["parameters"]
    lines = [
        f'<function name="{function["name"]}">',
        f"  <desc>{function.get('description', '')}</desc>",
        "  <params>",
        *_xml_parameters(parameters.get("properties", {}), parameters.get("required"), indent=4),
        "  </params>",
        "</function>",
    ]
    return "\n".join(lines) + "\n"


def _xml_parameters(properties: Mapping[str, Json], required: Json, indent: int) -> list[str]:
    space = " " * indent
    lines: list[str] = []
    for name, schema in properties.items():
        # Without a list of required parameters, all are required.
        is_required = name in required if isinstance(required, list) else True
        lines.append(f"{space}{_xml_opening(name, schema, is_required)}")
        lines.append(f"{space}  <desc>{_description(schema)}</desc>")
        if "properties" in schema:
            lines.append(f"{space}  <params>")
            lines.extend(_xml_parameters(schema["properties"], schema.get("required"), indent + 4))
            lines.append(f"{space}  </params>")
        lines.append(f"{space}</param>")
    return lines


def _xml_opening(name: str, schema: Mapping[str, Json], is_required: bool) -> str:
    attributes = f'name="{name}" type="{_xml_type(schema)}" required="{str(is_required).lower()}"'
    if "default" in schema:
        attributes += f' default="{schema["default"]!r}"'
    return f"<param {attributes.replace(',', '')}>"


def _xml_type(schema: Mapping[str, Json]) -> str:
    kind = _type(schema)
    if "items" in schema and "type" in schema["items"]:
        return f"{kind}[{schema['items']['type']}]"
    if "additionalProperties" in schema:
        return f"{kind}[{_type(schema['additionalProperties'])}]"
    return kind


def _type(schema: Json) -> str:
    # `additionalProperties` may be a boolean; that, and a missing type, count as string.
    return str(schema.get("type", "string")) if isinstance(schema, Mapping) else "string"


def _description(schema: Mapping[str, Json]) -> str:
    description = str(schema.get("description", ""))
    return f"{description} Enum values: {schema['enum']}." if "enum" in schema else description


_RENDERERS: Mapping[str, Callable[[Sequence[FunctionDoc]], str]] = {
    "json": lambda functions: json.dumps(functions, indent=4),
    "python": _as_python,
    "xml": lambda functions: "\n".join(map(_xml_function, functions)),
}
