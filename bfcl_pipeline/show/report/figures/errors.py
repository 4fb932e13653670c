"""The figure of errors: how many wrong answers of each type each model gave."""

from collections import Counter

import altair as alt

from bfcl_pipeline.show.report.figures.figure import Figure, data
from bfcl_pipeline.show.report.figures.names import Models, drawable_text, limit_note
from bfcl_pipeline.show.report.figures.style import SOFT, STACK
from bfcl_pipeline.show.report.page.run_tables import RunTables

MOST_MODELS = 30
"""The most models in the figure."""

OTHERS = "other types"
"""The name of the last part of a bar: the answers of all rarer types."""


def errors(tables: RunTables, models: Models) -> Figure | None:
    """Wrong answers by official error type, as stacked bars."""
    totals: Counter[str] = Counter()
    counts: Counter[tuple[str, str]] = Counter()
    for row in tables["error_types"]:
        totals[row["error_type"]] += row["count"]
    if not totals:
        return None
    own = sorted(totals, key=lambda kind: (-totals[kind], kind))
    if len(own) > len(STACK):
        own = own[: len(STACK) - 1]
    for row in tables["error_types"]:
        counts[row["model"], row["error_type"] if row["error_type"] in own else OTHERS] += row["count"]
    kinds = [*own, *([OTHERS] if len(own) < len(totals) else [])]
    wrong = {model for model, _ in counts}
    best = models.best(wrong, MOST_MODELS)
    names = [drawable_text(kind, 50) for kind in kinds]
    rows = [
        {"model": models.names[model], "type": name, "place": place, "count": counts[model, kind]}
        for model in best
        for place, (kind, name) in enumerate(zip(kinds, names, strict=True))
        if counts[model, kind]
    ]
    chart = (
        alt.Chart(data(rows))
        .mark_bar(stroke=SOFT, strokeWidth=0.6)
        .encode(
            y=alt.Y("model:N", sort=models.named(best), title=None),
            x=alt.X("count:Q", axis=alt.Axis(title="Wrong answers", format=",d", tickCount=6)),
            color=alt.Color(
                "type:N",
                scale=alt.Scale(domain=names, range=list(STACK[: len(names)])),
                legend=alt.Legend(title=None, orient="bottom", columns=2),
            ),
            order=alt.Order("place:Q"),
        )
    )
    sums = ", ".join(
        f"{name} {sum(counts[model, kind] for model in best):,}"
        for kind, name in zip(kinds, names, strict=True)
    )
    return Figure(
        "errors",
        "Wrong answers by error type",
        "Number of wrong answers of each model by official error type; the parts of a bar have the order "
        "of the legend." + limit_note(len(best), len(wrong)),
        f"Wrong answers of the models shown by type: {sums}.",
        chart.properties(width=430, height=alt.Step(22)),
    )
