"""Figures that join runs which differ in one setting of the web: tools, failing fetches, snippets."""

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from operator import itemgetter
from typing import Any

import altair as alt

from bfcl_pipeline.base.text import plural
from bfcl_pipeline.show.report.figures import figure as fig
from bfcl_pipeline.show.report.figures.names import distinct
from bfcl_pipeline.show.report.figures.style import BLUE, INK, ORANGE, SOFT
from bfcl_pipeline.show.report.figures.web import CATEGORIES, HOPS, snippets_of
from bfcl_pipeline.show.report.page.run_tables import Row, RunTables

ON, OFF = "with web tools", "without web tools"


@dataclass(frozen=True, slots=True)
class ExperimentRun:
    """A run with the settings in which experiments differ; None where the run does not record them."""

    tables: RunTables
    web_tools: bool | None
    fetch_failures: float | None  # share of page fetches that were made to fail


def experiment_figures(runs: Sequence[ExperimentRun]) -> dict[str, fig.Figure | None]:
    """The figures by name; None: these runs have no numbers for it."""
    shown = {row["model"]: row["display_name"] for run in runs for row in run.tables["leaderboard"]}
    names = dict(zip(shown, distinct(shown.values()), strict=True))
    notes = fig.web_notes(
        row for run in runs if run.web_tools is not False for row in run.tables["web_hops"]
    )
    return {
        "experiment_tools": _tools(runs, names, notes),
        "experiment_failures": _failures(runs, names, notes),
        "experiment_snippets": _snippets(runs, names, notes),
    }


def _results(runs: Iterable[ExperimentRun]) -> list[Row]:
    """The rows of `web_hops` with answers; of a model and category that several runs have, the first's."""
    found: dict[tuple[str, str, int], Row] = {}
    for run in runs:
        for row in run.tables["web_hops"]:
            if row["answered"]:
                found.setdefault((row["model"], row["category"], row["hops"]), row)
    return list(found.values())


def _accuracy(results: Iterable[Row], **wanted: object) -> float | None:
    """The accuracy in the rows with the `wanted` values; None without such a row."""
    own = [row for row in results if all(row[name] == value for name, value in wanted.items())]
    answered = sum(row["answered"] for row in own)
    return sum(row["correct"] for row in own) / answered if own else None


def _common(sides: Iterable[Iterable[Row]]) -> set[tuple[str, str]]:
    """The models and categories that every side has."""
    return set.intersection(*({(row["model"], row["category"]) for row in side} for side in sides))


def _undisturbed(runs: Iterable[ExperimentRun]) -> list[ExperimentRun]:
    """The runs with web tools in which no fetch was made to fail."""
    return [run for run in runs if run.web_tools and not run.fetch_failures]


def _tools(
    runs: Sequence[ExperimentRun], names: Mapping[str, str], notes: Sequence[str]
) -> fig.Figure | None:
    """Accuracy by hops with and without web tools: each model, and the mean over models."""
    sides = {ON: _results(_undisturbed(runs)), OFF: _results(run for run in runs if run.web_tools is False)}
    common = _common(sides.values())
    rows: list[dict[str, Any]] = []
    for side, results in sides.items():
        kept = [row for row in results if (row["model"], row["category"]) in common]
        for model, hops in sorted({(row["model"], row["hops"]) for row in kept}):
            accuracy = _accuracy(kept, model=model, hops=hops)
            rows.append(
                {"side": side, "model": names[model], "hops": hops, "accuracy": fig.points(accuracy)}
            )
    if not rows:
        return None
    means = sorted(fig.means_by(rows, ("side", "hops"), "accuracy"), key=itemgetter("side", "hops"))
    place = {
        "x": HOPS,
        "xOffset": alt.XOffset("side:N", sort=[ON, OFF]),
        "y": fig.percent_scale(alt.Y, "accuracy", "Accuracy (%)"),
    }
    base = alt.Chart(fig.data(means)).encode(**place)
    chart = alt.layer(
        base.mark_bar(stroke=SOFT, strokeWidth=0.6).encode(
            color=fig.colours("side", [ON, OFF], [BLUE, ORANGE])
        ),
        alt.Chart(fig.data(rows)).mark_point(size=28, color=INK, opacity=0.8).encode(**place),
        base.mark_text(dy=-8, fontWeight="bold").encode(text=alt.Text("accuracy:Q", format=".1f")),
    ).properties(width=430, height=260)
    return fig.Figure(
        "Web search with and without web tools",
        f"Accuracy by number of hops with and without web tools: the mean over {_models(rows)} (bars), "
        "and each model (circles).",
        _about(means, lambda row: f"{row['hops']} hops {row['side']}"),
        chart,
        notes,
    )


def _failures(
    runs: Sequence[ExperimentRun], names: Mapping[str, str], notes: Sequence[str]
) -> fig.Figure | None:
    """Accuracy by share of fetches that fail: each model, and the mean over models."""
    by_share: dict[float, list[ExperimentRun]] = {}
    for run in runs:
        if run.web_tools and run.fetch_failures is not None:
            by_share.setdefault(run.fetch_failures, []).append(run)
    results = {share: _results(chosen) for share, chosen in sorted(by_share.items())}
    if len(results) < 2:
        return None
    rows = [
        {
            "panel": CATEGORIES.get(category, category),
            "model": names[model],
            "failures": share * 100,
            "accuracy": fig.points(_accuracy(side, model=model, category=category)),
        }
        for model, category in sorted(_common(results.values()))
        for share, side in results.items()
    ]
    if not rows:
        return None
    means = sorted(
        fig.means_by(rows, ("panel", "failures"), "accuracy"), key=itemgetter("panel", "failures")
    )
    axis = alt.Axis(title="Fetches that fail (%)", values=[share * 100 for share in results])
    y = fig.percent_scale(alt.Y, "accuracy", "Accuracy (%)")
    chart = fig.each_and_mean(rows, means, alt.X("failures:Q", axis=axis), y, circles=True)
    return fig.Figure(
        "Web search with fetches that fail",
        f"Accuracy by the share of page fetches that fail: the mean over {_models(rows)} (squares), and "
        "each model (circles).",
        _about(means, lambda row: f"{row['panel']}, {row['failures']:g} % fail:"),
        fig.in_panels(chart, None, width=280),
        notes,
    )


def _snippets(
    runs: Sequence[ExperimentRun], names: Mapping[str, str], notes: Sequence[str]
) -> fig.Figure | None:
    """Accuracy with and without snippets, which may be in different runs."""
    results = _results(_undisturbed(runs))
    found: dict[str, tuple[float, float]] = {}
    for model, name in names.items():
        with_, without = (_accuracy(results, model=model, category=category) for category in CATEGORIES)
        if with_ is not None and without is not None:
            found[name] = (with_, without)
    return snippets_of(found, notes)


def _models(rows: Iterable[Row]) -> str:
    models = len({row["model"] for row in rows})
    return "one model" if models == 1 else plural(models, "model", "models")


def _about(means: Sequence[Row], name: Callable[[Row], str]) -> str:
    return f"Mean over models in per cent: {fig.in_words((name(row), row['accuracy']) for row in means)}."
