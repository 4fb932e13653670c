"""Errors of `bfcl-pipeline replay`; tests/workflow has complete replays."""

from __future__ import annotations

import os
import shutil
from pathlib import Path

import pytest
import yaml

from bfcl_pipeline.base import project
from bfcl_pipeline.benchmark.config.run_record import recorded_config
from bfcl_pipeline.benchmark.definition import GROUPS
from bfcl_pipeline.cli import main

SHIPPED = yaml.safe_load((project.project_folder() / "config/config.yaml").read_text())
MODELS = "models:\n- {name: oracle-FC, kind: oracle}\n"


def recorded(**changes: object) -> str:
    """A config as a run records it."""
    config = {"run": "r", "models": ["oracle-FC"], "categories": ["simple_java"]}
    return recorded_config({**SHIPPED, **config, **changes})


@pytest.fixture
def run_dir(tmp_path: Path) -> Path:
    """A run directory with config and models, and an empty cache."""
    folder = tmp_path / "results/r"
    folder.mkdir(parents=True)
    (tmp_path / "cache").mkdir()
    (folder / "config.yaml").write_text(recorded())
    (folder / "models.yaml").write_text(MODELS)
    return folder


def refused(run_dir: Path, data: Path, capsys: pytest.CaptureFixture[str], *options: str) -> str:
    """The error message of the command."""
    cache = str(run_dir.parents[1] / "cache")
    assert main(["replay", str(run_dir), "--data", str(data), "--cache", cache, *options]) == 1
    return capsys.readouterr().err


def test_a_run_without_its_config_is_refused(
    run_dir: Path, staged: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """The message states what writes the file."""
    (run_dir / "models.yaml").unlink()
    message = refused(run_dir, staged, capsys)
    assert "models.yaml: no such file" in message
    assert "run `snakemake` again" in message


@pytest.mark.parametrize(
    ("config", "words"),
    [
        *((text, "config.yaml: ") for text in ("[1]", "run: [", recorded(run="../x"), recorded(models=[]))),
        (recorded(models=["another-FC"]), "unknown model 'another-FC'"),
        # What an earlier version did not record is not guessed.
        (recorded().replace("form: 1", "form: 2"), "this run has form 2, and this version of bfcl"),
        (recorded().replace("form: 1\n", ""), "this run has no form number, and this version"),
        (recorded().replace("seed: 0\n", ""), "config.yaml: the key 'seed' is missing"),
        (
            recorded().replace("  source: null\n  v", "  v"),
            "config.yaml: release: the key 'source' is missing",
        ),
    ],
)
def test_a_config_that_is_malformed_or_of_another_form_is_refused(
    config: str, words: str, run_dir: Path, staged: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """Nothing is run, and the name of the run is not used as a path."""
    (run_dir / "config.yaml").write_text(config)
    assert words in refused(run_dir, staged, capsys)


def test_a_missing_release_is_not_fetched(
    run_dir: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """The message has the command that stages the release."""
    (tmp_path / "data").mkdir()
    message = refused(run_dir, tmp_path / "data", capsys)
    assert "not staged, and a replay fetches nothing" in message
    assert f"Run `bfcl-pipeline stage --data {tmp_path / 'data'} --version" in message


def test_entries_of_executable_categories_are_needed_by_their_runs_alone(
    run_dir: Path, staged: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """Only by runs that have them. A folder with files is then refused, and left as it is."""
    data = tmp_path / "data"
    shutil.copytree(staged, data, copy_function=os.link)
    for category in GROUPS["executable"]:
        (data / f"entries/{category}.parquet").unlink()
    (data / "release/recorded_calls.json").unlink()
    kept = tmp_path / "kept"
    kept.mkdir()
    (kept / "mine").touch()  # refused after the staged files were checked
    assert "not an empty directory" in refused(run_dir, data, capsys, "--keep", str(kept))
    assert [path.name for path in kept.iterdir()] == ["mine"]
    (run_dir / "config.yaml").write_text(recorded(categories=["simple_java", "rest"]))
    assert "rest.parquet: not staged" in refused(run_dir, data, capsys, "--keep", str(kept))


def test_a_package_without_its_workflow_is_an_error(
    run_dir: Path, staged: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    """The message states how to install the workflow."""
    monkeypatch.setattr(project, "_PACKAGE", run_dir / "package")
    assert "no Snakefile and workflow/ inside or beside the package" in refused(run_dir, staged, capsys)


def test_remaining_arguments_are_passed_to_snakemake(
    run_dir: Path, staged: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """A dry run plans all steps and derives nothing, which is an error. Embedded models need no cache."""
    (run_dir.parents[1] / "cache").rmdir()
    message = refused(run_dir, staged, capsys, "--cores", "1", "--snakemake", "--dry-run")
    assert "Score oracle-FC" in message
    assert "Snakemake ended without results" in message


def test_models_with_journals_need_a_cache(
    run_dir: Path, staged: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """The directory of the journals of other models must exist, or be named with --cache."""
    (run_dir.parents[1] / "cache").rmdir()
    row = "- {name: oracle-FC, kind: openai_chat, endpoint: 'http://127.0.0.1:9/v1'}"
    (run_dir / "models.yaml").write_text(f"models:\n{row}\n")
    message = refused(run_dir, staged, capsys, "--cores", "1")
    assert "cache: no such directory. Name that of the run's journals with --cache." in message


@pytest.mark.workflow
def test_a_step_that_fails_shows_its_log(
    run_dir: Path, staged: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """An entry id that does not exist stops the workflow, and the end of the log is printed."""
    (run_dir / "config.yaml").write_text(recorded(entry_ids=["simple_java_1000000"]))
    message = refused(run_dir, staged, capsys, "--cores", "1")
    assert "a step failed" in message
    assert "simple_java_1000000" in message


def test_data_of_another_version_are_refused(
    run_dir: Path, staged: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """A staged file that they lack is named with the command that stages it."""
    data = tmp_path / "data"
    (data / "release").mkdir(parents=True)
    (data / "entries").symlink_to(staged / "entries")
    for name in ("texts.json", "models.json"):
        (data / "release" / name).symlink_to(staged / "release" / name)
    message = refused(run_dir, data, capsys)
    assert "family_texts.json: not staged" in message
    assert "Run `bfcl-pipeline stage --data" in message
