"""The tables on several trials of a model: spreads and intervals, pass^k, flaky entries.

The statistics are `scoring.statistics.repeated`.
"""

from __future__ import annotations

import statistics
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

import numpy as np
import polars as pl
from numpy.typing import NDArray

from bfcl_pipeline.benchmark.config import trial_of
from bfcl_pipeline.benchmark.definition import CATEGORIES, V4_CATEGORIES
from bfcl_pipeline.benchmark.definition.clusters import cluster_of, memory_scenario
from bfcl_pipeline.benchmark.definition.leaderboard import categories_of, category_weights
from bfcl_pipeline.judge.scoring.statistics.clustered import Floats, layout, number_keys, total
from bfcl_pipeline.judge.scoring.statistics.repeated import (
    Estimates,
    Repeated,
    all_right_of,
    any_right,
    mean_of,
    score,
)
from bfcl_pipeline.show.report.tables import spec
from bfcl_pipeline.show.report.tables.leaderboard import SCORES, leaderboard_rows
from bfcl_pipeline.show.report.tables.run_records import by_model, in_order


@dataclass(frozen=True, slots=True)
class TrialVerdicts:
    """The verdicts of all trials of one model under one rule set, on entries with at least one."""

    categories: Sequence[str]  # in benchmark order
    entries: Sequence[tuple[str, str]]  # category and id, in benchmark order
    repeated: Repeated
    sizes: Mapping[str, int] | None  # of every category, its entries in means by size; None: those here

    def weights(self, name: str) -> Floats:
        """The share of each category in a score."""
        there = dict(zip(self.categories, map(int, self.repeated.where.sizes), strict=True))
        shares = category_weights(name, self.sizes or there)
        return np.array([shares.get(category, 0.0) for category in self.categories])

    def members(self, name: str) -> list[str]:
        """The categories of a score that are here."""
        within = set(categories_of(name))
        return [category for category in self.categories if category in within]

    def inside(self, name: str) -> NDArray[np.bool_]:
        """Whether each entry is in a score."""
        places = [self.categories.index(category) for category in self.members(name)]
        return np.isin(self.repeated.where.category, places)

    def with_verdicts(self, least: int) -> TrialVerdicts | None:
        """The entries with at least so many verdicts; None if there are none."""
        enough = self.repeated.judged >= least
        if enough.all():
            return self
        kept = [entry for entry, is_kept in zip(self.entries, enough, strict=True) if is_kept]
        return _trials(kept, self.repeated.marks[enough], self.sizes) if kept else None


def _tables(made: spec.RunSources) -> dict[str, list[spec.Row]]:
    """The rows of the three tables, for the models with more than one trial."""
    trials_of: dict[tuple[str, str], list[spec.Row]] = {}
    for row in made.once(leaderboard_rows):
        trials_of.setdefault((row["rules"], trial_of(row["model"]).model), []).append(row)
    tables: dict[str, list[spec.Row]] = {"trials": [], "pass_k": [], "flaky": []}
    verdicts = by_model(made.records.verdicts.select("model", "rules", "category", "entry_id", "valid"))
    for (rules, model), rows in trials_of.items():
        if len(rows) < 2:
            continue
        names = sorted((row["model"] for row in rows), key=lambda name: trial_of(name).number)
        every = [verdicts[name].filter(pl.col("rules") == rules) for name in names]
        of_v4 = [frame.filter(pl.col("category").is_in(V4_CATEGORIES)) for frame in every]
        found = read_trials(of_v4, made.sizes)
        same = list(map(len, every)) == list(map(len, of_v4))
        of_all = found if same else read_trials(every, made.sizes)
        made_rows = (
            _spreads(rows, found),
            _pass_k(found) if found else (),
            _flaky(of_all) if of_all else (),
        )
        for table, columns in zip(tables.values(), made_rows, strict=True):
            table += ({"rules": rules, "model": model, **row} for row in columns)
    return tables


def read_trials(
    trials: Sequence[pl.DataFrame], sizes: Mapping[str, int] | None = None
) -> TrialVerdicts | None:
    """The verdicts of the trials of one model under one rule set; None if there is none."""
    key = ["category", "entry_id"]
    marks = [
        frame.select(*key, pl.col("valid").cast(pl.Float64).alias(str(number)))
        for number, frame in enumerate(trials)
    ]
    entries = pl.concat(frame.select(key) for frame in marks).unique(maintain_order=True)
    table = in_order(entries, "category")
    for frame in marks:
        table = table.join(frame, on=key, how="left", maintain_order="left")
    values = [str(number) for number in range(len(marks))]
    table = table.filter(pl.any_horizontal(pl.col(name).is_not_null() for name in values))
    if table.is_empty():
        return None
    return _trials(table.select(key).rows(), table.select(values).to_numpy().astype(np.float64), sizes)


def _trials(
    entries: Sequence[tuple[str, str]], marks: Floats, sizes: Mapping[str, int] | None
) -> TrialVerdicts:
    present = {category for category, _ in entries}
    categories = [name for name in CATEGORIES if name in present]
    places = {name: place for place, name in enumerate(categories)}
    where = layout(
        [places[category] for category, _ in entries],
        number_keys([cluster_of(*entry) for entry in entries]),
    )
    # The questions of a memory scenario see the memory that the sessions of the same trial filled.
    draw = number_keys([memory_scenario(entry_id) or entry_id for _, entry_id in entries])
    return TrialVerdicts(categories, entries, Repeated(marks, where, draw), sizes)


