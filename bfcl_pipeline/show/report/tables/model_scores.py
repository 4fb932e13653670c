"""The scores of each model under each rule set, with the usage that the leaderboard shows beside them.

Covers counting verdicts and ranking. The arithmetic is in `scoring.aggregate`.
"""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import asdict, dataclass, replace
from typing import Any, Self

import polars as pl

from bfcl_pipeline.benchmark.config import ModelRow, described_row
from bfcl_pipeline.benchmark.definition import CATEGORIES, FORMATS, GROUPS, V4_CATEGORIES
from bfcl_pipeline.benchmark.definition.leaderboard import EXECUTABLE, categories_of
from bfcl_pipeline.benchmark.records import Rules
from bfcl_pipeline.judge.scoring.aggregate import Count, Score, Spread, format_spread, leaderboard_scores
from bfcl_pipeline.judge.scoring.intervals import Precision
from bfcl_pipeline.judge.scoring.statistics.clustered import wilson
from bfcl_pipeline.judge.scoring.usage import Usage, UsageSummary, summarise_usage
from bfcl_pipeline.runs.web_label import SIMULATED, join_webs, split_webs, unreal
from bfcl_pipeline.show.report.tables.intervals import precisions_of_run
from bfcl_pipeline.show.report.tables.run_records import FORMAT_CATEGORY, RunRecords, by_model


@dataclass(frozen=True, slots=True)
class VerdictCounts:
    """Entries that were run, scored and passed, of one category or prompt format."""

    entries: int
    answered: int  # entries with a verdict
    correct: int  # entries with a valid answer

    @classmethod
    def of(cls, marks: Sequence[bool | None]) -> Self:
        """The counts of verdicts; None is an entry without a verdict."""
        return cls(len(marks), len(marks) - marks.count(None), marks.count(True))

    @property
    def accuracy(self) -> float | None:
        """Share of the entries with a verdict that are valid; None if there are none."""
        return self.correct / self.answered if self.answered else None

    @property
    def columns(self) -> dict[str, Any]:
        """The columns `entries` and those of `spec.tally`, for entries that do not share clusters.

        That holds for the parts of one category by prompt format, by memory scenario and by hops: each has
        one entry of a base entry or a question.
        """
        interval = None if self.accuracy is None else wilson(self.accuracy, self.answered)
        return {
            **asdict(self),
            "accuracy": self.accuracy,
            "ci_low": interval.low if interval else None,
            "ci_high": interval.high if interval else None,
        }


@dataclass(frozen=True, slots=True)
class ModelScore:
    """One model under one rule set."""

    model: ModelRow
    mode: str  # fc or prompt, or both names if the run mixes them
    rules: Rules
    tallies: Mapping[str, VerdictCounts]  # by category that was run
    formats: Mapping[str, VerdictCounts]  # by prompt format that was run, in the release's order
    scores: Mapping[str, Score]  # by category and group, of V4 and of V1's executable categories
    precisions: Mapping[str, Precision]  # by category and group that has a verdict
    spread: Spread | None  # over prompt formats; None if none has a verdict
    usage: UsageSummary  # cost and latency of the categories of V4
    webs: Mapping[str, str]  # the web searched by category, as in the column `web`

    @property
    def of_v4(self) -> Mapping[str, VerdictCounts]:
        """Those of `tallies` that are of V4."""
        return {name: tally for name, tally in self.tallies.items() if name in V4_CATEGORIES}

    @property
    def judged(self) -> bool:
        """Whether any entry of V4 has a verdict; a model without one has no rank."""
        return any(tally.answered for tally in self.of_v4.values())

    @property
    def key(self) -> dict[str, Any]:
        """The columns that say which score it is."""
        return {"model": self.model.name, "rules": self.rules.value}

    @property
    def numbers(self) -> dict[str, float | None]:
        """What is shown beside the scores: cost, latencies, and the spread over formats in points."""
        return {
            **asdict(self.usage),
            "format_max_delta": self.spread.max_delta if self.spread else None,
            "format_std": self.spread.std if self.spread else None,
        }

    def web(self, categories: Iterable[str] = V4_CATEGORIES) -> str | None:
        """The webs that it searched in some categories, as in the column `web`."""
        return join_webs(web for name in categories for web in split_webs(self.webs.get(name)))

    def limits(self, name: str) -> tuple[float, float] | None:
        """The interval of a score, which contains it also where the sums were rounded differently."""
        share, precision = self.scores[name].accuracy, self.precisions.get(name)
        return (min(precision.low, share), max(precision.high, share)) if precision else None

    def columns(self, name: str, known: bool) -> dict[str, float | None]:
        """The columns `spec.score`; null unless the score is known.

        Without an interval, a known score is the 0 of an overall of which nothing was evaluated.
        """
        share = self.scores[name].accuracy if known else None
        low, high = (known and self.limits(name)) or (share, share)
        return {name: share, f"{name}_ci_low": low, f"{name}_ci_high": high}


