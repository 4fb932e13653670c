"""What every test may ask for: the staged benchmark and its entries."""

from __future__ import annotations

import fcntl
import sys
from collections.abc import Callable
from functools import cache
from pathlib import Path

import pytest

from bfcl_pipeline.benchmark import CATEGORIES, encoder, release
from bfcl_pipeline.records import Entry
from bfcl_pipeline.staging import stage, stage_encoder
from bfcl_pipeline.tables import entries_path, read_entries
from bfcl_pipeline.tables.texts import read_constants
from bfcl_pipeline.tools import Constants, Setting

ROOT = Path(__file__).resolve().parent.parent


def _is_staged(data: Path) -> bool:
    outputs = [data / "release" / name for name in (release.WHEEL, "texts.json", "models.json")]
    outputs += [entries_path(data, category) for category in CATEGORIES]
    return all(path.is_file() for path in outputs)


@pytest.fixture(scope="session")
def staged(pytestconfig: pytest.Config) -> Path:
    """A staged data folder: the repository's own, else one that is staged once for all test processes."""
    if _is_staged(ROOT / "data"):
        return ROOT / "data"
    folder = Path(pytestconfig.cache.mkdir("staged"))
    with (folder / "lock").open("w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        if not _is_staged(folder):
            stage(folder, log=lambda line: print(line, file=sys.stderr))
    return folder


@pytest.fixture(scope="session")
def staged_encoder(pytestconfig: pytest.Config) -> Path:
    """The folder of the sentence encoder: the repository's own, else one staged once for all processes."""
    if (ROOT / "data" / "encoder" / encoder.WEIGHTS).is_file():
        return ROOT / "data" / "encoder"
    folder = Path(pytestconfig.cache.mkdir("staged"))
    with (folder / "encoder.lock").open("w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        if not (folder / "encoder" / encoder.WEIGHTS).is_file():
            stage_encoder(folder, log=lambda line: print(line, file=sys.stderr))
    return folder / "encoder"


@pytest.fixture(scope="session")
def entries(staged: Path) -> Callable[[str], list[Entry]]:
    """The entries of a category by its name, read once."""
    return cache(lambda category: read_entries(entries_path(staged, category)))


@pytest.fixture(scope="session")
def constants(staged: Path) -> Constants:
    """What the simulated world takes from the release."""
    return read_constants(staged)


@pytest.fixture(scope="session")
def setting_of(constants: Constants) -> Callable[[Entry], Setting]:
    """The setting of an entry that needs neither an encoder nor a web."""
    return lambda entry: Setting(constants)
