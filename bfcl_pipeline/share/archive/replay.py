"""Replaying a run: its workflow is run again offline, from what it recorded, and the results are compared.

Covers the working directory of the replay, running Snakemake in it, and the result of the comparison. The
working directory has the recorded config and models, and links to the release, the journals and the web
cache. Nothing is sent or fetched. docs/replay.md lists what cannot be derived.
"""

from __future__ import annotations

import os
import subprocess
import sys
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import partial
from importlib.util import find_spec
from pathlib import Path
from shutil import copyfile
from typing import IO, TYPE_CHECKING

import yaml

from bfcl_pipeline.base.errors import PipelineError, StagingError
from bfcl_pipeline.base.process import limit_process
from bfcl_pipeline.base.project import project_folder
from bfcl_pipeline.base.text import STEP_LINE, Log, plural
from bfcl_pipeline.benchmark.config import keys_recorded
from bfcl_pipeline.benchmark.definition import CATEGORIES, V4_CATEGORIES, encoder
from bfcl_pipeline.benchmark.tables import entries_path
from bfcl_pipeline.dialogue.release_texts import family_texts_path, recorded_calls_path
from bfcl_pipeline.judge.web_files import checked_web, run_keys
from bfcl_pipeline.runs.run import BLAME, BLAMED_ANSWERS, Run
from bfcl_pipeline.share.archive.compare import (
    FileDifference,
    answered_since,
    compared_files,
    file_differences,
    missing_answers,
    missing_lines,
)

if TYPE_CHECKING:
    from bfcl_pipeline.world.web.check import CacheCheck

LOG = "replay.log"
"""The file of the working directory with what was printed; Snakemake's own log is in `.snakemake/log`."""

STEP_SECONDS = 3600
"""The most processor time of each process of a derivation: a step of a hundred models takes minutes."""

STEP_BYTES = 8 * 2**30
"""The most memory of each of them: steps of a hundred models take 3 GB. Its largest file has half of it."""

_MOST_LOG = 2**26  # characters that Snakemake prints
_LONGEST_LINE = 2**20
_LAST_LINES = 40  # of the log, in an error message
_IGNORED_VARIABLES = ("SNAKEMAKE_PROFILE",)  # the user's own profile, for runs on a cluster
_OFFLINE = {"PIP_NO_INDEX": "1"}  # the rule that stages the release cannot fetch it


@dataclass(frozen=True, slots=True)
class ReplayResult:
    """The comparison of a run with its replay."""

    derived: Path  # results/<run> of the replay
    files: int  # derived files that were compared
    differences: tuple[FileDifference, ...]  # causes before their consequences
    missing: Counter[str]  # by status, entries of the replay without an answer
    given: tuple[str, ...]  # models of kind `results`, whose answers were taken from the run
    answered_since: int  # entries that failed in the run and have an answer in the replay
    web: CacheCheck | None = None  # of the outcomes in the web cache that the run used, if any

    @property
    def failed(self) -> bool:
        """Whether something differs, or the web cache contradicts itself."""
        return bool(self.differences or (self.web and self.web.failed))

    def lines(self) -> Iterator[str]:
        """The result for a person: `identical` or the first difference, then counts."""
        if self.differences:
            changed = Counter(difference.file.parts[0] for difference in self.differences)
            counts = ", ".join(f"{count:,} of {part}" for part, count in changed.items())
            yield f"different: {self.differences[0]}"
            yield f"{len(self.differences):,} of {self.files:,} files differ: {counts}"
        else:
            yield f"identical: all {self.files:,} files"
        yield from self.web.lines() if self.web else ()
        yield from missing_lines(self.missing)
        yield from taken_from_run(self.given, self.derived).values()
        if self.answered_since:
            yield (
                f"Answered since the run, according to the journals: {self.answered_since:,} entries. Run "
                "it again to include those answers."
            )


def taken_from_run(folders: Sequence[str], derived: Path) -> dict[str, str]:
    """What a replay cannot derive, in a line each: answers of `folders`, blame, which needs a tokenizer."""
    lines, head = {}, "Taken from the run, not derived:"
    if folders:
        models = plural(len(folders), "model", "models")
        where = f"kind results, which are in no journal (the first: {folders[0]})."
        lines["answers"] = f"{head} the answers of {models} of {where}"
    if (derived / BLAME).is_file():
        lines["blame"] = f"{head} what wrong answers are put down to ({BLAME})."
    return lines


def replay(
    run: Run,
    *,
    work: Path,
    cores: int,
    arguments: Sequence[str] = (),
    log: Log,
) -> ReplayResult:
    """Derives a run again and compares the results byte for byte; plays the cassettes that it used.

    Arguments and errors as of `derive`.
    """
    check_staged(run)
    record = run.cache / "web"
    keys = run_keys(run, record) if record.is_dir() else set()
    web = checked_web(record, keys, cores, log) if keys else None
    derived = derive(run, work=work, cores=cores, arguments=arguments, log=log)
    found = tuple(file_differences(run.folder, derived))
    return ReplayResult(
        derived,
        len(compared_files(derived)),
        found,
        missing_answers(derived),
        tuple(run.recorded.given),
        answered_since(run.folder, derived) if found else 0,
        web,
    )


