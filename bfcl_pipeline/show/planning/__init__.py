"""Plans of runs: which sample has a wanted precision, what it costs and how long it takes. Pure."""

from bfcl_pipeline.benchmark.definition.scatter import Scatter, assumed_scatter
from bfcl_pipeline.show.planning.effort import (
    PUBLISHED,
    Consumption,
    Effort,
    EntryFigures,
    completed_figures,
    effort,
)
from bfcl_pipeline.show.planning.plan import (
    Goal,
    ModelEffort,
    SamplePlan,
    config_of,
    make_plan,
    plan_document,
    points,
)
from bfcl_pipeline.show.planning.samples import SCORES, Sample, shares_of, smallest, whole
from bfcl_pipeline.show.planning.scatter import EntryValue, complete_scatter, measure_scatter

__all__ = [
    "PUBLISHED",
    "SCORES",
    "Consumption",
    "Effort",
    "EntryFigures",
    "EntryValue",
    "Goal",
    "ModelEffort",
    "Sample",
    "SamplePlan",
    "Scatter",
    "assumed_scatter",
    "complete_scatter",
    "completed_figures",
    "config_of",
    "effort",
    "make_plan",
    "measure_scatter",
    "plan_document",
    "points",
    "shares_of",
    "smallest",
    "whole",
]
