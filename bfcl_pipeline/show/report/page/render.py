"""The tables of a run as one HTML file that needs no network.

Covers rendering: the other modules of this package make the tables of the sections, `templates/` has the
texts and styles. Names of models and texts of errors are not trusted: everything is escaped, and the
content security policy of the page only allows its own script and style.
"""

from collections.abc import Iterable, Mapping, Sequence
from contextlib import suppress
from pathlib import Path

from markupsafe import Markup

from bfcl_pipeline.base import __version__
from bfcl_pipeline.base.errors import TableError
from bfcl_pipeline.base.files import write_text
from bfcl_pipeline.benchmark.config.choices import ShownEntries
from bfcl_pipeline.benchmark.records import Rules
from bfcl_pipeline.benchmark.tables.entries import read_examples
from bfcl_pipeline.runs.run import Run
from bfcl_pipeline.show.report.explorer.conversations import Told, silent
from bfcl_pipeline.show.report.explorer.explorer import Explorer, make_explorer
from bfcl_pipeline.show.report.figures.draw import FIGURES, draw_run, write_figures
from bfcl_pipeline.show.report.figures.figure import DrawnFigure
from bfcl_pipeline.show.report.page import (
    categories,
    comparison,
    errors,
    executable,
    memory,
    overview,
    scores,
    usage,
    views,
    web,
)
from bfcl_pipeline.show.report.page.assets import environment, policy, template_text
from bfcl_pipeline.show.report.page.making import NOT_RECORDED, MakingSection, read_making
from bfcl_pipeline.show.report.page.run_tables import RunTables, read_run_tables, shown_categories
from bfcl_pipeline.show.report.page.spec_tables import own_sections, placed_tables
from bfcl_pipeline.show.report.page.table import HEAT_LEVELS

PARTS = (categories, comparison, errors, executable, memory, overview, scores, usage, views, web)
"""The modules whose tables `templates/report.html.j2` asks for, by their names."""

MANY_MODELS = 10
"""With more models than this, each has a row instead of a column in the tables by error and by format."""

EXPLORER_PARTS = ("elements", "data", "filters", "list", "conversation", "dialog", "start")
"""The parts of the script of the list of entries, templates/explorer/<part>.js, in their order."""

NO_EXAMPLES: Mapping[str, str] = {}
"""Of a release that is not staged."""

BESIDE = ("'strict-dynamic'",)
"""Allows scripts to load files of the folder beside the page: a page opened from disk has no origin that a
policy could name, so what they load is allowed by being loaded by them."""


def write_page(
    run: Run,
    rules: Rules,
    *,
    shown: ShownEntries = ShownEntries.WRONG,
    processes: int | None = None,
    told: Told = silent,
) -> Path:
    """Writes report.html of a run, report/ with large conversations, and figures/; returns the page.

    Args:
        run: has tables/, verdicts/ and, for conversations, responses/ and memory/. If its release is
            staged, the page has questions, conversations, and an example of each category.
        rules: the rule set of the page.
        shown: whose conversations the page has.
        processes: the most that make conversations; None: as many as the machine has processors.
        told: called with the number of conversations that are done, and of all.

    Raises:
        TableError: the tables of the run are missing or cannot be read.
        ConfigError: its recorded config cannot be read.
    """
    tables = read_run_tables(run, rules)
    models = [row["model"] for row in tables["leaderboard"]]
    making = read_making(run, tables["leaderboard"][0]["run"], models)
    explorer = make_explorer(run, tables, shown, processes=processes, told=told)
    figures = draw_run(tables)
    write_figures(run.folder / "figures", figures)
    path = run.folder / "report.html"
    examples = _examples(run.data, shown_categories(tables))
    write_text(path, render_page(tables, making, examples=examples, explorer=explorer, figures=figures))
    return path


def _examples(data: Path, categories: Iterable[str]) -> Mapping[str, str]:
    """A question of each category; none of one whose table is damaged."""
    found: dict[str, str] = {}
    for category in categories:
        with suppress(TableError):
            found |= read_examples(data, [category])
    return found


def render_page(
    tables: RunTables,
    making: MakingSection = NOT_RECORDED,
    *,
    examples: Mapping[str, str] = NO_EXAMPLES,
    explorer: Explorer | None = None,
    figures: Sequence[DrawnFigure] = (),
) -> str:
    """The page as text; equal arguments give equal text.

    Args:
        tables: the tables of the run.
        making: how it was made.
        examples: a question of each category, from the staged release.
        explorer: the list of entries; None for a page without one.
        figures: those that the page shows.
    """
    placed = placed_tables(tables)
    own = own_sections()
    style = template_text("style.css").replace("#own-sections", ", ".join(f"#{id}" for id in own))
    scripts = [template_text("sort.js")]
    if explorer is not None:
        style += template_text("explorer/explorer.css")
        if explorer.executes:
            style += template_text("explorer/executed.css")
        scripts.append(_explorer_script())
    return (
        environment()
        .get_template("report.html.j2")
        .render(
            {part.__name__.rpartition(".")[2]: part for part in PARTS},
            policy=policy(style, scripts, BESIDE if explorer is not None and explorer.beside else ()),
            style=Markup(style),  # noqa: S704  # our own file
            scripts=list(map(Markup, scripts)),  # our own files
            version=__version__,
            run=tables["leaderboard"][0]["run"] or "unnamed run",
            tables=tables,
            placed=placed,
            own_sections=[("Details", id, title, placed.get(id)) for id, title in own.items()],
            heat_levels=HEAT_LEVELS,
            many=len(tables["leaderboard"]) > MANY_MODELS,
            making=making,
            examples=examples,
            shown=shown_categories(tables),
            explorer=explorer,
            figures=_by_place(figures),
        )
    )


def _explorer_script() -> str:
    """The script of the list of entries: its parts in one function, so that they share names."""
    parts = (template_text(f"explorer/{part}.js") for part in EXPLORER_PARTS)
    return f'"use strict";\n(() => {{\n{"".join(parts)}}})();\n'


def _by_place(figures: Iterable[DrawnFigure]) -> dict[str, list[DrawnFigure]]:
    """The figures of each place of the page that has any, drawn or not."""
    drawn = {figure.name: figure for figure in figures}
    places: dict[str, list[DrawnFigure]] = {spec.place: [] for spec in FIGURES}
    for spec in FIGURES:
        if spec.name in drawn:
            places[spec.place].append(drawn[spec.name])
    return places
