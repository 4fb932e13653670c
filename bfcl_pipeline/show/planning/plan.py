"""A plan: the samples that reach a wanted precision, and what each model needs for them. Pure."""

from collections.abc import Mapping
from dataclasses import dataclass

from bfcl_pipeline.ask.jobs.effort import Effort
from bfcl_pipeline.base.errors import ConfigError
from bfcl_pipeline.benchmark.config import SampleBy, allocate
from bfcl_pipeline.benchmark.definition import CATEGORIES, GROUPS
from bfcl_pipeline.benchmark.definition.scatter import Scatter
from bfcl_pipeline.benchmark.records import Json
from bfcl_pipeline.show.planning.samples import Sample, shares_of, smallest, whole


@dataclass(frozen=True, slots=True)
class Goal:
    """What is to be known, and how precisely."""

    score: str  # one of SCORES
    within: float  # half of the 95 % interval, 0 to 1
    difference: bool  # of two models on the same entries, instead of one model


@dataclass(frozen=True, slots=True)
class SamplePlan:
    """The smallest samples that reach a goal, one divided by size and one by weight."""

    goal: Goal
    shares: Mapping[str, float]  # of each category in the score
    scatter: Scatter
    whole: Sample  # all entries of these categories
    samples: Mapping[SampleBy, Sample]


@dataclass(frozen=True, slots=True)
class ModelEffort:
    """What one model needs for the samples of a plan."""

    model: str | None  # None: any model
    source: str  # of its tokens and times, in words
    efforts: Mapping[SampleBy, Effort]


def make_plan(goal: Goal, scatter: Scatter) -> SamplePlan:
    """The plan for a goal.

    Raises:
        ConfigError: there is no such score, or all its entries are not enough.
    """
    shares = shares_of(goal.score)
    everything = whole(shares, scatter, goal.difference)
    samples = {by: smallest(shares, scatter, goal.within, by, goal.difference) for by in SampleBy}
    reached = {by: sample for by, sample in samples.items() if sample is not None}
    if len(reached) < len(samples):
        best = points(everything.half_width)
        hint = "" if goal.difference else ", or plan for a difference with --difference"
        raise ConfigError(
            f"{points(goal.within)} on {goal.score} cannot be reached: all {everything.total:,} entries "
            f"give {best}. Give a greater --within{hint}."
        )
    return SamplePlan(goal, shares, scatter, everything, reached)


def config_of(plan: SamplePlan, by: SampleBy) -> dict[str, Json]:
    """The keys of a config that draw a sample of a plan."""
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
        return {"categories": categories, "sample": total}
    sample: dict[str, Json] = {"entries": total, "by": by.value}
    return {**({} if plan.goal.score == "overall" else {"categories": categories}), "sample": sample}


def points(share: float) -> str:
    """A half width in percentage points."""
    return f"±{100 * share:.2f}"


def plan_document(plan: SamplePlan, basis: str, needs: list[ModelEffort]) -> dict[str, Json]:
    """The plan as a JSON document; widths are in percentage points.

    basis: where the scatter comes from, in words.
    """
    return {
        "score": plan.goal.score,
        "within_points": round(100 * plan.goal.within, 6),
        "difference": plan.goal.difference,
        "confidence": 0.95,
        "basis": basis,
        "all_entries": _sample(plan.whole),
        "config": config_of(plan, SampleBy.WEIGHT),
        "config_by_size": config_of(plan, SampleBy.SIZE),
        "samples": {by.value: _sample(sample) for by, sample in plan.samples.items()},
        "shares": dict(plan.shares),
        "design_effects": {
            name: round(plan.scatter.design_effect(name, plan.whole.entries[name]), 4)
            for name in plan.shares
        },
        "models": [_need(need) for need in needs],
    }


def _sample(sample: Sample) -> dict[str, Json]:
    return {
        "entries": sample.total,
        "half_width_points": round(100 * sample.half_width, 4),
        "detectable_points": round(100 * sample.detectable, 4),
        "by_category": dict(sample.entries),
    }


def _need(need: ModelEffort) -> dict[str, Json]:
    return {
        "model": need.model,
        "source": need.source,
        "efforts": {
            by.value: {
                "requests": round(effort.requests),
                "input_tokens": round(effort.input_tokens),
                "output_tokens": round(effort.output_tokens),
                "seconds": round(effort.seconds),
                "cost_usd": None if effort.dollars is None else round(effort.dollars, 2),
            }
            for by, effort in need.efforts.items()
        },
    }
