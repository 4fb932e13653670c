"""Computes the leaderboard's scores from counts of verdicts, and the scores that missing ones allow.

Covers the accuracy of a category, the group scores and the overall score of BFCL V4 (summed in the official
tool's order, so that printed numbers agree to the last digit), the means of V1's executable categories, and
the spread over prompt formats. Of entries without a verdict: what caused each, read from its status and
detail, and the scores that they allow. Intervals, which need the verdicts themselves, are
`scoring.intervals`. `bfcl_pipeline.show.report` counts the verdicts and writes the tables.
"""

import functools
import operator
import re
import statistics
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from enum import StrEnum

from bfcl_pipeline.benchmark.definition import CATEGORIES
from bfcl_pipeline.benchmark.definition.leaderboard import (
    EXECUTABLE,
    LEADERBOARD,
    Group,
    Mean,
    categories_of,
)
from bfcl_pipeline.benchmark.records import Status
from bfcl_pipeline.judge.scoring.unread_calls import INFERENCE_ERROR


@dataclass(frozen=True, slots=True)
class Count:
    """The verdicts of one model on one category, counted."""

    answered: int  # responses with a verdict
    correct: float  # valid responses; in a ceiling, shares of them


@dataclass(frozen=True, slots=True)
class Score:
    """One number of the leaderboard, or of the table of executable categories."""

    accuracy: float  # 0 to 1; categories that were not evaluated count 0
    entries: int  # scored entries; for a category that was not evaluated, all its entries
    evaluated: int  # number of evaluated categories in it
    categories: int  # number of categories in it

    @property
    def complete(self) -> bool:
        """True where every category of this score was evaluated."""
        return self.evaluated == self.categories


@dataclass(frozen=True, slots=True)
class Spread:
    """The spread of a model's accuracy over the prompt formats, in percentage points."""

    max_delta: float  # best format minus worst
    std: float  # sample standard deviation over the formats


def leaderboard_scores(
    counts: Mapping[str, Count], sizes: Mapping[str, int] | None = None
) -> dict[str, Score]:
    """Every score by name: categories first, then the groups of LEADERBOARD and of EXECUTABLE.

    A category that is missing from `counts`, or has no verdict, was not evaluated: its accuracy is 0 and
    all its entries count, as in the official tool.

    Args:
        counts: by category.
        sizes: of every category, its entries in means by size; None: those scored, as in the official tool.
    """
    scores = {name: _category_score(name, counts.get(name)) for name in CATEGORIES}
    for group in (*LEADERBOARD, *EXECUTABLE):
        scores[group.name] = _group_score(group, [scores[member.name] for member in group.members], sizes)
    return scores


def _category_score(name: str, count: Count | None) -> Score:
    if count is None or count.answered == 0:
        return Score(0.0, CATEGORIES[name].entries, 0, 1)
    return Score(count.correct / count.answered, count.answered, 1, 1)


def _group_score(group: Group, members: Sequence[Score], sizes: Mapping[str, int] | None) -> Score:
    entries = [member.entries for member in members]
    return Score(
        _mean(group, members, entries if sizes is None else _sizes(group, sizes)),
        sum(entries),
        sum(member.evaluated for member in members),
        sum(member.categories for member in members),
    )


def _sizes(group: Group, sizes: Mapping[str, int]) -> list[int]:
    return [sum(sizes[name] for name in categories_of(member.name)) for member in group.members]


def _mean(group: Group, members: Sequence[Score], entries: Sequence[int]) -> float:
    """The group's accuracy, computed in the official tool's order so that rounding agrees."""
    if group.mean is Mean.EQUAL:
        return _total(member.accuracy for member in members) / len(members)
    if group.mean is Mean.BY_SIZE:
        return _total(m.accuracy * n for m, n in zip(members, entries, strict=True)) / sum(entries)
    weights = [member.weight for member in group.members]
    shares = [weight / sum(weights) for weight in weights]
    return _total(m.accuracy * share for m, share in zip(members, shares, strict=True))


def _total(terms: Iterable[float]) -> float:
    """The plain running sum; the built-in `sum` compensates for rounding since Python 3.12."""
    return functools.reduce(operator.add, terms, 0.0)


def format_spread(accuracies: Iterable[float]) -> Spread:
    """The spread of the prompt formats' accuracies, rounded as in the official tool.

    For one format it is 0. Raises ValueError if there is none.
    """
    accuracies = list(accuracies)
    if not accuracies:
        raise ValueError("the spread over no format at all is undefined")
    if len(accuracies) == 1:
        return Spread(0.0, 0.0)
    return Spread(
        max_delta=round((max(accuracies) - min(accuracies)) * 100, 2),
        std=round(statistics.stdev(accuracies) * 100, 2),
    )


class OmissionCause(StrEnum):
    """Why an entry has no verdict. The values are columns of the table `omitted`."""

    MODEL_OUTPUT = "model_output"  # the server could not read what the model wrote, and refused it
    CONTEXT = "context"  # the request exceeds the model's context length
    TIME = "time"  # a time limit
    NETWORK = "network"  # no connection, or the server failed or turned the request away
    HARNESS = "harness"  # the program that asks: a request that it must not send, an error in its code
    OTHER = "other"  # not asked, not recorded, not supported, or the detail says none of these


