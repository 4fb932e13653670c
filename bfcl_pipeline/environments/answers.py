"""Reads what a policy answers: a chat message, calls, text, or a result in the official form.

Whatever a policy writes is read within bounds and never evaluated. An answer above a bound ends its episode
with reward 0; it is not replaced by an empty one, which would be right where no call is wanted.
"""

import json
from collections.abc import Mapping, Sequence
from copy import deepcopy
from functools import cache
from typing import TypeAlias

from bfcl_pipeline.ask.models.adapters.openai_chat import OpenAIChat
from bfcl_pipeline.base.errors import Malformed
from bfcl_pipeline.benchmark.config import ModelRow
from bfcl_pipeline.benchmark.definition import ReturnFormat
from bfcl_pipeline.benchmark.records import Call, Exchange, Json, Mode, Request
from bfcl_pipeline.dialogue.calls import write_calls, write_native
from bfcl_pipeline.dialogue.calls.limits import MAX_CALLS
from bfcl_pipeline.runs.journal.lines import TOO_DEEP, is_too_deep

PolicyAnswer: TypeAlias = str | Mapping[str, Json] | Sequence[Call] | Sequence[Mapping[str, Json]]
"""Text; an assistant's chat message; calls; or calls in the official form, {name: arguments as JSON}."""

MOST_CHARACTERS = 500_000
"""Of one answer as JSON; about those of 100,000 tokens."""


class AnswerRefused(Exception):
    """An answer exceeds a bound; its text says which. Never leaves `environments`."""


def kept_answer(answer: PolicyAnswer) -> PolicyAnswer:
    """A copy of `answer`. Raises AnswerRefused if it is too long or too deep."""
    if not isinstance(answer, str | Mapping) and len(answer) > MAX_CALLS:
        raise AnswerRefused(f"{len(answer):,} calls at once; the most are {MAX_CALLS:,}")
    size = _size(answer)
    if size > MOST_CHARACTERS:
        raise AnswerRefused(f"an answer of {size:,} characters; the most are {MOST_CHARACTERS:,}")
    return deepcopy(answer)


def read_answer(request: Request, answer: PolicyAnswer) -> Exchange:
    """The exchange that `answer` completes; messages are read as those of chat completions are.

    Raises Malformed if it is not an answer or has not the form of chat completions, which is not the
    policy's fault.
    """
    if isinstance(answer, str):
        return Exchange(request, answer)
    if isinstance(answer, Mapping):
        return _reader(request.mode).read(request, {"choices": [{"message": dict(answer)}]})
    calls = [item for item in answer if isinstance(item, Call)]
    if not calls:
        if not all(isinstance(item, Mapping) for item in answer):
            raise Malformed(f"expected calls, as Call or as {{name: arguments}}; got {answer!r:.200}")
        return Exchange(request, [dict(item) for item in answer if isinstance(item, Mapping)])
    if request.mode is Mode.FC:
        return Exchange(request, write_native(calls))
    return Exchange(request, write_calls(calls, ReturnFormat(request.return_format)))


def _size(answer: PolicyAnswer) -> int:
    """The length of `answer` as JSON. Raises AnswerRefused if it is too deep or cannot be JSON."""
    if isinstance(answer, str):
        return len(answer)
    try:
        text = json.dumps(answer, default=_call_parts)
    except (TypeError, ValueError, RecursionError) as error:
        raise AnswerRefused(f"an answer that cannot be written as JSON ({error})") from None
    if is_too_deep(text.encode()):
        raise AnswerRefused(f"an answer that is {TOO_DEEP}")
    return len(text)


def _call_parts(value: object) -> Json:
    if isinstance(value, Call):
        return [value.name, dict(value.arguments)]
    raise TypeError(f"{type(value).__name__} is not JSON")


@cache
def _reader(mode: Mode) -> OpenAIChat:
    """Reads chat messages; nothing is sent."""
    return OpenAIChat(
        ModelRow("policy", "openai_chat", mode, "policy", model="policy", endpoint="policy:"), offline=True
    )
