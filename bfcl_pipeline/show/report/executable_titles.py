"""The scores of V1's executable categories: their order, and how people see them."""

from collections.abc import Iterable, Mapping
from typing import Any

from bfcl_pipeline.runs.web_label import SIMULATED, split_webs

RANKED = ("exec_simple", "rest", "exec_multiple", "exec_parallel", "exec_parallel_multiple")
"""The categories that the leaderboard averaged until April 2025, in the order of its columns."""

UNRANKED = ("sql", "chatable")
"""The categories that were never in a score of the leaderboard."""

OVERALL_OF_2024 = "overall_august_2024"
"""The overall score of the leaderboard of August 2024."""

TITLES: Mapping[str, str] = {
    "exec_summary": "Exec summary",
    "simple_exec": "Simple",
    "exec_simple": "Python simple",
    "rest": "REST",
    "exec_multiple": "Multiple",
    "exec_parallel": "Parallel",
    "exec_parallel_multiple": "Parallel multiple",
    "sql": "SQL",
    "chatable": "Chatable",
    OVERALL_OF_2024: "Overall of August 2024",
}
"""The headings of the scores that are shown, in their order."""

BIAS = (
    "With the simulated web only the reference request of a REST entry has an answer, and it passes. "
    "Entries with another request have no verdict; REST and the scores with it are biased, mostly upward."
)
"""The note beneath scores that lack such entries."""


def is_biased(rows: Iterable[Mapping[str, Any]]) -> bool:
    """Whether a row of the table `executable` lacks verdicts on REST because the web is simulated."""
    return any(SIMULATED in split_webs(row["web"]) and int(row["not_recorded"]) > 0 for row in rows)
