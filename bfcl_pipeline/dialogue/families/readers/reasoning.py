"""Reasoning before the answer, which ends with </think>."""

from bfcl_pipeline.dialogue.families.readers.answers import Answer, Reader, as_it_is

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
