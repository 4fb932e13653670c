"""The table `executable`: the scores on the categories of V1 that are in no score of V4."""

from __future__ import annotations

from collections import ChainMap
from collections.abc import Collection, Iterator
from pathlib import Path
from typing import TYPE_CHECKING

from bfcl_pipeline.benchmark.definition import CATEGORIES, GROUPS, Check
from bfcl_pipeline.benchmark.definition.leaderboard import EXECUTABLE
from bfcl_pipeline.benchmark.records import Entry, Rules, Status
from bfcl_pipeline.judge.scoring.rest import FULFILLED, METRICS
from bfcl_pipeline.runs.web_label import SIMULATED
from bfcl_pipeline.show.report.format import as_percent
from bfcl_pipeline.show.report.tables import spec

if TYPE_CHECKING:
    from bfcl_pipeline.show.report.tables.model_scores import ModelScore

RANKED = ("exec_simple", "rest", "exec_multiple", "exec_parallel", "exec_parallel_multiple")
"""The categories that the leaderboard averaged until April 2025, in the order of its columns."""

UNRANKED = ("sql", "chatable")
"""The categories that were never in a score of the leaderboard."""

OVERALL_OF_2024 = "overall_august_2024"
"""The overall score of the leaderboard of August 2024."""

OF_2025 = ("exec_summary", "simple_exec")
"""The groups of the last leaderboard with executable categories."""

OF_2024 = tuple(group.name for group in EXECUTABLE if group.name not in OF_2025)
"""The groups of the leaderboard of August 2024."""

SCORES = (*OF_2025, *RANKED, *UNRANKED, *OF_2024)
"""The columns of the table that are scores, in its order."""


def _rows(made: spec.RunSources) -> Iterator[spec.Row]:
    """Rule sets in their order, highest summary first, then by name."""
    asked = [score for score in made.scores if set(GROUPS["executable"]) & set(score.tallies)]
    counted, metrics = (_counted(made), _rest_metrics(made)) if asked else ({}, {})
    for score in sorted(asked, key=_order):
        own = [tally for name, tally in score.tallies.items() if name in GROUPS["executable"]]
        entries, answered = sum(tally.entries for tally in own), sum(tally.answered for tally in own)
        yield {
            **score.key,
            "display_name": score.model.display_name,
            "mode": score.mode,
            "web": score.web(GROUPS["executable"]),
            **ChainMap(*(score.columns(name, score.scores[name].complete) for name in SCORES)),
            "entries": entries,
            "answered": answered,
            "not_answered": entries - answered,
            **metrics.get((score.model.name, score.rules.value), {}),
            **counted[score.model.name, score.rules.value],
        }


def _order(score: ModelScore) -> tuple[int, bool, float, str]:
    summary = score.scores["exec_summary"]
    known = summary.complete
    return list(Rules).index(score.rules), not known, -summary.accuracy * known, score.model.name


def _counted(made: spec.RunSources) -> dict[tuple[str, str], spec.Row]:
    """The columns on verdicts that rest on the web, by model and rule set."""
    import polars as pl

    verdicts = made.records.verdicts.filter(pl.col("category").is_in(GROUPS["executable"]))
    requesting = _requesting(made.data, set(verdicts["category"].unique()))
    requests = pl.col("entry_id").is_in(requesting or []) & pl.col("valid").is_not_null()
    categories = verdicts.filter(requests).group_by("model").agg(pl.col("category").unique())
    webs = pl.DataFrame(
        [
            {"model": model, "entry_id": row["entry_id"], "web": row["web"]}
            for model, own in categories.iter_rows()
            for row in made.records.responses.read(model, own, ("entry_id", "web"))
        ],
        schema={"model": pl.String, "entry_id": pl.String, "web": pl.String},
    )
    simulated = pl.col("web").fill_null(SIMULATED) == SIMULATED
    found = (
        verdicts.join(webs, on=["model", "entry_id"], how="left")
        .group_by("model", "rules")
        .agg(
            not_recorded=(pl.col("status") == Status.NOT_RECORDED.value).sum(),
            with_requests=requests.sum() if requesting is not None else None,
            simulated=(requests & simulated).sum() if requesting is not None else None,
        )
    )
    names = ("not_recorded", "with_requests", "simulated")
    return {row[:2]: dict(zip(names, row[2:], strict=True)) for row in found.iter_rows()}


