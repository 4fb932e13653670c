"""A plan: the samples that reach a wanted precision, or fit in a time, and what each model needs. Pure.

A sample of the benchmark is divided by size or by weight.
"""

import math
from bisect import bisect_left
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass

from bfcl_pipeline.ask.jobs.effort import Consumption, Effort, effort
from bfcl_pipeline.base.errors import ConfigError
from bfcl_pipeline.base.text import duration, unknown_name
from bfcl_pipeline.benchmark.config import ModelRow, SampleBy, allocate, by_weight
from bfcl_pipeline.benchmark.definition import CATEGORIES, GROUPS
from bfcl_pipeline.benchmark.definition.leaderboard import GROUP, category_weights
from bfcl_pipeline.benchmark.definition.scatter import ASSUMED, Scatter
from bfcl_pipeline.benchmark.records import Json
from bfcl_pipeline.judge.scoring.statistics.normal import Z_80, Z_95

SCORES = (*reversed(GROUP), *(name for name, category in CATEGORIES.items() if category.scored))
"""Every score that a sample can be planned for: overall first, then the groups, then the categories."""


def shares_of(score: str) -> dict[str, float]:
    """The share of each category in `score`, in the benchmark's order; the shares sum to 1.

    Groups that the leaderboard weights by size are weighted by the entries of the release.

    Raises:
        ConfigError: there is no such score.
    """
    if score not in SCORES:
        raise ConfigError(unknown_name("score", score, SCORES))
    shares = category_weights(score, {})
    return {name: shares[name] for name in CATEGORIES if name in shares}


@dataclass(frozen=True, slots=True)
class Sample:
    """A sample, and what it says about a score."""

    by: SampleBy
    entries: Mapping[str, int]  # by category
    half_width: float  # half of the 95 % interval of the score, 0 to 1

    @property
    def total(self) -> int:
        """The number of entries of all categories."""
        return sum(self.entries.values())

    @property
    def detectable(self) -> float:
        """The smallest true difference that a 95 % interval excludes from 0 with a probability of 80 %."""
        return self.half_width * (Z_95 + Z_80) / Z_95


def half_width(
    shares: Mapping[str, float], scatter: Scatter, entries: Mapping[str, int], difference: bool = False
) -> float:
    """Half of the 95 % interval of a sample; infinite if a category has no entry.

    1.96 standard deviations of the score, or what a run states if that is more, as it is where verdicts are
    nearly all equal: the intervals of the categories (Wilson; of a difference, Bonett and Price) with the
    effective number of entries, put together as `statistics.clustered.composite_limits` does.

    Args:
        shares: of the categories in the score.
        scatter: of the verdicts.
        entries: of each category.
        difference: of two models.
    """
    if any(not entries.get(name) for name in shares):
        return math.inf
    variance, halves = {}, {}
    for name in shares:
        each, count = scatter.variance[name], entries[name]
        variance[name] = scatter.independent(name) / count + scatter.covariance.get((name, name), 0.0)
        effective = min(each / variance[name], count) if variance[name] > 0 else count
        if difference:
            halves[name] = Z_95 * math.sqrt(each * effective + 2) / (effective + 2)
        else:
            spread = each / effective + (Z_95 / (2 * effective)) ** 2
            halves[name] = Z_95 * math.sqrt(spread) / (1 + Z_95**2 / effective)
    parts = {name: share * halves[name] for name, share in shares.items()}
    total = sum(part**2 for part in parts.values())
    for (first, second), shared in scatter.covariance.items():
        if first != second and first in shares and second in shares:
            product = math.sqrt(variance[first] * variance[second])
            total += parts[first] * parts[second] * (shared / product if product else 1.0)
    return max(math.sqrt(max(total, 0.0)), Z_95 * scatter.deviation(shares, entries))


def around(
    shares: Mapping[str, float],
    scatter: Scatter,
    by: SampleBy,
    difference: bool,
    reached: Callable[[Sample], bool],
) -> tuple[Sample | None, Sample | None]:
    """The largest sample that has not `reached` what larger ones have, and the smallest that has.

    Samples are divided among categories as a run divides them, whatever `scatter` says.
    """
    sizes = {name: CATEGORIES[name].entries for name in shares}

    def sample(total: int) -> Sample:
        entries = allocate(sizes, total) if by is SampleBy.SIZE else by_weight(shares, total)
        return Sample(by, entries, half_width(shares, scatter, entries, difference))

    totals = range(len(sizes), sum(sizes.values()) + 1)
    place = bisect_left(totals, True, key=lambda total: reached(sample(total)))
    return (
        sample(totals[place - 1]) if place else None,
        sample(totals[place]) if place < len(totals) else None,
    )


