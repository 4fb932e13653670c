"""Runs the official scorer in a process and an environment of its own, with bounds.

The environment is a Python that has the official package of the run's release. An entry at which the scorer
dies is left out.
"""

from __future__ import annotations

import json
import os
import re
import shutil
import signal
import subprocess
import sys
import time
from collections.abc import Iterable
from functools import partial
from pathlib import Path

from bfcl_pipeline.base.errors import ConfigError, StagingError
from bfcl_pipeline.base.process import limit_process
from bfcl_pipeline.base.text import Log
from bfcl_pipeline.benchmark.definition import release
from bfcl_pipeline.share.official.guarded_scorer import REFUSED_STATUS

FOLDER = Path("official")
"""Below the cache directory: an environment for each version."""

NEWEST = (3, 12)
"""The newest Python for which the packages that the official one pins have wheels."""

FURTHER = ("soundfile",)
"""Packages that the official one imports and does not declare."""

NOT_SCORING = ("faiss-cpu", "sentence-transformers")
"""Packages that only its vector memory imports, on which no score depends; they need PyTorch."""

_METADATA = "import importlib.metadata as m"
_START_SECONDS = 300.0  # to start a Python and read a version
VENDORS = (
    "OPENAI",
    "ANTHROPIC",
    "GOOGLE",
    "GEMINI",
    "MISTRAL",
    "COHERE",
    "DEEPSEEK",
    "GROK",
    "XAI",
    "FIREWORKS",
    "NOVITA",
    "WRITER",
)
"""Whose keys the official package wants at its import: the beginnings of environment variables."""


def scorer_python(given: Path | None, cache: Path, version: str, log: Log) -> Path:
    """A Python that has the official package in `version`.

    Args:
        given: the Python that the user names; None: that of the environment below `cache`, which is made,
            with pip and its configuration, if it does not exist.
        cache: the cache directory.
        version: of the package, in the form of a version number.
        log: receives a line before the environment is made.

    Raises:
        ConfigError: `given` does not exist, or has another version or none.
        StagingError: the environment cannot be made.
    """
    if re.fullmatch(r"[0-9]+(\.[0-9a-z]+)*", version) is None:
        raise ConfigError(f"the release of the run, {version!r}, is not a version number.")
    if given is not None:
        python = shutil.which(given)
        if python is None:
            raise ConfigError(f"--official-python: no program {str(given)!r}.")
        found = _installed(Path(python))
        if found != version:
            has = f"has {release.DISTRIBUTION} {found}" if found else f"has no {release.DISTRIBUTION}"
            raise ConfigError(
                f"{given} {has}; the run is of {version}. Name a Python that has it, or leave "
                "--official-python out: an environment is made."
            )
        return Path(os.path.abspath(python))  # noqa: PTH100  # a link in an environment is kept
    folder = cache.absolute() / FOLDER / version
    python_here = folder / "bin/python"
    if python_here.exists() and _installed(python_here) == version:
        return python_here
    _make(folder, version, log)
    return python_here


def scorer_environment(folder: Path) -> dict[str, str]:
    """Variables of the official scorer: no key of the user, no network, `folder` as its home."""
    return {
        "PATH": os.defpath,
        "HOME": str(folder),
        "LANG": "C.UTF-8",
        "PYTHONHASHSEED": "0",
        "PYTHONUTF8": "1",
        "HF_HUB_OFFLINE": "1",
        "CUDA_VISIBLE_DEVICES": "",
        "OMP_NUM_THREADS": "1",
        "BFCL_PROJECT_ROOT": str(folder),
        **{f"{vendor}_API_KEY": "unused" for vendor in VENDORS},
    }


def _installed(python: Path) -> str | None:
    """The version of the official package in the environment of `python`; None if there is none."""
    code = f"{_METADATA}; print(m.version({release.DISTRIBUTION!r}))"
    command = [str(python), "-I", "-c", code]
    try:
        done = subprocess.run(command, capture_output=True, text=True, timeout=_START_SECONDS, check=True)
    except (OSError, subprocess.SubprocessError):
        return None
    return done.stdout.strip()


def _make(folder: Path, version: str, log: Log) -> None:
    """Installs the official package and what scoring needs into a new environment in `folder`."""
    base = _base_python()
    log(f"Installing {release.DISTRIBUTION} {version} into {folder}, once (about 0.6 GB, minutes).")
    shutil.rmtree(folder, ignore_errors=True)
    python = str(folder / "bin/python")
    pip = [python, "-m", "pip", "install", "--quiet", "--disable-pip-version-check", "--no-input"]
    try:
        _run([base, "-m", "venv", str(folder)])
        _run([*pip, "--no-deps", f"{release.DISTRIBUTION}=={version}"])
        declared = _run(
            [python, "-I", "-c", f"{_METADATA}; print(*m.requires({release.DISTRIBUTION!r}), sep='\\n')"]
        )
        _run([*pip, *scoring_requirements(declared.splitlines()), *FURTHER])
    except BaseException:
        shutil.rmtree(folder, ignore_errors=True)
        raise


