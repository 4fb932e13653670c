"""Checks answers to requests that no offered function fits, and says what kind of answer each is.

An answer abstains in words, is empty, attempts a call that cannot be decoded, or calls. Official rules
accept all but the last; `calls.attempts` has the marks of an attempted call.
Source: the release's evaluation runner, and thread 1362 of its repository.
"""

from collections.abc import Sequence
from dataclasses import dataclass

from bfcl_pipeline.benchmark.records import AnswerClass, Call, DecodeFailure, FunctionDoc, Json, Rules
from bfcl_pipeline.dialogue.calls import attempted_call, has_words
from bfcl_pipeline.judge.scoring.findings import Finding, Outcome, shorten


@dataclass(frozen=True, slots=True)
class Uncalled:
    """What an answer without a decodable call is."""

    answer_class: AnswerClass
    mark: str | None = None  # the mark of the attempted call, for a message


_ACCEPTED = {name: Outcome(None, name) for name in AnswerClass}
_EMPTY = Uncalled(AnswerClass.EMPTY)
_WORDS = Uncalled(AnswerClass.ABSTAINED_IN_WORDS)


def judge_called(calls: Sequence[Call]) -> Outcome:
    """The outcome of an answer with calls."""
    names = ", ".join(call.name for call in calls[:3])
    message = f"No function fits the request, yet {names} is called."
    return Outcome(Finding("irrelevance_error:decoder_success", message), AnswerClass.CALLED)


def classify_uncalled(result: Json | DecodeFailure, functions: Sequence[FunctionDoc]) -> Uncalled:
    """The class of an answer without a decodable call.

    result: an official result. In function-calling mode its text is in place of a list of calls, or is an
    item of the list.
    """
    if isinstance(result, DecodeFailure):
        return Uncalled(AnswerClass.MALFORMED_CALL, result.message)
    if not result:
        return _EMPTY
    items = result if isinstance(result, list) else [result]
    native = next((item for item in items if item and isinstance(item, dict | list)), None)
    if native is not None:
        return Uncalled(AnswerClass.MALFORMED_CALL, shorten(native))
    text = result if isinstance(result, str) else "\n".join(str(item) for item in items if item)
    mark = attempted_call(text, [function["name"] for function in functions])
    if mark is not None:
        return Uncalled(AnswerClass.MALFORMED_CALL, shorten(mark))
    return _WORDS if has_words(text) else _EMPTY


def malformed_call(answer: Uncalled, rules: Rules) -> Outcome:
    """Rule `malformed-call`: official accepts every answer that cannot be decoded as calls.

    Corrected accepts it unless a call was attempted.
    """
    if rules is Rules.OFFICIAL or answer.mark is None:
        return _ACCEPTED[answer.answer_class]
    message = f"No function fits the request, yet a call that cannot be decoded is attempted: {answer.mark}"
    return Outcome(Finding("irrelevance_error:malformed_call", message), answer.answer_class)
