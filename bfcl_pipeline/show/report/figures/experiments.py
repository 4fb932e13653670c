"""Figures that join runs which differ in one setting of the web: tools, failing fetches, snippets."""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from statistics import fmean
from typing import Any

import altair as alt

from bfcl_pipeline.runs.web_label import note
from bfcl_pipeline.show.report.figures.figure import FULL, Figure, data, in_words, percent_axis, points
from bfcl_pipeline.show.report.figures.names import distinct
from bfcl_pipeline.show.report.figures.style import BLUE, INK, ORANGE, SOFT
from bfcl_pipeline.show.report.figures.web import CATEGORIES, snippets_of
from bfcl_pipeline.show.report.page.run_tables import Row, RunTables

ON, OFF = "with web tools", "without web tools"


@dataclass(frozen=True, slots=True)
class ExperimentRun:
    """A run with the settings in which experiments differ; None where the run does not record them."""

    tables: RunTables
    web_tools: bool | None
    fetch_failures: float | None  # share of page fetches that were made to fail


@dataclass(frozen=True, slots=True)
class _ExperimentResult:
    """The answers of a model to the questions of a category with so many hops, in one run."""

    model: str
    category: str
    hops: int
    answered: int
    correct: int


def draw_experiments(runs: Sequence[ExperimentRun]) -> Iterator[Figure]:
    """The figures for which these runs have numbers."""
    names = _names(runs)
    notes = _notes(runs)
    for figure in (
        _tools(runs, names, notes),
        _failures(runs, names, notes),
        _snippets(runs, names, notes),
    ):
        if figure is not None:
            yield figure


def _names(runs: Sequence[ExperimentRun]) -> Mapping[str, str]:
    """The name in figures of every model of any run."""
    shown = {row["model"]: row["display_name"] for run in runs for row in run.tables["leaderboard"]}
    return dict(zip(shown, distinct(shown.values()), strict=True))


def _notes(runs: Sequence[ExperimentRun]) -> list[str]:
    webs = (row["web"] for run in runs if run.web_tools is not False for row in run.tables["web_hops"])
    text = note(webs)
    return [text] if text else []


def _results(runs: Iterable[ExperimentRun]) -> list[_ExperimentResult]:
    """The results of runs; of a model and category that several have, those of the first."""
    found: dict[tuple[str, str, int], _ExperimentResult] = {}
    for run in runs:
        for row in run.tables["web_hops"]:
            if row["answered"]:
                result = _ExperimentResult(
                    row["model"], row["category"], row["hops"], row["answered"], row["correct"]
                )
                found.setdefault((result.model, result.category, result.hops), result)
    return list(found.values())


def _accuracy(results: Iterable[_ExperimentResult]) -> float:
    both = list(results)
    return sum(one.correct for one in both) / sum(one.answered for one in both)


def _undisturbed(runs: Iterable[ExperimentRun]) -> list[ExperimentRun]:
    """The runs with web tools in which no fetch was made to fail."""
    return [run for run in runs if run.web_tools and not run.fetch_failures]


def _tools(runs: Sequence[ExperimentRun], names: Mapping[str, str], notes: Sequence[str]) -> Figure | None:
    """Accuracy by hops with and without web tools: each model, and the mean over models."""
    sides = {ON: _results(_undisturbed(runs)), OFF: _results(run for run in runs if run.web_tools is False)}
    common = set.intersection(*({(one.model, one.category) for one in side} for side in sides.values()))
    rows: list[dict[str, Any]] = []
    for side, results in sides.items():
        kept = [one for one in results if (one.model, one.category) in common]
        for model, hops in sorted({(one.model, one.hops) for one in kept}):
            accuracy = _accuracy(one for one in kept if (one.model, one.hops) == (model, hops))
            rows.append({"side": side, "model": names[model], "hops": hops, "accuracy": points(accuracy)})
    if not rows:
        return None
    means = _means(rows, ("side", "hops"))
    models = len({row["model"] for row in rows})
    place = {
        "x": alt.X("hops:O", axis=alt.Axis(title="Hops of the question", labelAngle=0)),
        "xOffset": alt.XOffset("side:N", sort=[ON, OFF]),
    }
    y = alt.Y("accuracy:Q", scale=FULL, axis=percent_axis("Accuracy (%)"))
    colour = alt.Color(
        "side:N",
        scale=alt.Scale(domain=[ON, OFF], range=[BLUE, ORANGE]),
        legend=alt.Legend(title=None, orient="bottom"),
    )
    chart = alt.layer(
        alt.Chart(data(means)).mark_bar(stroke=SOFT, strokeWidth=0.6).encode(y=y, color=colour, **place),
        alt.Chart(data(rows)).mark_point(size=28, color=INK, opacity=0.8).encode(y=y, **place),
        alt.Chart(data(means))
        .mark_text(dy=-8, fontWeight="bold")
        .encode(y=y, text=alt.Text("accuracy:Q", format=".1f"), **place),
    ).properties(width=430, height=260)
    return Figure(
        "experiment_tools",
        "Web search with and without web tools",
        f"Accuracy by number of hops with and without web tools: the mean over {_models(models)} (bars), "
        "and each model (circles).",
        _about(means, lambda row: f"{row['hops']} hops {row['side']}"),
        chart,
        notes,
    )


