"""The tables on classes of answers: to irrelevance entries, to agentic questions, and with unread calls."""

from collections.abc import Iterator, Mapping
from typing import Any

import polars as pl

from bfcl_pipeline.benchmark.records import AnswerClass
from bfcl_pipeline.show.report.tables.run_records import RunRecords, in_order
from bfcl_pipeline.show.report.tables.spec import (
    CATEGORY,
    COUNT,
    KEY,
    MODEL,
    RUN,
    SHARE,
    TEXT,
    WEB,
    Row,
    RunSources,
    TableSpec,
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


def _irrelevance(made: RunSources) -> Iterator[Row]:
    for row in _counts(made.records, IRRELEVANCE_CLASSES):
        shares = {f"{name}_share": row[name] / row["answered"] for name in IRRELEVANCE_CLASSES.values()}
        yield {**row, **shares}


def _answers(made: RunSources) -> Iterator[Row]:
    webs = {score.model.name: score.webs for score in made.scores}
    for row in _counts(made.records, AGENTIC_CLASSES):
        yield {**row, "web": webs[row["model"]].get(row["category"])}


def _unread_calls(made: RunSources) -> Iterator[Row]:
    """A call is read or not, whatever the rules."""
    entry, unread = pl.col("entry_id"), pl.col("unread_call")
    counted = (
        made.records.verdicts.filter(pl.col("valid").is_not_null())
        .group_by("model", "category")
        .agg(
            answered=entry.n_unique(),
            unread_calls=entry.filter(unread).n_unique(),
            example_entry_id=entry.filter(unread).first(),
        )
        .filter(pl.col("unread_calls") > 0)
    )
    yield from in_order(counted, "model", "category").iter_rows(named=True)


def _counts(records: RunRecords, columns: Mapping[AnswerClass, str]) -> Iterator[dict[str, Any]]:
    """The number of answers in each class, by model, rules and category; only where there are any."""
    classified = records.verdicts.filter(pl.col("answer_class").is_in([name.value for name in columns]))
    counted = classified.group_by("model", "rules", "category").agg(
        answered=pl.len(),
        **{column: (pl.col("answer_class") == name.value).sum() for name, column in columns.items()},
    )
    yield from in_order(counted, "model", "rules", "category").iter_rows(named=True)


IRRELEVANCE = TableSpec(
    "irrelevance",
    "One row per model, rule set and irrelevance category, if its answers are classed.",
    [
        *KEY,
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
    ],
    rows=_irrelevance,
)


ANSWERS = TableSpec(
    "answers",
    "One row per model, rule set and agentic category, if its answers are classed.",
    [
        *KEY,
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
    ],
    rows=_answers,
)


UNREAD_CALLS = TableSpec(
    "unread_calls",
    (
        "One row per model and category with answers that have a call in their text "
        "that was not read ([rules.md](rules.md#unread-calls)). The terminal and the page print their sums."
    ),
    [
        RUN,
        MODEL,
        CATEGORY,
        field("answered", COUNT, "entries with a verdict", nullable=False),
        field("unread_calls", COUNT, "of these, with a call in the text that was not read", nullable=False),
        field("example_entry_id", TEXT, "the first of them", nullable=False),
    ],
    rows=_unread_calls,
)