def scoring_requirements(declared: Iterable[str]) -> list[str]:
    """Of the requirements that the official package declares, those that its scorer needs."""
    return [
        line
        for line in declared
        if "extra ==" not in line and re.split(r"[^A-Za-z0-9._-]", line)[0] not in NOT_SCORING
    ]


def _run(command: list[str]) -> str:
    """What a command prints. Raises StagingError if it fails."""
    done = subprocess.run(command, capture_output=True, text=True, errors="replace", check=False)
    if done.returncode != 0:
        message = " ".join(done.stderr.split())[-600:] or f"exit status {done.returncode}"
        raise StagingError(
            f"the environment of the official scorer cannot be made: {message}. Check that pip can reach a "
            "package index, or name a Python that has the package with --official-python."
        )
    return done.stdout


def _base_python() -> str:
    """A Python for which the official package's dependencies have wheels. Raises ConfigError."""
    if sys.version_info[:2] <= NEWEST:
        return sys.executable
    for minor in (12, 11, 10):
        found = shutil.which(f"python3.{minor}")
        if found is not None:
            return found
    raise ConfigError(
        f"{release.DISTRIBUTION} needs Python {NEWEST[0]}.{NEWEST[1]} or older, and there is none on PATH. "
        "Install one, or name an environment that has the package with --official-python."
    )


SECONDS = 3600.0
"""The most that scoring one model may take, all attempts together: a full run takes half a minute."""

MOST_BYTES = 2**30
"""The largest file that the official scorer may write."""

MOST_PROCESSOR_SECONDS = 900

MOST_MEMORY = 8 * 2**30
"""Bytes of data: a full run takes less than one GiB."""

_SCRIPT = Path(__file__).with_name("guarded_scorer.py")
_REFUSED = "refused.json"
_ENTRY = "entry.txt"
_END = 2000  # characters of the scorer's output in an error message


def judge_all(work: Path, python: Path) -> tuple[str | None, list[str]]:
    """Runs the official scorer on `work`/result; if it dies at an entry, again without that entry.

    Returns:
        Why there are no verdicts, or None; and the ids of the entries that were refused or left out.
    """
    left_out: set[str] = set()
    end = time.monotonic() + SECONDS
    while any((work / "result").rglob("*_result.json")):
        failed = run_scorer(work, python, end - time.monotonic())
        if failed is None:
            refused = json.loads((work / "scores" / _REFUSED).read_text(encoding="utf-8"))
            left_out |= {entry for ids in refused.values() for entry in ids}
            break
        at = work / "scores" / _ENTRY
        entry = at.read_text(encoding="utf-8") if at.is_file() else ""
        if not entry or entry in left_out:
            return failed, sorted(left_out)
        _leave_out(work / "result", entry)
        left_out.add(entry)
        shutil.rmtree(work / "scores")
    return None, sorted(left_out)


def _leave_out(results: Path, entry: str) -> None:
    """Removes an entry from the result files of its model; a file without entries is deleted."""
    for path in results.rglob("*_result.json"):
        lines = path.read_text(encoding="utf-8").splitlines(keepends=True)
        kept = [line for line in lines if json.loads(line)["id"] != entry]
        if kept:
            path.write_text("".join(kept), encoding="utf-8")
        else:
            path.unlink()


def run_scorer(work: Path, python: Path, seconds: float = SECONDS) -> str | None:
    """Runs the official scorer on `work`/result. Returns why it failed; None if it did not."""
    scores, log = work / "scores", work / "scorer.log"
    scores.mkdir()
    command = [
        str(python),
        "-W",
        "ignore",
        str(_SCRIPT),
        str(work / "result"),
        str(scores),
        _REFUSED,
        _ENTRY,
    ]
    with log.open("wb") as output:
        try:
            done = subprocess.run(
                command,
                cwd=scores,
                env=scorer_environment(scores),
                stdin=subprocess.DEVNULL,
                stdout=output,
                stderr=subprocess.STDOUT,
                timeout=max(0.0, seconds),
                preexec_fn=partial(
                    limit_process,
                    memory=MOST_MEMORY,
                    file_bytes=MOST_BYTES,
                    processor_seconds=MOST_PROCESSOR_SECONDS,
                ),
                check=False,
            )
        except subprocess.TimeoutExpired:
            return f"it did not end within {SECONDS:g} s"
    if done.returncode == 0 and (scores / _REFUSED).is_file():
        return None
    with log.open("rb") as file:
        file.seek(max(0, log.stat().st_size - _END))
        end = " ".join(file.read().decode(errors="replace").split())
    if done.returncode == REFUSED_STATUS:
        return f"it was ended, because an answer made it do more than score: ...{end[-200:]}"
    if done.returncode in (-signal.SIGXCPU, -signal.SIGKILL):
        return (
            f"it was ended after {MOST_PROCESSOR_SECONDS:,} s of processor time, or for lack of memory, as "
            "an answer can make it compute without end"
        )
    return f"it ended with status {done.returncode}: ...{end[-400:]}"
