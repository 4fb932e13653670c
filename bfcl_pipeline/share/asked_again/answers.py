"""What is compared of an answer: its text, its calls, and its verdict.

The text is the answer as the adapter reads it: words and calls as written, without ids, usage and
reasoning. The calls are those that the pipeline decodes, in order; the order of arguments does not count. A
verdict is that of the run's rules, for entries of one request; in a conversation the other requests would
be others after another answer.
"""

import json
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any, TypeAlias

from bfcl_pipeline.ask.generation import Asking
from bfcl_pipeline.benchmark.definition import CATEGORIES
from bfcl_pipeline.benchmark.records import Call, DecodeFailure, Entry, Exchange, Mode, Rules
from bfcl_pipeline.dialogue.calls import decode, decode_step
from bfcl_pipeline.judge.scoring import NO_APIS, Judge
from bfcl_pipeline.judge.scoring.single_turn import answer_format
from bfcl_pipeline.world.executables import Apis

LEVELS = ("texts", "calls", "verdicts")
"""What of two answers is compared."""

ApisOf: TypeAlias = Callable[[Entry], Apis]
"""The web APIs with whose recorded answers calls are executed."""


@dataclass(frozen=True, slots=True)
class ComparedAnswer:
    """One answer in a form in which it is compared."""

    texts: str
    calls: str  # canonical; NO_CALLS if none can be decoded
    verdicts: bool | None  # valid or not; None: of a conversation, or it cannot be judged

    def level(self, name: str) -> str | bool | None:
        """What is compared at one of LEVELS."""
        value: str | bool | None = getattr(self, name)
        return value


NO_CALLS = "no calls"


def compared_form(
    entry: Entry, exchange: Exchange, asking: Asking, rules: Rules, apis: Apis = NO_APIS
) -> ComparedAnswer:
    """The form of an answer to a request of `entry` in which it is compared.

    Args:
        entry: the entry.
        exchange: the answer as the adapter reads it.
        asking: how the model is asked.
        rules: of the verdict.
        apis: recorded answers of web APIs, for entries whose calls are executed.
    """
    words = exchange.reply.get("content") if exchange.reply is not None else None
    written = [exchange.result, words if isinstance(words, str) else None]
    return ComparedAnswer(
        json.dumps(written, sort_keys=True),
        _calls(entry, exchange, asking.mode),
        _valid(entry, exchange, asking, rules, apis),
    )


def _calls(entry: Entry, exchange: Exchange, mode: Mode) -> str:
    if not CATEGORIES[entry.category].single_turn:
        calls = decode_step(exchange.result, mode)
    elif mode is Mode.FC and isinstance(exchange.result, str):
        return NO_CALLS
    else:
        expected = answer_format(entry)
        calls = decode(
            exchange.result,
            mode=mode,
            return_format=expected.return_format,
            tool_call_tag=expected.tool_call_tag,
        )
    return NO_CALLS if isinstance(calls, DecodeFailure) or not calls else _canonical(calls)


def _valid(entry: Entry, exchange: Exchange, asking: Asking, rules: Rules, apis: Apis) -> bool | None:
    if not CATEGORIES[entry.category].single_turn:
        return None
    result = json.dumps(exchange.result)
    judge = Judge(entry, apis=apis)
    return judge.answer_verdicts(result, asking.mode, asking.name_style, (rules,))[0].valid


def _canonical(value: Any) -> str:
    """A text that is equal for equal values, and for no others. Decoders bound the depth of values."""
    match value:
        case Call(name, arguments):
            return f"{name}({_canonical(arguments)})"
        case Mapping():
            items = sorted((repr(key), _canonical(item)) for key, item in value.items())
            return "{" + ", ".join(f"{key}: {item}" for key, item in items) + "}"
        case list() | tuple():
            return "[" + ", ".join(map(_canonical, value)) + "]"
        case set() | frozenset():
            return "{" + ", ".join(sorted(map(_canonical, value))) + "}"
    return repr(value)
