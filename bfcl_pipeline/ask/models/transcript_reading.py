"""Reading the messages of a request: what the user wrote, and what calls returned, in either mode."""

import ast
from typing import Any

from bfcl_pipeline.benchmark.records import Message, Mode, Request

_RESULTS = "[{'role': 'tool', "
"""Start of the user message that holds the results of calls in prompt mode."""

_FUNCTIONS = "[{'name': "
"""Start of the user message that adds functions in prompt mode; they fill its first line."""


def is_results_message(message: Message) -> bool:
    """Whether a message holds what calls returned."""
    if message["role"] == "tool":
        return True
    return message["role"] == "user" and str(message["content"]).startswith(_RESULTS)


def user_text(message: Message) -> str:
    """The words of a user message without function docs; empty if it holds results of calls."""
    content = str(message["content"])
    if is_results_message(message):
        return ""
    return content.partition("\n")[2] if content.startswith(_FUNCTIONS) else content


def last_results(request: Request) -> list[str]:
    """What the calls of the last step returned; empty if the request does not end with results."""
    if not request.messages or not is_results_message(request.messages[-1]):
        return []
    if request.mode is Mode.PROMPT:
        return [str(result["content"]) for result in _literal(str(request.messages[-1]["content"]))]
    results: list[str] = []
    for message in reversed(request.messages):
        if message["role"] != "tool":
            break
        results.append(str(message["content"]))
    return results[::-1]


def _literal(text: str) -> Any:
    """A list of mappings written by our own conversation; empty if the text is something else."""
    try:
        return ast.literal_eval(text)
    except (ValueError, SyntaxError, MemoryError, RecursionError):
        return []