def smallest(
    shares: Mapping[str, float], scatter: Scatter, within: float, by: SampleBy, difference: bool = False
) -> Sample | None:
    """The smallest sample whose 95 % interval has at most `within` on each side; None if there is none."""
    return around(shares, scatter, by, difference, lambda sample: sample.half_width <= within)[1]


def whole(shares: Mapping[str, float], scatter: Scatter, difference: bool = False) -> Sample:
    """All entries of the categories of a score."""
    sizes = {name: CATEGORIES[name].entries for name in shares}
    return Sample(SampleBy.SIZE, sizes, half_width(shares, scatter, sizes, difference))


@dataclass(frozen=True, slots=True)
class Goal:
    """What is to be known, and how precisely or in which time."""

    score: str  # one of SCORES
    within: float | None  # half of the 95 % interval, 0 to 1; None: as precisely as `minutes` allow
    difference: bool  # of two models on the same entries, instead of one model
    minutes: float | None = None  # that a run of one model may take; None: any
    rate: float | None = None  # requests per second that the server answers; None: as recorded or published
    trials: int = 1  # of each model


@dataclass(frozen=True, slots=True)
class PlannedModel:
    """What is known of a model that is to be run."""

    name: str | None  # None: any model
    used: Consumption | None  # its tokens and times; None: it makes no requests
    row: ModelRow | None

    def effort(self, entries: Mapping[str, int], goal: Goal) -> Effort | None:
        """What it needs for a sample, by category; None if it makes no requests."""
        if self.used is None:
            return None
        return effort(entries, self.used, self.row, goal.rate).repeated(goal.trials)

    def efforts(self, plan: "SamplePlan") -> dict[SampleBy, Effort]:
        """What it needs for the samples of a plan; nothing if it makes no requests."""
        found = {by: self.effort(sample.entries, plan.goal) for by, sample in plan.samples.items()}
        return {by: one for by, one in found.items() if one is not None}


@dataclass(frozen=True, slots=True)
class SamplePlan:
    """The smallest samples that reach a goal, or the largest that fit; one by size and one by weight."""

    goal: Goal
    shares: Mapping[str, float]  # of each category in the score
    scatter: Scatter
    whole: Sample  # all entries of these categories
    samples: Mapping[SampleBy, Sample]


def make_plan(goal: Goal, scatter: Scatter, models: Sequence[PlannedModel] = ()) -> SamplePlan:
    """The plan for a goal.

    models: of which each shall end in the time, if the goal has one.

    Raises:
        ConfigError: there is no such score, all its entries are not enough, or the time is too short.
    """
    shares = shares_of(goal.score)
    everything = whole(shares, scatter, goal.difference)
    if goal.within is None:
        fitting = _fitting(goal, shares, scatter, models)
        if not fitting:
            raise ConfigError(_too_short(goal, scatter, models))
        return SamplePlan(goal, shares, scatter, everything, fitting)
    found = {by: smallest(shares, scatter, goal.within, by, goal.difference) for by in SampleBy}
    reached = {by: sample for by, sample in found.items() if sample is not None}
    if len(reached) < len(found):
        best = points(everything.half_width)
        hint = "" if goal.difference else ", or plan for a difference with --difference"
        raise ConfigError(
            f"{points(goal.within)} on {goal.score} cannot be reached: all {everything.total:,} entries "
            f"give {best}. Give a greater --within{hint}."
        )
    return SamplePlan(goal, shares, scatter, everything, reached)


def _seconds(entries: Mapping[str, int], goal: Goal, models: Sequence[PlannedModel]) -> float:
    """How long the slowest of the models takes."""
    efforts = [model.effort(entries, goal) for model in models]
    return max((one.seconds for one in efforts if one is not None), default=0.0)


