"""Two notations of calls that no other family has.

FunctionGemma: call:name{key:value} between marks, texts between <escape> marks. Every text is read, also
one with unbalanced brackets. Source: the handler functiongemma.

MiniCPM: lines of Python between <|tool_call_start|> and <|tool_call_end|>. The official handler keeps
tuples and other values that JSON does not have. In a conversation such a value is the list, or text, that
JSON has instead; of calls that are only compared it is its text in Python, which like the value itself is
not of the type that a parameter requires. Source: the handler minicpm_fc.
"""

import json
import re
from typing import Any

from bfcl_pipeline.benchmark.records import Json
from bfcl_pipeline.dialogue.calls import read_statements
from bfcl_pipeline.dialogue.families.readers.answers import (
    Reader,
    between,
    named_calls,
    no_calls,
    read_plain_text,
)

_CALL = "call:"
_ESCAPE = "<escape>"
_TOKEN = re.compile(r"<escape>|[{}\[\]:,]|[^<{}\[\]:,]+|<")
_WORDS = {"null": None, "true": True, "false": False}


def written_calls(text: str) -> list[tuple[str, dict[str, Any]]]:
    """Names and arguments of the calls in `text`."""
    found = []
    for marked in between(text, "<start_function_call>", "<end_function_call>"):
        call = marked.strip()
        if call.startswith(_CALL):
            name, brace, arguments = call.removeprefix(_CALL).partition("{")
            found.append((name.strip(), _Arguments().read(brace + arguments)))
    return found


class _Arguments:
    """Reads the arguments of one call."""

    def __init__(self) -> None:
        self._root: list[Any] = []
        self._open: list[Any] = [self._root]  # containers around the place, the innermost last
        self._keys: list[str | None] = []  # of the open mappings: the key that waits for its value
        self._lone: Any = None  # the last value in a mapping without a key; before a colon it is the key
        self._plain: list[str] = []  # text since the last mark

    def read(self, text: str) -> dict[str, Any]:
        """The arguments in `text`; empty if it does not begin with a brace."""
        at = 0
        while token := _TOKEN.match(text, at):
            at = token.end()
            if token[0] == _ESCAPE:
                at = self._escaped(text, token.start())
            elif token[0] in "{}[]:,":
                self._end_plain()
                self._mark(token[0])
            else:
                self._plain.append(token[0])
        self._end_plain()
        return self._root[0] if self._root and isinstance(self._root[0], dict) else {}

    def _escaped(self, text: str, start: int) -> int:
        """Adds the text between two marks, or all that follows a single one; returns the end."""
        begin = start + len(_ESCAPE)
        end = text.find(_ESCAPE, begin)
        self._end_plain()
        self._add(text[start:] if end < 0 else text[begin:end])
        return len(text) if end < 0 else end + len(_ESCAPE)

    def _mark(self, mark: str) -> None:
        match mark:
            case "{" | "[":
                container: Any = {} if mark == "{" else []
                self._add(container)
                self._open.append(container)
                if mark == "{":
                    self._keys.append(None)
            case "}" | "]":  # whichever was opened last
                if len(self._open) > 1:
                    self._open.pop()
                    if mark == "}" and self._keys:
                        self._keys.pop()
            case ":":
                if self._lone is None:
                    return
                key, self._lone = str(self._lone), None
                if isinstance(self._open[-1], dict) and self._keys:
                    self._keys[-1] = key
                return
        self._lone = None

    def _end_plain(self) -> None:
        text = "".join(self._plain).strip()
        self._plain.clear()
        if text:
            self._add(_value(text))

    def _add(self, value: Any) -> None:
        container = self._open[-1]
        key = self._keys[-1] if self._keys else None
        if isinstance(container, list):
            container.append(value)
        elif key is None:
            self._lone = value
        else:
            container[key] = value
            self._keys[-1] = None


def _value(text: str) -> Any:
    if text in _WORDS:
        return _WORDS[text]
    for number in (int, float):
        try:
            return number(text)
        except ValueError:
            continue
    return text


def _uniform(stored: Json, _runs: bool) -> Json:
    try:
        return named_calls(written_calls(stored))
    except RecursionError:
        return stored


FUNCTION_GEMMA = Reader(read_plain_text, _uniform)


_THOUGHT_START, _THOUGHT_END = "<|thought_start|>", "<|thought_end|>"
_START, _END = "<|tool_call_start|>", "<|tool_call_end|>"
_FENCE = "`"


def _uniform_statements(stored: Json, runs: bool) -> Json:
    try:
        calls = _calls(stored)
        named = [{name: json.dumps(_json_value(arguments, runs))} for name, arguments in calls]
    except (RecursionError, ValueError):
        return stored
    return named or (stored if runs else no_calls(stored))


def _calls(text: str) -> list[tuple[str, Any]]:
    """Names and arguments. Raises ValueError if a start mark is only after the last end mark."""
    if _THOUGHT_END in text and _THOUGHT_START in text:
        _, text = _parts(text, _THOUGHT_START, _THOUGHT_END)
    if _START not in text or _END not in text:
        return []
    written = _parts(text, _START, _END)[0].strip()
    if written.startswith(_FENCE * 3):
        written = written.lstrip(_FENCE).strip()
        if written.startswith("python"):
            written = written.lstrip("python").strip()
    if written.endswith(_FENCE * 3):
        written = written.rstrip(_FENCE).strip()
    return read_statements(written) or []


def _parts(text: str, start: str, end: str) -> tuple[str, str]:
    """What is between the first `start` and the last `end`, and what follows."""
    before, _, rest = text.rpartition(end)
    _, found, between = before.partition(start)
    if not found:
        raise ValueError(f"{end} is not after {start}")
    return between, rest


def _json_value(value: Any, runs: bool) -> Json:
    """`value` as one that JSON has."""
    match value:
        case dict():
            return {_key(key): _json_value(item, runs) for key, item in value.items()}
        case list():
            return [_json_value(item, runs) for item in value]
        case tuple() if runs:
            return [_json_value(item, runs) for item in value]
        case None | bool() | int() | float() | str():
            return value
    return repr(value)


def _key(key: Any) -> str:
    return key if isinstance(key, str) else repr(key)


PYTHON_STATEMENTS = Reader(read_plain_text, _uniform_statements)
