"""How precise the scores are: design effects, and memory without single scenarios."""

from bfcl_pipeline.show.report.format import MISSING, count, interval
from bfcl_pipeline.show.report.page.run_tables import Row, RunTables
from bfcl_pipeline.show.report.page.table import NAME_HEADING, Cell, Table, tall_headings


def design_effects(tables: RunTables) -> Table | None:
    """The design effect of each score in which entries share clusters; None if the run has no intervals."""
    rows = {(row["model"], row["score"]): row for row in tables["intervals"]}
    scores = dict.fromkeys(row["score"] for row in tables["intervals"] if row["clusters"] < row["entries"])
    if not scores:
        return None
    return Table(
        "Design effects",
        [[NAME_HEADING, *tall_headings(scores)]],
        [
            [Cell.name(model), *(_design_effect(rows.get((model["model"], score))) for score in scores)]
            for model in tables["leaderboard"]
        ],
        summary="Design effects: the variance of each score over that of as many independent entries",
    )


def _design_effect(row: Row | None) -> Cell:
    if row is None:
        return Cell.number(MISSING, None, title="not evaluated")
    title = f"{count(row['entries'])} entries in {count(row['clusters'])} clusters"
    if row["effective_entries"] is not None:
        title += f", as precise as {row['effective_entries']:,.0f} independent entries"
    effect = row["design_effect"]
    if effect is None:
        return Cell.number(MISSING, None, title=f"{title}; all verdicts are equal, or of one cluster")
    return Cell.number(f"{effect:.2f}", effect, title=title)


def design_effect_text(answered: int, clusters: int | None, effect: float | None) -> str:
    """The clusters of a category in words; empty if each entry is a cluster, or if it is not known."""
    if clusters is None or clusters == answered:
        return ""
    measured = "" if effect is None else f", design effect {effect:.2f}"
    return f"{count(clusters)} clusters{measured}"


def scenario_range(row: Row | None) -> Cell:
    """The accuracy on a memory with one scenario left out: lowest to highest."""
    if row is None or row["scenario_low"] is None:
        return Cell.number(MISSING, None, title="fewer than two scenarios")
    return Cell.number(interval(row["scenario_low"], row["scenario_high"]), row["scenario_low"])
