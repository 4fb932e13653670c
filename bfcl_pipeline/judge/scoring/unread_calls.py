"""Finds calls that a model wrote and that were not read: they are in the text of an answer in mode fc.

A server reads the calls of a model out of its text. One that does not know the model's form, or loses
calls, returns them as text, which costs points where a call is needed and gains some where none is. So do
models that write a call in another form than their own, or break it.
"""

from collections.abc import Iterator, Sequence

from bfcl_pipeline.benchmark.records import Entry, Json
from bfcl_pipeline.dialogue.calls import is_written_call

INFERENCE_ERROR = "Error during inference:"
"""How the text begins that the official tool stores for a failed request: it is not the model's."""

_MOST_ITEMS = (
    5_000  # lists, texts and calls of an answer that are looked at; conversations have some hundred
)


def has_unread_call(result: Json, names: Sequence[str]) -> bool:
    """Whether a text of `result`, an official result in mode fc, calls a function of `names`."""
    return any(
        is_written_call(text, names) for text in _texts(result) if not text.startswith(INFERENCE_ERROR)
    )


def offered_names(entry: Entry) -> list[str]:
    """The functions that are offered at any turn of `entry`."""
    later = (function for functions in entry.held_out.values() for function in functions)
    return [function["name"] for function in (*entry.functions, *later)]


def _texts(result: Json) -> Iterator[str]:
    """The texts of an answer: itself, or items of its lists. Its calls are mappings."""
    left = [result]
    for _ in range(_MOST_ITEMS):
        if not left:
            return
        match left.pop():
            case str() as text:
                yield text
            case list() as items:
                left += items
