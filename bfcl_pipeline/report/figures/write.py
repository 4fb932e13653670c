"""Writes the figures of a run as files, for papers and slides."""

from collections.abc import Sequence
from pathlib import Path

from bfcl_pipeline.files import replace_folder
from bfcl_pipeline.report.figures.drawn_figure import DrawnFigure
from bfcl_pipeline.report.figures.renderer import png

CAPTIONS = "captions.md"
"""The file with the title and the caption of each figure."""


def write_figures(folder: Path, figures: Sequence[DrawnFigure]) -> None:
    """Writes each figure as SVG and as PNG, and their captions; other files of `folder` are removed."""
    contents = {}
    for figure in figures:
        contents[f"{figure.name}.svg"] = f"{figure.svg}\n".encode()
        contents[f"{figure.name}.png"] = png(figure.svg)
    lines = "".join(f"- `{figure.name}`: **{figure.title}.** {figure.caption}\n" for figure in figures)
    replace_folder(folder, {**contents, CAPTIONS: lines.encode()})
