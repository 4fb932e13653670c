"""The project: its own files (workflow, profiles, shipped config and models), and variables from `.env`.

In a checkout the files are beside the package, in an installed wheel inside it (hatch_build.py puts them
there). A file of the same name in the working folder takes precedence, so a run needs no `config/` of its
own. A file `.env` in the working folder has API keys that need not be exported in every shell. Variables of
the environment take precedence. Nothing is expanded: a value is what is written.
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


ENV_FILE = Path(".env")
"""Read by every command and by the workflow; ignored by git, never archived."""


def read_env_file() -> None:
    """Adds the variables in the file, if it exists, to the environment of this process and its children.

    Raises ConfigError, which repeats nothing of the file, if it is not text that can be read.
    """
    if ENV_FILE.is_file():
        from dotenv import load_dotenv

        try:
            # Some editors begin a file in UTF-8 with a byte order mark.
            load_dotenv(ENV_FILE, override=False, interpolate=False, encoding="utf-8-sig")
        except OSError as error:
            raise ConfigError(f"{ENV_FILE}: not readable ({error.strerror}).") from error
        except ValueError as error:  # also of a value with a null character
            raise ConfigError(
                f"{ENV_FILE}: not text in UTF-8. Save it in this encoding, with lines NAME=VALUE."
            ) from error