def derive(
    run: Run,
    *,
    work: Path,
    cores: int,
    arguments: Sequence[str] = (),
    log: Log,
) -> Path:
    """Runs the workflow of a recorded run again, offline.

    Args:
        run: the run.
        work: the working directory, which is empty or does not exist.
        cores: processor cores to use.
        arguments: additional arguments of Snakemake.
        log: receives a line for each finished step, `[12/88] Score oracle`.

    Returns:
        work/results/<run>.

    Raises:
        PipelineError: something that is needed is missing, or a step failed; `work` then has the log.
    """
    workflow = project_folder()
    check_staged(run)
    if missing := _missing_templates(run):
        raise PipelineError(
            f"{run.folder}/logs/generate: no chat template of {', '.join(missing)}, which the run "
            "noted there. Restore the file, or make the run again."
        )
    _lay_out(run, work)
    command = [sys.executable, "-m", "snakemake", "--snakefile", str(workflow / "Snakefile")]
    command += ["--directory", str(work), "--cores", str(cores)]
    command += ["--workflow-profile", str(workflow / "profiles/default")]
    command += ["--logger", "bfcl", "--logger-bfcl-show", "lines", *arguments]
    log("Deriving the run again, offline; a line for each step follows.")
    _run(command, work / LOG, log)
    derived = work / "results" / run.recorded.name
    if not derived.is_dir():
        raise PipelineError(f"{work}: Snakemake ended without results; {_end(work / LOG)}")
    return derived


def _missing_templates(run: Run) -> list[str]:
    """The models whose prompts cannot be derived: the template of their tokenizer is not there."""
    rows = {folder: run.recorded.job_of(folder).row for folder in run.recorded.remote}
    return [
        row.model
        for folder, row in rows.items()
        if row.own_template and not run.template_note(folder).is_file()
    ]


def check_staged(run: Run) -> None:
    """Raises StagingError if Snakemake or a staged file that the replay needs is missing."""
    if find_spec("snakemake") is None:
        raise StagingError(f"Snakemake is not installed: {sys.executable} -m pip install snakemake")
    data = run.data
    needed = [data / "release/texts.json", data / "release/models.json", family_texts_path(data)]
    needed += [
        entries_path(data, name) for name in dict.fromkeys([*V4_CATEGORIES, *run.recorded.categories])
    ]
    if any(CATEGORIES[name].executes for name in run.recorded.categories):
        needed.append(recorded_calls_path(data))
    _check_files(needed, stage_command(run))
    if run.recorded.needs_encoder:
        _check_files([data / "encoder" / encoder.WEIGHTS], f"bfcl-pipeline stage --encoder --data {data}")


def stage_command(run: Run) -> str:
    """The command that stages the release of the run."""
    release = run.recorded.settings.release
    return f"bfcl-pipeline stage --data {run.data} --version {release.version} --sha256 {release.sha256}"


def _check_files(paths: Sequence[Path], command: str) -> None:
    for path in paths:
        if not path.is_file():
            raise StagingError(f"{path}: not staged, and a replay fetches nothing. Run `{command}` first.")


def _lay_out(run: Run, work: Path) -> None:
    """Prepares the working directory of the workflow."""
    if work.exists() and (not work.is_dir() or any(work.iterdir())):
        raise PipelineError(f"{work}: not an empty directory. Name a new directory, or delete it.")
    data, cache, own = run.data, run.cache, run.journals.parent == run.folder
    if not data.is_dir():
        raise PipelineError(f"{data}: no such directory.")
    if any(job.remote for job in run.recorded.jobs) and not own and not cache.is_dir():
        raise PipelineError(f"{cache}: no such directory. Name that of the run's journals with --cache.")
    (work / "config").mkdir(parents=True, exist_ok=True)
    config = {key: value for key, value in run.values.items() if key not in keys_recorded("never")}
    text = yaml.safe_dump({**config, "replay": True}, allow_unicode=True)
    (work / "config/config.yaml").write_text(text, encoding="utf-8")
    copyfile(run.models_file, work / "config/models.yaml")
    (work / "data").symlink_to(data.resolve())
    if cache.is_dir():
        (work / "cache").symlink_to(cache.resolve())
    (work / "observed").symlink_to(run.folder.resolve())
    for name in (BLAME, BLAMED_ANSWERS):  # what `blame` added to the page
        if (run.folder / name).is_file():
            (work / "results" / run.recorded.name).mkdir(parents=True, exist_ok=True)
            copyfile(run.folder / name, work / "results" / run.recorded.name / name)
    if own:
        link = work / run.journals_member
        link.parent.mkdir(parents=True)
        link.symlink_to(run.journals.resolve())


def _run(command: Sequence[str], log_file: Path, log: Log) -> None:
    """Runs Snakemake; its output is written to `log_file`, a line for each finished step to `log`."""
    environment = {name: value for name, value in os.environ.items() if name not in _IGNORED_VARIABLES}
    with (
        log_file.open("w", encoding="utf-8") as file,
        subprocess.Popen(
            command,
            env=environment | _OFFLINE,
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            encoding="utf-8",
            errors="replace",
            preexec_fn=partial(
                limit_process,
                memory=STEP_BYTES,
                file_bytes=STEP_BYTES // 2,
                processor_seconds=STEP_SECONDS,
            ),
        ) as process,
    ):
        try:
            assert process.stdout is not None  # noqa: S101  # it is a pipe
            for line in _copied(process.stdout, file):
                if STEP_LINE.fullmatch(line):
                    log(line)
        except BaseException:
            process.terminate()  # Snakemake then ends its steps
            raise
    if process.returncode != 0:
        raise PipelineError(f"a step failed; {_end(log_file)}")


def _end(log_file: Path) -> str:
    """The last lines of a log file, for an error message."""
    lines = log_file.read_text(encoding="utf-8").splitlines()
    last = "\n".join(lines[-_LAST_LINES:])
    return f"the last of {len(lines):,} lines of {log_file}:\n{last}"


def _copied(lines: IO[str], out: IO[str]) -> Iterator[str]:
    left = _MOST_LOG
    while line := lines.readline(_LONGEST_LINE):
        left -= len(line)
        if left < 0:
            raise PipelineError(f"the steps print more than {_MOST_LOG:,} characters; they were ended.")
        out.write(line)
        yield line.rstrip("\n")
