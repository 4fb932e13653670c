"""Models that were asked in both modes: how much function calling differs from prompts."""

from bfcl_pipeline.base.text import plural
from bfcl_pipeline.benchmark.config import trial_name, trial_of
from bfcl_pipeline.show.report.format import percent
from bfcl_pipeline.show.report.page.run_tables import Row, RunTables
from bfcl_pipeline.show.report.page.scores import LEADERBOARD_COLUMNS
from bfcl_pipeline.show.report.page.table import NAME_HEADING, Cell, Table, headings, isolate

_FC = "-FC"  # the end of names of models in function-calling mode, as the leaderboard has them


def modes(tables: RunTables) -> Table | None:
    """The differences of each X-FC from X in percentage points; None if the run has no such pair."""
    pairs = _pairs(tables)
    if not pairs:
        return None
    return Table(
        "Function calling minus prompts",
        [[NAME_HEADING, *headings(LEADERBOARD_COLUMNS.values())]],
        [
            [
                Cell(isolate(prompt["model"]), prompt["model"], style="name", scope="row"),
                *(_difference(called[name], prompt[name]) for name in LEADERBOARD_COLUMNS),
            ]
            for called, prompt in pairs
        ],
        summary=f"Function calling minus prompts: {plural(len(pairs), 'model', 'models')} in both modes",
    )


def _pairs(tables: RunTables) -> list[tuple[Row, Row]]:
    """The rows of X-FC and X, in the order of the ranks of X-FC."""
    rows = {row["model"]: row for row in tables["leaderboard"]}
    found = []
    for row in tables["leaderboard"]:
        trial = trial_of(row["model"])
        prompt = rows.get(trial_name(trial.model.removesuffix(_FC), trial.number))
        if trial.model.endswith(_FC) and prompt is not None:
            found.append((row, prompt))
    return found


def _difference(called: float | None, prompt: float | None) -> Cell:
    if called is None or prompt is None:
        return Cell.number("N/A", None, title="not evaluated in both modes")
    points = (called - prompt) * 100
    text = f"{points:+.2f}"
    both = f"{percent(called)} with function calling, {percent(prompt)} with prompts"
    return Cell.number(text[1:] if float(text) == 0 else text, points, title=both)
