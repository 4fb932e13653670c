"""Writes a value as Java or JavaScript source text that the release's converters read back.

Covers scalars, arrays, lists and maps by the type name of the function doc. The converters are regular
expressions and do not read back every correct spelling; where they read another one, it is yielded after
the correct one.
"""

import json
from collections.abc import Iterator, Mapping
from typing import Any

from bfcl_pipeline.benchmark.definition import Language

_JAVA_ELEMENT = {
    "integer": "int",
    **{name: name for name in ("byte", "short", "long", "float", "double", "boolean", "char", "String")},
}
"""The Java element type of an array by the type of the function doc; any other type is Object."""


def spellings(value: Any, type_name: str, item_type: str | None, language: Language) -> Iterator[str]:
    """Source texts of `language` for `value`, the most natural one first.

    A text value is yielded unchanged; `calls.write` decides whether it is quoted.
    """
    if isinstance(value, str):
        yield value
    elif language is Language.JAVA:
        yield from _java(value, type_name, item_type)
    else:
        yield from _javascript(value, type_name)


def _java(value: Any, type_name: str, item_type: str | None) -> Iterator[str]:
    if isinstance(value, list):
        yield from _java_list(value, type_name, item_type or "any")
    elif isinstance(value, Mapping):
        puts = " ".join(f"put({json.dumps(k)}, {_java_element(v, 'any')});" for k, v in value.items())
        plain = f"new HashMap<String, Object>() {{{{ {puts} }}}}" if puts else "new HashMap<>()"
        yield plain
        yield f'""{plain}""'  # in a text block, since the decoder drops the body of an anonymous class
    else:
        yield _java_element(value, type_name)


def _java_list(value: list[Any], type_name: str, item_type: str) -> Iterator[str]:
    elements = [_java_element(item, item_type) for item in value]
    joined = ", ".join(elements)
    if type_name == "ArrayList":
        yield f"new ArrayList<>(Arrays.asList({joined}))" if elements else "new ArrayList<>()"
        adds = " ".join(f"add({element});" for element in elements)
        yield f"new ArrayList<>() {{{{ {adds} }}}}"
    else:
        element_type = _JAVA_ELEMENT.get(item_type, "Object")
        yield f"new {element_type}[]{{{joined}}}"
        # The converter keeps quotes as part of an element, so only unquoted words compare equal.
        bare = ", ".join(
            item if isinstance(item, str) else element
            for item, element in zip(value, elements, strict=True)
        )
        yield f"new {element_type}[]{{{bare}}}"
        yield f'"new {element_type}[]{{{bare}}}"'  # as text, since unquoted words may be invalid Java


def _java_element(value: Any, type_name: str) -> str:
    if isinstance(value, bool):
        return "true" if value else "false"
    if value is None:
        return "null"
    if isinstance(value, (int, float)):
        if type_name in ("float", "double"):
            return f"{float(value)!r}{'f' if type_name == 'float' else ''}"
        return f"{value}L" if type_name == "long" else repr(value)
    if isinstance(value, str):
        return f"'{value}'" if type_name == "char" else f'"{value}"'
    return json.dumps(value, ensure_ascii=False)


def _javascript(value: Any, type_name: str) -> Iterator[str]:
    if type_name == "Bigint" and isinstance(value, int) and not isinstance(value, bool):
        yield f"{value}n"
    elif isinstance(value, Mapping):
        yield "{" + ", ".join(f"{key}: {_javascript_element(item)}" for key, item in value.items()) + "}"
    else:
        yield _javascript_element(value)


def _javascript_element(value: Any) -> str:
    if isinstance(value, list):
        return f"[{', '.join(map(_javascript_element, value))}]"
    if isinstance(value, str):
        return f'"{value}"' if "'" in value or '"' not in value else f"'{value}'"
    if isinstance(value, Mapping):
        return json.dumps(value, ensure_ascii=False)
    return json.dumps(value)
