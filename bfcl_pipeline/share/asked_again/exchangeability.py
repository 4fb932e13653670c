"""Could the answers of an archive come from the model that was asked again?

For each drawn request there are the archive's answer and two or more fresh answers of the verifier's
model. If all come from the same distribution, they are exchangeable: whichever of them stands alone, it is
each of them with the same chance. So the archive's answers must not stand alone more often than that.
Covers the exact test, its tolerance of differences that have other reasons, and the share of invented
answers that it finds; answers come in and numbers go out. Does not cover which answers are equal: the
caller compares texts, calls and verdicts. docs/ask_again.md has the formulas and the proofs.
"""

from collections import Counter
from collections.abc import Hashable, Mapping, Sequence
from dataclasses import dataclass
from typing import TypeAlias

import numpy as np
from numpy.typing import NDArray
from scipy.special import bdtrc, gammaln, xlog1py, xlogy

from bfcl_pipeline.base.errors import ConfigError
from bfcl_pipeline.share.asked_again.answers import CALLS, NO_CALLS, TEXTS, VERDICTS

Answers: TypeAlias = Sequence[Hashable | None]
"""The answers to one request: the archive's, then each fresh one. None: there is no answer."""

TOLERANCES: dict[str, float] = {TEXTS: 0.2, CALLS: 0.03, VERDICTS: 0.01}
"""The share of requests whose answer may differ for other reasons than the model: other hardware, other
batches, an update of the endpoint. Texts change easily, calls seldom, and few of these changes make a wrong
answer of the model right."""

ERROR_RATE = 0.01
"""The chance that an honest archive is told apart, over all levels together."""

POWER = 0.95
"""The probability with which the smallest share of invented answers is found."""

_PRECISION = 1e-4  # of the smallest share


@dataclass(frozen=True, slots=True)
class LevelResult:
    """The test of one level: texts, calls or verdicts."""

    requests: int  # requests with all their answers
    informative: int  # of these, requests in which another answer could show at this level
    unanswered: int  # requests that lack an answer at this level, left out
    archive_alone: int  # requests in which only the archive's answer stands alone
    fresh_alone: int  # requests in which only one fresh answer stands alone
    tolerance: float  # share of requests that may differ for other reasons
    excused: int  # requests of `archive_alone` that the tolerance leaves out of the test
    p: float  # of this level alone
    error_rate: float  # of this level: the levels share that of the test
    smallest_share: float | None  # of invented answers to these, found with POWER; None: not even all

    @property
    def told_apart(self) -> bool:
        """Whether the archive's answers are not those of the model that was asked again."""
        return self.p <= self.error_rate


@dataclass(frozen=True, slots=True)
class ExchangeabilityResult:
    """The test of all levels."""

    levels: dict[str, LevelResult]
    error_rate: float  # the most that an honest archive is told apart, over all levels

    @property
    def told_apart(self) -> bool:
        """Whether any level tells the archive's answers apart from the model's."""
        return any(level.told_apart for level in self.levels.values())

    @property
    def p(self) -> float:
        """The smallest p of a level times the number of levels (Bonferroni), at most 1."""
        return min(1.0, len(self.levels) * min(level.p for level in self.levels.values()))

    @property
    def smallest_share(self) -> float | None:
        """The smallest share of other answers that a level finds with POWER; None: no level finds any.

        The level of verdicts finds only answers that were made right, not those of another model.
        """
        shares = (level.smallest_share for name, level in self.levels.items() if name != VERDICTS)
        return min((share for share in shares if share is not None), default=None)


def compare_answers(
    levels: Mapping[str, Sequence[Answers]],
    tolerances: Mapping[str, float] = TOLERANCES,
    error_rate: float = ERROR_RATE,
) -> ExchangeabilityResult:
    """Test whether the archive's answers and the fresh ones could come from the same model.

    Args:
        levels: For each level the answers to each drawn request: the archive's first, then the fresh ones,
            as many for each request. Two answers are the same if they are equal in Python, so the caller
            gives a text, or calls in one canonical form. On the level VERDICTS an answer is whether it is
            right (bool), and an answer stands alone if it is the only right one: the test is one-sided
            against answers that were made right. Which levels are tested must not depend on the answers.
        tolerances: For each level the share of requests that may differ for other reasons.
        error_rate: The most that an honest archive may be told apart, over all levels together.

    Raises:
        ConfigError: A request has fewer than two fresh answers, a tolerance is not in [0, 1), or the
            error rate is not in (0, 1).
    """
    if not levels or not 0 < error_rate < 1:
        raise ConfigError(f"The test needs a level and an error rate between 0 and 1, not {error_rate}.")
    for name in levels:
        if name not in tolerances or not 0 <= tolerances[name] < 1:
            raise ConfigError(f"The tolerance of the {name} must be a share of at least 0 and below 1.")
    each = error_rate / len(levels)
    return ExchangeabilityResult(
        {name: _test_level(name, answers, tolerances[name], each) for name, answers in levels.items()},
        error_rate,
    )


