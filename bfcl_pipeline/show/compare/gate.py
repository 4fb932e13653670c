"""The decision whether a run is no worse than a baseline: by the paired interval, not by the difference.

Covers one decision per model and score, and the decision of all together. docs/statistics.md explains the
choice.
"""

from collections.abc import Collection, Sequence
from dataclasses import dataclass
from typing import NoReturn

from bfcl_pipeline.base.errors import TableError
from bfcl_pipeline.benchmark.definition.leaderboard import categories_of
from bfcl_pipeline.judge.scoring.statistics.paired import Decision, decide
from bfcl_pipeline.show.compare.compare import Comparison, ScoreDifference
from bfcl_pipeline.show.compare.sides import Side


@dataclass(frozen=True, slots=True)
class UnreadCalls:
    """How many answers of a side, in any category, have a call in the text that was not read."""

    model: str  # label of the side
    answers: int  # with a verdict
    unread: int  # of these
    example: str | None  # entry of the first of these; None if there is none

    @property
    def share(self) -> float:
        """Unread calls per answer; 0 without answers."""
        return self.unread / self.answers if self.answers else 0.0


def unread_calls(side: Side) -> UnreadCalls:
    """Counts them; all trials of a side together."""
    return UnreadCalls(side.label, side.answers, len(side.unread), next(iter(side.unread), None))


@dataclass(frozen=True, slots=True)
class GatedScore:
    """One score of one model, decided."""

    model: str  # label of the run's side
    against: str  # label of the baseline's side
    score: ScoreDifference  # run minus baseline
    unjudged: int  # entries of the comparison without a verdict on one side
    decision: Decision
    worst: bool  # whether these count against the run
    lost_flaky: int | None = None  # flaky entries that only the baseline has right; None without trials
    same_exchange: int = 0  # entries of the score whose two answers are the same exchange
    doubt: str = ""  # why it is undecided, although its interval decides; empty: it is not
    lacking: Sequence[str] = ()  # categories of the score without verdicts on both sides
    left_out: int = 0  # entries of the score that only one side ran
    stated: str = ""  # what a sentinel says of it; empty: the interval decides


@dataclass(frozen=True, slots=True)
class Gate:
    """All decisions, and what follows."""

    margin: float  # largest loss that is accepted, as a share
    undecided_passes: bool
    scores: list[GatedScore]
    max_unread: float | None = None  # largest accepted share of answers with an unread call; None: any
    unread: Sequence[UnreadCalls] = ()  # of each model, if there is such a limit

    @property
    def decision(self) -> Decision:
        """FAIL if any score fails, else UNDECIDED if any is undecided, else PASS."""
        found = {scored.decision for scored in self.scores}
        return next(each for each in (Decision.FAIL, Decision.UNDECIDED, Decision.PASS) if each in found)

    @property
    def over_unread(self) -> list[UnreadCalls]:
        """The models with more unread calls than are accepted."""
        return [each for each in self.unread if self.max_unread is None or each.share > self.max_unread]

    @property
    def passes(self) -> bool:
        """Whether the gate is open."""
        if self.over_unread:
            return False
        accepted = {Decision.PASS, Decision.UNDECIDED} if self.undecided_passes else {Decision.PASS}
        return self.decision in accepted


_ONE_CLUSTER = "a loss in few entries, or in one function doc or scenario, may be missing from the sample"
_OMITTED = "entries without a verdict could turn it (--omitted worst)"


def _careful(score: ScoreDifference, margin: float) -> Decision:
    """The decision by the lower limit that accounts for a loss of the margin in few entries or clusters."""
    return decide(score.low if score.low_with_loss is None else score.low_with_loss, score.high, margin)


def gate(
    comparisons: Sequence[Comparison],
    scores: Sequence[str],
    margin: float,
    undecided_passes: bool,
    flaky: Sequence[Collection[tuple[str, str]] | None] = (),
    common: bool = False,
) -> Gate:
    """The decision on some scores of some comparisons of a run with a baseline.

    Args:
        comparisons: of the run with the baseline.
        scores: categories, or groups of the leaderboard.
        margin: the largest loss that is accepted, as a share.
        undecided_passes: whether an undecided score passes.
        flaky: of each comparison, the entries known to be flaky, or None without trials. They are counted,
            and decide nothing: the interval already has their variance.
        common: decide on those categories of a score that were compared, and name the others.

    Raises:
        TableError: a score was not compared, or, without `common`, some of its categories were not: those
            would count as equal. The same if all its answers are the same exchanges.
    """
    decided = []
    for comparison, known in zip(comparisons, flaky or [None] * len(comparisons), strict=True):
        for name in scores:
            score = comparison.of(name)
            if score is None:
                raise TableError(
                    f"{comparison.first} and {comparison.second} have no verdicts on {name}; name another "
                    "category, or run it in both."
                )
            lacking = [each for each in categories_of(name) if comparison.of(each) is None]
            if lacking and not common:
                raise TableError(
                    f"{comparison.first} and {comparison.second} have no verdicts on a part of {name} "
                    f"({', '.join(lacking)}), which would count as no difference. Use --common to decide "
                    "on the rest of it, or name what both have with --category."
                )
            same = sum(comparison.same_exchange.get(each, 0) for each in categories_of(name))
            if same == score.entries:
                refuse_same(f"{comparison.first} and {comparison.second}", name, same)
            decision = _careful(score, margin)
            doubt = _ONE_CLUSTER if decision is not decide(score.low, score.high, margin) else ""
            if (
                comparison.omitted
                and not comparison.worst
                and decision is not Decision.UNDECIDED
                and any(
                    _careful(each[name], margin) is not decision
                    for each in (comparison.omitted.against, comparison.omitted.favour)
                )
            ):
                decision, doubt = Decision.UNDECIDED, _OMITTED
            decided.append(
                GatedScore(
                    model=comparison.first,
                    against=comparison.second,
                    score=score,
                    unjudged=comparison.unjudged,
                    worst=comparison.worst,
                    decision=decision,
                    lost_flaky=None if known is None else _lost(comparison, name, known),
                    same_exchange=same,
                    doubt=doubt,
                    lacking=lacking,
                    left_out=sum(comparison.left_out.get(each, 0) for each in categories_of(name)),
                )
            )
    return Gate(margin, undecided_passes, decided)


def refuse_same(names: str, score: str, pairs: int) -> NoReturn:
    """Raises TableError: all pairs of answers to a score are the same exchange."""
    raise TableError(
        f"{names} have the same answers on {score}: all {pairs:,} pairs are the same exchange, from a "
        "journal, so there is nothing to decide. To ask the model again, make a run with a journal of its "
        "own: bfcl-pipeline run --fresh --run NAME."
    )


def _lost(comparison: Comparison, score: str, known: Collection[tuple[str, str]]) -> int:
    """The entries of a score that only the baseline has right and that are in `known`."""
    inside = set(categories_of(score))
    return sum(
        not flip.first_right and flip.category in inside and (flip.category, flip.entry_id) in known
        for flip in comparison.flips
    )
