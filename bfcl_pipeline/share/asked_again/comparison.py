"""The archive's answers beside fresh ones: which are equal, and how often; pure.

Equality is counted at three levels (`answers.LEVELS`) and between four kinds of pairs: the archive's answer
and that of each asking, two askings, and two trials of the archive.
"""

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from itertools import combinations

from bfcl_pipeline.share.asked_again.answers import LEVELS, NO_CALLS, ComparedAnswer

VERDICTS = "verdicts"

Pair = tuple[ComparedAnswer | None, ComparedAnswer | None]


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


@dataclass(frozen=True, slots=True)
class LevelShares:
    """How many pairs are equal at one level."""

    level: str
    askings: tuple[Share, ...]  # the archive's answers and those of each asking
    between: Share  # two askings
    trials: Share  # the archive's first trial and another


def equal_answers(level: str, one: ComparedAnswer, other: ComparedAnswer) -> bool | None:
    """Whether two answers are equal at a level; None: undecided.

    A verdict on a conversation depends on all of its answers. It is equal if the two answers have the same
    text or the same calls, since the conversation then goes on equally, and undecided if not.
    """
    if level != VERDICTS:
        return one.level(level) == other.level(level)
    if one.verdicts is not None and other.verdicts is not None:
        return one.verdicts == other.verdicts
    same_calls = one.calls == other.calls != NO_CALLS
    return True if one.texts == other.texts or same_calls else None


def level_shares(requests: Sequence[ComparedRequest], askings: int) -> list[LevelShares]:
    """The shares at each level."""

    def fresh(number: int) -> Callable[[ComparedRequest], Iterable[Pair]]:
        return lambda one: [(one.archived, one.fresh[number])]

    def between(one: ComparedRequest) -> Iterable[Pair]:
        return combinations(one.fresh, 2)

    def trials(one: ComparedRequest) -> Iterable[Pair]:
        return ((one.archived, other) for other in one.trials)

    return [
        LevelShares(
            level,
            tuple(_share(level, requests, fresh(number)) for number in range(askings)),
            _share(level, requests, between),
            _share(level, requests, trials),
        )
        for level in LEVELS
    ]


def _share(
    level: str,
    requests: Sequence[ComparedRequest],
    pairs_of: Callable[[ComparedRequest], Iterable[Pair]],
) -> Share:
    pairs = (pair for request in requests for pair in pairs_of(request))
    said = [
        equal_answers(level, one, other) for one, other in pairs if one is not None and other is not None
    ]
    decided = [value for value in said if value is not None]
    return Share(sum(decided), len(decided))


def table_lines(shares: Sequence[LevelShares]) -> Iterator[str]:
    """The shares as an aligned table, with what is equal to what in its head."""
    askings = len(shares[0].askings)
    columns = [f"asking {number}" for number in range(1, askings + 1)]
    head = ["equal", *columns, "two askings", "own trials"]
    rows = [[one.level, *map(str, one.askings), str(one.between), str(one.trials)] for one in shares]
    widths = [max(len(row[place]) for row in [head, *rows]) for place in range(len(head))]
    for row in [head, *rows]:
        yield "  ".join(cell.ljust(width) for cell, width in zip(row, widths, strict=True)).rstrip()


def odd_ones(requests: Sequence[ComparedRequest], level: str) -> Iterator[int]:
    """The places of requests whose fresh answers are all equal at a level, and the archive's is not."""
    for place, one in enumerate(requests):
        values = [fresh.level(level) for fresh in one.fresh if fresh is not None]
        if values and len(set(values)) == 1 and one.archived.level(level) != values[0]:
            yield place
