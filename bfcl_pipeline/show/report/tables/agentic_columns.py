"""The columns of the tables on memory and web search, which only exist if a run has rows for them."""

from __future__ import annotations

from typing import Any

import pyarrow as pa

from bfcl_pipeline.show.report.tables.columns import (
    CATEGORY,
    COUNT,
    MODEL,
    RULES,
    RUN,
    SHARE,
    TEXT,
    WEB,
    field,
    tally,
)

_SCENARIO = field("scenario", TEXT, "whose assistant the model is", nullable=False)


def _counts(**columns: str) -> list[pa.Field[Any]]:
    return [field(name, COUNT, about, nullable=False) for name, about in columns.items()]


MEMORY_DOMAINS = pa.schema(
    [
        RUN,
        MODEL,
        RULES,
        CATEGORY,
        _SCENARIO,
        *_counts(entries="questions asked"),
        *tally("of the scenario"),
    ]
)

MEMORY_USE = pa.schema(
    [
        RUN,
        MODEL,
        CATEGORY,
        _SCENARIO,
        *_counts(
            sessions="sessions before the questions",
            sessions_held="of these, those that were held to the end",
            adds="calls in the sessions that add or append",
            replaces="calls in the sessions that replace or update",
            removes="calls in the sessions that remove one entry",
            clears="calls in the sessions that remove all",
            searches="calls in the sessions that search by words or by meaning, or list keys",
            retrievals="calls in the sessions that read what is stored",
            core_calls="of these six, those of the part in the system prompt; of memory_rec_sum, all",
            archival_calls="of these six, those of the part that must be searched",
            errors="calls in the sessions that fail when made again, but for searches by meaning",
            core_entries="texts in the core memory after the last session held; of memory_rec_sum, 0 or 1",
            archival_entries="texts in the archival memory after the last session held",
            characters="their length",
            questions="questions asked, each for one fact; none if a session could not be held",
            question_searches="calls at the questions that search",
            question_retrievals="calls at the questions that read what is stored",
            question_changes="calls at the questions that change the memory, which nobody reads again",
            question_errors="calls at the questions that fail when made again, but for searches by meaning",
            stored="facts asked for, of which an answer is mentioned in the memory after some call",
            kept="those of which one is mentioned in the memory that the question starts from",
            lost="those stored once and deleted before they were asked for: stored less kept",
            lost_within="of the lost ones, those that are in no snapshot after a session",
            lost_while_full="of the lost ones, those whose part of the memory was at least 0.9 full",
            without_look_up="questions answered without a search or a retrieval",
        ),
    ]
)

WEB_HOPS = pa.schema(
    [
        RUN,
        MODEL,
        RULES,
        CATEGORY,
        WEB,
        *_counts(hops="steps from the question to its answer, as annotated", entries="questions asked"),
        *tally("of so many hops"),
        field(
            "mean_steps", SHARE, "mean number of steps, with calls or without; null if no answer is there"
        ),
        field("mean_searches", SHARE, "mean number of searches; null likewise"),
        field("mean_fetches", SHARE, "mean number of pages fetched, or tried to; null likewise"),
        field("mean_steps_correct", SHARE, "mean number of steps of the right answers; null without one"),
        field("mean_searches_correct", SHARE, "mean number of their searches; null likewise"),
        field("mean_fetches_correct", SHARE, "mean number of their fetches; null likewise"),
        field("abstained", COUNT, "wrong answers that say that the model does not know or cannot answer"),
    ]
)

WEB_FAILURES = pa.schema(
    [
        RUN,
        MODEL,
        RULES,
        CATEGORY,
        WEB,
        field("failure", TEXT, "what the wrong answers did; one may have done several", nullable=False),
        *_counts(count="wrong answers that did", wrong="wrong answers that are there"),
        field("share", SHARE, "count / wrong", nullable=False),
        field("example_entry_id", TEXT, "the first of them; null if there is none"),
        field("known", COUNT, "wrong answers of which it is known: all, or those with recorded results"),
    ]
)

WEB_QUESTIONS = pa.schema(
    [
        RUN,
        MODEL,
        RULES,
        CATEGORY,
        WEB,
        field("entry_id", TEXT, "the question", nullable=False),
        *_counts(hops="steps from the question to its answer, as annotated"),
        field("valid", pa.bool_(), "whether the answer is right", nullable=False),
        field("abstained", pa.bool_(), "wrong, and the model says that it does not know", nullable=False),
        *_counts(
            steps="steps, with calls or without",
            searches="calls of the search tool; none if it was not offered",
            repeated_searches="of these, those with nearly the words of an earlier one",
            fetches="calls of the tool that fetches a page; none if it was not offered",
        ),
        field("known", pa.bool_(), "whether the result of every call is recorded", nullable=False),
        field("failed_searches", COUNT, "searches that failed or found nothing; null if not known"),
        field("failed_fetches", COUNT, "fetches that failed; null if not known"),
        field("retried", COUNT, "of these, those after which the same address was fetched; null likewise"),
        field("other_source", COUNT, "those after which another address was fetched"),
        field("searched_again", COUNT, "those after which the model searched, but fetched nothing"),
        field("answered", COUNT, "those after which the model answered without a further call"),
        field("gave_up", COUNT, "those after which it did not answer, or said that it does not know"),
        *(
            field(
                f"answer_in_{place}", pa.bool_(), f"an acceptable answer stands {where}; null if not known"
            )
            for place, where in (
                ("title", "in the title of a search result"),
                ("address", "in the address of a search result"),
                ("snippet", "in the text of a search result"),
                ("page", "on a fetched page"),
            )
        ),
        field("failures", TEXT, "wrong answers: kinds in `web_failures`, by commas; null if none is known"),
    ]
)

AGENTIC_TABLES: dict[str, pa.Schema] = {
    "memory_domains": MEMORY_DOMAINS,
    "memory_use": MEMORY_USE,
    "web_hops": WEB_HOPS,
    "web_failures": WEB_FAILURES,
    "web_questions": WEB_QUESTIONS,
}
"""The tables of runs with agentic categories, by file name."""
