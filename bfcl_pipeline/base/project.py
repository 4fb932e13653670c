"""Where the project's own files are: the workflow, its profiles, and the shipped config and models.

In a checkout they are beside the package, in an installed wheel inside it (hatch_build.py puts them there).
A file of the same name in the working folder takes precedence, so a run needs no `config/` of its own.
"""

from pathlib import Path

from bfcl_pipeline.base.errors import ConfigError

INSTALLED = "_project"
"""Folder of the package that has the project's files in a wheel."""

_PACKAGE = Path(__file__).resolve().parents[1]


def project_folder() -> Path:
    """The folder with Snakefile, workflow/, profiles/ and config/. Raises ConfigError if there is none."""
    for folder in (_PACKAGE / INSTALLED, _PACKAGE.parent):
        if (folder / "Snakefile").is_file() and (folder / "workflow").is_dir():
            return folder
    raise ConfigError(
        f"{_PACKAGE}: no Snakefile and workflow/ inside or beside the package. Install the wheel "
        "(pip install bfcl-pipeline) or a checkout of the repository (pip install --editable .)."
    )


def project_file(path: str | Path) -> Path:
    """The file that a relative path such as config/models.yaml means here.

    Returns:
        `path` if it exists in the working folder, else the project's file of that name if it exists, else
        `path` unchanged, for the error message of the reader.
    """
    given = Path(path)
    if given.exists():
        return given
    for folder in (_PACKAGE / INSTALLED, _PACKAGE.parent):
        if (folder / "Snakefile").is_file() and (folder / given).exists():
            return folder / given
    return given
