"""The columns of the tables on the three rule sets, the errata and the classes of answers.

Each table is written if a run has rows for it.
"""

from __future__ import annotations

import pyarrow as pa

from bfcl_pipeline.benchmark.records import AnswerClass
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
)


def _columns(*classes: AnswerClass) -> dict[AnswerClass, str]:
    return {name: name.value.replace(" ", "_") for name in classes}


IRRELEVANCE_CLASSES = _columns(
    AnswerClass.ABSTAINED_IN_WORDS, AnswerClass.EMPTY, AnswerClass.MALFORMED_CALL, AnswerClass.CALLED
)
"""The column of each class of answers to irrelevance entries."""

AGENTIC_CLASSES = _columns(
    AnswerClass.RIGHT,
    AnswerClass.WRONG,
    AnswerClass.HEDGE,
    AnswerClass.ABSTAINED,
    AnswerClass.NO_ANSWER_FORM,
)
"""The column of each class of answers to agentic questions."""

CEILINGS = pa.schema(
    [
        RUN,
        RULES,
        field("score", TEXT, "a column of `leaderboard`: a score or a category", nullable=False),
        field("entries", COUNT, "entries of the run in it, without those left out", nullable=False),
        field("unreachable", COUNT, "of these, those that a faithful model fails", nullable=False),
        field("ceiling", SHARE, "the score of a model that fails these only", nullable=False),
    ]
)

ERRATA = pa.schema(
    [
        RUN,
        MODEL,
        CATEGORY,
        field("entry_id", TEXT, "id as in the release", nullable=False),
        field("defect", TEXT, "class of the defect, as in docs/errata.md", nullable=False),
        field("status", TEXT, "confirmed or disputed", nullable=False),
        field("treatment", TEXT, "under verified rules: mended, left out, or as it is", nullable=False),
        field("official_valid", pa.bool_(), "verdict of the official rules; null without one"),
        field("corrected_valid", pa.bool_(), "verdict of the corrected rules; null without one"),
        field("verified_valid", pa.bool_(), "verdict of the verified rules; null without one"),
        field("what", TEXT, "the defect in one sentence", nullable=False),
    ]
)

OWN_ERRATA = pa.schema(
    [
        RUN,
        field("file", TEXT, "file of the user's own errata", nullable=False),
        CATEGORY,
        field("entry_id", TEXT, "id as in the release", nullable=False),
        field("defect", TEXT, "class of the defect, as in docs/errata.md", nullable=False),
        field("status", TEXT, "confirmed, disputed or rejected", nullable=False),
        field("treatment", TEXT, "under verified rules: mended, left out, or as it is", nullable=False),
        field("what", TEXT, "the defect in one sentence", nullable=False),
    ]
)

IRRELEVANCE = pa.schema(
    [
        RUN,
        MODEL,
        RULES,
        CATEGORY,
        field("answered", COUNT, "entries with a verdict", nullable=False),
        field("abstained_in_words", COUNT, "of these, answered by text without a call", nullable=False),
        field("empty", COUNT, "of these, answered by nothing", nullable=False),
        field(
            "malformed_call", COUNT, "of these, answered by a call that cannot be decoded", nullable=False
        ),
        field("called", COUNT, "of these, answered by a call", nullable=False),
        *(
            field(f"{name}_share", SHARE, f"{name} / answered", nullable=False)
            for name in IRRELEVANCE_CLASSES.values()
        ),
    ]
)

ANSWERS = pa.schema(
    [
        RUN,
        MODEL,
        RULES,
        CATEGORY,
        WEB,
        field("answered", COUNT, "entries with a verdict", nullable=False),
        field("right", COUNT, "of these, answered right", nullable=False),
        field("wrong", COUNT, "of these, answered by another answer", nullable=False),
        field("hedge", COUNT, "of these, answered by candidates without a choice", nullable=False),
        field("abstained", COUNT, "of these, answered by not knowing, in any words", nullable=False),
        field(
            "no_answer_form", COUNT, "of these, not in the form that the prompt asks for", nullable=False
        ),
    ]
)

UNREAD_CALLS = pa.schema(
    [
        RUN,
        MODEL,
        CATEGORY,
        field("answered", COUNT, "entries with a verdict", nullable=False),
        field("unread_calls", COUNT, "of these, with a call in the text that was not read", nullable=False),
        field("example_entry_id", TEXT, "the first of them", nullable=False),
    ]
)

VIEW_TABLES: dict[str, pa.Schema] = {
    "ceilings": CEILINGS,
    "errata": ERRATA,
    "own_errata": OWN_ERRATA,
    "irrelevance": IRRELEVANCE,
    "answers": ANSWERS,
    "unread_calls": UNREAD_CALLS,
}
"""The tables on rule sets, errata and classes of answers, by file name."""
