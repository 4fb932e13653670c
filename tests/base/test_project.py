"""The project's own files: in a checkout, in a wheel, and those of the working folder before both."""

import re
import subprocess
import sys
import zipfile
from pathlib import Path

import pytest

from bfcl_pipeline.base import project
from bfcl_pipeline.base.errors import ConfigError
from bfcl_pipeline.base.project import INSTALLED, project_file, project_folder
from bfcl_pipeline.benchmark.config import load_models
from tests.support import ROOT


@pytest.fixture(scope="module")
def wheel(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The wheel of this checkout, built without network."""
    folder = tmp_path_factory.mktemp("wheel")
    command = [sys.executable, "-m", "pip", "wheel", "--quiet", "--no-deps", "--no-index"]
    command += ["--no-build-isolation", "--wheel-dir", str(folder), str(ROOT)]
    subprocess.run(command, check=True, capture_output=True)
    (file,) = folder.glob("*.whl")
    return file


def test_a_checkout_has_its_files_beside_the_package() -> None:
    """The workflow of a checkout is the one that is edited there."""
    assert project_folder() == ROOT


def test_a_file_of_the_working_folder_wins(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """config/models.yaml of the current folder is read if it exists, else the shipped one."""
    monkeypatch.chdir(tmp_path)
    assert project_file("config/models.yaml") == ROOT / "config/models.yaml"
    assert "oracle" in load_models(Path("config/models.yaml"))
    (tmp_path / "config").mkdir()
    (tmp_path / "config/models.yaml").write_text("models: [{name: mine, kind: oracle}]\n")
    assert project_file("config/models.yaml") == Path("config/models.yaml")
    rows = load_models(Path("config/models.yaml"))
    assert "mine" in rows
    assert "oracle" not in rows
    assert "gpt-4.1-2025-04-14-FC" in rows, "the leaderboard's models are still known"


def test_an_unknown_file_keeps_its_name(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The error of the reader names the path that was given."""
    monkeypatch.chdir(tmp_path)
    assert project_file("config/other.yaml") == Path("config/other.yaml")


def test_a_package_without_workflow_is_an_error(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The message says what to install."""
    monkeypatch.setattr(project, "_PACKAGE", tmp_path / "package")
    with pytest.raises(ConfigError, match=r"Install the wheel \(pip install bfcl-pipeline\)"):
        project_folder()


def test_the_wheel_has_the_stated_size(wheel: Path) -> None:
    """README states it in megabytes."""
    stated = re.search(r"The wheel has ([\d.]+) MB", (ROOT / "README.md").read_text(encoding="utf-8"))
    assert stated is not None
    assert abs(wheel.stat().st_size / 1e6 - float(stated[1])) < 0.2


def test_the_wheel_has_the_files_of_the_project(wheel: Path) -> None:
    """Workflow, profiles, shipped config and templates are in it; the user's own files are not."""
    tracked = subprocess.run(
        ["git", "-C", str(ROOT), "ls-files", "Snakefile", "workflow", "profiles", "config"],
        capture_output=True,
        text=True,
        check=False,
    ).stdout.split()
    with zipfile.ZipFile(wheel) as archive:
        prefix = f"bfcl_pipeline/{INSTALLED}/"
        packed = {name.removeprefix(prefix) for name in archive.namelist() if name.startswith(prefix)}
        assert {
            "Snakefile",
            "requirements.lock",
            "requirements-vllm.lock",
            "LICENSE",
            "config/official_models.yaml",
        } <= packed
        assert archive.read(f"{prefix}Snakefile") == (ROOT / "Snakefile").read_bytes()
        assert not [name for name in packed if "__pycache__" in name or "my_models" in name]
        assert packed >= set(tracked)
        assert "bfcl_pipeline/benchmark/config/models.schema.yaml" in archive.namelist()
        assert "bfcl_pipeline/py.typed" in archive.namelist()
        entries = Path("bfcl_pipeline/benchmark/errata/entries")
        packed = {name for name in archive.namelist() if name.startswith(f"{entries}/")}
        assert packed == {str(entries / path.name) for path in (ROOT / entries).glob("*.yaml")}
