"""A value spelt in Java or JavaScript source text, as the release's converters read it back.

Covers the spellings of scalars, arrays, lists and maps by the type name of the function doc. The
converters are regular expressions, so that an honest spelling is not always read back: where another
one is, it follows the honest one. What is neither of the two languages is not covered.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from typing import Any

from bfcl_pipeline.benchmark import Language

_JAVA_ELEMENT: dict[str, str] = {
    "byte": "byte",
    "short": "short",
    "integer": "int",
    "long": "long",
    "float": "float",
    "double": "double",
    "boolean": "boolean",
    "char": "char",
    "String": "String",
}
"""The Java name of an array's element type; anything else is an Object."""


def spellings(value: Any, type_name: str, item_type: str | None, language: Language) -> Iterator[str]:
    """Source texts of `language` for `value`, the most natural one first.

    A text value comes as it is: between quotes or as a name is decided where calls are written.
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
        yield f'""{plain}""'  # in a text block: the decoder drops the body of an anonymous class
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
        # The converter keeps quotes as part of an element, so only bare words compare equal.
        bare = ", ".join(
            item if isinstance(item, str) else element
            for item, element in zip(value, elements, strict=True)
        )
        yield f"new {element_type}[]{{{bare}}}"
        yield f'"new {element_type}[]{{{bare}}}"'  # as text: bare words may not be Java


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
