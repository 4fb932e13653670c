"""Figures by kind of question: prompt formats, executed calls, and what the benchmark consists of."""

from collections.abc import Mapping, Sequence
from typing import Any

import altair as alt
from altair.vegalite.v6.api import ChartType

from bfcl_pipeline.benchmark.definition import CATEGORIES
from bfcl_pipeline.benchmark.definition.leaderboard import GROUP
from bfcl_pipeline.show.report.figures import figure as fig
from bfcl_pipeline.show.report.figures.names import Models, limit_note
from bfcl_pipeline.show.report.figures.style import BLUE, INK, LINE, SERIES, SHAPES, SOFT, STACK
from bfcl_pipeline.show.report.format import percent
from bfcl_pipeline.show.report.page.executable import KINDS
from bfcl_pipeline.show.report.page.run_tables import RunTables, by_model

MOST_FORMAT_ROWS = 30
"""The most models in the figure of prompt formats."""


@fig.of_runs("formats", place="formats", tables=["formats"])
def formats(tables: RunTables, models: Models) -> fig.Figure | None:
    """The accuracy in each prompt format: a tick each, with the range and the mean of a model."""
    known = {
        model: [row["accuracy"] for row in rows if row["accuracy"] is not None]
        for model, rows in by_model(tables["formats"]).items()
    }
    best = models.best((model for model, shares in known.items() if len(shares) > 1), MOST_FORMAT_ROWS)
    if not best:
        return None
    ticks = [
        {"model": models.names[model], "accuracy": fig.points(share)}
        for model in best
        for share in known[model]
    ]
    spans = [_span(models.names[model], known[model]) for model in best]
    ranges = fig.in_words((span["model"], span["range"]) for span in spans)
    of_model, of_format = (
        alt.Chart(fig.data(each)).encode(y=fig.named_rows(models.named(best))) for each in (spans, ticks)
    )
    chart = alt.layer(
        of_model.mark_rule(color=LINE, strokeWidth=8).encode(
            x=fig.percent_scale(alt.X, "low"), x2="high:Q"
        ),
        of_format.mark_tick(color=BLUE, thickness=1.5, height=12).encode(
            x=fig.percent_scale(alt.X, "accuracy", "Accuracy (%)")
        ),
        of_model.mark_point(shape="diamond", filled=True, size=70, color=INK, opacity=1).encode(
            x=fig.percent_scale(alt.X, "mean")
        ),
        of_model.mark_text(align="left", dx=9, color=SOFT).encode(
            x=fig.percent_scale(alt.X, "high"), text="text:N"
        ),
    )
    return fig.Figure(
        "Sensitivity to the prompt format",
        "Accuracy on the same questions in each prompt format (ticks), its mean (diamond), and the "
        "difference of the best and the worst in percentage points." + limit_note(len(best), len(known)),
        f"Best minus worst format in points: {ranges}.",
        chart.properties(width=430, height=alt.Step(24)),
    )


def _span(name: str, shares: Sequence[float]) -> dict[str, Any]:
    low, high = min(shares), max(shares)
    return {
        "model": name,
        "low": fig.points(low),
        "high": fig.points(high),
        "mean": fig.points(sum(shares) / len(shares)),
        "range": fig.points(high - low),
        "text": f"\N{GREEK CAPITAL LETTER DELTA} {percent(high - low, 1)}",
    }


@fig.of_runs("ast_executed", place="executable", tables=["categories"])
def ast_executed(tables: RunTables, models: Models) -> fig.Figure | None:
    """The executed accuracy against the AST accuracy on questions of the same kind."""
    found = {(row["model"], row["category"]): fig.points(row["accuracy"]) for row in tables["categories"]}
    rows = [
        {"model": models.names[model], "kind": ast, "ast": score, "executed": found[model, KINDS[ast]]}
        for (model, ast), score in found.items()
        if ast in KINDS and None not in (score, found.get((model, KINDS[ast])))
    ]
    if not rows:
        return None
    kinds = fig.present(KINDS, rows, "kind")
    equal = alt.Chart(fig.data([{"ast": end, "executed": end} for end in (0, 100)]))
    return fig.Figure(
        "AST and executed accuracy",
        "A mark for each model and kind of question: accuracy of calls that are executed (V1) against that "
        "of calls that are compared with the accepted ones (AST, V4), in per cent. On the line both are "
        "equal. The questions are not the same.",
        fig.in_groups(rows, "kind", lambda row: row["model"], "executed", kinds, "executed "),
        alt.layer(
            equal.mark_line(color=LINE).encode(
                x=fig.percent_scale(alt.X, "ast", "AST (%)"),
                y=fig.percent_scale(alt.Y, "executed", "Executed (%)"),
            ),
            alt.Chart(fig.data(rows))
            .mark_point(size=60, strokeWidth=1.6, opacity=1)
            .encode(
                x=fig.percent_scale(alt.X, "ast"),
                y=fig.percent_scale(alt.Y, "executed"),
                color=fig.colours("kind", kinds, SERIES, columns=2),
                shape=fig.shapes("kind", kinds, SHAPES),
            ),
        ).properties(width=300, height=300),
    )


