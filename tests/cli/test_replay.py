"""`bfcl-pipeline replay` as a user meets it, where it cannot be done; how it is done is tests/workflow."""

from __future__ import annotations

from pathlib import Path

import pytest

from bfcl_pipeline.archive import rederive
from bfcl_pipeline.cli import main

CONFIG = "run: r\nmodels: [oracle-FC]\ncategories: [simple_java]\n"
MODELS = "models:\n- {name: oracle-FC, kind: oracle}\n"


@pytest.fixture
def run_dir(tmp_path: Path) -> Path:
    """What a run left of its config, and an empty cache beside it."""
    folder = tmp_path / "results/r"
    folder.mkdir(parents=True)
    (tmp_path / "cache").mkdir()
    (folder / "config.yaml").write_text(CONFIG)
    (folder / "models.yaml").write_text(MODELS)
    return folder


def refused(run_dir: Path, data: Path, capsys: pytest.CaptureFixture[str], *options: str) -> str:
    """What the command says when it gives up."""
    cache = str(run_dir.parents[1] / "cache")
    assert main(["replay", str(run_dir), "--data", str(data), "--cache", cache, *options]) == 1
    return capsys.readouterr().err


def test_a_run_without_its_config_is_refused(
    run_dir: Path, staged: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """The message says how it comes to be there."""
    (run_dir / "models.yaml").unlink()
    assert "models.yaml: no such file, so it is not known what" in refused(run_dir, staged, capsys)


@pytest.mark.parametrize("config", ["[1]", "run: [", "run: ../x", "models: []"])
def test_a_config_that_names_no_run_is_refused(
    config: str, run_dir: Path, staged: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """Nothing is derived from it, and no path is made of it."""
    (run_dir / "config.yaml").write_text(config)
    assert "config.yaml: " in refused(run_dir, staged, capsys)


def test_what_is_not_staged_is_not_fetched(
    run_dir: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """The message says what stages it."""
    (tmp_path / "data").mkdir()
    assert "Run `bfcl-pipeline stage` first." in refused(run_dir, tmp_path / "data", capsys)


def test_a_folder_in_use_is_not_written_into(
    run_dir: Path, staged: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """Derived results are never mixed with others."""
    kept = tmp_path / "kept"
    kept.mkdir()
    (kept / "mine").touch()
    assert "not an empty folder" in refused(run_dir, staged, capsys, "--keep", str(kept))
    assert [path.name for path in kept.iterdir()] == ["mine"]


def test_a_package_without_its_workflow_is_told(
    run_dir: Path, staged: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    """The message says where the workflow is to be had."""
    monkeypatch.setattr(rederive, "__file__", str(run_dir / "a/b/c.py"))
    assert "no Snakefile beside the package" in refused(run_dir, staged, capsys)


def test_what_follows_is_for_snakemake(
    run_dir: Path, staged: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """A dry run plans all steps and derives nothing, which is said."""
    said = refused(run_dir, staged, capsys, "--cores", "1", "--snakemake", "--dry-run")
    assert "Judge oracle-FC" in said
    assert "Snakemake ended without results" in said


def test_a_step_that_fails_shows_its_log(
    run_dir: Path, staged: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """A model that is not among the rows stops the workflow, and why is printed."""
    (run_dir / "config.yaml").write_text(CONFIG.replace("oracle-FC", "another-FC"))
    said = refused(run_dir, staged, capsys, "--cores", "1")
    assert "a step failed" in said
    assert "unknown model 'another-FC'" in said