def _spreads(rows: Sequence[spec.Row], found: TrialVerdicts | None) -> Iterator[spec.Row]:
    """The rows of `trials` of one model under one rule set.

    rows: of its trials in the leaderboard.
    """
    estimates = mean_of(found.repeated) if found else None
    for name in SCORES:
        values = [row[name] for row in rows if row[name] is not None]
        if values:
            yield {
                "score": name,
                "trials": len(values),
                "mean": (mean := statistics.fmean(values)),
                "std": statistics.stdev(values) if len(values) > 1 else None,
                "min": min(values),
                "max": max(values),
                **(_estimated(name, len(values), mean, found, estimates) if found and estimates else {}),
            }


def _estimated(name: str, trials: int, mean: float, found: TrialVerdicts, estimates: Estimates) -> spec.Row:
    """The columns of one score that its verdicts have. trials, mean: of the score over trials."""
    if not found.members(name):
        return {}
    inside = found.inside(name)
    judged, right = found.repeated.judged[inside], found.repeated.right[inside]
    counts = {
        "entries": int(np.count_nonzero(judged > 1)),
        "flaky": int(np.count_nonzero((right > 0) & (right < judged))),
    }
    judged_trials = ~np.isnan(found.repeated.marks)
    for category in found.members(name):
        # A trial without a category has another score, which is not the mean of its entries.
        if np.count_nonzero(judged_trials[found.inside(category)].any(axis=0)) != trials:
            return counts
    result = score(estimates, found.weights(name))
    return {
        # The mean over trials and that over entries differ slightly where verdicts are missing.
        "ci_low": min(result.limits.low, mean),
        "ci_high": max(result.limits.high, mean),
        "between": result.between,
        "within": result.within,
        **counts,
    }


def _pass_k(found: TrialVerdicts) -> Iterator[spec.Row]:
    """The rows of `pass_k` of one model under one rule set, by score, then k."""
    by_score: dict[str, list[spec.Row]] = {name: [] for name in SCORES}
    for k in range(1, found.repeated.marks.shape[1] + 1):
        counted = found.with_verdicts(k)
        if counted is None:
            break
        estimates = all_right_of(counted.repeated, k)
        any_of = any_right(counted.repeated.right, counted.repeated.judged, k)
        where = counted.repeated.where
        any_means = np.bincount(where.category, weights=any_of, minlength=where.categories) / where.sizes
        for name, rows in by_score.items():
            members = counted.members(name)
            if not members or members != found.members(name):
                continue
            weights = counted.weights(name)
            result = score(estimates, weights)
            rows.append(
                {
                    "score": name,
                    "k": k,
                    "entries": int(np.count_nonzero(counted.inside(name))),
                    "pass_k": result.mean,
                    "ci_low": result.limits.low,
                    "ci_high": result.limits.high,
                    "pass_at_k": total(weights * any_means),
                }
            )
    for rows in by_score.values():
        yield from rows


def _flaky(found: TrialVerdicts) -> Iterator[spec.Row]:
    """The rows of `flaky` of one model under one rule set, in benchmark order."""
    judged, right = found.repeated.judged, found.repeated.right
    for place in map(int, np.flatnonzero((right > 0) & (right < judged))):
        category, entry_id = found.entries[place]
        yield {
            "category": category,
            "entry_id": entry_id,
            "trials": int(judged[place]),
            "right": int(right[place]),
        }


_MODEL = spec.text("model", "name of the model, of whose trials each has its own in other tables")
_KEY = (spec.RUN, spec.RULES, _MODEL)
_SCORE = spec.text("score", "a column of `leaderboard`: a score or a category")


TRIALS = spec.TableSpec(
    "trials",
    "One row per rule set, repeated model and score.",
    [
        *_KEY,
        _SCORE,
        spec.count("trials", "trials that have this score"),
        spec.share("mean", "its mean over these"),
        spec.share("std?", "its sample standard deviation; null of one trial"),
        spec.share("min", "the lowest"),
        spec.share("max", "the highest"),
        spec.share(
            "ci_low?",
            "lower limit of the clustered 95 % interval of the mean; null if trials lack categories of it",
        ),
        spec.share("ci_high?", "upper limit of this interval"),
        spec.share("between?", "standard error of the mean from the choice of the entries"),
        spec.share("within?", "standard error of the mean from the randomness of trials"),
        spec.count("entries?", "entries with a verdict in two trials or more"),
        spec.count("flaky?", "of these, those whose verdict differs among trials"),
    ],
    rows=lambda made: made.once(_tables)["trials"],
)


PASS_K = spec.TableSpec(
    "pass_k",
    "One row per rule set, repeated model, score and number of repetitions, if every category "
    "of the score in the run has entries with so many verdicts. A category that was not run counts 0.",
    [
        *_KEY,
        _SCORE,
        spec.count("k", "number of repetitions"),
        spec.count("entries", "entries counted: verdicts in k trials or more"),
        spec.share("pass_k", "pass^k: probability that k repetitions are all right"),
        spec.share("ci_low", "lower limit of its clustered 95 % interval"),
        spec.share("ci_high", "upper limit of its clustered 95 % interval"),
        spec.share("pass_at_k", "pass@k: probability that one or more of k are right"),
    ],
    rows=lambda made: made.once(_tables)["pass_k"],
)


FLAKY = spec.TableSpec(
    "flaky",
    "One row per rule set, repeated model and entry whose verdict differs among trials, in the "
    "order of the benchmark.",
    [
        *_KEY,
        spec.CATEGORY,
        spec.text("entry_id", "id as in the release"),
        spec.count("trials", "trials with a verdict on it"),
        spec.count("right", "of these, those with a valid answer"),
    ],
    rows=lambda made: made.once(_tables)["flaky"],
)


TABLES = (TRIALS, PASS_K, FLAKY)
