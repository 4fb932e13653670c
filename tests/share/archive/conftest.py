"""A small run of every kind, made once for all test processes."""

from __future__ import annotations

import shutil
from pathlib import Path

import pytest

from bfcl_pipeline.runs.archived.reading import SealedArchive
from bfcl_pipeline.runs.archived.unpacking import unpack_run
from tests.share.archive.small_run import SmallRun, make_small_run
from tests.support.made_once import make_once


@pytest.fixture(scope="session")
def small_run(tmp_path_factory: pytest.TempPathFactory, staged: Path, worker_id: str) -> SmallRun:
    """A complete run of an embedded model and of a model behind an API, after its server has stopped."""
    return SmallRun(
        make_once("small_run", lambda folder: make_small_run(folder, staged), tmp_path_factory, worker_id)
    )


@pytest.fixture
def own_run(small_run: SmallRun, tmp_path: Path) -> SmallRun:
    """A copy of the run that a test may change, with other times and in another directory."""
    folder = tmp_path / "elsewhere" / "project"
    shutil.copytree(small_run.folder, folder, copy_function=shutil.copyfile, symlinks=True)
    return SmallRun(folder)


@pytest.fixture(scope="session")
def archived(small_run: SmallRun, tmp_path_factory: pytest.TempPathFactory) -> Path:
    out = tmp_path_factory.mktemp("archived") / "small.crate.zip"
    assert small_run.archive(out) == 0
    return out


@pytest.fixture(scope="session")
def derived(archived: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """What a derivation of the run gives, which test_verify shows: the results in its archive."""
    folder = tmp_path_factory.mktemp("derived")
    with SealedArchive(archived) as archive:
        return unpack_run(archive, folder).folder


@pytest.fixture
def derived_before(derived: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """`verify` compares with these results, without the minute of deriving them once more."""
    monkeypatch.setattr("bfcl_pipeline.share.archive.verify.derive", lambda *_, **__: derived)
