"""The tables on classes of answers: to irrelevance entries, to agentic questions, and with unread calls."""

from collections.abc import Iterator, Mapping
from typing import Any

import polars as pl

from bfcl_pipeline.benchmark.records import AnswerClass
from bfcl_pipeline.show.report.format import as_part_of
from bfcl_pipeline.show.report.tables import spec
from bfcl_pipeline.show.report.tables.run_records import RunRecords, in_order

_OF_IRRELEVANCE = {
    AnswerClass.ABSTAINED_IN_WORDS: "of these, answered by text without a call",
    AnswerClass.EMPTY: "of these, answered by nothing",
    AnswerClass.MALFORMED_CALL: "of these, answered by a call that cannot be decoded",
    AnswerClass.CALLED: "of these, answered by a call",
}

_OF_AGENTIC = {
    AnswerClass.RIGHT: "of these, answered right",
    AnswerClass.WRONG: "of these, answered by another answer",
    AnswerClass.HEDGE: "of these, answered by candidates without a choice",
    AnswerClass.ABSTAINED: "of these, answered by not knowing, in any words",
    AnswerClass.NO_ANSWER_FORM: "of these, not in the form that the prompt asks for",
}

IRRELEVANCE_CLASSES, AGENTIC_CLASSES = (
    {name: name.value.replace(" ", "_") for name in classes} for classes in (_OF_IRRELEVANCE, _OF_AGENTIC)
)
"""The columns of the classes of answers to irrelevance entries, and to agentic questions."""


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


def _answered(classes: Mapping[AnswerClass, str]) -> list[spec.Column]:
    """The number of answers, and of those of each class, of which the page has the share."""
    shown = {"cell": as_part_of("answered")}
    return [
        spec.count("answered", "entries with a verdict", heading="Answered"),
        *(
            spec.count(name.value.replace(" ", "_"), about, heading=name.value.capitalize(), **shown)
            for name, about in classes.items()
        ),
    ]


def _share(name: str) -> spec.Column:
    return spec.share(f"{name}_share", f"{name} / answered", lambda row: row[name] / row["answered"])


IRRELEVANCE = spec.TableSpec(
    "irrelevance",
    "One row per model, rule set and irrelevance category, if its answers are classed.",
    [
        *spec.KEY,
        spec.CATEGORY,
        *_answered(_OF_IRRELEVANCE),
        *map(_share, IRRELEVANCE_CLASSES.values()),
    ],
    rows=lambda made: _counts(made.records, IRRELEVANCE_CLASSES),
    view=spec.View(
        "irrelevance",
        "Answers to irrelevance entries",
        "No offered function fits these entries, so the right answer is not to call any. Shares of the "
        "answers that abstain in words, are empty, attempt a call that cannot be decoded (malformed), or "
        "call. Official rules accept a malformed call; corrected rules do not.",
        "Irrelevance",
    ),
)


ANSWERS = spec.TableSpec(
    "answers",
    "One row per model, rule set and agentic category, if its answers are classed.",
    [
        *spec.KEY,
        spec.CATEGORY,
        spec.WEB,
        *_answered(_OF_AGENTIC),
    ],
    rows=_answers,
    view=spec.View(
        "answers",
        "Answers to agentic questions",
        "Answers to the questions of memory and web search: right, wrong, a hedge (candidates without a "
        "choice), abstained (the model says in any words that it does not know), or without the form that "
        "the prompt asks for.",
        "Agentic answers",
    ),
)


UNREAD_CALLS = spec.TableSpec(
    "unread_calls",
    "One row per model and category with answers that have a call in their text "
    "that was not read ([rules.md](rules.md#unread-calls)). The terminal and the page print their sums.",
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
