"""Draws the figures that the tables of a run have numbers for."""

from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any

from bfcl_pipeline.base.files import atomic_path, replace_folder
from bfcl_pipeline.show.report.figures import composition, memory, renderer, scores, usage, web
from bfcl_pipeline.show.report.figures.figure import DrawnFigure, Figure, FigureSpec
from bfcl_pipeline.show.report.figures.names import Models, drawable_text
from bfcl_pipeline.show.report.figures.style import SOFT
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
        contents[f"{figure.name}.png"] = renderer.png(figure.svg)
    return {**contents, CAPTIONS: "".join(map(_caption, figures)).encode()}


def _caption(figure: DrawnFigure) -> str:
    return f"- `{figure.name}`: **{figure.title}.** {f'{figure.caption} {figure.notes}'.rstrip()}\n"


FIGURES: Sequence[FigureSpec] = (
    *scores.FIGURES,
    *usage.FIGURES,
    *memory.FIGURES,
    *web.FIGURES,
    *composition.FIGURES,
)
"""Every figure of a run."""


def draw_run(
    tables: RunTables, titled: bool = True, text_scale: float = 1.0, figures: Iterable[FigureSpec] = FIGURES
) -> list[DrawnFigure]:
    """The figures of a run.

    Args:
        tables: of the run; of several runs as those of one.
        titled: whether their title is drawn in the files.
        text_scale: how much larger texts are in the files than usual.
        figures: those that are drawn, as far as there are numbers for them.
    """
    models = Models.of(tables)
    run = drawable_text(tables["leaderboard"][0]["run"] or "unnamed run", 60)
    source = f"Run {run}, {tables.rules.value} rules"
    if tables.sample:
        source += f"; {drawable_text(tables.sample, 120)}"
    found = {spec.name: spec.make(tables, models) for spec in figures}
    return draw(found, source, titled, text_scale)


def draw(
    figures: Mapping[str, Figure | None], source: str, titled: bool = True, text_scale: float = 1.0
) -> list[DrawnFigure]:
    """Figures by name as SVG, without those that are None. source: below every title, what was drawn."""
    return [
        _drawn(name, figure, source, titled, text_scale)
        for name, figure in figures.items()
        if figure is not None
    ]


def _drawn(name: str, figure: Figure, source: str, titled: bool, text_scale: float) -> DrawnFigure:
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
        name,
        figure.title,
        figure.caption,
        " ".join(f"{text}." for text in figure.notes),
        renderer.clean_svg(file, name, figure.title, figure.about, ground=True),
        renderer.clean_svg(renderer.svg(spec), f"figure-{name}", figure.title, figure.about, ground=False),
    )