def _rest_metrics(made: spec.RunSources) -> dict[tuple[str, str], spec.Row]:
    """The shares of judged answers to rest that fulfil each of METRICS, by model and rule set."""
    import polars as pl

    judged = made.records.verdicts.filter((pl.col("category") == "rest") & pl.col("valid").is_not_null())
    of_wrong = pl.col("error_type").replace_strict(FULFILLED, default=0, return_dtype=pl.Int64)
    fulfilled = pl.when("valid").then(len(METRICS)).otherwise(of_wrong)
    shares = {name: (fulfilled > place).mean() for place, name in enumerate(METRICS)}
    found = judged.group_by("model", "rules").agg(**shares)
    return {row[:2]: dict(zip(METRICS, row[2:], strict=True)) for row in found.iter_rows()}


def _requesting(data: Path, categories: Collection[str]) -> list[str] | None:
    """The entries of the release whose expected calls request the web; None if it is not staged."""
    from bfcl_pipeline.benchmark.tables import entries_path, read_entries

    found = []
    for name in (name for name in RANKED if name in categories):
        path = entries_path(data, name)
        if not path.is_file():
            return None
        found += [entry.entry_id for entry in read_entries(path) if _requests_web(entry)]
    return found


def _requests_web(entry: Entry) -> bool:
    from bfcl_pipeline.world.executables.network import NETWORK_FUNCTIONS

    if CATEGORIES[entry.category].check is Check.REST:
        return True
    return any(expected["call"].partition("(")[0] in NETWORK_FUNCTIONS for expected in entry.truth)


_HEADINGS = {
    "exec_summary": ("Exec summary", ""),  # in the terminal it stands before its interval
    "simple_exec": ("Simple", ""),
    "exec_simple": ("Python simple", "Python"),
    "rest": ("REST", "REST"),
    "exec_multiple": ("Multiple", "Mult"),
    "exec_parallel": ("Parallel", "Par"),
    "exec_parallel_multiple": ("Parallel multiple", "ParMult"),
    "sql": ("SQL", "SQL"),
    "chatable": ("Chatable", "Chat"),
    OVERALL_OF_2024: ("Overall of August 2024", ""),
}
"""The headings of scores, long and short."""


def _score(name: str) -> list[spec.Column]:
    """The columns of a group or a category with its limits."""
    group = next((group for group in EXECUTABLE if group.name == name), None)
    unranked = " (never in a score of the leaderboard)" if name in UNRANKED else ""
    about = f"accuracy on {name}{unranked}; null if it was not evaluated"
    if group is not None:
        about = f"{spec.describe_mean(group)}; null unless all were evaluated"
    heading, short = _HEADINGS.get(name, ("", ""))
    return spec.score(name, about, heading=heading, short=short, cell=as_percent)


EXECUTABLE_SCORES = spec.TableSpec(
    "executable",
    "One row per model and rule set, official rules first, then by `exec_summary`, highest first. "
    "The overall of August 2024 counts 1,700 entries alike: 1,150 of the six non-live categories "
    "with calls, 310 of exec_* and rest, 240 of irrelevance.",
    [
        spec.RUN,
        spec.RULES,
        spec.MODEL,
        spec.text("display_name", "name on the leaderboard"),
        spec.text("mode", "fc or prompt"),
        spec.text(
            "web?",
            "what answered the requests of executed calls: simulated, record, replay, live or off; several "
            "joined; null if no call was executed",
        ),
        *(column for name in SCORES for column in _score(name)),
        *(
            spec.share(
                f"{name}?",
                f"share of judged answers to rest {what}; null without any",
                heading=heading,
                cell=as_percent,
            )
            for name, (heading, what) in zip(
                METRICS,
                (
                    ("REST answered", "whose request the API answers with status 200"),
                    ("REST type", "that is also JSON of the type of the recorded response"),
                    ("REST keys", "that also has the keys of the recorded response"),
                ),
                strict=True,
            )
        ),
        spec.count("entries", "entries asked of these seven categories"),
        spec.count("answered", "entries with a judged response"),
        spec.count("not_answered", "entries without a verdict: in no score"),
        spec.count(
            "not_recorded", "of these, entries whose verdict needs a web answer that is not recorded"
        ),
        spec.count(
            "with_requests?",
            "judged entries whose expected calls request the web; null without the staged release",
        ),
        spec.count("simulated?", "of these, entries whose requests the simulated web answered"),
    ],
    rows=_rows,
)


TABLES = (EXECUTABLE_SCORES,)
