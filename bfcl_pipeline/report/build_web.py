"""The tables on web search: accuracy by number of hops, and how wrong answers came about."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from statistics import fmean
from typing import Any

from bfcl_pipeline.benchmark import GROUPS
from bfcl_pipeline.report.build import tally_columns
from bfcl_pipeline.report.collect_agentic import AgenticRecords, Judged, Talk
from bfcl_pipeline.report.standings import Tally
from bfcl_pipeline.report.web_label import joined
from bfcl_pipeline.scoring.web_use import (
    FAILURES,
    NONE_OF_THESE,
    WebWork,
    failures,
    hop_count,
    question_text,
)


def web_hops(records: AgenticRecords) -> Iterator[dict[str, Any]]:
    """The rows of `web_hops`."""
    for key, judged in _searched(records):
        for hops in sorted({hop_count(one.entry) for one in judged}):
            found = [one for one in judged if hop_count(one.entry) == hops]
            works = [_work(one.talk) for one in found if one.talk and one.valid is not None]
            yield {
                **key,
                "hops": hops,
                **tally_columns(Tally.of([one.valid for one in found])),
                "mean_steps": _mean(len(work.steps) for work in works),
                "mean_searches": _mean(len(work.queries) for work in works),
                "mean_fetches": _mean(work.fetches for work in works),
            }


def web_failures(records: AgenticRecords) -> Iterator[dict[str, Any]]:
    """The rows of `web_failures`."""
    for key, judged in _searched(records):
        wrong = {
            one.entry.entry_id: failures(_work(one.talk))
            for one in judged
            if one.talk and one.valid is False
        }
        counts = Counter(failure for found in wrong.values() for failure in found)
        for failure in (*FAILURES, NONE_OF_THESE) if wrong else ():
            yield {
                **key,
                "failure": failure,
                "count": counts[failure],
                "wrong": len(wrong),
                "share": counts[failure] / len(wrong),
                "example_entry_id": next((name for name, found in wrong.items() if failure in found), None),
            }


def _searched(records: AgenticRecords) -> Iterator[tuple[Mapping[str, str | None], Sequence[Judged]]]:
    """The judged questions of each model, rule set and category, and the columns that tell which."""
    for (model, rules, category), judged in records.verdicts.items():
        if category in GROUPS["web_search"]:
            web = joined(one.talk.web for one in judged if one.talk and one.talk.web)
            yield {"model": model, "rules": rules, "category": category, "web": web}, judged


def _work(talk: Talk) -> WebWork:
    return WebWork(question_text(talk.entry), talk.steps)


def _mean(amounts: Iterable[int]) -> float | None:
    found = list(amounts)
    return fmean(found) if found else None
