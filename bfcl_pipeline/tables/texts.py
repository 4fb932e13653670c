"""The prompt texts of the release from data/release/texts.json. What they must be is `prompts.texts`."""

from __future__ import annotations

import json
from pathlib import Path

from bfcl_pipeline.errors import MalformedRelease
from bfcl_pipeline.prompts import Texts, load_texts


def read_texts(data: Path) -> Texts:
    """The prompt texts staged under the data folder.

    Raises MalformedRelease if the file is missing, is not JSON, or lacks a text.
    """
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
    return load_texts(release)