@fig.of_runs("weights", place="counting", tables=[], joined=False)
def weights(tables: RunTables, _: Models) -> fig.Figure | None:
    """The weights of the groups in the overall score, as a pie."""
    if not any(row["answered"] for row in tables["leaderboard"]):
        return None
    parts = {GROUP[term.name].title: term.weight for term in GROUP["overall"].members}
    texts = {name: f"{name} {weight} %" for name, weight in parts.items()}
    rows = [{"group": name, "weight": parts[name], "text": text} for name, text in texts.items()]
    base = alt.Chart(fig.data(rows)).encode(
        theta=alt.Theta("weight:Q", stack=True), order=alt.Order("weight:Q", sort="descending")
    )
    return fig.Figure(
        "Weights of the overall score",
        "Share of each group in the Overall, in per cent. Agentic is the mean of web search and memory.",
        f"{', '.join(texts.values())}.",
        alt.layer(
            base.mark_arc(outerRadius=80, stroke="#ffffff").encode(
                color=fig.colours("group", list(parts), STACK).legend(None)
            ),
            base.mark_text(radius=118, color=INK).encode(text="text:N"),
        ).properties(width=360, height=250),
    )


@fig.of_runs(
    "composition", place="benchmark", tables=["categories", "web_hops", "memory_domains"], joined=False
)
def composition(tables: RunTables, _: Models) -> fig.Figure | None:
    """Entries by category; those of web search by hops, those of memory by scenario.

    Only categories that count: format sensitivity asks questions of others again in each prompt format.
    """
    found = {
        row["category"]: row["entries"]
        for row in tables["categories"]
        if row["answered"] and CATEGORIES[row["category"]].scored
    }
    parts: dict[str, Mapping[str, int]] = {
        "Entries by category": {name: found[name] for name in CATEGORIES if name in found},
        "Web search: questions by hops": {
            f"{row['hops']} hops": row["entries"]
            for row in sorted(tables["web_hops"], key=lambda row: row["hops"])
        },
        "Memory: questions by scenario": {
            row["scenario"]: row["entries"] for row in tables["memory_domains"]
        },
    }
    panels = [_panel(title, entries) for title, entries in parts.items() if entries]
    if not found or not panels:
        return None
    return fig.Figure(
        "What the questions consist of",
        "Entries of this run by category. The questions of web search are the same with and without "
        "snippets, those of memory the same for each backend: they are counted once in the panels below. "
        "Prompt formats are left out."
        + (" The release does not state the domains of the web questions." if tables["web_hops"] else ""),
        "; ".join(
            f"{title}: " + ", ".join(f"{name} {count:,}" for name, count in entries.items())
            for title, entries in parts.items()
            if entries
        )
        + ".",
        alt.vconcat(*panels, spacing=18),
    )


def _panel(title: str, entries: Mapping[str, int]) -> ChartType:
    rows = [{"part": name, "entries": count} for name, count in entries.items()]
    base = alt.Chart(fig.data(rows)).encode(
        y=fig.named_rows(list(entries), "part"), x=fig.count_axis("entries", "Entries", 5, tickMinStep=1)
    )
    text = alt.Text("entries:Q", format=",d")
    return alt.layer(
        base.mark_bar(height=11, color=BLUE),
        base.mark_text(align="left", dx=5, color=SOFT).encode(text=text),
    ).properties(width=360, height=alt.Step(16), title=fig.panel_title(title))


FIGURES = (
    formats,
    ast_executed,
    weights,
    composition,
)