OVERFLOW = re.compile(
    r"context_length_exceeded|string_above_max_length"
    r"|maximum (context|prompt|input) length|max(imum)? length of the (model|context)"
    r"|(longer|larger|greater) than the (model's |maximum |max )+(context|model|length)"
    r"|exceed(s|ed)? (the |its |this |your )?((model|maximum|available|max|input)('s)? )*"
    r"(context|number of tokens|token limit|length)"
    r"|\b(prompt|input|request|messages?)\b.{0,60}? too (long|large)"
    r"|token count .{0,60}exceeds"
    r"|too many tokens|reduce the length of|range of input length"
    r"|tokens? .{0,60}must be <= ?\d",
    re.IGNORECASE,
)
"""What servers write if a request exceeds the context."""

_READ = 2000  # characters of a detail that are searched; what follows may repeat the request

_START = f"^(?:{INFERENCE_ERROR} )?"

_HTTP = rf"(?:{_START}|HTTP |Error code: |status(?:[ _]code)?:? )"

_CAUSES: Mapping[OmissionCause, re.Pattern[str]] = {
    # First: such a text may quote what the model wrote.
    OmissionCause.MODEL_OUTPUT: re.compile(
        r"harmony ?(error|pars)|openai_harmony|tokens? remaining in message header|expecting start token"
        r"|tool_use_failed|failed_generation|malformed.?function.?call|model produced invalid"
        r"|messages\[\d+\]\.tool_calls|input\[\d+\]\.(name|arguments)|tool call validation failed"
        r"|(fail\w*|error|unable|could not|cannot)( to)? (be )?(pars|decod)\w+ (the |model'?s? |<)*"
        r"(tool|function|fc|model|generat|output|input at pos)"
        r"|(invalid|malformed|unparsable)( json)?( in| for)? (the |model'?s? )*(tool|function)[ _]?calls?\b"
        r"|(tool|function)[ _]?calls?( arguments?)?( is| are| generated)? (not valid|invalid|malformed)"
        # The words of Python's and JavaScript's JSON readers, from a server that read earlier calls.
        rf"|{_HTTP}[45]\d\d.*(Expecting (value|property name|'|:|,)|Extra data: line|Unterminated string"
        r"|Invalid (control character|\\+escape)|json\.exception\.parse_error)",
        re.IGNORECASE | re.DOTALL,
    ),
    OmissionCause.CONTEXT: re.compile(f"{OVERFLOW.pattern}|context window|HTTP 413", re.IGNORECASE),
    OmissionCause.TIME: re.compile(
        rf"time[ds]?[ -]?out|time limit|deadline exceeded|no answer within|{_HTTP}(408|504)", re.IGNORECASE
    ),
    OmissionCause.NETWORK: re.compile(
        rf"{_HTTP}(40[1-4]|407|409|425|429|5\d\d)|rate.?limit|quota|overloaded|no connection"
        r"|connection ?(error|refused|reset|aborted)|connection .{0,80}broke|max retries exceeded"
        r"|(remote end|peer) closed|disconnected|name resolution|name servers?|name or service not known"
        r"|certificate|internal ?server ?error|service ?unavailable|bad gateway|insufficient balance"
        r"|throttl|run out of searches|\bthe (compressed )?answer\b|expected .{0,99} to be",
        re.IGNORECASE,
    ),
    OmissionCause.HARNESS: re.compile(
        rf"{_HTTP}4\d\d|{_START}'[^']*'$|holdout turn|out of memory|CUDA error|web cache"
        r"|object (has no|is not|of type)|out of range|NoneType|unsupported operand|positional argument"
        r"|unexpected keyword|required argument|no such file|Invalid schema|line \d+ column|codec can't",
        re.IGNORECASE,
    ),
}
"""By the first that matches, in this order."""


def cause_of(status: Status, detail: str | None) -> OmissionCause:
    """The cause of a response without an answer, from its status and what went wrong, for a person."""
    if status is not Status.INFRASTRUCTURE_ERROR:
        return OmissionCause.CONTEXT if status is Status.CONTEXT_OVERFLOW else OmissionCause.OTHER
    text = (detail or "")[:_READ]
    return next((cause for cause, pattern in _CAUSES.items() if pattern.search(text)), OmissionCause.OTHER)


def bounds(
    entries: Mapping[str, int], counts: Mapping[str, Count], sizes: Mapping[str, int] | None = None
) -> tuple[dict[str, Score], dict[str, Score]]:
    """Every score if all entries without a verdict were wrong, and if all were right.

    A category without any verdict counts 0 in the former, as in the scores of the run.

    Args:
        entries: those asked, by category.
        counts: those with a verdict, of the same categories.
        sizes: as in `leaderboard_scores`.
    """
    low, high = {}, {}
    for name, count in counts.items():
        low[name] = Count(entries[name] if count.answered else 0, count.correct)
        high[name] = Count(entries[name], count.correct + entries[name] - count.answered)
    return leaderboard_scores(low, sizes), leaderboard_scores(high, sizes)
