"""Archives as sides of comparisons and gates."""

from __future__ import annotations

from pathlib import Path

import pytest

from bfcl_pipeline.ask.jobs.run import run_job
from bfcl_pipeline.base.errors import ConfigError
from bfcl_pipeline.benchmark.config import Job, JobPaths, ModelRow
from bfcl_pipeline.benchmark.records import Mode
from bfcl_pipeline.cli import main
from bfcl_pipeline.cli.sides import opened_sides
from bfcl_pipeline.runs.archived.unpacking import opened_run
from tests.share.archive.small_run import SmallRun

ASKED = ("memory_kv", "simple_python", "web_search_base")


def test_an_archive_is_compared_like_its_run(
    archived: Path, small_run: SmallRun, capsys: pytest.CaptureFixture[str]
) -> None:
    """Its verdicts equal those of the run; stderr says that they were not derived again."""
    assert main(["compare", f"{archived}:oracle-FC", f"{small_run.results}:oracle-FC"]) == 0
    printed = capsys.readouterr()
    assert f"A: {archived}:oracle-FC\nB: {small_run.results}:oracle-FC\n" in printed.out
    assert printed.out.endswith("Only A right: 0 entries.\nOnly B right: 0 entries.\n")
    assert f"bfcl-pipeline verify {archived}" in printed.err
    assert printed.err.count("\n") == 1


def test_models_of_one_archive_are_compared(archived: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """An archive alone is all its models, and --run takes one; it is read once. Errors name the file."""
    assert main(["compare", str(archived)]) == 0
    assert main(["compare", "near/chat-FC", "near/chat-FC~2", "--run", str(archived)]) == 0
    printed = capsys.readouterr()
    assert "\nA: near/chat-FC\nB: near/chat-FC~2\n" in f"\n{printed.out}"
    assert printed.err.count("\n") == 2
    assert main(["compare", f"{archived}:oracle", f"{archived}:oracle-FC"]) == 1
    assert f"{archived}/verdicts: unknown model 'oracle'" in capsys.readouterr().err


def test_a_gate_takes_an_archive_as_baseline(
    archived: Path, small_run: SmallRun, capsys: pytest.CaptureFixture[str]
) -> None:
    """The run is gated against its own archive; the same archive on both sides is refused."""
    run = f"{small_run.results}:oracle-FC"
    options = ["--no-worse", "100", "--category", "simple_python"]
    assert main(["gate", run, "--against", f"{archived}:oracle-FC", *options]) == 0
    assert main(["gate", str(archived), "--against", str(archived), *options]) == 2
    assert "are the same" in capsys.readouterr().err


def test_a_gate_refuses_the_exchanges_of_the_same_journal(
    archived: Path, small_run: SmallRun, capsys: pytest.CaptureFixture[str]
) -> None:
    """An archive has the exchanges of its run; those of another trial are others."""
    for trial, status in (("near/chat-FC", 2), ("near/chat-FC~2", 0)):
        sides = [f"{small_run.results}:near/chat-FC", "--against", f"{archived}:{trial}"]
        assert main(["gate", *sides, "--no-worse", "100", "--category", "simple_python"]) == status
        refused = "all 2 pairs are the same exchange" in capsys.readouterr().err
        assert refused is (status == 2)


def test_a_row_with_results_of_an_unknown_model_is_told_those_of_the_archive(
    archived: Path, small_run: SmallRun
) -> None:
    """Nothing of other models is unpacked; which there are stands in the config."""
    row = ModelRow("mine-FC", "results", Mode.FC, "Mine", model="other", path=str(archived))
    paths = JobPaths(data=small_run.folder / "data")
    job = Job(row=row, categories=("simple_python",), run="r", paths=paths)
    with pytest.raises(ConfigError, match=r"unknown model 'other'.* Known: .*oracle-FC.*\. Set `model`"):
        run_job(job)


def test_only_what_a_comparison_reads_is_extracted(archived: Path) -> None:
    """Config, rows of the models, verdicts and responses: no journals, pages, logs or other tables."""
    with opened_sides([str(archived)]) as (choice,):
        run = choice.run
        files = {str(path.relative_to(run.folder)) for path in run.folder.rglob("*") if path.is_file()}
        assert not run.cache.exists()
    models = ("near_chat-FC", "near_chat-FC~2", "oracle-FC")
    assert files == {
        "config.yaml",
        "models.yaml",
        *(f"verdicts/{model}.parquet" for model in models),
        *(f"responses/{model}/{category}.parquet" for model in models for category in ASKED),
    }


def test_the_web_of_an_archive_is_that_of_its_run(archived: Path, small_run: SmallRun) -> None:
    """Its recorded outcomes have the bytes of the web cache, and those of other runs are not in it."""
    with opened_run(archived) as packed:
        of_archive, of_cache = (
            {path.relative_to(cache): path.read_bytes() for path in cache.glob("web/*/*/*")}
            for cache in (packed.cache, small_run.cache)
        )
    assert of_archive
    assert of_archive.items() < of_cache.items()
