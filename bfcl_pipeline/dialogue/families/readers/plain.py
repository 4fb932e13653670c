"""Answers that stay text: with reasoning before it, with a code fence, or a name over its arguments."""

from bfcl_pipeline.benchmark.records import DecodeFailure, Json, Mode
from bfcl_pipeline.dialogue.calls import decode_step
from bfcl_pipeline.dialogue.families.readers.answers import (
    Answer,
    Reader,
    as_it_is,
    no_calls,
    read_plain_text,
)

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
