"""What is compared of an answer: its text, its calls, its verdicts.

The text is the answer as the adapter reads it: words and calls as written, without ids, usage and
reasoning. The calls are those that the pipeline decodes, in order; the order of arguments does not count.
Verdicts are those of entries of one request: in a conversation the other requests would be others after
another answer, and executed calls need web APIs.
"""

import json
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from bfcl_pipeline.ask.generation import Asking
from bfcl_pipeline.base.differences import differences, items_of
from bfcl_pipeline.benchmark.definition import CATEGORIES
from bfcl_pipeline.benchmark.records import Call, DecodeFailure, Entry, Exchange, Rules
from bfcl_pipeline.dialogue.calls import decode_step
from bfcl_pipeline.judge.scoring import Judge
from bfcl_pipeline.judge.scoring.single_turn import answer_calls


@dataclass(frozen=True, slots=True)
class ComparedAnswer:
    """One answer in a form in which it is compared."""

    text: str
    calls: tuple[Call, ...]  # none if none can be decoded
    valid: Mapping[Rules, bool | None]  # None: not judged


def same_calls(one: ComparedAnswer, other: ComparedAnswer) -> bool:
    """Whether two answers have equal calls; 1, 1.0 and True are three values."""
    return next(differences(one.calls, other.calls, parts=_parts), None) is None


def _parts(value: Any) -> Mapping[str, Any] | None:
    if isinstance(value, Call):
        return {".name": value.name, ".arguments": value.arguments}
    if isinstance(value, Mapping):  # {1: 2} is not {"1": 2}
        return {f"[{key!r}]": item for key, item in value.items()}
    return items_of(value)


def compared_form(entry: Entry, exchange: Exchange, asking: Asking) -> ComparedAnswer:
    """The form of an answer, as the adapter reads it, to a request of `entry` of a model asked so."""
    words = exchange.reply.get("content") if exchange.reply is not None else None
    written = [exchange.result, words if isinstance(words, str) else None]
    category = CATEGORIES[entry.category]
    if category.single_turn:
        calls = answer_calls(entry, exchange.result, asking.mode)
    else:
        calls = decode_step(exchange.result, asking.mode)
    valid: dict[Rules, bool | None] = dict.fromkeys(Rules)
    if category.single_turn and not category.executes:
        result = json.dumps(exchange.result)
        verdicts = Judge(entry).answer_verdicts(result, asking.mode, asking.name_style, tuple(Rules))
        valid = {rules: verdict.valid for rules, verdict in zip(Rules, verdicts, strict=True)}
    return ComparedAnswer(
        json.dumps(written, sort_keys=True), () if isinstance(calls, DecodeFailure) else calls, valid
    )
