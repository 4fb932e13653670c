"""Writes figures as files, for papers and slides."""

from collections.abc import Sequence
from pathlib import Path

from bfcl_pipeline.base.files import atomic_path, replace_folder
from bfcl_pipeline.show.report.figures.figure import DrawnFigure
from bfcl_pipeline.show.report.figures.renderer import png

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
