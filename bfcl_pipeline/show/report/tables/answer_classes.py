"""The tables on classes of answers: to irrelevance entries, to agentic questions, and with unread calls."""

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

import polars as pl

from bfcl_pipeline.benchmark.records import AnswerClass
from bfcl_pipeline.show.report.tables.model_scores import ModelScore
from bfcl_pipeline.show.report.tables.run_records import RunRecords, in_order
from bfcl_pipeline.show.report.tables.view_columns import AGENTIC_CLASSES, IRRELEVANCE_CLASSES


def irrelevance(records: RunRecords) -> Iterator[dict[str, Any]]:
    """The rows of `irrelevance`."""
    for row in _counts(records, IRRELEVANCE_CLASSES):
        shares = {f"{name}_share": row[name] / row["answered"] for name in IRRELEVANCE_CLASSES.values()}
        yield {**row, **shares}


def answers(records: RunRecords, scores: Sequence[ModelScore]) -> Iterator[dict[str, Any]]:
    """The rows of `answers`. scores: as `model_scores` returns them."""
    webs = {score.model.name: score.webs for score in scores}
    for row in _counts(records, AGENTIC_CLASSES):
        yield {**row, "web": webs[row["model"]].get(row["category"])}


def unread_calls(records: RunRecords) -> Iterator[dict[str, Any]]:
    """The rows of `unread_calls`: a call is read or not, whatever the rules."""
    entry, unread = pl.col("entry_id"), pl.col("unread_call")
    counted = (
        records.verdicts.filter(pl.col("valid").is_not_null())
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
