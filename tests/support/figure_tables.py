"""The tables of a made-up run that has numbers for every figure."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from bfcl_pipeline.benchmark.definition import CATEGORIES, FORMATS
from bfcl_pipeline.judge.scoring.memory_outcomes import Reason
from bfcl_pipeline.judge.scoring.web_use import FAILURES, NONE_OF_THESE
from bfcl_pipeline.show.report.page.run_tables import RunTables
from bfcl_pipeline.show.report.page.scores import LEADERBOARD_COLUMNS
from tests.support.changed_tables import with_rows

MEMORY = ("memory_kv", "memory_vector", "memory_rec_sum")
WEB = ("web_search_base", "web_search_no_snippet")


def full_tables(tables: RunTables, names: Sequence[str]) -> RunTables:
    """`tables` with a row for each of the models `m0`, `m1`, ... that are displayed as `names`.

    Shares of the first model are the highest; each of the others has less.
    """
    models = [f"m{number}" for number in range(len(names))]
    share = {model: 0.9 - 0.8 * number / len(names) for number, model in enumerate(models)}
    base = tables["leaderboard"][0]
    leaderboard = [
        base
        | dict.fromkeys((*LEADERBOARD_COLUMNS, *CATEGORIES), share[model])
        | {"model": model, "display_name": name, "rank": place, "web": "simulated"}
        | {"overall_ci_low": share[model] - 0.02, "overall_ci_high": share[model] + 0.03}
        | {"cost_usd": 50.0 / (place + 1), "latency_mean_seconds": 0.5 + place}
        for place, (model, name) in enumerate(zip(models, names, strict=True), 1)
    ]
    return with_rows(
        tables,
        leaderboard=leaderboard,
        published=[{"display_name": "Published", "overall": 0.5}],
        usage=[{"model": model, "cost_usd": 1.0} for model in models],
        categories=[
            {"model": model, "category": category, "web": None, "entries": 10, **_tally(share[model])}
            for model in models
            for category in (*MEMORY, "multiple", "exec_multiple")
        ],
        error_types=[
            {"model": model, "error_type": f"type_{kind}", "count": kind + 1}
            for model in models
            for kind in range(12)
        ],
        formats=[
            {"model": model, "format": one.key, "accuracy": share[model] + place / 1000}
            for model in models
            for place, one in enumerate(FORMATS)
        ],
        memory_domains=[
            {
                "model": model,
                "category": category,
                "scenario": scenario,
                "entries": 5,
                **_tally(share[model]),
            }
            for model in models
            for category in MEMORY
            for scenario in ("student", "finance")
        ],
        memory_failures=[
            {"model": model, "category": category, "reason": reason.value, "count": place}
            for model in models
            for category in ("memory", *MEMORY)
            for place, reason in enumerate(Reason, 1)
        ],
        memory_use=[
            {"model": model, "category": category, "adds": 7, "removes": 2, "clears": 1}
            for model in models
            for category in MEMORY
        ],
        web_hops=[
            {"model": model, "category": category, "hops": hops, "web": "simulated", "entries": 10}
            | {"mean_steps": hops + 1.0, "mean_steps_correct": hops + 0.5, **_tally(share[model])}
            for model in models
            for category in WEB
            for hops in (2, 3, 4)
        ],
        web_failures=[
            {"model": model, "category": category, "failure": failure, "web": "simulated"}
            | {"count": place, "wrong": 20, "known": 20 if place else None}
            for model in models
            for category in WEB
            for place, failure in enumerate((*FAILURES, NONE_OF_THESE))
        ],
        web_questions=[
            {"model": model, "hops": hops, "steps": hops + place, "valid": place < 2, "web": "simulated"}
            for model in models
            for hops in (2, 3, 4)
            for place in range(4)
        ],
        comparisons=[
            {"first": models[0], "second": model, "score": score, "complete": True, "difference": 0.1}
            | {"ci_low": 0.05, "ci_high": 0.15}
            for model in models[1:]
            for score in ("overall", "live")
        ],
    )


def _tally(share: float) -> dict[str, Any]:
    correct = round(share * 10)
    limits = {"ci_low": max(0.0, share - 0.1), "ci_high": min(1.0, share + 0.1)}
    return {"answered": 10, "correct": correct, "accuracy": correct / 10, **limits}
