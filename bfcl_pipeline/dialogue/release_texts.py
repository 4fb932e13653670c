"""Reads data/release/texts.json: the constants that staging extracts from the release.

`prompts.texts` checks the prompt texts in it; `benchmark.constants` looks up those of the simulated world.
"""

import json
from dataclasses import replace
from pathlib import Path

from bfcl_pipeline.base.errors import MalformedRelease
from bfcl_pipeline.benchmark.constants import Constants
from bfcl_pipeline.benchmark.records import Json
from bfcl_pipeline.dialogue.prompts import Texts, load_texts


def read_texts(data: Path) -> Texts:
    """The prompt texts in the data folder.

    Raises MalformedRelease if a file is missing, is not JSON, or lacks a text.
    """
    return replace(load_texts(_read(texts_path(data))), families=_read(family_texts_path(data)))


def read_constants(data: Path) -> Constants:
    """The constants of the simulated world. A missing constant raises where it is used.

    Raises MalformedRelease if the file is missing or is not JSON.
    """
    return Constants(_read(texts_path(data)))


def texts_path(data: Path) -> Path:
    """The path of the texts of the release in the data folder; it is there if the release is staged."""
    return data / "release" / "texts.json"


def family_texts_path(data: Path) -> Path:
    """The path of the long texts in prompts of open-weight models."""
    return data / "release" / "family_texts.json"


def read_recorded_calls(data: Path) -> dict[str, Json]:
    """What the release holds of the network: `calls`, `truths` and `requests`.

    Raises MalformedRelease if the file is missing or is not JSON.
    """
    return _read(recorded_calls_path(data))


def recorded_calls_path(data: Path) -> Path:
    """The path of what the release holds of the network."""
    return data / "release" / "recorded_calls.json"


def _read(path: Path) -> dict[str, Json]:
    try:
        release = json.loads(path.read_bytes())
    except FileNotFoundError as error:
        raise MalformedRelease(
            f"{path}: expected the texts of the release, got no such file. "
            "Stage the release (bfcl-pipeline stage)."
        ) from error
    except ValueError as error:
        raise MalformedRelease.at(f"{path}", "JSON", f"something else ({error})") from error
    if not isinstance(release, dict):
        raise MalformedRelease.at(f"{path}", "a table of texts", type(release).__name__)
    return release
