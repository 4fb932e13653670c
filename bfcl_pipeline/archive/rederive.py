"""A run derived again from what it recorded: the same DAG in another folder, offline.

Covers the folder that the workflow is run in, and running it: config and models as the run recorded them,
release, journals and record of the web as links. Nothing is sent or fetched; what of a run is not to be
derived is told in docs/replay.md.
"""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import sys
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import TypeAlias

import yaml

from bfcl_pipeline.benchmark import CATEGORIES, encoder
from bfcl_pipeline.errors import ConfigError, PipelineError, StagingError
from bfcl_pipeline.tables import entries_path

LOG = "replay.log"
"""The file of the work folder with all that Snakemake said."""

Tell: TypeAlias = Callable[[str], None]
"""Is given lines for a person while the work goes on."""

_RUN = re.compile(r"[A-Za-z0-9][A-Za-z0-9._-]*")  # as in the schema of configs
_LAST_LINES = 40  # of the log that a message repeats
_NOT_OURS = ("SNAKEMAKE_PROFILE",)  # a user's own, for runs on a cluster
_OFFLINE = {"PIP_NO_INDEX": "1"}  # what is not staged after all is not fetched
_STEP = re.compile(r"Job \d+: (.+)")  # as Snakemake announces it


def to_stderr(line: str) -> None:
    """A `Tell` for the command line."""
    print(line, file=sys.stderr, flush=True)


def rederive(
    run_folder: Path,
    *,
    data: Path,
    cache: Path,
    work: Path,
    cores: int,
    arguments: Sequence[str] = (),
    tell: Tell = to_stderr,
) -> Path:
    """Derives the run in `run_folder` again in the folder `work`; returns work/results/<run>.

    data: the staged release. cache: with `exchanges` and `web`. work: empty, or not there. arguments: more
    for Snakemake. Raises PipelineError if something that is needed is not there, or a step fails; the log
    is then in `work`.
    """
    workflow = workflow_folder()
    run = recorded_name(run_folder)
    check_staged(data, run_folder)
    _lay_out(run_folder, data, cache, work)
    command = [sys.executable, "-m", "snakemake", "--snakefile", str(workflow / "Snakefile")]
    command += ["--directory", str(work), "--cores", str(cores)]
    command += ["--workflow-profile", str(workflow / "workflow/profiles/default"), *arguments]
    _run(command, work / LOG, tell)
    derived = work / "results" / run
    if not derived.is_dir():
        raise PipelineError(f"{work}: Snakemake ended without results. See {work / LOG}.")
    return derived


def workflow_folder() -> Path:
    """The folder with the Snakefile, beside the package. Raises PipelineError if it is not there."""
    folder = Path(__file__).resolve().parents[2]
    if not (folder / "Snakefile").is_file():
        raise PipelineError(
            f"{folder}: no Snakefile beside the package, and without the workflow nothing can be derived "
            "again. Use a checkout of the project (pip install -e .), or its image."
        )
    return folder


def recorded_name(run_folder: Path) -> str:
    """The name of the run in a folder. Raises ConfigError if the folder does not say what was asked."""
    path = run_folder / "config.yaml"
    for file in (path, run_folder / "models.yaml"):
        if not file.is_file():
            raise ConfigError(
                f"{file}: no such file, so it is not known what the run was asked to do. Name the folder "
                "of a run, as results/embedded; one of an earlier version is completed by running it again."
            )
    name = _config(path).get("run")
    if not isinstance(name, str) or not _RUN.fullmatch(name):
        raise ConfigError(f"{path}: expected the name of a run under `run`; got {name!r}.")
    return name


def check_staged(data: Path, run_folder: Path) -> None:
    """Raises StagingError if something of the release is missing: it would have to be fetched."""
    needed = [data / "release/texts.json", data / "release/models.json"]
    needed += [entries_path(data, category) for category in CATEGORIES]
    what = "bfcl-pipeline stage"
    if any(run_folder.glob("memory/*/memory_vector.parquet")):
        weights = data / "encoder" / encoder.WEIGHTS
        if not weights.is_file():
            needed, what = [weights], "bfcl-pipeline stage --encoder"
    for path in needed:
        if not path.is_file():
            raise StagingError(f"{path}: not staged, and a replay fetches nothing. Run `{what}` first.")


def _lay_out(run_folder: Path, data: Path, cache: Path, work: Path) -> None:
    """Makes `work` a folder that the workflow can be run in."""
    if work.exists() and (not work.is_dir() or any(work.iterdir())):
        raise PipelineError(f"{work}: not an empty folder. Name one that is not there yet, or delete it.")
    for given in (data, cache):
        if not given.is_dir():
            raise PipelineError(f"{given}: no such folder.")
    (work / "config").mkdir(parents=True, exist_ok=True)
    config = {**_config(run_folder / "config.yaml"), "replay": True}
    (work / "config/config.yaml").write_text(yaml.safe_dump(config, allow_unicode=True), encoding="utf-8")
    shutil.copyfile(run_folder / "models.yaml", work / "config/models.yaml")
    (work / "data").symlink_to(data.resolve())
    (work / "cache").symlink_to(cache.resolve())
    (work / "observed").symlink_to(run_folder.resolve())


def _config(path: Path) -> dict[str, object]:
    try:
        config = yaml.safe_load(path.read_text(encoding="utf-8"))
    except (yaml.YAMLError, UnicodeDecodeError) as error:
        raise ConfigError(f"{path}: not readable as YAML ({error}).") from error
    if not isinstance(config, dict):
        raise ConfigError(f"{path}: expected a mapping of keys; got {type(config).__name__}.")
    return config


def _run(command: Sequence[str], log: Path, tell: Tell) -> None:
    """Runs Snakemake; all it says goes to `log`, a line for each step to `tell`."""
    with (
        log.open("w", encoding="utf-8") as kept,
        subprocess.Popen(
            command,
            env={name: value for name, value in os.environ.items() if name not in _NOT_OURS} | _OFFLINE,
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            encoding="utf-8",
            errors="replace",
        ) as process,
    ):
        try:
            assert process.stdout is not None  # noqa: S101  # it is a pipe
            for line in _kept(process.stdout, kept.write):
                step = _STEP.fullmatch(line)
                if step is not None:
                    tell(step[1])
        except BaseException:
            process.terminate()  # it ends its steps
            raise
    if process.returncode != 0:
        said = log.read_text(encoding="utf-8").splitlines()
        last = "\n".join(said[-_LAST_LINES:])
        raise PipelineError(f"a step failed; the last of {len(said):,} lines of {log}:\n{last}")


def _kept(lines: Iterator[str], keep: Callable[[str], object]) -> Iterator[str]:
    for line in lines:
        keep(line)
        yield line.rstrip("\n")
