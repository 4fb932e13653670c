"""The table `leaderboard`: the scores of every model under each rule set, with ranks and usage.

A column is one row of LEADERBOARD: its name, what it holds, and its value, a function of a `Placed`. With a
`heading` the page has it, after the scores; with a `short` one, the terminal, LaTeX and Markdown.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from functools import partial
from typing import TYPE_CHECKING, Any

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
    place: Mapping[str, Any]  # the columns on ranks; empty if nothing of the model has a verdict

    @property
    def key(self) -> Mapping[str, Any]:
        """The columns that other tables have as well."""
        return {**self.score.key, "web": self.score.web()}

    @property
    def entries(self) -> int:
        """Entries of V4 that were asked."""
        return sum(tally.entries for tally in self.score.of_v4.values())

    @property
    def answered(self) -> int:
        """Those of them with a verdict."""
        return sum(tally.answered for tally in self.score.of_v4.values())


def _placed(made: spec.RunSources) -> list[Placed]:
    """The models, official rules first, then by rank."""
    from bfcl_pipeline.show.report.tables.ranks import ranks_of_run

    found: list[Placed] = []
    for rules in Rules:
        own = [score for score in made.scores if score.rules is rules]
        names = [score.model.name for score in own if score.judged]  # the others come after them
        ranks = ranks_of_run(made, rules, names)
        places = [{"rank": rank, **ranks.get(name, {})} for rank, name in enumerate(names, start=1)]
        found += map(Placed, own, [*places, *[{}] * (len(own) - len(names))])
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
    return {"heading": heading, "short": short, "place": [*_SHOWN, name].index(name), "cell": as_percent}


def _rank(name: str, about: str) -> spec.Column:
    return spec.count(name, about, lambda one: one.place.get(name.removesuffix("?")))


RANK_COLUMNS = (
    _rank("rank_low?", "best rank that the verdicts allow: 1 + models shown to be better"),
    _rank("rank_high?", "worst rank that the verdicts allow: models but those shown to be worse"),
    _rank("rank_group?", "from 1; no model of a group is shown to be worse than its first"),
    spec.share(
        "detectable?",
        "smallest true difference from the next model that these entries show with 80 % power",
        lambda one: one.place.get("detectable"),
    ),
)
"""The columns on ranks; null for a single model, or without verdicts."""

UNKNOWN: Mapping[str, Any] = dict.fromkeys(column.name for column in RANK_COLUMNS)
"""These columns of a model that nothing can be compared with."""

_LAST = len(_SHOWN)  # the place of what is no score

LEADERBOARD = spec.TableSpec(
    "leaderboard",
    "One row per model and rule set, official rules first, then by rank.",
    [
        spec.RUN,
        spec.RULES,
        _rank("rank", "by overall, highest first; ties in the order of names"),
        *RANK_COLUMNS,
        spec.MODEL,
        spec.text("display_name", "name on the leaderboard", lambda one: one.score.model.display_name),
        spec.text(
            "kind?",
            "what answers, from the model's row; null if it has none",
            lambda one: one.score.model.kind or None,
        ),
        spec.text("mode", "fc or prompt", lambda one: one.score.mode),
        spec.WEB,
        *(column for group in reversed(GROUPS) for column in _group(group)),
        *map(_category, V4_CATEGORIES),
        spec.share(
            "format_max_delta?",
            "best prompt format minus worst, in percentage points",
            lambda one: one.score.numbers["format_max_delta"],
            heading="Format max \N{GREEK CAPITAL LETTER DELTA}",
            tooltip="Best minus worst accuracy over the prompt formats, in percentage points; std: their "
            "standard deviation. Smaller is steadier; not part of the Overall.",
            cell=above("std", "format_std"),
            place=_LAST,
        ),
        spec.share(
            "format_std?",
            "standard deviation over prompt formats, in percentage points",
            lambda one: one.score.numbers["format_std"],
        ),
        spec.count("entries", "entries asked, of all categories", lambda one: one.entries),
        spec.count("answered", "entries with a judged response", lambda one: one.answered),
        spec.count(
            "not_answered",
            "entries without a verdict: in no score",
            lambda one: one.entries - one.answered,
        ),
        spec.share(
            "cost_usd?",
            "cost in US dollars as the leaderboard reckons it; null if unknown",
            lambda one: one.score.usage.cost_usd,
            heading="Cost ($)",
            tooltip="US dollars of all requests at the prices in the model's row",
            place=_LAST,
        ),
        spec.share(
            "latency_mean_seconds?",
            "mean latency of an exchange",
            lambda one: one.score.usage.latency_mean_seconds,
            heading="Latency (s)",
            cell=above("p95", "latency_p95_seconds"),
            place=_LAST,
        ),
        spec.share(
            "latency_std_seconds?",
            "sample standard deviation of the latencies",
            lambda one: one.score.usage.latency_std_seconds,
        ),
        spec.share(
            "latency_p95_seconds?",
            "95th percentile of the latencies",
            lambda one: one.score.usage.latency_p95_seconds,
        ),
        spec.text("org", "who made the model", lambda one: one.score.model.org),
        spec.text("license", "the model's license", lambda one: one.score.model.license),
        spec.text("url", "where the model is described", lambda one: one.score.model.url),
    ],
    rows=lambda made: made.once(_placed),
    always=True,
)


TABLES = (LEADERBOARD,)


def with_unranked(table: pa.Table) -> pa.Table:
    """The table `leaderboard` with models that have no rank, as they have no verdict."""
    place = table.schema.get_field_index("rank")
    return table.cast(table.schema.set(place, table.schema.field(place).with_nullable(True)))
