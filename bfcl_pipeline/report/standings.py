"""Where each model stands: its scores under one rule set, with what the leaderboard shows beside them.

Covers counting verdicts (polars) and ranking. The arithmetic is `scoring.aggregate`.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass

import polars as pl

from bfcl_pipeline.benchmark import FORMATS
from bfcl_pipeline.config import ModelRow, described
from bfcl_pipeline.records import Rules
from bfcl_pipeline.report.collect import FORMAT_CATEGORY, RunRecords
from bfcl_pipeline.scoring.aggregate import Count, Score, Spread, format_spread, leaderboard_scores
from bfcl_pipeline.scoring.leaderboard_usage import Usage, UsageSummary, summarise_usage


@dataclass(frozen=True, slots=True)
class Tally:
    """Entries asked, judged and passed, of one category or prompt format."""

    entries: int  # asked
    answered: int  # of these, judged
    correct: int  # of these, valid

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


def standings(records: RunRecords, rows: Mapping[str, ModelRow]) -> list[Standing]:
    """Every model under every rule set it was judged by: official first, then ranked."""
    categories = _tallies(records.verdicts, "category")
    formatted = records.verdicts.filter(pl.col("category") == FORMAT_CATEGORY)
    formats = _tallies(formatted.join(records.formats, on="entry_id", how="left"), "prompt_format")
    modes = _modes(records.verdicts)
    found = [
        _standing(
            described(rows, model),
            modes[model],
            Rules(rules),
            tallies,
            formats.get((model, rules), {}),
            _usage(records.responses, model),
        )
        for (model, rules), tallies in categories.items()
    ]
    return [
        standing
        for rules in Rules
        for standing in ranked((s for s in found if s.rules is rules), "overall")
    ]


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


def _usage(responses: pl.DataFrame, model: str) -> Usage:
    """Tokens and latencies as the leaderboard takes them: of each exchange, not of each entry."""
    own = responses.filter(pl.col("model") == model)
    steps = own["steps"].explode().drop_nulls().struct
    return Usage(
        steps.field("input_tokens").drop_nulls().to_list(),
        steps.field("output_tokens").drop_nulls().to_list(),
        steps.field("latency_seconds").drop_nulls().to_list(),
    )


def _standing(
    model: ModelRow,
    mode: str,
    rules: Rules,
    tallies: Mapping[str, Tally],
    formats: Mapping[str, Tally],
    usage: Usage,
) -> Standing:
    accuracies = [tally.accuracy for tally in formats.values() if tally.accuracy is not None]
    return Standing(
        model=model,
        mode=mode,
        rules=rules,
        tallies=tallies,
        formats={fmt.key: formats[fmt.key] for fmt in FORMATS if fmt.key in formats},
        scores=leaderboard_scores({name: Count(t.answered, t.correct) for name, t in tallies.items()}),
        spread=format_spread(accuracies) if accuracies else None,
        usage=summarise_usage(usage, model.input_price, model.output_price),
    )
