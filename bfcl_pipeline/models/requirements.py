"""What a model needs that is not here: a package, a key, vLLM, GPUs.

Looks only at what is installed, set and plugged in; nothing is imported and nobody asked. Whether a key is
right, and a server up, is told by asking (`bfcl-pipeline ping`).
"""

from __future__ import annotations

import os
import shutil
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cache
from importlib.util import find_spec
from pathlib import Path

from bfcl_pipeline.config import KINDS, ModelRow
from bfcl_pipeline.errors import ConfigError, ModelError
from bfcl_pipeline.models.serving.program import PYTHON_VARIABLE, find_program

_AWS_VARIABLES = (
    "AWS_PROFILE",
    "AWS_ACCESS_KEY_ID",
    "AWS_BEARER_TOKEN_BEDROCK",
    "AWS_WEB_IDENTITY_TOKEN_FILE",
)
"""Any of them says who asks Amazon; else its files do."""


@dataclass(frozen=True, slots=True)
class Need:
    """One thing that a model needs and lacks."""

    what: str  # in a word or two
    remedy: str  # how to get it


def needs(row: ModelRow) -> tuple[Need, ...]:
    """What is missing to ask the model of `row`; nothing, if it is ready."""
    return (*_packages(row), *_credentials(row), *_server(row))


def _packages(row: ModelRow) -> Iterator[Need]:
    kind = KINDS[row.kind]
    if kind.module is not None and not _installed(kind.module):
        yield Need(f"[{kind.extra}]", f"pip install 'bfcl-pipeline[{kind.extra}]'")
    if row.model.startswith("bedrock/") and not _installed("boto3"):
        yield Need("boto3", "pip install boto3")


def _credentials(row: ModelRow) -> Iterator[Need]:
    if row.key is not None and not os.environ.get(row.key, "").strip():
        yield Need(row.key, f"export {row.key}=...")
    if row.model.startswith("bedrock/") and not _signs_for_aws():
        yield Need("AWS", "aws configure, or export AWS_PROFILE=...")


def _server(row: ModelRow) -> Iterator[Need]:
    if not row.served:
        return
    template = row.vllm.chat_template
    if template is not None and template.endswith(".jinja") and not Path(template).is_file():
        yield Need("template", f"{template} is not here: run from the project's folder")
    if not _vllm_is_here():
        yield Need("vLLM", f"pip install vllm, or name the Python that has it in {PYTHON_VARIABLE}")
    found = _gpus()
    if found is not None and found < row.vllm.gpus:
        wanted = "GPU" if row.vllm.gpus == 1 else f"{row.vllm.gpus} GPUs"
        yield Need(wanted, f"{found or 'none'} found; small models also run on vLLM's build for CPUs")


@cache
def _installed(module: str) -> bool:
    try:
        return find_spec(module) is not None
    except ModuleNotFoundError:  # of google.genai not even google
        return False


def _signs_for_aws() -> bool:
    files = (Path.home() / ".aws" / name for name in ("credentials", "config"))
    return any(os.environ.get(name) for name in _AWS_VARIABLES) or any(map(Path.is_file, files))


def _vllm_is_here() -> bool:
    try:
        find_program()
    except (ConfigError, ModelError):
        return False
    return True


def _gpus() -> int | None:
    """How many GPUs the system shows; None if it has some, and does not show how many."""
    nvidia = len(list(Path("/dev").glob("nvidia[0-9]*")))
    if nvidia:
        return nvidia
    if Path("/dev/kfd").exists():  # AMD's, of which each also is a renderer
        return len(list(Path("/dev/dri").glob("renderD*")))
    return None if shutil.which("nvidia-smi") is not None else 0
