"""The tables on web search: accuracy by number of hops, failures of wrong answers, and every question."""

from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from statistics import fmean
from typing import Any

from bfcl_pipeline.benchmark.definition import GROUPS
from bfcl_pipeline.judge.scoring.web_results import Place
from bfcl_pipeline.judge.scoring.web_use import (
    FAILURES,
    NONE_OF_THESE,
    RESULT_FAILURES,
    Next,
    WebWork,
    failures,
    hop_count,
)
from bfcl_pipeline.runs.web_label import join_webs
from bfcl_pipeline.show.report.tables.agentic_records import AgenticRecords, ScoredQuestion
from bfcl_pipeline.show.report.tables.model_scores import VerdictCounts
from bfcl_pipeline.show.report.tables.score_tables import tally_columns


def web_hops(records: AgenticRecords) -> Iterator[dict[str, Any]]:
    """The rows of `web_hops`."""
    for key, scored in _searched(records):
        for hops in sorted({hop_count(question.entry) for question in scored}):
            questions = [question for question in scored if hop_count(question.entry) == hops]
            answered = list(_answered(records, questions))
            works = [work for _, work in answered]
            right = [work for question, work in answered if question.valid]
            yield {
                **key,
                "hops": hops,
                **tally_columns(VerdictCounts.of([question.valid for question in questions])),
                **_means(works, ""),
                **_means(right, "_correct"),
                "abstained": sum(work.abstains for question, work in answered if not question.valid),
            }


def web_failures(records: AgenticRecords) -> Iterator[dict[str, Any]]:
    """The rows of `web_failures`."""
    for key, scored in _searched(records):
        wrong = {
            question.entry.entry_id: work
            for question, work in _answered(records, scored)
            if question.valid is False
        }
        reasons = {entry_id: failures(work) for entry_id, work in wrong.items()}
        counts = Counter(failure for found in reasons.values() for failure in found)
        known = sum(work.known for work in wrong.values())
        for failure in (*FAILURES, NONE_OF_THESE) if wrong else ():
            yield {
                **key,
                "failure": failure,
                "count": counts[failure],
                "wrong": len(wrong),
                "share": counts[failure] / len(wrong),
                "example_entry_id": next((entry for entry in wrong if failure in reasons[entry]), None),
                "known": known if failure in (*RESULT_FAILURES, NONE_OF_THESE) else len(wrong),
            }


def web_questions(records: AgenticRecords) -> Iterator[dict[str, Any]]:
    """The rows of `web_questions`."""
    for key, scored in _searched(records):
        for question, work in _answered(records, scored):
            after = Counter(work.after_failures())
            results = {
                "failed_searches": sum(bool(call.failed) for call in work.searches),
                "failed_fetches": sum(bool(call.failed) for call in work.fetches),
                "retried": after[Next.RETRIED],
                "other_source": after[Next.OTHER_SOURCE],
                "searched_again": after[Next.SEARCHED],
                "answered": after[Next.ANSWERED],
                "gave_up": after[Next.GAVE_UP],
                **{f"answer_in_{place}": place in work.places for place in Place},
            }
            yield {
                **key,
                "entry_id": question.entry.entry_id,
                "hops": hop_count(question.entry),
                "valid": question.valid,
                "abstained": not question.valid and work.abstains,
                "steps": work.steps,
                "searches": len(work.searches),
                "repeated_searches": work.repeated_searches,
                "fetches": len(work.fetches),
                "known": work.known,
                **(results if work.known else {}),
                "failures": None if question.valid else ",".join(failures(work)) or None,
            }


def _searched(records: AgenticRecords) -> Iterator[tuple[dict[str, str | None], Sequence[ScoredQuestion]]]:
    """The key columns of each rule set and web-search category, and its questions with verdicts."""
    for (rules, category), scored in records.verdicts.items():
        if category in GROUPS["web_search"]:
            answers = (question.answer for question in scored if question.answer)
            web = join_webs(answer.web for answer in answers if answer.web)
            yield {"model": records.model, "rules": rules, "category": category, "web": web}, scored


def _answered(
    records: AgenticRecords, questions: Iterable[ScoredQuestion]
) -> Iterator[tuple[ScoredQuestion, WebWork]]:
    """The questions with an answer and a verdict on it, each with what was done."""
    for question in questions:
        if question.answer and question.valid is not None:
            entry = question.entry
            yield question, records.web[entry.category][entry.entry_id]


def _means(works: Sequence[WebWork], suffix: str) -> dict[str, float | None]:
    return {
        f"mean_steps{suffix}": _mean(work.steps for work in works),
        f"mean_searches{suffix}": _mean(len(work.searches) for work in works),
        f"mean_fetches{suffix}": _mean(len(work.fetches) for work in works),
    }


def _mean(amounts: Iterable[int]) -> float | None:
    values = list(amounts)
    return fmean(values) if values else None
