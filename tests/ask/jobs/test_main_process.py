"""What the main process does for a run; tests/workflow has it in processes of Snakemake."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
import snakemake.exceptions
from snakemake.persistence.file import FilePersistence

from bfcl_pipeline.ask.jobs.main_process import MainProcess, check_results, claim_folder, is_dry_run
from bfcl_pipeline.ask.orchestration.outdated_results import OutdatedResults
from bfcl_pipeline.ask.orchestration.slurm_cluster import SlurmLimits
from bfcl_pipeline.base.errors import ConfigError
from bfcl_pipeline.benchmark.config import load_run
from tests.ask.jobs.test_checked_run import WORKFLOW
from tests.ask.orchestration.test_finished_results import CONFIG, ROWS, finish, row

NO_CLUSTER = SlurmLimits(lambda: None, lambda: None)
SAMPLED = {**CONFIG, "sample": 20}


@pytest.fixture(autouse=True)
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A working folder with nothing in it."""
    monkeypatch.chdir(tmp_path)
    return tmp_path


def results(*arguments: str, **changes: Any) -> OutdatedResults:
    config = {**SAMPLED, **changes}
    rows = {**ROWS, "keyed": row("keyed", key="BFCL_TEST_KEY", input_price=1.0, output_price=1.0)}
    return check_results(load_run(config, rows), WORKFLOW, arguments)


def test_results_of_other_settings_are_refused_but_in_a_replay() -> None:
    """A replay derives the results of another folder again; with the same settings, models are complete."""
    finish(Path("results/r"), SAMPLED)
    assert results().complete == {"a-FC", "b"}
    with pytest.raises(ConfigError, match="seed: 0 -> 5"):
        results(seed=5)
    assert results(seed=5, replay=True) == OutdatedResults()


def test_what_is_to_be_expected_is_printed(
    staged: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """A key that a model lacks, in any call; in a dry run, what would be asked as well."""
    monkeypatch.delenv("BFCL_TEST_KEY", raising=False)
    Path("data").symlink_to(staged)
    results(models=["keyed", "b"])
    lines = capsys.readouterr().err.splitlines()
    assert lines[0].startswith("keyed: BFCL_TEST_KEY")
    results("-n", models=["keyed", "b"])
    dry = capsys.readouterr().err.splitlines()
    assert dry[: len(lines)] == lines
    assert dry[len(lines) :] == [
        "keyed: 20 entries, about 20 requests, 5,210 tokens in, 2,051 out, 0.01 US dollars, 2 s",
        "b: 20 entries, about 20 requests, 5,210 tokens in, 2,051 out, 2 s",
    ]
    with pytest.raises(ConfigError, match="no entry 'multiple_9999'"):
        results(sample=None, entry_ids=["multiple_9999"])


def test_slurm_must_be_there_if_it_is_named(monkeypatch: pytest.MonkeyPatch) -> None:
    """Also in a dry run, before anything is planned."""
    monkeypatch.setenv("PATH", "/nowhere")
    with pytest.raises(ConfigError, match="sbatch, squeue, sinfo, scancel are not on PATH"):
        results("-n", "--executor", "slurm")


@pytest.mark.parametrize(
    ("arguments", "dry"), [(["-n"], True), (["-np"], True), (["--dryrun"], True), (["--touch"], False)]
)
def test_a_dry_run_is_recognized(arguments: list[str], dry: bool) -> None:
    """By Snakemake's options for it."""
    assert is_dry_run(arguments) is dry


@pytest.mark.parametrize("touch", [False, True])
def test_what_is_replaced_is_deleted_at_the_start(touch: bool) -> None:
    """Not if Snakemake only renews the times of files."""
    replaced = Path("old.parquet")
    replaced.touch()
    outdated = OutdatedResults(replaced=(replaced, Path("gone.parquet")))
    MainProcess(load_run(CONFIG, ROWS), NO_CLUSTER, outdated, None).start(touch=touch)
    assert replaced.exists() is touch


def test_a_cluster_that_cannot_run_the_jobs_ends_the_process(monkeypatch: pytest.MonkeyPatch) -> None:
    """Before the first step, with one line."""
    monkeypatch.setenv("PATH", "/nowhere")
    slurm = SlurmLimits(lambda: "slurm", lambda: None)
    with pytest.raises(SystemExit, match="are not on PATH"):
        MainProcess(load_run(CONFIG, ROWS), slurm, OutdatedResults(), None).start(touch=False)


def test_a_run_claims_its_folder(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Until it is closed; where Snakemake's directory cannot be made, it runs without a claim."""
    # The claim replaces them, until this test ends.
    monkeypatch.setattr(FilePersistence, "_delete_locks", FilePersistence._delete_locks)
    monkeypatch.setattr(snakemake.exceptions, "LockException", snakemake.exceptions.LockException)
    run = load_run(CONFIG, ROWS)
    active = claim_folder(run, stages=False)
    assert active is not None
    assert active.alone
    assert len(list((folder / ".snakemake/runs").iterdir())) == 1
    active.close()
    assert list((folder / ".snakemake/runs").iterdir()) == []
    (folder / "file").touch()
    monkeypatch.setattr("bfcl_pipeline.ask.jobs.main_process.STATE", folder / "file")
    assert claim_folder(run, stages=True) is None


def test_tables_of_a_failed_run_need_a_complete_model(capsys: pytest.CaptureFixture[str]) -> None:
    """Without one nothing is made, and the line is empty."""
    MainProcess(load_run(CONFIG, ROWS), NO_CLUSTER, OutdatedResults(), None).tabulate_complete()
    assert capsys.readouterr().err == "\n"
