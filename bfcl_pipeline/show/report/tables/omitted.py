"""The table `omitted`: scores with entries without a verdict, what these allow, and their causes."""

import json
from collections import Counter
from collections.abc import Iterator, Mapping
from dataclasses import replace
from pathlib import Path

import polars as pl

from bfcl_pipeline.ask.results.forms import assumed_form, convert_result, known_form
from bfcl_pipeline.ask.results.layout import official_models
from bfcl_pipeline.benchmark.config import model_folder
from bfcl_pipeline.benchmark.definition import GROUPS, V4_CATEGORIES
from bfcl_pipeline.benchmark.definition.leaderboard import EXECUTABLE, categories_of
from bfcl_pipeline.benchmark.records import Json, Mode, NameStyle, Response, Rules, Status
from bfcl_pipeline.benchmark.tables import responses_table
from bfcl_pipeline.judge.judging import score_table
from bfcl_pipeline.judge.scoring.aggregate import Count, OmissionCause, bounds, cause_of
from bfcl_pipeline.judge.scoring.unread_calls import INFERENCE_ERROR
from bfcl_pipeline.show.report.tables import spec
from bfcl_pipeline.show.report.tables.leaderboard import SCORES
from bfcl_pipeline.show.report.tables.model_scores import ModelScore
from bfcl_pipeline.show.report.tables.run_records import RunRecords

_STORED = "stored"

_IS_STORED = (
    (pl.col("rules") == Rules.OFFICIAL.value)
    & pl.col("category").is_in(V4_CATEGORIES)
    & (pl.col("status") == Status.INFRASTRUCTURE_ERROR.value)
    & pl.col("error_message").str.starts_with(INFERENCE_ERROR)
)
"""Errors that the official tool stored as answers, which its scorer judges."""


def with_stored_errors(records: RunRecords, data: Path) -> RunRecords:
    """The records with official verdicts on stored errors as well; the same ones if there are none.

    data: the staged release. Raises ConfigError or TableError if it cannot be read.
    """
    stored = records.verdicts.filter(_IS_STORED)
    if stored.is_empty():
        return records
    models, key = official_models(data), ["model", "rules", "category", "entry_id"]
    rows = stored.iter_rows(named=True)
    answers = responses_table([_answer(row, models.get(model_folder(row["model"]))) for row in rows])
    valid = pl.Series(score_table(answers, data)["valid"].to_pylist(), dtype=pl.Boolean)
    judged = stored.select(key).with_columns(official=valid)
    verdicts = records.verdicts.join(judged, on=key, how="left", maintain_order="left")
    known = pl.coalesce("valid", "official").alias("valid")
    return replace(records, verdicts=verdicts.with_columns(known).drop("official"))


_STYLES = {True: NameStyle.UNDERSCORED, False: NameStyle.DOTTED}


def _answer(row: spec.Row, official: Mapping[str, Json] | None) -> Response:
    """A stored error as an answer of its model. official: the row of the model in the official list."""
    mode, result, style = Mode(row["mode"]), row["error_message"], None
    form = assumed_form(mode)
    if official is not None:
        form, style = known_form(official), _STYLES[bool(official["underscore_to_dot"])]
    if form.convert is not None:
        result = convert_result(result, row["category"], form.convert)
    return Response(row["entry_id"], row["category"], mode, json.dumps(result), name_style=style)


def _omitted(made: spec.RunSources) -> Iterator[spec.Row]:
    found = _counted(made.records.verdicts)
    official = {score.model.name: score for score in made.official}
    for score in made.by_name:
        causes = found.get((score.model.name, score.rules.value))
        if not causes:
            continue
        lowest, highest = bounds(
            {name: tally.entries for name, tally in score.tallies.items()},
            {name: Count(tally.answered, tally.correct) for name, tally in score.tallies.items()},
            made.sizes,
        )
        counted = official.get(score.model.name) if score.rules is made.rules else None
        for name in (*SCORES, *(group.name for group in EXECUTABLE), *GROUPS["executable"]):
            members = categories_of(name)
            counts = sum((causes[each] for each in members if each in causes), Counter[str]())
            if not counts:
                continue
            known = _known(score, name)
            there = _known(counted, name) if counts[_STORED] else set[float]()
            yield {
                **score.key,
                "score": name,
                "entries": sum(score.tallies[each].entries for each in members if each in score.tallies),
                "omitted": sum(counts[cause] for cause in OmissionCause),
                **{cause.value: counts[cause] for cause in OmissionCause},
                "accuracy": min(known, default=None),
                # Which contain the score also where the sums were rounded differently.
                "lowest": min(known | {lowest[name].accuracy}),
                "highest": max(known | {highest[name].accuracy}),
                _STORED: counts[_STORED] if there else 0,
                "official": min(there, default=None),
            }


def _known(score: ModelScore | None, name: str) -> set[float]:
    """The accuracy of a score; empty if nothing of it was evaluated."""
    return {score.scores[name].accuracy} if score and score.scores[name].evaluated else set()


def _counted(verdicts: pl.DataFrame) -> dict[tuple[str, str], dict[str, Counter[str]]]:
    """Entries without a verdict by cause, and stored errors, by model and rules, then category."""
    counted: dict[tuple[str, str], dict[str, Counter[str]]] = {}
    key = ["model", "rules", "category", "status", "error_message"]
    missing = verdicts.filter(pl.col("valid").is_null())
    stored = _IS_STORED.fill_null(value=False)
    for row in missing.group_by(*key, stored.alias(_STORED)).len().iter_rows(named=True):
        causes = counted.setdefault((row["model"], row["rules"]), {}).setdefault(row["category"], Counter())
        causes[cause_of(Status(row["status"]), row["error_message"]).value] += row["len"]
        causes[_STORED] += row["len"] * row[_STORED]
    return counted


OMITTED = spec.TableSpec(
    "omitted",
    "One row per model, rule set and score with entries that have no verdict: the overall, the other "
    "groups, the categories. Such entries are in no score; [statistics.md](statistics.md) says what "
    "`lowest` and `highest` are, and how a cause is found.",
    [
        *spec.KEY,
        spec.text("score", "a column of `leaderboard` or `executable`: a score or a category"),
        spec.count("entries", "entries of it that were asked"),
        spec.count("omitted", "of these, without a verdict: the sum of the six causes"),
        *spec.counts(
            model_output="refused by the server, which could not read what the model had written",
            context="longer than the model's context",
            time="ended by a time limit",
            network="no connection, or the server failed or turned the request away",
            harness="an error of the program that asked",
            other="not asked, not recorded, not supported, or of unknown cause",
        ),
        spec.share("accuracy?", "the score; null if nothing of it was evaluated"),
        spec.share("lowest", "the score if all omitted entries were wrong"),
        spec.share("highest", "the score if all omitted entries were right"),
        spec.count("stored", "omitted entries that tables/official counts: errors stored as answers"),
        spec.share("official?", "the score in tables/official, if it counts any of them; else null"),
    ],
    rows=_omitted,
)


TABLES = (OMITTED,)
