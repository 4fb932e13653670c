"""What staging found in the release beside its entries, from data/release/texts.json.

Covers reading it; what the prompt texts must be is `prompts.texts`, what the simulated world takes from
it is `tools.constants`.
"""

from __future__ import annotations

import json
from pathlib import Path

from bfcl_pipeline.errors import MalformedRelease
from bfcl_pipeline.prompts import Texts, load_texts
from bfcl_pipeline.records import Json
from bfcl_pipeline.tools import Constants


def read_texts(data: Path) -> Texts:
    """The prompt texts staged under the data folder.

    Raises MalformedRelease if the file is missing, is not JSON, or lacks a text.
    """
    return load_texts(_read(data))


def read_constants(data: Path) -> Constants:
    """The constants that the simulated world is made of; what is missing is named where it is used.

    Raises MalformedRelease if the file is missing or is not JSON.
    """
    return Constants(_read(data))


def _read(data: Path) -> dict[str, Json]:
    path = data / "release" / "texts.json"
    try:
        release = json.loads(path.read_bytes())
    except FileNotFoundError as error:
        raise MalformedRelease(
            f"{path}: expected the texts of the release, got no such file. "
            "Stage the release (bfcl-pipeline stage)."
        ) from error
    except ValueError as error:
        raise MalformedRelease(
            f"{path}: expected JSON, got something else ({error}). "
            "Stage the release again (bfcl-pipeline stage)."
        ) from error
    if not isinstance(release, dict):
        raise MalformedRelease(
            f"{path}: expected a table of texts, got {type(release).__name__}. "
            "Stage the release again (bfcl-pipeline stage)."
        )
    return release
