"""The tables on categories, formats, errors, rule sets, coverage, usage, and models without answers."""

from collections.abc import Iterator
from dataclasses import asdict

import polars as pl

from bfcl_pipeline.benchmark.definition import CATEGORIES, parse_format
from bfcl_pipeline.benchmark.errata import Treatment
from bfcl_pipeline.benchmark.records import Rules, Step
from bfcl_pipeline.judge.scoring.usage import add_up
from bfcl_pipeline.show.report.format import above
from bfcl_pipeline.show.report.tables import spec
from bfcl_pipeline.show.report.tables.intervals import rounded
from bfcl_pipeline.show.report.tables.run_records import by_model, in_order

_KEY = ["model", "category", "entry_id"]

TIMES = "times"
"""The group of columns of `usage` that cannot be added up."""

ENTRIES, SESSIONS = "entries", "sessions"
"""The values of the column `part`."""

MESSAGE_LENGTH = 300
"""Characters of an error message in the table `error_types`."""

UNKNOWN_REASON = "the responses do not state a reason"

MISSING_REASON = "its step failed before it had results; logs/ has the log of each step"


def _categories(made: spec.RunSources) -> Iterator[spec.Row]:
    for score in made.by_name:
        for name, category in CATEGORIES.items():
            if name in score.tallies:
                counted, precision = score.tallies[name], score.precisions.get(name)
                yield {
                    **score.key,
                    "category": name,
                    "web": score.webs.get(name),
                    "release_entries": category.entries,
                    **counted.columns,
                    "ci_low": precision.low if precision else None,
                    "ci_high": precision.high if precision else None,
                    "clusters": precision.clusters if precision else 0,
                    "design_effect": rounded(precision.design_effect) if precision else None,
                    "not_answered": counted.entries - counted.answered,
                }


def _formats(made: spec.RunSources) -> Iterator[spec.Row]:
    for score in made.by_name:
        for key, counted in score.formats.items():
            yield {**score.key, "format": key, **asdict(parse_format(key)), **counted.columns}


def _error_types(made: spec.RunSources) -> list[spec.Row]:
    key = ["model", "rules", "category", "error_type"]
    counted = (
        made.records.verdicts.filter(pl.col("valid").not_())
        .with_columns(pl.col("error_type").fill_null("unnamed"))
        .group_by(key, maintain_order=True)
        .agg(
            count=pl.len(),
            example_entry_id=pl.col("entry_id").first(),
            example_message=pl.col("error_message").first().str.slice(0, MESSAGE_LENGTH),
        )
        .sort("count", "error_type", descending=[True, False])
    )
    return in_order(counted, "model", "rules", "category").to_dicts()


def _coverage(made: spec.RunSources) -> list[spec.Row]:
    counted = (
        made.records.verdicts.unique(["model", "category", "entry_id"], maintain_order=True)
        .group_by("model", "category", "status")
        .agg(entries=pl.len())
    )
    return in_order(counted, "model", "category", "status").to_dicts()


def _usage(made: spec.RunSources) -> Iterator[spec.Row]:
    rows = {score.model.name: score.model for score in made.scores}
    tables = {SESSIONS: made.records.sessions, ENTRIES: made.records.responses}
    answers = {part: by_model(table.rows) for part, table in tables.items()}
    for model in sorted(rows):
        parts = {part: _steps(frames[model]) for part, frames in answers.items() if model in frames}
        for category in CATEGORIES:
            for part, steps in parts.items():
                entries = steps.get(category)
                if entries is None:
                    continue
                taken = add_up(entries, rows[model].input_price, rows[model].output_price)
                yield {
                    "model": model,
                    "category": category,
                    "part": part,
                    "entries": len(entries),
                    **asdict(taken),
                }


def _steps(frame: pl.DataFrame) -> dict[str, list[list[Step]]]:
    """The exchanges of each response of one model, by category."""
    steps_of: dict[str, list[list[Step]]] = {}
    for category, steps in frame.select("category", "steps").iter_rows():
        steps_of.setdefault(category, []).append([Step(**step) for step in steps or ()])
    return steps_of


def _unanswered(made: spec.RunSources) -> Iterator[spec.Row]:
    """Models without any verdict, of V4 or not, then those without responses."""
    for score in made.scores:
        if score.rules is made.rules and not any(tally.answered for tally in score.tallies.values()):
            read = made.records.responses.read(score.model.name, score.tallies, ["status_detail"])
            details = {row["status_detail"] for row in read if row["status_detail"]}
            yield {
                "model": score.model.name,
                "entries": sum(tally.entries for tally in score.tallies.values()),
                "reason": min(details, key=lambda detail: (len(detail), detail), default=UNKNOWN_REASON),
            }
    for model in made.missing:
        yield {"model": model, "entries": None, "reason": MISSING_REASON}


