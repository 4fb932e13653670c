"""The table that compares the verdicts of the rule sets, by model and category."""

from collections.abc import Iterator

import polars as pl

from bfcl_pipeline.benchmark.errata import Treatment
from bfcl_pipeline.benchmark.records import Rules
from bfcl_pipeline.show.report.tables import spec
from bfcl_pipeline.show.report.tables.run_records import in_order

_KEY = ["model", "category", "entry_id"]


def _rules(made: spec.RunSources) -> Iterator[spec.Row]:
    mended = [entry.entry_id for entry in made.errata if entry.treatment is Treatment.MENDED]
    verdicts = made.records.verdicts
    official, corrected, verified = (
        verdicts.filter(pl.col("rules") == rules.value).select(*_KEY, pl.col("valid").alias(rules.value))
        for rules in (Rules.OFFICIAL, Rules.CORRECTED, Rules.VERIFIED)
    )
    before, after = pl.col("official"), pl.col("corrected")
    compared = _by_category(
        official.drop_nulls("official").join(corrected.drop_nulls("corrected"), on=_KEY),
        entries=pl.len(),
        official_accuracy=before.sum() / pl.len(),
        corrected_accuracy=after.sum() / pl.len(),
        to_valid=(~before & after).sum(),
        to_invalid=(before & ~after).sum(),
        flipped=(before != after).sum(),
    )
    changed = verified.filter(pl.col("entry_id").is_in(mended)).join(corrected, on=_KEY, how="left")
    of_mended = _by_category(
        changed,
        mended=pl.len(),
        verified_to_valid=(~after & pl.col("verified")).sum(),
        verified_to_invalid=(after & ~pl.col("verified")).sum(),
    )
    left_out = _by_category(made.records.left_out, left_out=pl.len())
    rows = compared.join(of_mended, on=_KEY[:2], how="left").join(left_out, on=_KEY[:2], how="left")
    scores = {(score.model.name, score.rules): score for score in made.scores}
    for row in in_order(rows, "model", "category").iter_rows(named=True):
        model, category = row["model"], row["category"]
        of_verified = scores.get((model, Rules.VERIFIED))
        tally = of_verified.tallies.get(category) if of_verified else None
        yield {
            **{name: 0 if value is None else value for name, value in row.items()},
            "web": scores[model, Rules.OFFICIAL].webs.get(category),
            "verified_accuracy": tally.accuracy if tally else None,
        }


def _by_category(frame: pl.DataFrame, **columns: pl.Expr) -> pl.DataFrame:
    return frame.group_by("model", "category").agg(**columns)


RULES_COMPARED = spec.TableSpec(
    "rules",
    "One row per model and category with verdicts under official and corrected rules, and the "
    "accuracy under verified ones.",
    [
        spec.RUN,
        spec.MODEL,
        spec.CATEGORY,
        spec.WEB,
        spec.count("entries", "entries that official and corrected rules judged"),
        spec.share("official_accuracy?", "accuracy under the official rules"),
        spec.share("corrected_accuracy?", "accuracy under the corrected rules"),
        spec.count("to_valid", "invalid officially, valid when corrected"),
        spec.count("to_invalid", "valid officially, invalid when corrected"),
        spec.count("flipped", "entries whose verdict differs: the sum of both"),
        spec.share("verified_accuracy?", "accuracy under the verified rules; null without verdicts"),
        spec.count("left_out", "entries that the verified rules leave out"),
        spec.count("mended", "entries that the verified rules judge by a mended truth"),
        spec.count("verified_to_valid", "of these, invalid when corrected, now valid"),
        spec.count("verified_to_invalid", "of these, valid when corrected, now invalid"),
    ],
    rows=_rules,
    always=True,
)
