"""Where each model stands: its scores under one rule set, with what the leaderboard shows beside them.

Covers counting verdicts (polars) and ranking. The arithmetic is `scoring.aggregate`.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Self

import polars as pl

from bfcl_pipeline.benchmark import FORMATS
from bfcl_pipeline.config import ModelRow, described
from bfcl_pipeline.records import Rules
from bfcl_pipeline.report.collect import FORMAT_CATEGORY, RunRecords, by_model
from bfcl_pipeline.report.web_label import joined, split, unreal
from bfcl_pipeline.scoring.aggregate import Count, Score, Spread, format_spread, leaderboard_scores
from bfcl_pipeline.scoring.leaderboard_usage import Usage, UsageSummary, summarise_usage


@dataclass(frozen=True, slots=True)
class Tally:
    """Entries asked, judged and passed, of one category or prompt format."""

    entries: int  # asked
    answered: int  # of these, judged
    correct: int  # of these, valid

    @classmethod
    def of(cls, marks: Sequence[bool | None]) -> Self:
        """The tally of verdicts; None is an entry without one."""
        return cls(len(marks), len(marks) - marks.count(None), marks.count(True))

    @property
    def accuracy(self) -> float | None:
        """Share of the judged ones that are valid; None if none was judged."""
        return self.correct / self.answered if self.answered else None


@dataclass(frozen=True, slots=True)
class Standing:
    """One model under one rule set."""

    model: ModelRow  # who
    mode: str  # fc or prompt, or both names where the run mixes them
    rules: Rules  # who judged
    tallies: Mapping[str, Tally]  # by category, of those that were asked
    formats: Mapping[str, Tally]  # by prompt format, of those that were asked, in the release's order
    scores: Mapping[str, Score]  # by category and group
    spread: Spread | None  # over prompt formats; None where none was judged
    usage: UsageSummary  # cost and latency
    webs: Mapping[str, str]  # by category, of those that searched one: which, as in the column `web`

    @property
    def web(self) -> str | None:
        """Which webs it searched, as in the column `web`."""
        return joined(one for webs in self.webs.values() for one in split(webs))


def standings(records: RunRecords, rows: Mapping[str, ModelRow]) -> list[Standing]:
    """Every model under every rule set it was judged by: official first, then ranked."""
    categories = _tallies(records.verdicts, "category")
    formatted = records.verdicts.filter(pl.col("category") == FORMAT_CATEGORY)
    formats = _tallies(formatted.join(records.formats, on="entry_id", how="left"), "prompt_format")
    modes = _modes(records.verdicts)
    webs = _webs(records.responses)
    asked = by_model(records.responses)
    described_rows = {model: described(rows, model) for model in modes}
    usages = {model: _summary(row, asked.get(model)) for model, row in described_rows.items()}
    found = [
        _standing(
            described_rows[model],
            modes[model],
            Rules(rules),
            tallies,
            formats.get((model, rules), {}),
            usages[model],
            webs.get(model, {}),
        )
        for (model, rules), tallies in categories.items()
    ]
    return [
        standing
        for rules in Rules
        for standing in ranked((s for s in found if s.rules is rules), "overall")
    ]


def on_the_real_web(found: Iterable[Standing], records: RunRecords) -> list[Standing]:
    """The same standings, but a web category whose web is simulated or off was not evaluated at all.

    Neither does what it cost and took count.
    """
    asked = by_model(records.responses)
    return [_on_the_real_web(standing, asked.get(standing.model.name)) for standing in found]


def _on_the_real_web(standing: Standing, responses: pl.DataFrame | None) -> Standing:
    left_out = [category for category, web in standing.webs.items() if unreal(web)]
    if responses is None or not left_out:
        return standing
    tallies = {name: tally for name, tally in standing.tallies.items() if name not in left_out}
    return replace(
        standing,
        tallies=tallies,
        scores=_scores(tallies),
        usage=_summary(standing.model, responses.filter(~pl.col("category").is_in(left_out))),
        webs={name: web for name, web in standing.webs.items() if name not in left_out},
    )


def ranked(found: Iterable[Standing], score: str) -> list[Standing]:
    """By `score`, highest first; equal ones in the order of model names.

    The official tool leaves equal ones in the order in which it found the folders on disk.
    """
    by_name = sorted(found, key=lambda standing: standing.model.name)
    return sorted(by_name, key=lambda standing: standing.scores[score].accuracy, reverse=True)


def _tallies(verdicts: pl.DataFrame, key: str) -> dict[tuple[str, str], dict[str, Tally]]:
    """The tallies by model and rules, then by `key`."""
    counted = (
        verdicts.group_by("model", "rules", key)
        .agg(
            entries=pl.len(),
            answered=pl.col("valid").is_not_null().sum(),
            correct=pl.col("valid").fill_null(False).sum(),
        )
        .sort("model", "rules", key)
    )
    found: dict[tuple[str, str], dict[str, Tally]] = {}
    for row in counted.iter_rows(named=True):
        tally = Tally(row["entries"], row["answered"], row["correct"])
        found.setdefault((row["model"], row["rules"]), {})[row[key]] = tally
    return found


def _modes(verdicts: pl.DataFrame) -> dict[str, str]:
    modes = verdicts.group_by("model").agg(pl.col("mode").unique().sort())
    return {row["model"]: " and ".join(row["mode"]) for row in modes.iter_rows(named=True)}


def _webs(responses: pl.DataFrame) -> dict[str, dict[str, str]]:
    searched = (
        responses.drop_nulls("web").group_by("model", "category").agg("web").sort("model", "category")
    )
    found: dict[str, dict[str, str]] = {}
    for row in searched.iter_rows(named=True):
        found.setdefault(row["model"], {})[row["category"]] = joined(row["web"]) or ""
    return found


def _summary(model: ModelRow, responses: pl.DataFrame | None) -> UsageSummary:
    """Tokens and latencies as the leaderboard takes them: of each exchange, not of each entry."""
    usage = Usage()
    if responses is not None:
        steps = responses["steps"].explode().drop_nulls().struct
        usage = Usage(
            steps.field("input_tokens").drop_nulls().to_list(),
            steps.field("output_tokens").drop_nulls().to_list(),
            steps.field("latency_seconds").drop_nulls().to_list(),
        )
    return summarise_usage(usage, model.input_price, model.output_price)


def _standing(
    model: ModelRow,
    mode: str,
    rules: Rules,
    tallies: Mapping[str, Tally],
    formats: Mapping[str, Tally],
    usage: UsageSummary,
    webs: Mapping[str, str],
) -> Standing:
    accuracies = [tally.accuracy for tally in formats.values() if tally.accuracy is not None]
    return Standing(
        model=model,
        mode=mode,
        rules=rules,
        tallies=tallies,
        formats={fmt.key: formats[fmt.key] for fmt in FORMATS if fmt.key in formats},
        scores=_scores(tallies),
        spread=format_spread(accuracies) if accuracies else None,
        usage=usage,
        webs=webs,
    )


def _scores(tallies: Mapping[str, Tally]) -> dict[str, Score]:
    return leaderboard_scores({name: Count(t.answered, t.correct) for name, t in tallies.items()})
