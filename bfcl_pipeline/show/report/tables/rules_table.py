"""The table that compares the verdicts of the rule sets, by model and category."""

from collections import Counter
from collections.abc import Collection, Iterator

import polars as pl

from bfcl_pipeline.benchmark.errata import Treatment
from bfcl_pipeline.benchmark.records import Rules
from bfcl_pipeline.show.report.tables.run_records import RunRecords, in_order
from bfcl_pipeline.show.report.tables.spec import (
    CATEGORY,
    COUNT,
    MODEL,
    RUN,
    SHARE,
    WEB,
    Row,
    RunSources,
    TableSpec,
    field,
)

_KEY = ["model", "category", "entry_id"]


def _rules(made: RunSources) -> list[Row]:
    records, scores = made.records, made.scores
    mended = {entry.entry_id for entry in made.errata if entry.treatment is Treatment.MENDED}
    scored = records.verdicts.filter(pl.col("valid").is_not_null())
    official, corrected = _by_rules(scored, Rules.OFFICIAL, Rules.CORRECTED)
    webs = {score.model.name: score.webs for score in scores}
    compared = (
        official.join(corrected, on=_KEY)
        .group_by("model", "category")
        .agg(
            entries=pl.len(),
            official_accuracy=pl.col("official").sum() / pl.len(),
            corrected_accuracy=pl.col("corrected").sum() / pl.len(),
            to_valid=(~pl.col("official") & pl.col("corrected")).sum(),
            to_invalid=(pl.col("official") & ~pl.col("corrected")).sum(),
            flipped=(pl.col("official") != pl.col("corrected")).sum(),
        )
    )
    verified = {score.model.name: score for score in scores if score.rules is Rules.VERIFIED}
    changed = _mended(records, mended)
    left_out = Counter(records.left_out.select("model", "category").iter_rows())
    rows = []
    for row in in_order(compared, "model", "category").iter_rows(named=True):
        model, category = row["model"], row["category"]
        of_verified = verified.get(model)
        tally = of_verified.tallies.get(category) if of_verified else None
        rows.append(
            {
                **row,
                "web": webs[model].get(category),
                "verified_accuracy": tally.accuracy if tally else None,
                "left_out": left_out[model, category],
                **changed.get((model, category), _NOTHING_MENDED),
            }
        )
    return rows


def _by_rules(verdicts: pl.DataFrame, *rules: Rules) -> Iterator[pl.DataFrame]:
    """The verdicts of each rule set, in a column of its name."""
    for name in rules:
        of_rules = verdicts.filter(pl.col("rules") == name.value)
        yield of_rules.select(*_KEY, pl.col("valid").alias(name.value))


_NOTHING_MENDED = {"mended": 0, "verified_to_valid": 0, "verified_to_invalid": 0}


def _mended(records: RunRecords, mended: Collection[str]) -> dict[tuple[str, str], dict[str, int]]:
    """The counts of mended entries, and of those whose verdict changed, by model and category."""
    judged = records.verdicts.filter(pl.col("entry_id").is_in(list(mended)))
    corrected, verified = _by_rules(judged, Rules.CORRECTED, Rules.VERIFIED)
    counted = (
        verified.join(corrected, on=_KEY, how="left")
        .group_by("model", "category")
        .agg(
            mended=pl.len(),
            verified_to_valid=(~pl.col("corrected") & pl.col("verified")).sum(),
            verified_to_invalid=(pl.col("corrected") & ~pl.col("verified")).sum(),
        )
    )
    return {
        (model, category): dict(zip(_NOTHING_MENDED, counts, strict=True))
        for model, category, *counts in counted.select("model", "category", *_NOTHING_MENDED).iter_rows()
    }


RULES_COMPARED = TableSpec(
    "rules",
    (
        "One row per model and category with verdicts under official and corrected rules, and the "
        "accuracy under verified ones."
    ),
    [
        RUN,
        MODEL,
        CATEGORY,
        WEB,
        field("entries", COUNT, "entries that official and corrected rules judged", nullable=False),
        field("official_accuracy", SHARE, "accuracy under the official rules"),
        field("corrected_accuracy", SHARE, "accuracy under the corrected rules"),
        field("to_valid", COUNT, "invalid officially, valid when corrected", nullable=False),
        field("to_invalid", COUNT, "valid officially, invalid when corrected", nullable=False),
        field("flipped", COUNT, "entries whose verdict differs: the sum of both", nullable=False),
        field("verified_accuracy", SHARE, "accuracy under the verified rules; null without verdicts"),
        field("left_out", COUNT, "entries that the verified rules leave out", nullable=False),
        field("mended", COUNT, "entries that the verified rules judge by a mended truth", nullable=False),
        field(
            "verified_to_valid",
            COUNT,
            "of these, invalid when corrected, now valid",
            nullable=False,
        ),
        field(
            "verified_to_invalid",
            COUNT,
            "of these, valid when corrected, now invalid",
            nullable=False,
        ),
    ],
    rows=_rules,
    always=True,
)
