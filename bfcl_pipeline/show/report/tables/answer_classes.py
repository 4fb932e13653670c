"""The tables on classes of answers: to irrelevance entries, to agentic questions, and with unread calls."""

from collections.abc import Iterator, Mapping
from typing import Any

import polars as pl

from bfcl_pipeline.benchmark.records import AnswerClass
from bfcl_pipeline.show.report.tables import spec
from bfcl_pipeline.show.report.tables.run_records import RunRecords, in_order


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


def _irrelevance(made: spec.RunSources) -> Iterator[spec.Row]:
    for row in _counts(made.records, IRRELEVANCE_CLASSES):
        shares = {f"{name}_share": row[name] / row["answered"] for name in IRRELEVANCE_CLASSES.values()}
        yield {**row, **shares}


def _answers(made: spec.RunSources) -> Iterator[spec.Row]:
    webs = {score.model.name: score.webs for score in made.scores}
    for row in _counts(made.records, AGENTIC_CLASSES):
        yield {**row, "web": webs[row["model"]].get(row["category"])}


def _unread_calls(made: spec.RunSources) -> Iterator[spec.Row]:
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


IRRELEVANCE = spec.TableSpec(
    "irrelevance",
    "One row per model, rule set and irrelevance category, if its answers are classed.",
    [
        *spec.KEY,
        spec.CATEGORY,
        spec.count("answered", "entries with a verdict"),
        spec.count("abstained_in_words", "of these, answered by text without a call"),
        spec.count("empty", "of these, answered by nothing"),
        spec.count("malformed_call", "of these, answered by a call that cannot be decoded"),
        spec.count("called", "of these, answered by a call"),
        *(spec.share(f"{name}_share", f"{name} / answered") for name in IRRELEVANCE_CLASSES.values()),
    ],
    rows=_irrelevance,
)


ANSWERS = spec.TableSpec(
    "answers",
    "One row per model, rule set and agentic category, if its answers are classed.",
    [
        *spec.KEY,
        spec.CATEGORY,
        spec.WEB,
        spec.count("answered", "entries with a verdict"),
        spec.count("right", "of these, answered right"),
        spec.count("wrong", "of these, answered by another answer"),
        spec.count("hedge", "of these, answered by candidates without a choice"),
        spec.count("abstained", "of these, answered by not knowing, in any words"),
        spec.count("no_answer_form", "of these, not in the form that the prompt asks for"),
    ],
    rows=_answers,
)


UNREAD_CALLS = spec.TableSpec(
    "unread_calls",
    (
        "One row per model and category with answers that have a call in their text "
        "that was not read ([rules.md](rules.md#unread-calls)). The terminal and the page print their sums."
    ),
    [
        spec.RUN,
        spec.MODEL,
        spec.CATEGORY,
        spec.count("answered", "entries with a verdict"),
        spec.count("unread_calls", "of these, with a call in the text that was not read"),
        spec.text("example_entry_id", "the first of them"),
    ],
    rows=_unread_calls,
)


TABLES = (IRRELEVANCE, ANSWERS, UNREAD_CALLS)
