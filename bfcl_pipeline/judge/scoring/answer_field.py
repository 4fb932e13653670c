"""Reads the `answer` field of a final message as models and people write it, without evaluating anything.

The forms are an object in JSON, as a Python literal or in neither (keys without quotes, capitalised, curly
quotes, quotes within values, no end), and a line `answer: 70`. The last object outside reasoning counts.
Everything is linear in the text: objects are found in one pass, and each pattern is bounded or sees the
text once.
"""

import json
import re
from collections.abc import Iterator, Mapping
from typing import Any

from bfcl_pipeline.dialogue.calls import after_reasoning, read_literal_value

LONGEST = 100_000
"""Characters at the end of a message that are read."""

_QUOTES = "\"'`\u2018\u2019\u201a\u201c\u201d\u201e"
_FAMILIES = ('"\u201c\u201d\u201e', "'\u2018\u2019\u201a", "`")

_BRACES = re.compile(r"[{}]")
_NAME = rf"[{_QUOTES}*]{{0,3}}%s[{_QUOTES}*]{{0,3}}\s{{0,20}}[:=\uff1a]\s{{0,20}}[*]{{0,2}}\s{{0,20}}"
_IN_OBJECT = re.compile(rf"(?:^|[{{,;\n])\s{{0,20}}{_NAME % 'answer'}", re.IGNORECASE)
_ON_A_LINE = re.compile(
    rf"^[^\w\n{{}}]{{0,20}}(?:(?:the|my|short|final)\s{{1,3}}){{0,2}}{_NAME % 'answer'}",
    re.IGNORECASE | re.MULTILINE,
)
_ANY_NAME = _NAME % r"[^\W\d][\w ]{0,30}"
_NEXT = rf"(?:\s{{0,20}}[,;]|\n)\s{{0,20}}{_ANY_NAME}"
_FIELD_OR_END = rf"(?:{_NEXT}|\s{{0,20}}\}}|\s{{1,20}}[{_QUOTES}]\w{{1,30}}[{_QUOTES}]\s{{0,20}}:)"
_ENDS_OF_QUOTED = {
    family: tuple(
        re.compile(rf"(?<!\\)[{family}](?={following})")
        for following in (_FIELD_OR_END, r"\s{0,20}[,}]", r"\s{0,20}(?:\n|$)", "")
    )
    for family in _FAMILIES
}
"""Where a value in quotes of each family may end, best first."""
_END_OF_BARE = re.compile(rf"{_NEXT}|\s{{0,20}}(?:\}}|$)")
_END_OF_LINE = re.compile(rf"{_NEXT}|\s{{0,20}}(?:\}}|\n|$)")


def answer_field(message: str) -> str | None:
    """The `answer` field of the last object that has one, or of the last line `answer: ...`; else None.

    A list is its items with semicolons between them. A number is as written.
    """
    text = after_reasoning(message)[-LONGEST:]
    for span in reversed(list(_objects(text))):
        found = _value_of_object(span) if "answer" in span.casefold() else None
        if found is not None:
            return found
    matches = [match for pattern in (_ON_A_LINE, _IN_OBJECT) for match in pattern.finditer(text)]
    if not matches:
        return None
    last = max(matches, key=re.Match.end)
    return _written(text[last.end() :], _END_OF_BARE if "{" in text[: last.end()] else _END_OF_LINE)


def _objects(text: str) -> Iterator[str]:
    """The texts between outermost braces, in order. Quotation marks are not looked at."""
    depth = start = 0
    for brace in _BRACES.finditer(text):
        if brace[0] == "{":
            start = start if depth else brace.start()
            depth += 1
        elif depth:
            depth -= 1
            if not depth:
                yield text[start : brace.end()]


def _value_of_object(text: str) -> str | None:
    for read in (_json, read_literal_value):
        try:
            fields = read(text)
        except (ValueError, RecursionError):
            continue
        if isinstance(fields, Mapping):
            named = {str(key).strip().casefold(): value for key, value in fields.items()}
            return _text(named["answer"]) if "answer" in named else None
    match = _IN_OBJECT.search(text)
    return None if match is None else _written(text[match.end() :], _END_OF_BARE)


def _json(text: str) -> Any:
    return json.loads(text, parse_int=str, parse_float=str, strict=False)


def _text(value: Any) -> str:
    if isinstance(value, (list, tuple)):
        return "; ".join(map(_text, value))
    try:
        return str(value)
    except ValueError:  # an integer of more digits than Python prints
        return hex(value)


def _written(text: str, end_of_bare: re.Pattern[str]) -> str:
    """The value that `text` begins with: in quotes, in brackets, or bare up to the next field or end."""
    family = next((family for family in _FAMILIES if text[:1] and text[0] in family), None)
    if family is not None:
        for ending in _ENDS_OF_QUOTED[family]:
            end = ending.search(text, 1)
            if end is not None:
                return text[1 : end.start()].strip()
        text = text[1:]
    elif text[:1] == "[" and "]" in text:
        items = text[1 : text.index("]")].split(",")
        return "; ".join(item.strip().strip(_QUOTES) for item in items)
    end = end_of_bare.search(text)
    return text[: end.start() if end else len(text)].strip().strip("*").strip()
