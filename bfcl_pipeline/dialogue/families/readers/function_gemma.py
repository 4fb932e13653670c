"""Calls in the notation of FunctionGemma: call:name{key:value} between marks, texts between <escape> marks.

Every text is read, also one with unbalanced brackets. Source: the handler functiongemma.
"""

import re
from typing import Any

from bfcl_pipeline.benchmark.records import Json
from bfcl_pipeline.dialogue.families.readers.answers import (
    Reader,
    between,
    named_calls,
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