def _failures(
    runs: Sequence[ExperimentRun], names: Mapping[str, str], notes: Sequence[str]
) -> Figure | None:
    """Accuracy by share of fetches that fail: each model, and the mean over models."""
    by_share: dict[float, list[ExperimentRun]] = {}
    for run in runs:
        if run.web_tools and run.fetch_failures is not None:
            by_share.setdefault(run.fetch_failures, []).append(run)
    results = {share: _results(chosen) for share, chosen in sorted(by_share.items())}
    if len(results) < 2:
        return None
    common = set.intersection(*({(one.model, one.category) for one in side} for side in results.values()))
    rows = [
        {
            "panel": CATEGORIES.get(category, category),
            "model": names[model],
            "failures": share * 100,
            "accuracy": points(
                _accuracy(one for one in side if (one.model, one.category) == (model, category))
            ),
        }
        for model, category in sorted(common)
        for share, side in results.items()
    ]
    if not rows:
        return None
    means = _means(rows, ("panel", "failures"))
    every = [{**row, "mean": False} for row in rows] + [{**row, "mean": True} for row in means]
    base = alt.Chart(data(every)).encode(
        x=alt.X(
            "failures:Q",
            axis=alt.Axis(title="Fetches that fail (%)", values=[share * 100 for share in results]),
        ),
        y=alt.Y("accuracy:Q", scale=FULL, axis=percent_axis("Accuracy (%)")),
    )
    behind, above = "!datum.mean", "datum.mean"
    chart = (
        alt.layer(
            base.transform_filter(behind)
            .mark_line(color=SOFT, strokeWidth=0.8, opacity=0.5)
            .encode(detail="model:N"),
            base.transform_filter(behind).mark_point(size=26, color=SOFT, opacity=0.8),
            base.transform_filter(above).mark_line(color=BLUE, strokeWidth=2.6),
            base.transform_filter(above).mark_point(
                shape="square", filled=True, size=75, color=BLUE, opacity=1
            ),
            base.transform_filter(above)
            .mark_text(dy=-13, fontWeight="bold")
            .encode(text=alt.Text("accuracy:Q", format=".1f")),
        )
        .properties(width=280, height=240)
        .facet(column=alt.Column("panel:N", title=None))
    )
    models = len({row["model"] for row in rows})
    return Figure(
        "experiment_failures",
        "Web search with fetches that fail",
        f"Accuracy by the share of page fetches that fail: the mean over {_models(models)} (squares), and "
        "each model (circles).",
        _about(means, lambda row: f"{row['panel']}, {row['failures']:g} % fail:"),
        chart,
        notes,
    )


def _snippets(
    runs: Sequence[ExperimentRun], names: Mapping[str, str], notes: Sequence[str]
) -> Figure | None:
    """Accuracy with and without snippets, which may be in different runs."""
    results = _results(_undisturbed(runs))
    found: dict[str, tuple[float, float]] = {}
    for model, name in names.items():
        sides = [
            [one for one in results if (one.model, one.category) == (model, category)]
            for category in CATEGORIES
        ]
        if all(sides):
            found[name] = (_accuracy(sides[0]), _accuracy(sides[1]))
    return snippets_of(found, notes, "experiment_snippets")


def _means(rows: Sequence[Row], keys: Sequence[str]) -> list[dict[str, Any]]:
    """The mean accuracy over models by the columns `keys`."""
    grouped: dict[tuple[Any, ...], list[float]] = {}
    for row in rows:
        grouped.setdefault(tuple(row[key] for key in keys), []).append(row["accuracy"])
    return [
        {**dict(zip(keys, values, strict=True)), "accuracy": fmean(shares)}
        for values, shares in sorted(grouped.items())
    ]


def _models(number: int) -> str:
    return f"{number} models" if number > 1 else "one model"


def _about(means: Sequence[Row], name: Any) -> str:
    return f"Mean over models in per cent: {in_words((name(row), row['accuracy']) for row in means)}."
