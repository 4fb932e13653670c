"""The table `leaderboard`: the scores of every model under each rule set, with ranks and usage.

A column is one row of LEADERBOARD: its name, what it holds, and its value, a function of a `Placed`, unless
its `key` has it. With a `heading` the page has it, after the scores; with a `short` one, the terminal,
LaTeX and Markdown.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from functools import partial
from typing import TYPE_CHECKING, Any, Self

from bfcl_pipeline.benchmark.definition import V4_CATEGORIES
from bfcl_pipeline.benchmark.definition.leaderboard import LEADERBOARD as GROUPS
from bfcl_pipeline.benchmark.definition.leaderboard import Group
from bfcl_pipeline.benchmark.records import Rules
from bfcl_pipeline.show.report.format import above, as_percent
from bfcl_pipeline.show.report.tables import spec

if TYPE_CHECKING:
    import pyarrow as pa

    from bfcl_pipeline.show.report.tables.model_scores import ModelScore

SCORES = (*(group.name for group in reversed(GROUPS)), *V4_CATEGORIES)
"""The columns that are scores, in the order of the table."""

_SHOWN = {
    "overall": ("Overall", ""),  # in the terminal it stands before its interval
    "non_live": ("Non-live", "Non-live"),
    "live": ("Live", "Live"),
    "multi_turn": ("Multi-turn", "Multi"),
    "web_search": ("Web search", "Web"),
    "memory": ("Memory", "Mem"),
    "live_relevance": ("Relevance", "Relev"),
    "irrelevance_all": ("Irrelevance", "Irrel"),
}
"""The headings of scores, long and short, in the order of the leaderboard's web page."""


@dataclass(frozen=True, slots=True)
class Placed:
    """A model under one rule set with its place: what a row of the table is made of."""

    score: ModelScore
    key: Mapping[str, Any]  # by column: place, model, usage and counts; not the scores

    @classmethod
    def of(cls, score: ModelScore, place: Mapping[str, Any]) -> Self:
        """place: the columns on ranks; empty if nothing of the model has a verdict."""
        tallies = score.of_v4.values()
        entries, answered = (sum(getattr(one, name) for one in tallies) for name in ("entries", "answered"))
        described = ("display_name", "org", "license", "url")
        known = {name: getattr(score.model, name) for name in described}
        known |= {**score.key, **score.numbers, "mode": score.mode, "web": score.web()}
        known |= {"entries": entries, "answered": answered, "not_answered": entries - answered}
        return cls(score, {"rank": None, **place, **known})


def _placed(made: spec.RunSources) -> list[Placed]:
    """The models, official rules first, then by rank."""
    from bfcl_pipeline.show.report.tables.ranks import ranks_of_run

    found: list[Placed] = []
    for rules in Rules:
        own = [score for score in made.scores if score.rules is rules]
        names = [score.model.name for score in own if score.judged]  # the others come after them
        ranks = ranks_of_run(made, rules, names)
        places = [{"rank": rank, **ranks.get(name, {})} for rank, name in enumerate(names, start=1)]
        found += map(Placed.of, own, [*places, *[{}] * (len(own) - len(names))])
    return found


def leaderboard_rows(made: spec.RunSources) -> list[spec.Row]:
    """The rows, official rules first, then by rank. For other tables: `made.once(leaderboard_rows)`."""
    return [LEADERBOARD.row(placed) for placed in made.once(_placed)]


def _group(group: Group) -> list[spec.Column]:
    """The columns of a group score with its limits."""
    missing = "" if group.name == "overall" else "; null if nothing of it was evaluated"
    about = f"{spec.describe_mean(group)}; what was not evaluated counts 0{missing}"

    def value(column: str, one: Placed) -> float | None:
        evaluated = one.score.scores[group.name].evaluated > 0
        known = evaluated or (group.name == "overall" and one.score.judged)
        return one.score.columns(group.name, known)[column]

    columns = spec.score(group.name, about, **_look(group.name))
    return [replace(column, value=partial(value, column.name)) for column in columns]


def _category(name: str) -> spec.Column:
    """The column of the accuracy on a category."""

    def value(one: Placed) -> float | None:
        found = one.score.scores[name]
        return found.accuracy if found.complete else None

    about = f"accuracy on {name}; null if it was not evaluated"
    return spec.share(f"{name}?", about, value, **_look(name))


def _look(name: str) -> dict[str, Any]:
    heading, short = _SHOWN.get(name, ("", ""))
    place = [*_SHOWN, name].index(name) - len(_SHOWN)  # before other columns
    return {"heading": heading, "short": short, "place": place, "cell": as_percent}


RANK_COLUMNS = (
    spec.count("rank_low?", "best rank that the verdicts allow: 1 + models shown to be better"),
    spec.count("rank_high?", "worst rank that the verdicts allow: models but those shown to be worse"),
    spec.count("rank_group?", "from 1; no model of a group is shown to be worse than its first"),
    spec.share(
        "detectable?",
        "smallest true difference from the next model that these entries show with 80 % power",
    ),
)
"""The columns on ranks; null for a single model, or without verdicts."""

UNKNOWN: Mapping[str, Any] = dict.fromkeys(column.name for column in RANK_COLUMNS)
"""These columns of a model that nothing can be compared with."""

LEADERBOARD = spec.TableSpec(
    "leaderboard",
    "One row per model and rule set, official rules first, then by rank.",
    [
        spec.RUN,
        spec.RULES,
        spec.count("rank", "by overall, highest first; ties in the order of names"),
        *RANK_COLUMNS,
        spec.MODEL,
        spec.text("display_name", "name on the leaderboard"),
        spec.text(
            "kind?",
            "what answers, from the model's row; null if it has none",
            lambda one: one.score.model.kind or None,
        ),
        spec.text("mode", "fc or prompt"),
        spec.WEB,
        *(column for group in reversed(GROUPS) for column in _group(group)),
        *map(_category, V4_CATEGORIES),
        spec.share(
            "format_max_delta?",
            "best prompt format minus worst, in percentage points",
            heading="Format max \N{GREEK CAPITAL LETTER DELTA}",
            tooltip="Best minus worst accuracy over the prompt formats, in percentage points; std: their "
            "standard deviation. Smaller is steadier; not part of the Overall.",
            cell=above("std", "format_std"),
        ),
        spec.share("format_std?", "standard deviation over prompt formats, in percentage points"),
        spec.count("entries", "entries asked, of all categories"),
        spec.count("answered", "entries with a judged response"),
        spec.count("not_answered", "entries without a verdict: in no score"),
        spec.share(
            "cost_usd?",
            "cost in US dollars as the leaderboard reckons it; null if unknown",
            heading="Cost ($)",
            tooltip="US dollars of all requests at the prices in the model's row",
        ),
        spec.share(
            "latency_mean_seconds?",
            "mean latency of an exchange",
            heading="Latency (s)",
            cell=above("p95", "latency_p95_seconds"),
        ),
        spec.share("latency_std_seconds?", "sample standard deviation of the latencies"),
        spec.share("latency_p95_seconds?", "95th percentile of the latencies"),
        spec.text("org", "who made the model"),
        spec.text("license", "the model's license"),
        spec.text("url", "where the model is described"),
    ],
    rows=lambda made: made.once(_placed),
    always=True,
)


TABLES = (LEADERBOARD,)


def with_unranked(table: pa.Table) -> pa.Table:
    """The table `leaderboard` with models that have no rank, as they have no verdict."""
    place = table.schema.get_field_index("rank")
    return table.cast(table.schema.set(place, table.schema.field(place).with_nullable(True)))