def _rules(made: spec.RunSources) -> Iterator[spec.Row]:
    mended = [entry.entry_id for entry in made.errata if entry.treatment is Treatment.MENDED]
    verdicts = made.records.verdicts
    official, corrected, verified = (
        verdicts.filter(pl.col("rules") == rules.value).select(*_KEY, pl.col("valid").alias(rules.value))
        for rules in Rules
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


CATEGORY_SCORES = spec.TableSpec(
    "categories",
    "One row per model, rule set and category that was run.",
    [
        *spec.KEY,
        spec.CATEGORY,
        spec.WEB,
        spec.count("release_entries", "scored entries that the release has"),
        spec.count("entries", "entries asked in this run"),
        *spec.tally("of the category", spec.CLUSTERED),
        spec.CLUSTERS,
        spec.DESIGN_EFFECT,
        spec.count("not_answered", "entries without a verdict: in no accuracy"),
    ],
    rows=_categories,
    always=True,
)


ERROR_TYPES = spec.TableSpec(
    "error_types",
    "One row per model, rule set, category and error type, commonest first.",
    [
        *spec.KEY,
        spec.CATEGORY,
        spec.text("error_type", "official name of the error"),
        spec.count("count", "responses that failed so"),
        spec.text("example_entry_id", "the first of them"),
        spec.text("example_message?", "what was wrong with it, for a person, cut to 300 characters"),
    ],
    rows=_error_types,
    always=True,
)


FORMAT_SCORES = spec.TableSpec(
    "formats",
    "One row per model, rule set and prompt format of the format-sensitivity test.",
    [
        *spec.KEY,
        spec.text("format", "the release's name of the prompt format"),
        spec.text("return_format", "syntax in which calls were to be written"),
        spec.mark("tool_call_tag", "calls were to stand in a tag"),
        spec.text("doc_format", "how the functions were documented"),
        spec.text("layout", "plaintext or markdown"),
        spec.text("style", "classic or experimental wording"),
        spec.count("entries", "entries asked in this format"),
        *spec.tally("in this format"),
    ],
    rows=_formats,
    always=True,
)


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


COVERAGE = spec.TableSpec(
    "coverage",
    "One row per model, category and status that occurs.",
    [
        spec.RUN,
        spec.MODEL,
        spec.CATEGORY,
        spec.text("status", "answered, or why there is no verdict"),
        spec.count("entries", "entries with this status"),
    ],
    rows=_coverage,
    always=True,
)


USAGE = spec.TableSpec(
    "usage",
    "One row per model, category and part that was run; `coverage` counts failures.",
    [
        spec.RUN,
        spec.MODEL,
        spec.CATEGORY,
        spec.text("part", "entries, or sessions: those before memory questions"),
        spec.count("entries", "entries or sessions asked, whatever became of them", heading="Entries"),
        spec.count("exchanges", "requests of these that were answered", heading="Requests"),
        spec.count("input_tokens?", "tokens sent; null if never told", heading="Tokens sent"),
        spec.count("output_tokens?", "tokens received; null if never told", heading="Tokens received"),
        spec.share(
            "cost_usd?",
            "these at the prices of the model's row, in US dollars; null without",
            heading="Cost ($)",
        ),
        spec.share(
            "exchange_mean_seconds?",
            "mean time from a request to its answer; null if never taken",
            heading="Request (s)",
            group=TIMES,
            cell=above("p95", "exchange_p95_seconds"),
        ),
        spec.share("exchange_p95_seconds?", "95th percentile of these times"),
        spec.share(
            "entry_mean_seconds?",
            "mean over entries of the sum of their times",
            heading="Entry (s)",
            group=TIMES,
            cell=above("p95", "entry_p95_seconds"),
        ),
        spec.share("entry_p95_seconds?", "95th percentile of these sums"),
        spec.count(
            "truncated?",
            "answers cut off at a limit of tokens; null if no end is ever told",
            heading="Cut off",
        ),
    ],
    rows=_usage,
    always=True,
)


UNANSWERED = spec.TableSpec(
    "unanswered",
    "One row per model without any answer.",
    [
        spec.RUN,
        spec.MODEL,
        spec.count("entries?", "entries of the model, all without an answer; null without responses"),
        spec.text("reason", "why, for a person: the shortest detail of these entries"),
    ],
    rows=_unanswered,
)


TABLES = (*(CATEGORY_SCORES, ERROR_TYPES, FORMAT_SCORES, RULES_COMPARED, COVERAGE, USAGE, UNANSWERED),)