def model_scores(
    records: RunRecords, rows: Mapping[str, ModelRow], sizes: Mapping[str, int] | None = None
) -> list[ModelScore]:
    """The scores of every model under each rule set that it has verdicts of: official first, then ranked.

    Args:
        records: of the run.
        rows: the models file.
        sizes: of every category, its entries in means by size; None: those scored, as in the official tool.
    """
    categories = _tallies(records.verdicts, "category")
    v4 = records.of(V4_CATEGORIES)
    precisions = _precisions(records, v4, sizes)
    formatted = records.verdicts.filter(pl.col("category") == FORMAT_CATEGORY)
    formats = _tallies(formatted.join(records.formats, on="entry_id", how="left"), "prompt_format")
    modes = _modes(records.verdicts)
    webs = _webs(records.responses.rows)
    responses = by_model(v4.responses.rows)
    models = {model: described_row(rows, model) for model in modes}
    usages = {model: _usage(row, responses.get(model)) for model, row in models.items()}
    scores = []
    for (model, rules), tallies in categories.items():
        of_format = formats.get((model, rules), {})
        accuracies = [tally.accuracy for tally in of_format.values() if tally.accuracy is not None]
        score = ModelScore(
            model=models[model],
            mode=modes[model],
            rules=Rules(rules),
            tallies=tallies,
            formats={fmt.key: of_format[fmt.key] for fmt in FORMATS if fmt.key in of_format},
            scores=_scores(tallies, sizes),
            precisions=precisions.get((model, Rules(rules)), {}),
            spread=format_spread(accuracies) if accuracies else None,
            usage=usages[model],
            webs=webs.get(model, {}),
        )
        scores.append(score)
    return sorted(scores, key=_rank_key)


def on_the_real_web(scores: Iterable[ModelScore], records: RunRecords) -> list[ModelScore]:
    """The scores of V4 with web categories whose web is simulated or off as not evaluated.

    The cost and latency of these categories are left out as well, and so are all intervals, which the
    official files do not have.
    """
    responses = by_model(records.of(V4_CATEGORIES).responses.rows)
    return [_on_the_real_web(score, responses.get(score.model.name)) for score in scores]


def _on_the_real_web(score: ModelScore, responses: pl.DataFrame | None) -> ModelScore:
    left_out = [name for name, web in score.webs.items() if name in V4_CATEGORIES and unreal(web)]
    if responses is None or not left_out:
        return score
    tallies = {name: tally for name, tally in score.tallies.items() if name not in left_out}
    return replace(
        score,
        tallies=tallies,
        scores=_scores(tallies),
        precisions={},
        usage=_usage(score.model, responses.filter(~pl.col("category").is_in(left_out))),
        webs={name: web for name, web in score.webs.items() if name not in left_out},
    )


def _rank_key(score: ModelScore) -> tuple[int, bool, float, str]:
    """Sorts by rules, then by overall score, highest first; equal ones in the order of model names.

    Models without any verdict are last. The official tool leaves equal ones in the order in which it found
    the folders on disk.
    """
    return (
        list(Rules).index(score.rules),
        not score.judged,
        -score.scores["overall"].accuracy,
        score.model.name,
    )


def _tallies(verdicts: pl.DataFrame, key: str) -> dict[tuple[str, str], dict[str, VerdictCounts]]:
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
    tallies: dict[tuple[str, str], dict[str, VerdictCounts]] = {}
    for row in counted.iter_rows(named=True):
        tally = VerdictCounts(row["entries"], row["answered"], row["correct"])
        tallies.setdefault((row["model"], row["rules"]), {})[row[key]] = tally
    return tallies


def _modes(verdicts: pl.DataFrame) -> dict[str, str]:
    modes = verdicts.group_by("model").agg(pl.col("mode").unique().sort())
    return {row["model"]: " and ".join(row["mode"]) for row in modes.iter_rows(named=True)}


def _webs(responses: pl.DataFrame) -> dict[str, dict[str, str]]:
    executed = [name for name, category in CATEGORIES.items() if category.executes]
    web = pl.when(pl.col("category").is_in(executed)).then(pl.col("web").fill_null(SIMULATED))
    found = (
        responses.with_columns(web=web.otherwise("web"))
        .drop_nulls("web")
        .group_by("model", "category")
        .agg("web")
        .sort("model", "category")
    )
    webs: dict[str, dict[str, str]] = {}
    for row in found.iter_rows(named=True):
        webs.setdefault(row["model"], {})[row["category"]] = join_webs(row["web"]) or ""
    return webs


def _precisions(
    records: RunRecords, v4: RunRecords, sizes: Mapping[str, int] | None
) -> dict[tuple[str, Rules], dict[str, Precision]]:
    """The precision of every category and group, by model and rule set.

    Those of V4 are computed without the executable categories, so that they are equal to the last digit in
    a run without any.
    """
    found = precisions_of_run(v4, sizes)
    if v4 is not records:
        retired = records.of({*GROUPS["executable"], *categories_of("overall_august_2024")})
        for key, of_retired in precisions_of_run(retired, sizes, EXECUTABLE).items():
            found[key] = {**of_retired, **found.get(key, {})}
    return found


def _usage(model: ModelRow, responses: pl.DataFrame | None) -> UsageSummary:
    """Tokens and latencies of each exchange (not of each entry), as on the leaderboard."""
    usage = Usage()
    if responses is not None:
        steps = responses["steps"].explode().drop_nulls().struct
        usage = Usage(
            steps.field("input_tokens").drop_nulls().to_list(),
            steps.field("output_tokens").drop_nulls().to_list(),
            steps.field("latency_seconds").drop_nulls().to_list(),
        )
    return summarise_usage(usage, model.input_price, model.output_price)


def _scores(
    tallies: Mapping[str, VerdictCounts], sizes: Mapping[str, int] | None = None
) -> dict[str, Score]:
    counts = {name: Count(t.answered, t.correct) for name, t in tallies.items()}
    return leaderboard_scores(counts, sizes)
