"""Draws the figures that the tables of a run have numbers for."""

from collections.abc import Callable, Iterable, Sequence
from pathlib import Path
from typing import Any, TypeAlias

from bfcl_pipeline.base.files import atomic_path, replace_folder
from bfcl_pipeline.show.report.figures import composition, failures, memory, renderer, scores, usage, web
from bfcl_pipeline.show.report.figures.figure import DrawnFigure, Figure
from bfcl_pipeline.show.report.figures.names import Models, drawable_text
from bfcl_pipeline.show.report.figures.renderer import png
from bfcl_pipeline.show.report.figures.style import SOFT
from bfcl_pipeline.show.report.figures.svg import clean_svg
from bfcl_pipeline.show.report.page.run_tables import RunTables

CAPTIONS = "captions.md"
"""The file with the title and the caption of each figure."""


def write_figures(folder: Path, figures: Sequence[DrawnFigure]) -> None:
    """Writes each figure as SVG and as PNG, and their captions, in place of all other files of `folder`."""
    replace_folder(folder, _files(figures))


def add_figures(folder: Path, figures: Sequence[DrawnFigure]) -> None:
    """Writes the same files and leaves the others of `folder`, which may be any directory of a user."""
    for name, content in _files(figures).items():
        with atomic_path(folder / name) as temporary:
            temporary.write_bytes(content)


def _files(figures: Sequence[DrawnFigure]) -> dict[str, bytes]:
    contents = {}
    for figure in figures:
        contents[f"{figure.name}.svg"] = f"{figure.svg}\n".encode()
        contents[f"{figure.name}.png"] = png(figure.svg)
    return {**contents, CAPTIONS: "".join(map(_caption, figures)).encode()}


def _caption(figure: DrawnFigure) -> str:
    return f"- `{figure.name}`: **{figure.title}.** {f'{figure.caption} {figure.notes}'.rstrip()}\n"


Make: TypeAlias = Callable[[RunTables, Models], Figure | None]

FIGURES: Sequence[Make] = (
    scores.overall,
    scores.categories,
    scores.differences,
    failures.errors,
    usage.cost,
    usage.latency,
    memory.backends,
    memory.domains,
    failures.memory,
    memory.memory_changes,
    web.steps,
    web.spread,
    web.hops,
    web.snippets,
    failures.web,
    scores.formats,
    scores.ast_executed,
    composition.weights,
    composition.composition,
)
"""Every figure of a run; each is None if the run has no numbers for it."""


JOINED = tuple(make for make in FIGURES if make not in (composition.weights, composition.composition))
"""Those that may join the models of several runs: what entries a run has, and their weights, are not."""


def draw_run(
    tables: RunTables, titled: bool = True, text_scale: float = 1.0, figures: Sequence[Make] = FIGURES
) -> list[DrawnFigure]:
    """The figures of a run.

    Args:
        tables: of the run; of several runs as those of one.
        titled: whether their title is drawn in the files.
        text_scale: how much larger texts are in the files than usual.
        figures: those that are drawn, as far as there are numbers for them.
    """
    models = Models.of(tables)
    found = (make(tables, models) for make in figures)
    run = drawable_text(tables["leaderboard"][0]["run"] or "unnamed run", 60)
    source = f"Run {run}, {tables.rules.value} rules"
    if tables.sample:
        source += f"; {drawable_text(tables.sample, 120)}"
    return draw((figure for figure in found if figure is not None), source, titled, text_scale)


def draw(
    figures: Iterable[Figure], source: str, titled: bool = True, text_scale: float = 1.0
) -> list[DrawnFigure]:
    """Figures as SVG. source: the line below every title, which says what was drawn."""
    return [_drawn(figure, source, titled, text_scale) for figure in figures]


def _drawn(figure: Figure, source: str, titled: bool, text_scale: float) -> DrawnFigure:
    spec = figure.chart.to_dict()
    title: dict[str, Any] | None = None
    if titled:
        title = {"text": figure.title, "subtitle": [source, *figure.notes]}
    elif figure.notes:  # what the numbers are of is stated in every file
        title = {
            "text": list(figure.notes),
            "fontSize": 11 * text_scale,
            "fontWeight": "normal",
            "color": SOFT,
        }
    file = renderer.svg({**spec, "title": title} if title else spec, text_scale)
    return DrawnFigure(
        figure.name,
        figure.title,
        figure.caption,
        " ".join(f"{text}." for text in figure.notes),
        clean_svg(file, figure.name, figure.title, figure.about, ground=True),
        clean_svg(renderer.svg(spec), f"figure-{figure.name}", figure.title, figure.about, ground=False),
    )
