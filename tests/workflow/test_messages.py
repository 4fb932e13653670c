"""Messages to the user: wrong configs in one line, failed steps with their log, a clean lint."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

from tests.support.snakemake_project import Project

ROOT = Path(__file__).resolve().parents[2]


def test_a_wrong_config_is_reported_in_one_line(bare: Project) -> None:
    """The output has neither a traceback nor a schema dump; the last line states valid values.

    tests/benchmark/config has the messages of all keys; the next test has the one of an unknown model.
    """
    done = bare.snakemake("-n", modles="[oracle]")
    assert done.returncode == 1
    message = "config: unknown key 'modles'. Did you mean 'models'? Known: run, models,"
    assert done.stdout.splitlines()[-1].startswith(message)
    assert "Traceback" not in done.stdout


def test_run_gives_snakemakes_output_and_status(tmp_path: Path) -> None:
    """In an empty folder, `bfcl-pipeline run` with an unknown model ends with 1 and that line."""
    done = subprocess.run(
        [sys.executable, "-m", "bfcl_pipeline.cli", "run", "-n", "-m", "orcale", "--cores", "1"],
        cwd=tmp_path,
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 1
    last = done.stderr.splitlines()[-1]
    assert last.startswith("config: models: unknown model 'orcale'. Did you mean 'oracle'?")


def test_a_failed_step_shows_its_log(project: Project) -> None:
    """Snakemake's output contains the reason; no partial output file is left."""
    done = project.snakemake(models="[oracle]", entry_ids="[simple_python_9999]")
    assert done.returncode == 1
    assert "no entry 'simple_python_9999'" in done.stdout
    assert not list(project.folder.glob("results/*/responses/**/*.parquet"))


def test_the_workflow_passes_snakemakes_lint(bare: Project) -> None:
    """`snakemake --lint` reports no problems."""
    done = bare.snakemake("--lint")
    assert done.returncode == 0, done.stdout
    assert "Congratulations" in done.stdout


@pytest.mark.parametrize(
    ("arguments", "run"),
    [
        ("", "embedded"),
        ("--config sample=3 run=quick", "quick"),
        ("--configfile mine.yaml", "mine"),
        ("--configfile mine.yaml --config run=quick", "quick"),
    ],
)
def test_make_knows_the_chosen_run(tmp_path: Path, arguments: str, run: str) -> None:
    """Its name is read from --config, else from the config files, the last one first."""
    (tmp_path / "config").mkdir()
    (tmp_path / "config/config.yaml").write_text("run: embedded # name\nmodels: [oracle]\n")
    (tmp_path / "mine.yaml").write_text("run: mine\n")
    done = subprocess.run(
        ["make", "-n", "-f", ROOT / "Makefile", "-o", ".venv/.ready", "report", f"ARGS={arguments}"],
        cwd=tmp_path,
        env={key: value for key, value in os.environ.items() if not key.startswith(("MAKE", "MFLAGS"))},
        capture_output=True,
        text=True,
        check=True,
    )
    assert done.stdout.splitlines()[-1].endswith(f"--report results/{run}/snakemake_report.html")


def test_make_reports_a_run_with_its_own_config(tmp_path: Path) -> None:
    """RUN=mine names a run; the config that it recorded says which files are its results."""
    (tmp_path / "results/mine").mkdir(parents=True)
    (tmp_path / "results/mine/config.yaml").write_text("run: mine\n")
    done = subprocess.run(
        ["make", "-n", "-f", ROOT / "Makefile", "-o", ".venv/.ready", "report", "RUN=mine"],
        cwd=tmp_path,
        env={key: value for key, value in os.environ.items() if not key.startswith(("MAKE", "MFLAGS"))},
        capture_output=True,
        text=True,
        check=True,
    )
    assert done.stdout.splitlines()[-1].endswith(
        "--configfile results/mine/config.yaml  --report results/mine/snakemake_report.html"
    )


def test_a_process_of_single_jobs_imports_only_what_it_needs() -> None:
    """Snakemake starts one for each group of jobs. Reading the Snakefile, it imports neither libraries for
    tables nor what the main process does."""
    code = (
        "import sys, bfcl_pipeline.ask.jobs.checked_run;"
        "rooms = {'ask.jobs.main_process', 'ask.generation', 'show.report', 'show.screen'};"
        "others = {f'bfcl_pipeline.{room}' for room in rooms} | {'polars', 'pyarrow', 'rich'};"
        "print(*others & set(sys.modules))"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == ""


def test_reading_the_snakefile_loads_no_heavy_library() -> None:
    """A run without work must end quickly, so libraries for tables and templates are loaded by the steps
    only."""
    code = (
        "import sys, bfcl_pipeline.benchmark.config, bfcl_pipeline.ask.models;"
        "print(*{'polars', 'pyarrow', 'jinja2', 'rich', 'tree_sitter'} & set(sys.modules))"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == ""
