"""The table that compares the verdicts of the rule sets, by model and category."""

from collections import Counter
from collections.abc import Collection, Iterator

import polars as pl

from bfcl_pipeline.benchmark.errata import Treatment
from bfcl_pipeline.benchmark.records import Rules
from bfcl_pipeline.show.report.tables import spec
from bfcl_pipeline.show.report.tables.run_records import RunRecords, in_order

_KEY = ["model", "category", "entry_id"]


def _rules(made: spec.RunSources) -> list[spec.Row]:
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


RULES_COMPARED = spec.TableSpec(
    "rules",
    (
        "One row per model and category with verdicts under official and corrected rules, and the "
        "accuracy under verified ones."
    ),
    [
        spec.RUN,
        spec.MODEL,
        spec.CATEGORY,
        spec.WEB,
        spec.count("entries", "entries that official and corrected rules judged"),
        spec.share("official_accuracy", "accuracy under the official rules", null=True),
        spec.share("corrected_accuracy", "accuracy under the corrected rules", null=True),
        spec.count("to_valid", "invalid officially, valid when corrected"),
        spec.count("to_invalid", "valid officially, invalid when corrected"),
        spec.count("flipped", "entries whose verdict differs: the sum of both"),
        spec.share(
            "verified_accuracy", "accuracy under the verified rules; null without verdicts", null=True
        ),
        spec.count("left_out", "entries that the verified rules leave out"),
        spec.count("mended", "entries that the verified rules judge by a mended truth"),
        spec.count("verified_to_valid", "of these, invalid when corrected, now valid"),
        spec.count("verified_to_invalid", "of these, valid when corrected, now invalid"),
    ],
    rows=_rules,
    always=True,
)
