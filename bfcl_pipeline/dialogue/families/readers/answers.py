"""What a reader makes of a model's text, the uniform form of answers, and the readers of plain text.

The uniform form is what the rest of the pipeline scores: in mode fc a list of {name: arguments as JSON
text}, in mode prompt the text. An answer whose calls the official handler cannot decode stays as it is, and
so decodes to the same failure. Plain text may have reasoning before it, a code fence, or a name over its
arguments.
"""

import json
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from typing import Any

from bfcl_pipeline.benchmark.records import DecodeFailure, Json, Message, Mode
from bfcl_pipeline.dialogue.calls import MAX_DEPTH, decode_step, parse_json

_BEGINNING = 200  # characters: fewer than open brackets beyond the bound


@dataclass(frozen=True, slots=True)
class Answer:
    """A model's text, taken apart."""

    stored: Json  # what the official tool would store as the result
    reply: Message  # the assistant's message in the history, as the family's template reads it
    reasoning: str = ""  # what was split off


@dataclass(frozen=True, slots=True)
class Reader:
    """How the answers of families are read."""

    split: Callable[[str, int], Answer]
    """The parts of a text. The number is that of the messages before it, for ids of calls."""

    calls: Callable[[Any, bool], Json]
    """The uniform form of a stored result; the flag says whether its calls are run in a conversation."""

    stores_calls: bool = False
    """Whether a stored result may be a list of calls; else it is text."""

    def uniform(self, stored: Json, runs: bool) -> Json:
        """The uniform form of a stored result.

        runs: whether its calls are run in a conversation, in which a result without calls that can be run
            stays as it is: it may be the answer to a question. So does one with arguments nested too deep,
            which the next prompt could not repeat.
        """
        if not (isinstance(stored, str) or self.stores_calls):
            return stored
        uniform = self.calls(stored, runs)
        if not runs or not isinstance(uniform, list):
            return uniform
        calls = decode_step(uniform, Mode.FC)
        if isinstance(calls, DecodeFailure) or not all(is_shallow(call.arguments) for call in calls):
            return stored
        return uniform if calls else stored


def read_plain_text(text: str, _earlier: int) -> Answer:
    """The whole text, which is also sent back."""
    return Answer(text, {"role": "assistant", "content": text})


def as_it_is(stored: Json, _runs: bool) -> Json:
    """The stored result, which is uniform already."""
    return stored


def named_calls(calls: Iterable[tuple[str, Any]]) -> Json:
    """The uniform form of calls with their arguments, of which any JSON value is kept.

    Raises TypeError or RecursionError for arguments that JSON cannot represent.
    """
    return [{name: json.dumps(arguments)} for name, arguments in calls]


def read_arguments(arguments: Json, runs: bool) -> Json:
    """The arguments of a call as the release reads them: if calls are run, text is read as JSON.

    Raises ValueError or RecursionError for other text.
    """
    return parse_json(arguments) if runs and isinstance(arguments, str) else arguments


def is_shallow(value: Any) -> bool:
    """Whether a value is at most MAX_DEPTH levels below any list or mapping around it.

    Over deeper values a template may fail, depending on how deep Python's own calls are nested.
    """
    level = [value]
    for _ in range(MAX_DEPTH + 1):
        level = [inner for each in level for inner in _items(each)]
        if not level:
            return True
    return False


def _items(value: Any) -> Iterable[Any]:
    match value:
        case dict():
            return value.values()
        case list() | tuple():
            return value
    return ()


def between(text: str, start: str, end: str) -> list[str]:
    """The texts between each `start` and the first `end` after it, from the left, without overlaps."""
    found = []
    at = 0
    while (begin := text.find(start, at)) >= 0:
        begin += len(start)
        stop = text.find(end, begin)
        if stop < 0:
            break
        found.append(text[begin:stop])
        at = stop + len(end)
    return found


def no_calls(text: str) -> Json:
    """The uniform form of what an official handler decodes, but not as calls: an own error type.

    Text beyond the bounds of `calls`, which could not be decoded, is shortened: its content does not count.
    """
    uniform = [{"": json.dumps(text)}]
    if isinstance(decode_step(uniform, Mode.FC), DecodeFailure):
        uniform = [{"": json.dumps(text[:_BEGINNING])}]
    return uniform


def uniform_rejected(stored: Json, runs: bool) -> Json:
    """The uniform form, in mode fc, of what an official handler cannot decode: text.

    Empty text that is compared becomes a blank: in the uniform form, empty text has no calls, but is read.
    """
    return str(stored) or ("" if runs else " ")


def call_name(value: Json) -> str:
    """A function name that may be any JSON value, as a key of an official result file.

    Raises TypeError for a list or an object.
    """
    if isinstance(value, str):
        return value
    if isinstance(value, list | dict):
        raise TypeError(f"a name is {type(value).__name__}")
    return json.dumps(value)


_END, _START = "</think>", "<think>"


def without_reasoning(text: str) -> tuple[str, str]:
    """The answer and the reasoning before it; without an end mark, all is the answer."""
    if _END not in text:
        return text, ""
    parts = text.split(_END)
    return parts[-1].lstrip("\n"), parts[0].rstrip("\n").split(_START)[-1].lstrip("\n")


def _split(text: str, _earlier: int) -> Answer:
    answer, reasoning = without_reasoning(text)
    reply = {"role": "assistant", "content": answer, "reasoning_content": reasoning}
    return Answer(answer, reply, reasoning)


REASONED_TEXT = Reader(_split, as_it_is)
"""Text after reasoning, of which both go into the history. Source: the handler qwen."""


def _after_reasoning(text: str, _earlier: int) -> Answer:
    """The text after the last end mark. All of it is kept, and the template leaves old reasoning out."""
    reasoning, _, answer = text.rpartition(_END)
    return Answer(answer, {"role": "assistant", "content": text}, reasoning)


AFTER_REASONING = Reader(_after_reasoning, as_it_is)


def _unfenced(stored: Json, runs: bool) -> Json:
    """Without the fence's beginning; an answer in words, which is not decoded, stays as it is."""
    text = stored if runs else stored.strip()
    bare = text.removeprefix("```json").removeprefix("```python")
    if bare == text or not runs:
        return bare
    return bare if _has_calls(bare) or _has_calls(stored) else stored


def _has_calls(text: str) -> bool:
    calls = decode_step(text, Mode.PROMPT)
    return bool(calls) and not isinstance(calls, DecodeFailure)


FENCED_TEXT = Reader(read_plain_text, _unfenced)
"""Text with calls in a code fence that has a language. Source: the handler phi."""


def _two_lines(stored: Json, runs: bool) -> Json:
    name, line, rest = stored.partition("\n")
    if line:
        return [{name: rest.partition("\n")[0]}]
    return stored if runs else no_calls(stored)


TWO_LINES = Reader(read_plain_text, _two_lines)
"""A call on two lines: the name of the function, and its arguments as JSON. Source: the handler glm."""
