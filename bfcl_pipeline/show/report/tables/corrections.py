"""The table `corrections`: what each correction does to the scores of a model."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

from bfcl_pipeline.benchmark.errata import ErratumStatus
from bfcl_pipeline.benchmark.records import Rules
from bfcl_pipeline.judge.scoring.aggregate import Count, leaderboard_scores
from bfcl_pipeline.show.report.format import as_percent, as_points
from bfcl_pipeline.show.report.tables import spec
from bfcl_pipeline.show.report.tables.leaderboard import SCORES

if TYPE_CHECKING:
    import polars as pl


def _corrections(made: spec.RunSources) -> Iterator[spec.Row]:
    import polars as pl

    from bfcl_pipeline.show.report.tables.run_records import by_model

    is_disputed = pl.col("entry_id").is_in(
        [
            entry.entry_id
            for entry in made.errata
            if any(erratum.status is ErratumStatus.DISPUTED for erratum in entry.errata)
        ]
    )
    judged = made.records.verdicts.filter(pl.col("valid").is_not_null())
    for model, own in by_model(judged).items():
        official, corrected, verified = (own.filter(pl.col("rules") == rules.value) for rules in Rules)
        if verified.is_empty() or corrected.is_empty():
            continue
        mended = pl.concat([verified, corrected.join(verified, on="entry_id", how="anti")])
        steps = (official, corrected, mended, verified, verified.filter(~is_disputed))
        shares = [leaderboard_scores(_by_category(step), made.sizes) for step in steps]
        for name in SCORES:
            if shares[0][name].evaluated:
                first, by_rules, by_truths, last, undisputed = (step[name].accuracy for step in shares)
                yield {
                    "model": model,
                    "score": name,
                    "official": first,
                    "from_rules": by_rules - first,
                    "from_truths": by_truths - by_rules,
                    "from_left_out": last - by_truths,
                    "verified": last,
                    "undisputed": undisputed,
                    "disputed": shares[3][name].entries - shares[4][name].entries,
                }


def _by_category(verdicts: pl.DataFrame) -> dict[str, Count]:
    import polars as pl

    by_category = verdicts.group_by("category").agg(pl.len(), pl.col("valid").sum())
    return {category: Count(size, right) for category, size, right in by_category.iter_rows()}


CORRECTIONS = spec.TableSpec(
    "corrections",
    "One row per model and score: from official to verified rules, what each correction does to it.",
    [
        spec.RUN,
        spec.MODEL,
        spec.text("score", "a column of `leaderboard`: a score or a category"),
        spec.share("official", "the score under official rules", heading="Official", cell=as_percent),
        *(
            spec.share(f"from_{name}", about, heading=heading, short=heading, cell=as_points)
            for name, heading, about in (
                ("rules", "Rules", "what the corrected rules add to it"),
                ("truths", "Truths", "what the mended truths add to that"),
                ("left_out", "Left out", "what leaving out the other defective entries adds to that"),
            )
        ),
        spec.share(
            "verified",
            "the score under verified rules: the sum of the four before",
            heading="Verified",
            cell=as_percent,
        ),
        spec.share(
            "undisputed",
            "the score under verified rules, without entries with a disputed defect",
            heading="Without disputed",
            short="Undisputed",
            cell=as_percent,
        ),
        spec.count("disputed", "those entries; none has a confirmed defect that leaves it out"),
    ],
    rows=_corrections,
)

TABLES = (CORRECTIONS,)
