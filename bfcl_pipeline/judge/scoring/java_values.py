"""Converts values written as Java source, by the type of the function doc.

Text of any other form stays text, which the type check then rejects. Covers the scalar
types, arrays, `ArrayList` and `HashMap` in the spellings that the release reads, including its quirks: only
`Arrays.asList` and double-brace initialisers of a list are read; `item_text` decides on quotes of items.
Source: the release's Java type converter.
"""

import re
from collections.abc import Callable
from typing import Any

from bfcl_pipeline.benchmark.records import Rules

MAX_TEXT = 5_000
"""Characters of a collection that is converted; a longer one stays text."""

_WHOLE = re.compile(r"-?\d+$")
_DOUBLE = re.compile(r"-?\d+(\.\d+)?([eE][+-]?\d+)?$")
_FLOAT = re.compile(r"-?\d+(\.\d+)?([eE][+-]?\d+)?[fF]$")
_LONG = re.compile(r"-?\d+[lL]$")

_AS_LIST = re.compile(r"new\s+ArrayList<\w*>\(Arrays\.asList\(")
_NEW_LIST = re.compile(r"new\s+ArrayList<\w*>\(\)")
_INITIALISED_LIST = re.compile(r"new\s+ArrayList<\w*>\(\)\s*\{\{")
_ADD = re.compile(r"add\((.+?)\)")
_ARRAY = re.compile(r"new\s+\w+\[\]\s*\{(.*?)\}")
_NEW_MAP = re.compile(r"new\s+HashMap<")
_MAP_CREATED = re.compile(r">\s*\(\)", re.DOTALL)
_MAP_INITIALISED = re.compile(r">\s*\(\)\s*\{\s*\{?\s*", re.DOTALL)
_PUT = re.compile(r'put\("')
_SPACE = re.compile(r"\s*")


def convert_java(
    text: str, type_name: str, item_type: str | None = None, rules: Rules = Rules.OFFICIAL
) -> Any:
    """The value of `text` as a Java `type_name` (with items of `item_type`), or `text` itself."""
    if type_name in _COLLECTIONS:
        return _COLLECTIONS[type_name](text, item_type, rules) if len(text) <= MAX_TEXT else text
    try:
        return long_value(text, rules) if type_name == "long" else _SCALARS.get(type_name, str)(text)
    except ValueError:  # more digits than Python converts to an int
        return text


def whole(text: str) -> Any:
    """`text` as an int if it is one, else unchanged. Raises ValueError for too many digits."""
    return int(text) if _WHOLE.match(text) else text


def long_value(text: str, rules: Rules) -> Any:
    """Rule `java-long`: official reads a whole number as a `long` with the suffix L alone. Corrected reads
    it without, too, as Java does where a `long` is expected.
    """
    if rules is Rules.CORRECTED and _WHOLE.match(text):
        return int(text)
    return int(text.rstrip("\n")[:-1]) if _LONG.match(text) else text


def _float(text: str) -> Any:
    return float(text.rstrip("\n")[:-1]) if _FLOAT.match(text) else text


def boolean(text: str) -> Any:
    """`text` as a bool if it is `true` or `false`, else unchanged."""
    return {"true": True, "false": False}.get(text, text)


def _array(text: str, item_type: str | None, rules: Rules) -> Any:
    match = _ARRAY.search(text)
    if match is None:
        return text
    items = (item.strip() for item in match[1].split(","))
    return [_item(item, item_type, rules) for item in items if item]


def _array_list(text: str, item_type: str | None, rules: Rules) -> Any:
    for creation in _AS_LIST.finditer(text):
        end = text.find("))", creation.end() + 1)
        inside = text[creation.end() : end]
        if end >= 0 and "\n" not in inside:
            return [_list_item(item.strip(), item_type, rules) for item in inside.split(",")]
    for creation in _INITIALISED_LIST.finditer(text):
        end = text.find("}}", creation.end() + 1)
        if end >= 0:
            added = _ADD.findall(text[creation.end() : end])
            return [_list_item(item.strip(), item_type, rules) for item in added]
    return [] if _NEW_LIST.search(text) else text


def _list_item(text: str, item_type: str | None, rules: Rules) -> Any:
    if item_type in ("char", "String"):
        return text[1:-1]  # the quotes, whatever they are
    return _item(text, item_type, rules)


def _item(text: str, item_type: str | None, rules: Rules) -> Any:
    value = convert_java(text, item_type) if item_type else untyped_java(text)
    return item_text(value, rules) if isinstance(value, str) else value


def item_text(text: str, rules: Rules) -> str:
    """Rule `java-quotes`: official keeps the quotes of an item of an array, and of an `ArrayList` of any
    type, so that `new String[]{"a"}` is not the list of the text a. Corrected removes them.
    """
    quoted = len(text) > 1 and text[0] == text[-1] and text[0] in "\"'"
    return text[1:-1] if quoted and rules is Rules.CORRECTED else text


def _hash_map(text: str, _item_type: str | None, _rules: Rules) -> Any:
    creation = _NEW_MAP.search(text)
    if creation is None:
        return text
    body = _MAP_INITIALISED.search(text, creation.end())
    end = text.find("}", body.end()) if body else -1
    if body and end >= 0:
        return {key: untyped_java(value) for key, value in _puts(text[body.end() : end].rstrip())}
    return {} if _MAP_CREATED.search(text, creation.end()) else text


def _puts(text: str) -> list[tuple[str, str]]:
    """Keys and values of each `put("key", value)` in `text`; neither contains a line break."""
    pairs: list[tuple[str, str]] = []
    start = _PUT.search(text)
    while start is not None:
        put = _put_at(text, start.end())
        if put is None:
            start = _PUT.search(text, start.end())
        else:
            key, value, end = put
            pairs.append((key, value.strip()))
            start = _PUT.search(text, end)
    return pairs


def _put_at(text: str, begin: int) -> tuple[str, str, int] | None:
    """Key, value and end of the `put` whose key begins at `begin`."""
    quote = text.find('",', begin, _line_end(text, begin) + 1)
    while quote >= 0:
        space = _SPACE.match(text, quote + 2)
        value = space.end() if space else quote + 2
        close = text.find(")", value, _line_end(text, value))
        if close >= 0:
            return text[begin:quote], text[value:close], close + 1
        quote = text.find('",', quote + 1, _line_end(text, begin) + 1)
    return None


def _line_end(text: str, position: int) -> int:
    end = text.find("\n", position)
    return len(text) if end < 0 else end


def untyped_java(text: str) -> Any:
    """The value of a Java literal of undocumented type; `text` itself if it is not a literal."""
    if text in ("true", "false"):
        return text == "true"
    if text.startswith('"') and text.endswith('"'):
        return text[1:-1]
    try:
        if _LONG.match(text):
            return int(text[:-1])
        if _FLOAT.match(text):
            return float(text[:-1])
    except ValueError:
        return text
    return number_or_text(text)


def number_or_text(text: str) -> Any:
    """`text` as an int, else as a float, else unchanged."""
    for kind in (int, float):
        try:
            return kind(text)
        except ValueError:
            continue
    return text


_SCALARS: dict[str, Callable[[str], Any]] = {
    "byte": whole,
    "short": whole,
    "integer": whole,
    "float": _float,
    "double": lambda text: float(text) if _DOUBLE.match(text) else text,
    "boolean": boolean,
}
"""Types whose text is converted; `char`, `String` and `any` stay text."""

_COLLECTIONS: dict[str, Callable[[str, str | None, Rules], Any]] = {
    "Array": _array,
    "ArrayList": _array_list,
    "HashMap": _hash_map,
}
