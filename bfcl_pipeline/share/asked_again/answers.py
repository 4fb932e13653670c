"""What is compared of answers: texts, calls and verdicts; and how often they are equal.

The text is the answer as the adapter reads it: words and calls as written, without ids, usage and
reasoning. The calls are those that the pipeline decodes, in order; the order of arguments does not count. A
verdict is that of the run's rules, for entries of one request; in a conversation the other requests would
be others after another answer.
"""

import json
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from itertools import combinations
from typing import Any

from bfcl_pipeline.ask.generation import Asking
from bfcl_pipeline.benchmark.definition import CATEGORIES
from bfcl_pipeline.benchmark.records import Call, DecodeFailure, Entry, Exchange, Mode, Rules
from bfcl_pipeline.dialogue.calls import decode, decode_step
from bfcl_pipeline.judge.scoring import NO_APIS, Judge
from bfcl_pipeline.judge.scoring.single_turn import answer_format
from bfcl_pipeline.world.executables import Apis

TEXTS, CALLS, VERDICTS = "texts", "calls", "verdicts"

LEVELS = (TEXTS, CALLS, VERDICTS)
"""What of two answers is compared: the fields of a ComparedAnswer."""

NO_CALLS = "no calls"

BETWEEN, TRIALS = "two askings", "own trials"
"""Columns of `equal_shares`: two fresh answers, and the archive's first trial and another."""


@dataclass(frozen=True, slots=True)
class ComparedAnswer:
    """One answer in a form in which it is compared."""

    texts: str
    calls: str  # canonical; NO_CALLS if none can be decoded
    verdicts: bool | None  # valid or not; None: of a conversation, or it cannot be judged


@dataclass(frozen=True, slots=True)
class ComparedRequest:
    """One drawn request with all answers to it. None: there is none, or it cannot be compared."""

    archived: ComparedAnswer
    fresh: tuple[ComparedAnswer | None, ...]  # by asking
    trials: tuple[ComparedAnswer | None, ...]  # of the archive's later trials


@dataclass(frozen=True, slots=True)
class Share:
    """How many of some pairs are equal."""

    equal: int
    of: int  # pairs in which it can be said

    def __str__(self) -> str:
        return f"{self.equal:,} of {self.of:,}" if self.of else "-"


def are_equal(level: str, one: ComparedAnswer | None, other: ComparedAnswer | None) -> bool | None:
    """Whether two answers are equal at a level; None: undecided, or one is missing.

    A verdict on a conversation depends on all of its answers. It is equal if the two answers have the same
    text or the same calls, since the conversation then goes on equally, and undecided if not.
    """
    if one is None or other is None:
        return None
    if level != VERDICTS or None not in (one.verdicts, other.verdicts):
        return bool(getattr(one, level) == getattr(other, level))
    return True if one.texts == other.texts or one.calls == other.calls != NO_CALLS else None


def equal_shares(requests: Sequence[ComparedRequest], askings: int) -> dict[str, dict[str, Share]]:
    """How many pairs are equal, by level and column.

    The columns: the archive's answer and that of each asking, BETWEEN, TRIALS.
    """
    pairs: dict[str, list[tuple[ComparedAnswer | None, ComparedAnswer | None]]] = {
        f"asking {number + 1}": [(one.archived, one.fresh[number]) for one in requests]
        for number in range(askings)
    }
    pairs[BETWEEN] = [pair for one in requests for pair in combinations(one.fresh, 2)]
    pairs[TRIALS] = [(one.archived, other) for one in requests for other in one.trials]
    return {
        level: {column: _share(are_equal(level, *pair) for pair in some) for column, some in pairs.items()}
        for level in LEVELS
    }


def _share(equal: Iterable[bool | None]) -> Share:
    decided = [value for value in equal if value is not None]
    return Share(sum(decided), len(decided))


def odd_ones(requests: Sequence[ComparedRequest], level: str) -> list[int]:
    """The places of requests whose fresh answers are all equal at a level, and the archive's is not."""
    found = []
    for place, one in enumerate(requests):
        values = {getattr(fresh, level) for fresh in one.fresh if fresh is not None}
        if len(values) == 1 and getattr(one.archived, level) not in values:
            found.append(place)
    return found


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
