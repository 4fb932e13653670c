"""The columns of the table `executable`: the categories of V1 that are in no score of V4."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import pyarrow as pa

from bfcl_pipeline.benchmark.definition.leaderboard import EXECUTABLE, Group, Mean
from bfcl_pipeline.show.report.executable_titles import RANKED, UNRANKED
from bfcl_pipeline.show.report.tables.columns import CLUSTERED, COUNT, MODEL, RULES, RUN, SHARE, TEXT, field

OF_2025 = ("exec_summary", "simple_exec")
"""The groups of the last leaderboard with executable categories."""

OF_2024 = tuple(group.name for group in EXECUTABLE if group.name not in OF_2025)
"""The groups of the leaderboard of August 2024."""

SCORES = (*OF_2025, *RANKED, *UNRANKED, *OF_2024)
"""The columns of the table that are scores, in its order."""

_HOW = {Mean.EQUAL: "mean of {}", Mean.BY_SIZE: "mean of {}, by judged entries"}


def _about(name: str, groups: dict[str, Group]) -> str:
    if name in groups:
        members = ", ".join(member.name for member in groups[name].members)
        return f"{_HOW[groups[name].mean].format(members)}; null unless all were evaluated"
    unranked = " (never in a score of the leaderboard)" if name in UNRANKED else ""
    return f"accuracy on {name}{unranked}; null if it was not evaluated"


def _scores() -> Iterator[pa.Field[Any]]:
    groups = {group.name: group for group in EXECUTABLE}
    for name in SCORES:
        yield field(name, SHARE, _about(name, groups))
        yield field(f"{name}_ci_low", SHARE, f"lower limit of its {CLUSTERED}")
        yield field(f"{name}_ci_high", SHARE, f"upper limit of its {CLUSTERED}")


EXECUTABLE_TABLE = pa.schema(
    [
        RUN,
        RULES,
        MODEL,
        field("display_name", TEXT, "name on the leaderboard", nullable=False),
        field("mode", TEXT, "fc or prompt", nullable=False),
        field(
            "web",
            TEXT,
            "what answered the requests of executed calls: simulated, record, replay, live or off; several "
            "joined; null if no call was executed",
        ),
        *_scores(),
        field("entries", COUNT, "entries asked of these seven categories", nullable=False),
        field("answered", COUNT, "entries with a judged response", nullable=False),
        field("not_answered", COUNT, "entries without a verdict: in no score", nullable=False),
        field(
            "not_recorded",
            COUNT,
            "of these, entries whose verdict needs a web answer that is not recorded",
            nullable=False,
        ),
        field(
            "with_requests",
            COUNT,
            "judged entries whose expected calls request the web; null without the staged release",
        ),
        field("simulated", COUNT, "of these, entries whose requests the simulated web answered"),
    ]
)

EXECUTABLE_TABLES: dict[str, pa.Schema] = {"executable": EXECUTABLE_TABLE}
"""The table of runs with any of these categories, by file name."""
