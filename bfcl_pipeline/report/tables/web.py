"""The tables on web search: accuracy by number of hops, and failures of wrong answers."""

from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from statistics import fmean
from typing import Any

from bfcl_pipeline.benchmark import GROUPS
from bfcl_pipeline.report.tables.agentic_records import AgenticAnswer, AgenticRecords, ScoredQuestion
from bfcl_pipeline.report.tables.model_scores import VerdictCounts
from bfcl_pipeline.report.tables.score_tables import tally_columns
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
    for key, scored in _searched(records):
        for hops in sorted({hop_count(question.entry) for question in scored}):
            questions = [question for question in scored if hop_count(question.entry) == hops]
            works = [_work(each.answer) for each in questions if each.answer and each.valid is not None]
            yield {
                **key,
                "hops": hops,
                **tally_columns(VerdictCounts.of([question.valid for question in questions])),
                "mean_steps": _mean(len(work.steps) for work in works),
                "mean_searches": _mean(len(work.queries) for work in works),
                "mean_fetches": _mean(work.fetches for work in works),
            }


def web_failures(records: AgenticRecords) -> Iterator[dict[str, Any]]:
    """The rows of `web_failures`."""
    for key, scored in _searched(records):
        wrong = {
            question.entry.entry_id: failures(_work(question.answer))
            for question in scored
            if question.answer and question.valid is False
        }
        counts = Counter(failure for reasons in wrong.values() for failure in reasons)
        for failure in (*FAILURES, NONE_OF_THESE) if wrong else ():
            yield {
                **key,
                "failure": failure,
                "count": counts[failure],
                "wrong": len(wrong),
                "share": counts[failure] / len(wrong),
                "example_entry_id": next((entry for entry in wrong if failure in wrong[entry]), None),
            }


def _searched(records: AgenticRecords) -> Iterator[tuple[dict[str, str | None], Sequence[ScoredQuestion]]]:
    """The key columns of each rule set and web-search category, and its questions with verdicts."""
    for (rules, category), scored in records.verdicts.items():
        if category in GROUPS["web_search"]:
            webs = (question.answer.web for question in scored if question.answer)
            web = joined(name for name in webs if name)
            yield {"model": records.model, "rules": rules, "category": category, "web": web}, scored


def _work(answer: AgenticAnswer) -> WebWork:
    return WebWork(question_text(answer.entry), answer.steps)


def _mean(amounts: Iterable[int]) -> float | None:
    values = list(amounts)
    return fmean(values) if values else None
