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
from bfcl_pipeline.benchmark.records import Json, Mode, NameStyle, Rules, Status
from bfcl_pipeline.benchmark.tables import entries_path, read_entries
from bfcl_pipeline.dialogue.release_texts import read_constants
from bfcl_pipeline.judge.scoring.aggregate import Count
from bfcl_pipeline.judge.scoring.judge import Judge
from bfcl_pipeline.judge.scoring.omissions import Cause, bounds, cause_of
from bfcl_pipeline.judge.scoring.unread_calls import INFERENCE_ERROR
from bfcl_pipeline.show.report.tables import spec
from bfcl_pipeline.show.report.tables.leaderboard import SCORES
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
    models, constants, valid = official_models(data), read_constants(data), list[bool | None]()
    for (category,), rows in (parts := stored.partition_by("category", as_dict=True)).items():
        wanted = set(rows["entry_id"])
        entries = read_entries(entries_path(data, str(category)))
        judges = {entry.entry_id: Judge(entry, constants) for entry in entries if entry.entry_id in wanted}
        for row in rows.iter_rows(named=True):
            mode, style, result = _as_answer(row, models.get(model_folder(row["model"])))
            judge = judges[row["entry_id"]]
            valid.append(judge.answer_verdicts(json.dumps(result), mode, style, [Rules.OFFICIAL])[0].valid)
    key = ["model", "rules", "category", "entry_id"]
    judged = pl.concat(parts.values()).select(key).with_columns(official=pl.Series(valid, dtype=pl.Boolean))
    verdicts = records.verdicts.join(judged, on=key, how="left", maintain_order="left")
    known = pl.coalesce("valid", "official").alias("valid")
    return replace(records, verdicts=verdicts.with_columns(known).drop("official"))


def _as_answer(row: spec.Row, official: Mapping[str, Json] | None) -> tuple[Mode, NameStyle | None, Json]:
    """A stored error read as an answer of its model. official: its row in the official list, if any."""
    mode, style = Mode(row["mode"]), None
    if official is not None:
        style = NameStyle.UNDERSCORED if official["underscore_to_dot"] else NameStyle.DOTTED
    convert = (known_form(official) if official is not None else assumed_form(mode)).convert
    text = row["error_message"]
    return mode, style, text if convert is None else convert_result(text, row["category"], convert)


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
        executable = (*(group.name for group in EXECUTABLE), *GROUPS["executable"])
        for name in (*SCORES, *executable):
            members = categories_of(name)
            counts = sum((causes[each] for each in members if each in causes), Counter[str]())
            if not counts:
                continue
            shown = score.scores[name]
            known = {shown.accuracy} if shown.evaluated else set[float]()
            there = counted.scores[name] if counted and counted.scores[name].evaluated else None
            stored = counts[_STORED] if there else 0
            yield {
                **score.key,
                "score": name,
                "entries": sum(score.tallies[each].entries for each in members if each in score.tallies),
                "omitted": sum(counts[cause] for cause in Cause),
                **{cause.value: counts[cause] for cause in Cause},
                "accuracy": min(known, default=None),
                # Which contain the score also where the sums were rounded differently.
                "lowest": min(known | {lowest[name].accuracy}),
                "highest": max(known | {highest[name].accuracy}),
                _STORED: stored,
                "official": there.accuracy if there and stored else None,
            }


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
    (
        "One row per model, rule set and score with entries that have no verdict: the overall, the other "
        "groups, the categories. Such entries are in no score; [statistics.md](statistics.md) says what "
        "`lowest` and `highest` are, and how a cause is found."
    ),
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
        spec.share("accuracy", "the score; null if nothing of it was evaluated", null=True),
        spec.share("lowest", "the score if all omitted entries were wrong"),
        spec.share("highest", "the score if all omitted entries were right"),
        spec.count("stored", "omitted entries that tables/official counts: errors stored as answers"),
        spec.share(
            "official", "the score in tables/official, if it counts any of them; else null", null=True
        ),
    ],
    rows=_omitted,
)
