"""Altered releases, as a wheel, a folder or a `Release`; and what tests of staging share."""

from __future__ import annotations

import hashlib
import os
import zipfile
from collections.abc import Callable, Mapping
from pathlib import Path

import pytest

from bfcl_pipeline.benchmark.definition import release as pinned
from bfcl_pipeline.benchmark.records import Entry
from bfcl_pipeline.benchmark.staging.literals import read_texts
from bfcl_pipeline.benchmark.staging.outputs import read_all_entries
from bfcl_pipeline.benchmark.staging.source import Release, read_wheel

Changes = Mapping[str, bytes | None]


def contents(folder: Path) -> dict[str, bytes]:
    """Every file under a folder by its relative path."""
    return {
        str(path.relative_to(folder)): path.read_bytes() for path in folder.rglob("*") if path.is_file()
    }


def quiet(_: str) -> None:
    """Ignores a log line."""


@pytest.fixture
def no_index(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Configures pip to use one folder and no index; returns the folder."""
    links = tmp_path / "links"
    links.mkdir()
    for name in [name for name in os.environ if name.startswith("PIP_")]:
        monkeypatch.delenv(name)
    monkeypatch.setenv("PIP_CONFIG_FILE", os.devnull)
    monkeypatch.setenv("PIP_NO_INDEX", "1")
    monkeypatch.setenv("PIP_FIND_LINKS", str(links))
    return links


@pytest.fixture(scope="session")
def real_wheel(staged: Path) -> Path:
    """The pinned wheel."""
    return staged / "release" / pinned.WHEEL


@pytest.fixture(scope="session")
def real_release(real_wheel: Path) -> Release:
    """The files of the pinned wheel."""
    return read_wheel(real_wheel, real_wheel.read_bytes(), pinned.SHA256)


@pytest.fixture(scope="session")
def entries(real_release: Release) -> Callable[[str], list[Entry]]:
    """The entries of a category, read from the release by the code as it is now, not from staged tables."""
    return read_all_entries(real_release, read_texts(real_release)).__getitem__


def _changed(files: Mapping[str, bytes], changes: Changes) -> dict[str, bytes]:
    return {name: content for name, content in {**files, **changes}.items() if content is not None}


@pytest.fixture
def altered(real_release: Release) -> Callable[[Changes], Release]:
    """The real release with changed (or, where None, without) files, already read."""
    return lambda changes: Release("altered.whl", _changed(real_release.files, changes))


@pytest.fixture
def altered_wheel(real_release: Release, tmp_path: Path) -> Callable[[Changes], tuple[Path, str]]:
    """The same as a wheel, and its sha256."""

    def build(changes: Changes) -> tuple[Path, str]:
        path = tmp_path / "altered.whl"
        with zipfile.ZipFile(path, "w", zipfile.ZIP_STORED) as archive:
            for name, content in _changed(real_release.files, changes).items():
                archive.writestr(zipfile.ZipInfo(name), content)
        return path, hashlib.sha256(path.read_bytes()).hexdigest()

    return build


@pytest.fixture
def altered_folder(real_release: Release, tmp_path: Path) -> Callable[[Changes], Path]:
    """The same unpacked into a folder."""

    def build(changes: Changes) -> Path:
        folder = tmp_path / "unpacked"
        for name, content in _changed(real_release.files, changes).items():
            path = folder / name
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_bytes(content)
        return folder

    return build
