"""The columns of the tables on single memory questions, and of those that add them up."""

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
    field,
    tally,
)

_MARK = pa.bool_()
_OF = field("category", TEXT, "a memory category, or `memory`: all of them together", nullable=False)


def _event(name: str, what: str) -> list[pa.Field[Any]]:
    return [
        field(f"{name}_session", TEXT, f"session in which {what}; null if it never did"),
        field(f"{name}_turn", COUNT, "turn of the session, from 1; null if no call explains it"),
        field(f"{name}_step", COUNT, "step of that turn, from 1; null likewise"),
        field(f"{name}_call", TEXT, "the call as Python, cut to 120 characters; null likewise"),
    ]


MEMORY_QUESTIONS = pa.schema(
    [
        RUN,
        MODEL,
        RULES,
        CATEGORY,
        field("scenario", TEXT, "whose assistant the model is"),
        field("entry_id", TEXT, "the question", nullable=False),
        field("valid", _MARK, "whether the answer is right", nullable=False),
        field("reason", TEXT, "why it is wrong: the first reason that applies; null if it is right"),
        field("abstained", _MARK, "whether the model says that it does not know; null if not classed"),
        field(
            "place", TEXT, "part of the memory with the fact: core, archival, both, none; null if unknown"
        ),
        field(
            "seen",
            TEXT,
            "where the model saw an acceptable answer: prompt (core memory), look_up (a result), nowhere; "
            "null if unknown",
        ),
        field("searches", COUNT, "calls at the question that search; null if not recorded"),
        field("retrievals", COUNT, "calls at the question that read what is stored; null likewise"),
        *_event("stored", "the fact first came into the memory"),
        *_event("lost", "the fact last left the memory, if it is not there at the question"),
        field("lost_within", _MARK, "whether no snapshot after a session has the fact; null if not lost"),
        field(
            "lost_fill",
            SHARE,
            "share of its part in use before that call (memory_rec_sum: of its characters); null likewise",
        ),
        field("lost_while_full", _MARK, "whether that share was at least 0.9; null likewise"),
    ]
)

MEMORY_FAILURES = pa.schema(
    [
        RUN,
        MODEL,
        RULES,
        _OF,
        field("reason", TEXT, "why answers are wrong; each has one reason", nullable=False),
        field("count", COUNT, "wrong answers with this reason", nullable=False),
        field("wrong", COUNT, "wrong answers", nullable=False),
        field("share", SHARE, "count / wrong", nullable=False),
        field("abstained", COUNT, "of count, those that say that they do not know", nullable=False),
        field("example_entry_id", TEXT, "the first of them", nullable=False),
    ]
)

MEMORY_PARTS = pa.schema(
    [
        RUN,
        MODEL,
        RULES,
        _OF,
        field(
            "place", TEXT, "part of the memory with the fact: core, archival, both, none", nullable=False
        ),
        field("entries", COUNT, "questions whose fact is there", nullable=False),
        *tally("of these"),
        field("without_look_up", COUNT, "of these, those answered without any look-up", nullable=False),
        field("without_look_up_correct", COUNT, "of those, the right ones", nullable=False),
    ]
)

MEMORY_PATTERNS = pa.schema(
    [
        RUN,
        MODEL,
        RULES,
        CATEGORY,
        field(
            "pattern",
            TEXT,
            "parts with at least 0.1 of the additions: core_and_archival, core_only, archival_only; "
            "or one_text, nothing_added",
            nullable=False,
        ),
        field("core_adds", COUNT, "calls in the sessions that add to the core part", nullable=False),
        field("archival_adds", COUNT, "calls in them that add to the archival part", nullable=False),
        field("facts", COUNT, "facts that questions ask for", nullable=False),
        field("facts_in_core", COUNT, "of these, those in the core part at the questions", nullable=False),
        field("facts_in_archival", COUNT, "of these, those in the archival part", nullable=False),
        field("texts_with_facts", COUNT, "texts in the memory that mention one", nullable=False),
        field("facts_per_text", SHARE, "facts in the memory / these texts: above 1, texts are summaries"),
        field("entries", COUNT, "questions with a verdict", nullable=False),
        *tally("of these"),
    ]
)

MEMORY_BACKENDS = pa.schema(
    [
        RUN,
        RULES,
        _OF,
        field("models", COUNT, "models with this score", nullable=False),
        field("best", SHARE, "highest accuracy", nullable=False),
        field("best_model", TEXT, "its model; of several the highest in rank", nullable=False),
        field("worst", SHARE, "lowest accuracy", nullable=False),
        field("worst_model", TEXT, "its model; of several the lowest in rank", nullable=False),
        field("difference", SHARE, "best less worst", nullable=False),
        field("mean", SHARE, "mean over the models", nullable=False),
    ]
)

QUESTION_TABLES: dict[str, pa.Schema] = {"memory_questions": MEMORY_QUESTIONS}
"""The tables with a row for each question; the page does not read them."""

MEMORY_TABLES: dict[str, pa.Schema] = {
    "memory_failures": MEMORY_FAILURES,
    "memory_parts": MEMORY_PARTS,
    "memory_patterns": MEMORY_PATTERNS,
    "memory_backends": MEMORY_BACKENDS,
}
"""The tables that add them up, by file name."""