def _fitting(
    goal: Goal, shares: Mapping[str, float], scatter: Scatter, models: Sequence[PlannedModel]
) -> dict[SampleBy, Sample]:
    """The largest samples that end in the time of the goal and have every category."""

    def late(sample: Sample) -> bool:
        return _seconds(sample.entries, goal, models) > 60 * (goal.minutes or math.inf)

    found = {by: around(shares, scatter, by, goal.difference, late)[0] for by in SampleBy}
    return {by: sample for by, sample in found.items() if sample and math.isfinite(sample.half_width)}


def _too_short(goal: Goal, scatter: Scatter, models: Sequence[PlannedModel]) -> str:
    """Why no sample of a score fits, and which groups do."""
    least = _seconds(dict.fromkeys(shares_of(goal.score), 1), goal, models)
    others = {name: _fitting(goal, shares_of(name), scatter, models).values() for name in reversed(GROUP)}
    known = [f"{name} {points(min(one.half_width for one in fit))}" for name, fit in others.items() if fit]
    hint = f"What fits with --of: {', '.join(known)}" if known else "Give more --minutes"
    return (
        f"{goal.minutes:g} minutes are too few for {goal.score}: one entry of each category takes "
        f"{duration(least)}.\n{hint}."
    )


def config_of(plan: SamplePlan, by: SampleBy) -> dict[str, Json]:
    """The keys of a config that draw a sample of a plan."""
    trials: dict[str, Json] = {} if plan.goal.trials == 1 else {"trials": plan.goal.trials}
    names, total = list(plan.shares), plan.samples[by].total
    group = [name for name, members in GROUPS.items() if list(members) == names]
    categories = group[:1] or list[Json](names)
    if by is SampleBy.SIZE and plan.goal.score == "overall":
        # Categories that count in no score have their share, too, so that the others have as planned.
        categories, wanted = ["all_scoring"], total
        sizes = {name: CATEGORIES[name].entries for name in GROUPS["all_scoring"]}
        while sum(count for name, count in allocate(sizes, total).items() if name in names) < wanted:
            total += 1
    if by is SampleBy.SIZE or len(names) == 1:
        return {"categories": categories, "sample": total, **trials}
    sample: dict[str, Json] = {"entries": total, "by": by.value}
    chosen: dict[str, Json] = {} if plan.goal.score == "overall" else {"categories": categories}
    return {**chosen, "sample": sample, **trials}


def points(share: float) -> str:
    """A half width in percentage points."""
    return f"±{100 * share:.2f}"


def plan_document(plan: SamplePlan, models: Sequence[PlannedModel]) -> dict[str, Json]:
    """The plan as a JSON document; widths are in percentage points."""
    return {
        "score": plan.goal.score,
        "within_points": None if plan.goal.within is None else round(100 * plan.goal.within, 6),
        "minutes": plan.goal.minutes,
        "rate": plan.goal.rate,
        "trials": plan.goal.trials,
        "difference": plan.goal.difference,
        "confidence": 0.95,
        "basis": ASSUMED,
        "all_entries": _sample(plan.whole),
        "config": config_of(plan, SampleBy.WEIGHT) if SampleBy.WEIGHT in plan.samples else None,
        "config_by_size": config_of(plan, SampleBy.SIZE) if SampleBy.SIZE in plan.samples else None,
        "samples": {by.value: _sample(sample) for by, sample in plan.samples.items()},
        "shares": dict(plan.shares),
        "design_effects": {
            name: round(plan.scatter.design_effect(name, plan.whole.entries[name]), 4)
            for name in plan.shares
        },
        "models": [_need(model, plan) for model in models],
    }


def _sample(sample: Sample) -> dict[str, Json]:
    return {
        "entries": sample.total,
        "half_width_points": round(100 * sample.half_width, 4),
        "detectable_points": round(100 * sample.detectable, 4),
        "by_category": dict(sample.entries),
    }


def _need(model: PlannedModel, plan: SamplePlan) -> dict[str, Json]:
    return {
        "model": model.name,
        "source": model.used.source if model.used else "makes no requests",
        "efforts": {
            by.value: {
                "requests": round(effort.requests),
                "input_tokens": round(effort.input_tokens),
                "output_tokens": round(effort.output_tokens),
                "seconds": round(effort.seconds),
                "cost_usd": None if effort.dollars is None else round(effort.dollars, 2),
            }
            for by, effort in model.efforts(plan).items()
        },
    }