def _test_level(name: str, drawn: Sequence[Answers], tolerance: float, error_rate: float) -> LevelResult:
    askings = _askings(name, drawn)
    answered = [answers for answers in drawn if None not in answers]
    lone = [marks for answers in answered if sum(marks := _alone(name, answers)) == 1]
    archive_alone = sum(marks[0] for marks in lone)
    fresh_alone = len(lone) - archive_alone
    informative = [answers[1:] for answers in answered if _is_informative(name, answers[1:])]
    fresh = [sum(_alone(name, answers[1:])) for answers in answered]
    # The tolerance leaves half of the error rate to the comparison.
    half = error_rate / 2 if tolerance else error_rate
    counts = range(len(answered) + 1)
    excused = next(j for j in counts if bdtrc(j, len(answered), tolerance) <= half) if tolerance else 0
    return LevelResult(
        requests=len(answered),
        informative=len(informative),
        unanswered=len(drawn) - len(answered),
        archive_alone=archive_alone,
        fresh_alone=fresh_alone,
        tolerance=tolerance,
        excused=min(archive_alone, excused),
        p=p_value(archive_alone, fresh_alone, askings, requests=len(answered), tolerance=tolerance),
        error_rate=error_rate,
        # A fresh answer can be the only one that stands alone if it is so without the archive's, or if the
        # archive's is equal to the other one of two.
        smallest_share=_smallest_share(
            _least_alone(len(answered), askings, half) + excused,
            askings,
            agreeing=sum(not any(_alone(name, answers)) for answers in informative),
            differing=fresh.count(1) + (fresh.count(2) if name != VERDICTS else 0),
        ),
    )


def _is_informative(name: str, fresh: Answers) -> bool:
    """Whether another answer than the fresh ones could show at a level.

    Any other text does, and a right answer where all are wrong. Where the model makes no calls, another
    answer in words makes none either.
    """
    if name == VERDICTS:
        return True not in fresh
    return name != CALLS or any(answer != NO_CALLS for answer in fresh)


def _askings(name: str, drawn: Sequence[Answers]) -> int:
    """The number of fresh answers to each request."""
    counts = {len(answers) - 1 for answers in drawn} or {2}
    if len(counts) > 1 or min(counts) < 2:
        raise ConfigError(
            f"The test of the {name} needs the same number of fresh answers to each request, at least 2, "
            f"since their differences show what is usual. There are {', '.join(map(str, sorted(counts)))}. "
            "Ask each request at least twice."
        )
    return counts.pop()


def _alone(name: str, answers: Answers) -> list[bool]:
    """Of each answer, whether it stands alone: no other is equal, or, of verdicts, whether it is right."""
    if name == VERDICTS:
        return [answer is True for answer in answers]
    count = Counter(answers)
    return [count[answer] == 1 for answer in answers]


def p_value(
    archive_alone: int, fresh_alone: int, askings: int, *, requests: int, tolerance: float
) -> float:
    """The p of one level: the smallest error rate at which it tells the answers apart.

    Without a tolerance it is P(Bin(archive_alone + fresh_alone, 1 / (askings + 1)) >= archive_alone). With
    one, half of the error rate is spent on the number of requests that differ for other reasons: if at most
    j do so, at least archive_alone - j of the requests that count are the archive's.

    Args:
        archive_alone: Requests in which only the archive's answer stands alone.
        fresh_alone: Requests in which only one fresh answer stands alone.
        askings: Fresh answers to each request.
        requests: Requests with all their answers.
        tolerance: Share of requests that may differ for other reasons.
    """
    if tolerance == 0:
        return _tail(archive_alone, fresh_alone, askings)
    halves = (
        max(float(bdtrc(j, requests, tolerance)), _tail(archive_alone - j, fresh_alone, askings))
        for j in range(archive_alone + 1)
    )
    return min(1.0, 2 * min(halves))


def _tail(archive_alone: int, fresh_alone: int, askings: int) -> float:
    """P(Bin(archive_alone + fresh_alone, 1 / (askings + 1)) >= archive_alone)."""
    return float(bdtrc(archive_alone - 1, archive_alone + fresh_alone, 1 / (askings + 1)))


def _least_alone(requests: int, askings: int, error_rate: float) -> NDArray[np.int64]:
    """For each number of fresh answers alone, the least number of the archive's that is told apart."""
    least = np.empty(requests + 1, dtype=np.int64)
    alone = 0
    for fresh in range(requests + 1):
        while alone <= requests and _tail(alone, fresh, askings) > error_rate:
            alone += 1
        least[fresh] = alone
    return least


def _smallest_share(
    least: NDArray[np.int64], askings: int, *, agreeing: int, differing: int
) -> float | None:
    """The smallest share of invented answers that is found with POWER; None: not even all.

    An invented answer differs from each fresh one, so it stands alone where the fresh ones agree. Any
    other answer stands alone as often as a fresh one does, which is at most where the fresh ones agree.

    Args:
        least: for each number of fresh answers alone, the least number of the archive's that is told apart.
        askings: fresh answers to each request.
        agreeing: requests in which no fresh answer stands alone.
        differing: requests in which one fresh answer could be the only one that stands alone.
    """
    requests = len(least) - 1
    if not requests:
        return None
    agree = agreeing / requests
    usual = min(differing / requests / askings, agree)

    def found(share: float) -> bool:
        archive, fresh = share * agree + (1 - share) * usual, (1 - share) * usual * askings
        return _power(least, archive, fresh) >= POWER

    if not found(1.0):
        return None
    low, high = 0.0, 1.0
    while high - low > _PRECISION:
        middle = (low + high) / 2
        low, high = (low, middle) if found(middle) else (middle, high)
    return high


def _power(least: NDArray[np.int64], archive: float, fresh: float) -> float:
    """The probability that the answers are told apart.

    Independently, each request has only the archive's answer alone with probability `archive`, and only
    a fresh one with probability `fresh`.
    """
    n, alone = len(least) - 1, np.arange(len(least))
    logs = gammaln(n + 1) - gammaln(alone + 1) - gammaln(n - alone + 1)
    weights = np.exp(logs + xlogy(alone, fresh) + xlog1py(n - alone, -fresh))
    rest = archive / (1 - fresh) if fresh < 1 else 0.0
    possible = least <= n - alone
    tails = np.where(possible, bdtrc(np.where(possible, least - 1, 0), n - alone, min(1.0, rest)), 0.0)
    return float(weights @ tails)
