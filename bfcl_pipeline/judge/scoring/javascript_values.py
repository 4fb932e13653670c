"""Converts values written as JavaScript source, by the type of the function doc.

Text of any other form stays text, which the type check then rejects. Covers the scalar
types, arrays of one and two levels, and flat objects, in the spellings that the release reads.
Source: the release's JavaScript type converter.
"""

import re
from collections.abc import Callable
from typing import Any

from bfcl_pipeline.judge.scoring.java_values import MAX_TEXT, boolean, number_or_text, whole

_FLOAT = re.compile(r"-?\d+(\.\d+)?$")
_BIGINT = re.compile(r"-?\d+n$")

_ROWS_OPEN = re.compile(r"\[\s*\[")
_NEW_ROWS_OPEN = re.compile(r"new\s+Array\(\s*\[")
_NEXT_ROW = re.compile(r",\s*\[")
_ARRAY = re.compile(r"\[(.*?)\]|new\s+Array\((.*?)\)")
_ROW = re.compile(r"\[(.*?)\]")
_OBJECT = re.compile(r"\{(.*?)\}")
_PAIR = re.compile(r"([^:]+):\s*(.*?)(?:,\s*(?=[^,]+:)|$)")


def convert_javascript(text: str, type_name: str, item_type: str | None = None) -> Any:
    """The value of `text` as a JavaScript `type_name` (with items of `item_type`), or `text` itself."""
    if type_name == "array":
        return _array(text.strip(), item_type)
    if type_name == "dict":
        return _object(text.strip())
    try:
        return _SCALARS.get(type_name, str)(text)
    except ValueError:  # more digits than Python converts to an int
        return text


def _float(text: str) -> Any:
    return float(text) if _FLOAT.match(text) else text


def _array(text: str, item_type: str | None) -> Any:
    if len(text) > MAX_TEXT:
        return text
    rows = _rows(text)
    if rows is not None:
        return rows
    match = _ARRAY.match(text)
    if match is None:
        return text
    inside = (match[1] if match[1] is not None else match[2]).strip()
    items = [item.strip() for item in inside.split(",")] if inside else []
    if item_type is None:
        return [untyped_javascript(item) for item in items]
    return [convert_javascript(item, item_type) for item in items]


def _rows(text: str) -> list[list[Any]] | None:
    """The rows of an array of arrays; None if `text` is not one."""
    end = None
    for opening, closing in ((_ROWS_OPEN, "]"), (_NEW_ROWS_OPEN, ")")):
        match = opening.match(text)
        if match:
            end = _end_of_rows(text, match.end(), closing)
            break
    if end is None:
        return None
    rows = _ROW.findall(text[:end])
    if rows and rows[0].strip().startswith("["):
        rows[0] = rows[0].strip()[1:]
    return [[untyped_javascript(item.strip()) for item in row.strip().split(",")] for row in rows]


def _end_of_rows(text: str, begin: int, closing: str) -> int | None:
    """The end of the rows that begin at `begin`: after the first `]` that is followed by `closing`.

    A row contains no line break, but the white space between rows may. The scan goes from right to left, so
    that its time is linear for any nesting of brackets: `ends[i]` is the result for a row that is open at
    `i`.
    """
    ends: list[int | None] = [None] * (len(text) + 1)
    for position in range(len(text) - 1, begin - 1, -1):
        if text[position] == "\n":
            continue
        ends[position] = ends[position + 1]
        if text[position] != "]":
            continue
        after = len(text) - len(text[position + 1 :].lstrip())
        if text.startswith(closing, after):
            ends[position] = after + 1
        elif row := _NEXT_ROW.match(text, after):
            ends[position] = ends[row.end()] or ends[position]
    return ends[begin]


def _object(text: str) -> Any:
    if text == "{}":
        return {}
    match = _OBJECT.match(text)
    if match is None or len(text) > MAX_TEXT:
        return text
    return {key.strip().strip("'\""): _member(value.strip()) for key, value in _PAIR.findall(match[1])}


def _member(text: str) -> Any:
    if text.startswith("[") and text.endswith("]"):
        return _array(text, None)
    if text.startswith("{") and text.endswith("}"):
        return _object(text)
    return untyped_javascript(text.strip("'\""))


def untyped_javascript(text: str) -> Any:
    """The value of a JavaScript literal of undocumented type; `text` if it is not a literal."""
    text = text.strip()
    if text in ("true", "false"):
        return text == "true"
    return text[1:-1] if _is_quoted(text) else number_or_text(text)


def _is_quoted(text: str) -> bool:
    return any(text.startswith(quote) and text.endswith(quote) for quote in "\"'")


_SCALARS: dict[str, Callable[[str], Any]] = {
    "String": lambda text: text[1:-1] if _is_quoted(text) else text,
    "integer": whole,
    "float": _float,
    "Bigint": lambda text: int(text.rstrip("\n")[:-1]) if _BIGINT.match(text) else text,
    "Boolean": boolean,
}
"""Types whose text is converted; `any` stays text."""
