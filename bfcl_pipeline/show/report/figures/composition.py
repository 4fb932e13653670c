"""The figures of what the benchmark consists of: entries of a run, and weights of the overall score."""

from collections.abc import Mapping

import altair as alt
from altair.vegalite.v6.api import ChartType

from bfcl_pipeline.benchmark.definition import CATEGORIES
from bfcl_pipeline.benchmark.definition.leaderboard import GROUP
from bfcl_pipeline.show.report.figures import figure as fig
from bfcl_pipeline.show.report.figures.names import Models
from bfcl_pipeline.show.report.figures.style import BLUE, INK, SOFT, STACK
from bfcl_pipeline.show.report.page.run_tables import RunTables


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
        "composition",
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


def weights(tables: RunTables, _: Models) -> fig.Figure | None:
    """The weights of the groups in the overall score, as a pie; None if the run has no verdicts."""
    if not any(row["answered"] for row in tables["leaderboard"]):
        return None
    parts = {GROUP[term.name].title: term.weight for term in GROUP["overall"].members}
    texts = {name: f"{name} {weight} %" for name, weight in parts.items()}
    rows = [{"group": name, "weight": parts[name], "text": text} for name, text in texts.items()]
    base = alt.Chart(fig.data(rows)).encode(
        theta=alt.Theta("weight:Q", stack=True), order=alt.Order("weight:Q", sort="descending")
    )
    return fig.Figure(
        "weights",
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
