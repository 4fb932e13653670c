"""The table `executable`: the scores on the categories of V1 that are in no score of V4."""

from __future__ import annotations

from collections import ChainMap
from collections.abc import Collection, Iterator
from pathlib import Path
from typing import Any

import polars as pl
import pyarrow as pa

from bfcl_pipeline.benchmark.definition import CATEGORIES, GROUPS, Check
from bfcl_pipeline.benchmark.definition.leaderboard import EXECUTABLE
from bfcl_pipeline.benchmark.records import Entry, Rules, Status
from bfcl_pipeline.benchmark.tables import entries_path, read_entries
from bfcl_pipeline.runs.web_label import SIMULATED
from bfcl_pipeline.show.report.executable_titles import RANKED, UNRANKED
from bfcl_pipeline.show.report.tables import spec
from bfcl_pipeline.show.report.tables.model_scores import ModelScore
from bfcl_pipeline.show.report.tables.run_records import RunRecords
from bfcl_pipeline.world.executables.network import NETWORK_FUNCTIONS

OF_2025 = ("exec_summary", "simple_exec")
"""The groups of the last leaderboard with executable categories."""

OF_2024 = tuple(group.name for group in EXECUTABLE if group.name not in OF_2025)
"""The groups of the leaderboard of August 2024."""

SCORES = (*OF_2025, *RANKED, *UNRANKED, *OF_2024)
"""The columns of the table that are scores, in its order."""


Counts = dict[tuple[str, str], int]
"""A number of entries by model and rule set."""

_KEY = ("model", "rules")


def _rows(made: spec.RunSources) -> Iterator[spec.Row]:
    """Rule sets in their order, highest summary first, then by name."""
    of_retired = [(score, tally) for score in made.scores if (tally := _tally(score)) is not None]
    if not of_retired:
        return
    verdicts = made.records.verdicts.filter(pl.col("category").is_in(GROUPS["executable"]))
    unrecorded = _counted(verdicts.filter(pl.col("status") == Status.NOT_RECORDED.value))
    requesting = _requesting(made.data, set(verdicts["category"].unique()))
    with_requests, simulated = _with_requests(made.records, verdicts, requesting or ())
    for score, (entries, answered) in sorted(of_retired, key=_order):
        key = score.model.name, score.rules.value
        yield {
            **score.key,
            "display_name": score.model.display_name,
            "mode": score.mode,
            "web": score.web(GROUPS["executable"]),
            **ChainMap(*(score.columns(name, score.scores[name].complete) for name in SCORES)),
            "entries": entries,
            "answered": answered,
            "not_answered": entries - answered,
            "not_recorded": unrecorded.get(key, 0),
            "with_requests": None if requesting is None else with_requests.get(key, 0),
            "simulated": None if requesting is None else simulated.get(key, 0),
        }


def _tally(score: ModelScore) -> tuple[int, int] | None:
    """The entries of these categories and how many have a verdict; None if none was asked."""
    own = [tally for name, tally in score.tallies.items() if name in GROUPS["executable"]]
    if not own:
        return None
    return sum(tally.entries for tally in own), sum(tally.answered for tally in own)


def _order(row: tuple[ModelScore, tuple[int, int]]) -> tuple[int, bool, float, str]:
    score, _ = row
    summary = score.scores["exec_summary"]
    return (
        list(Rules).index(score.rules),
        not summary.complete,
        -summary.accuracy if summary.complete else 0.0,
        score.model.name,
    )


def _counted(verdicts: pl.DataFrame) -> Counts:
    counted = verdicts.group_by(_KEY).len()
    return {(model, rules): number for model, rules, number in counted.iter_rows()}


def _requesting(data: Path, categories: Collection[str]) -> list[str] | None:
    """The entries of the release whose expected calls request the web; None if it is not staged."""
    found = []
    for name in (name for name in RANKED if name in categories):
        path = entries_path(data, name)
        if not path.is_file():
            return None
        found += [entry.entry_id for entry in read_entries(path) if _requests_web(entry)]
    return found


def _requests_web(entry: Entry) -> bool:
    if CATEGORIES[entry.category].check is Check.REST:
        return True
    return any(expected["call"].partition("(")[0] in NETWORK_FUNCTIONS for expected in entry.truth)


def _with_requests(
    records: RunRecords, verdicts: pl.DataFrame, requesting: Collection[str]
) -> tuple[Counts, Counts]:
    """The judged entries among `requesting`, and those of them that the simulated web answered."""
    judged = verdicts.filter(
        pl.col("entry_id").is_in(list(requesting)), pl.col("valid").is_not_null()
    ).select(*_KEY, "category", "entry_id")
    webs = pl.DataFrame(
        [
            {"model": model, "entry_id": row["entry_id"], "web": row["web"]}
            for model, categories in judged.group_by("model").agg(pl.col("category").unique()).iter_rows()
            for row in records.responses.read(model, categories, ("entry_id", "web"))
        ],
        schema={"model": pl.String, "entry_id": pl.String, "web": pl.String},
    )
    known = judged.join(webs, on=["model", "entry_id"], how="left").with_columns(
        pl.col("web").fill_null(SIMULATED)
    )
    return _counted(judged), _counted(known.filter(pl.col("web") == SIMULATED))


def _columns(name: str) -> list[pa.Field[Any]]:
    group = next((group for group in EXECUTABLE if group.name == name), None)
    if group is not None:
        return spec.score(name, f"{spec.describe_mean(group)}; null unless all were evaluated")
    unranked = " (never in a score of the leaderboard)" if name in UNRANKED else ""
    return spec.score(name, f"accuracy on {name}{unranked}; null if it was not evaluated")


EXECUTABLE_SCORES = spec.TableSpec(
    "executable",
    (
        "One row per model and rule set, official rules first, then by `exec_summary`, highest first. "
        "The overall of August 2024 counts 1,700 entries alike: 1,150 of the six non-live categories "
        "with calls, 310 of exec_* and rest, 240 of irrelevance."
    ),
    [
        spec.RUN,
        spec.RULES,
        spec.MODEL,
        spec.text("display_name", "name on the leaderboard"),
        spec.text("mode", "fc or prompt"),
        spec.text(
            "web",
            "what answered the requests of executed calls: simulated, record, replay, live or off; several "
            "joined; null if no call was executed",
            null=True,
        ),
        *(column for name in SCORES for column in _columns(name)),
        spec.count("entries", "entries asked of these seven categories"),
        spec.count("answered", "entries with a judged response"),
        spec.count("not_answered", "entries without a verdict: in no score"),
        spec.count(
            "not_recorded", "of these, entries whose verdict needs a web answer that is not recorded"
        ),
        spec.count(
            "with_requests",
            "judged entries whose expected calls request the web; null without the staged release",
            null=True,
        ),
        spec.count("simulated", "of these, entries whose requests the simulated web answered", null=True),
    ],
    rows=_rows,
)
