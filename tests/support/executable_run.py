"""Models of synthetic runs that were asked the executable categories of V1, too."""

from __future__ import annotations

from collections.abc import Mapping

from bfcl_pipeline.benchmark.definition import GROUPS
from bfcl_pipeline.benchmark.records import Mode, Status
from tests.support.made_up_models import HOSTILE
from tests.support.synthetic_run import MadeUpModel, Marks, marks

EXECUTED = ("exec_simple", "exec_multiple", "exec_parallel", "exec_parallel_multiple", "rest")

V4_MARKS: Mapping[str, Marks] = {
    "simple_python": marks(3, 1),
    "simple_java": marks(1, 1),
    "simple_javascript": marks(2),
    "multiple": marks(1, 3),
    "parallel": marks(2),
    "parallel_multiple": marks(1, 1),
    "irrelevance": marks(1, 2),
}
"""The categories of V4 that the overall of August 2024 counts: 11 of 19 entries are right."""

RETIRED_MARKS: Mapping[str, Marks] = {
    "exec_simple": marks(3, 1),
    "exec_multiple": marks(1, 1),
    "exec_parallel": marks(2),
    "exec_parallel_multiple": marks(0, 2),
    "rest": Marks([True, False, None, None], missing=Status.NOT_RECORDED),
    "sql": marks(1, 1),
    "chatable": marks(2, 1, 1),
}
"""Of the 12 judged entries that the overall of August 2024 counts, 7 are right."""


def executable_models() -> list[MadeUpModel]:
    """A model with all categories, one without requests, one of V1 alone, one of V4 alone."""
    return [
        MadeUpModel("whole", {**V4_MARKS, **RETIRED_MARKS}, webs=dict.fromkeys(EXECUTED, "replay")),
        MadeUpModel(HOSTILE, {"simple_python": marks(1), "exec_simple": marks(1, 1), "sql": marks(2)}),
        MadeUpModel("retired", {name: marks(2) for name in GROUPS["executable"]}, Mode.PROMPT),
        MadeUpModel("modern", {"simple_python": marks(0, 2), "web_search_base": marks(1)}),
    ]


def without_executable(models: list[MadeUpModel]) -> list[MadeUpModel]:
    """The same models with their categories of V4 only; those without any are left out."""
    kept = []
    for model in models:
        of_v4 = {name: asked for name, asked in model.marks.items() if name not in GROUPS["executable"]}
        if of_v4:
            kept.append(MadeUpModel(model.name, of_v4, model.mode, webs=model.webs))
    return kept
