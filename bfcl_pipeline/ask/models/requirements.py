"""What a model needs and this machine lacks: a package, a key, vLLM, GPUs.

Only looks at installed packages, environment variables, devices and ports of this machine; nothing is
imported and no request is sent. Whether a key is valid and a server elsewhere is running is the question of
`bfcl-pipeline ping`.
"""

import os
import shutil
import socket
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from urllib.parse import urlsplit

from bfcl_pipeline.ask.models.adapters.proxies import is_loopback
from bfcl_pipeline.ask.models.registry import is_installed
from bfcl_pipeline.ask.models.serving.program import PYTHON_VARIABLE, VLLM_VERSION, find_program
from bfcl_pipeline.ask.models.weights import is_path
from bfcl_pipeline.base.errors import ConfigError, ModelError
from bfcl_pipeline.base.project import project_file
from bfcl_pipeline.benchmark.config import KINDS, ModelRow
from bfcl_pipeline.benchmark.config.families import load_families

_AWS_VARIABLES = (
    "AWS_PROFILE",
    "AWS_ACCESS_KEY_ID",
    "AWS_BEARER_TOKEN_BEDROCK",
    "AWS_WEB_IDENTITY_TOKEN_FILE",
)
"""Each of them supplies credentials for Amazon Bedrock, and so do the files of the AWS command line."""


_CONNECT_SECONDS = 1.0  # a port of this machine accepts or refuses at once


@dataclass(frozen=True, slots=True)
class Need:
    """One thing that a model needs and lacks."""

    what: str  # in a word or two
    remedy: str  # how to get it
    certain: bool = True  # without it the model cannot run; a GPU may not be needed by a build for CPUs
    installed: bool = False  # a package, which an image has
    of_server: bool = False  # of the machine that serves the model


def needs(row: ModelRow) -> tuple[Need, ...]:
    """What is missing to use the model of `row`; empty if it is ready."""
    return (*_results(row), *_weights(row), *_packages(row), *_credentials(row), *_server(row))


def silent_endpoint(row: ModelRow) -> tuple[Need, ...]:
    """The server of an endpoint on this machine, if no program listens at its port; empty otherwise."""
    address = urlsplit(row.endpoint or "")
    if address.hostname is None or not is_loopback(address.hostname):
        return ()
    try:
        port = address.port or (443 if address.scheme == "https" else 80)
        socket.create_connection((address.hostname, port), _CONNECT_SECONDS).close()
    except (OSError, ValueError):
        return (Need("server", f"nothing listens at {row.endpoint}: start the model's server there"),)
    return ()


def _results(row: ModelRow) -> Iterator[Need]:
    if row.path is not None and not Path(row.path).exists():
        yield Need("results", f"{row.path} does not exist here: correct `path` in the row of {row.name}")


def _weights(row: ModelRow) -> Iterator[Need]:
    if row.kind == "transformers" and is_path(row.model) and not Path(row.model).is_dir():
        yield Need("model", f"{row.model} does not exist here: correct `model` in the row of {row.name}")


def _packages(row: ModelRow) -> Iterator[Need]:
    extra = KINDS[row.kind].extra
    if extra is not None and not is_installed(extra):
        yield Need(f"[{extra}]", f"pip install 'bfcl-pipeline[{extra}]'", installed=True)
    if _writes_code(row) and not is_installed("datamodel_code_generator"):
        yield Need("[minicpm]", "pip install 'bfcl-pipeline[minicpm]'", installed=True)
    if row.model.startswith("bedrock/") and not is_installed("boto3"):
        yield Need("boto3", "pip install boto3", installed=True)


def _writes_code(row: ModelRow) -> bool:
    """Whether the prompts of its family have functions as Python code."""
    return row.family is not None and load_families()[row.family].functions == "python_code"


def _credentials(row: ModelRow) -> Iterator[Need]:
    if row.key is not None and not os.environ.get(row.key, "").strip():
        yield Need(row.key, f"export {row.key}=... (or in the file .env)")
    if row.model.startswith("bedrock/") and not _has_aws_credentials():
        yield Need("AWS", "aws configure, or export AWS_PROFILE=...")


def _server(row: ModelRow) -> Iterator[Need]:
    if not row.served:
        return
    template = None if row.family else row.vllm.chat_template
    if template is not None and template.endswith(".jinja") and not project_file(template).is_file():
        yield Need("template", f"{template} does not exist here: run from the project's directory")
    if not _has_vllm():
        remedy = f"pip install vllm=={VLLM_VERSION}, or set {PYTHON_VARIABLE} to a Python that has it"
        yield Need("vLLM", remedy, installed=True, of_server=True)
    gpus = _gpus()
    if gpus is not None and gpus < row.vllm.gpus:
        wanted = "GPU" if row.vllm.gpus == 1 else f"{row.vllm.gpus} GPUs"
        remedy = f"{gpus or 'none'} found; small models also run on vLLM's build for CPUs"
        yield Need(wanted, remedy, certain=False, of_server=True)


def _has_aws_credentials() -> bool:
    files = (Path.home() / ".aws" / name for name in ("credentials", "config"))
    return any(os.environ.get(name) for name in _AWS_VARIABLES) or any(map(Path.is_file, files))


def _has_vllm() -> bool:
    try:
        find_program()
    except (ConfigError, ModelError):
        return False
    return True


def _gpus() -> int | None:
    """The number of GPUs of this machine; None if it has some but their number is unknown."""
    nvidia = len(list(Path("/dev").glob("nvidia[0-9]*")))
    if nvidia:
        return nvidia
    if Path("/dev/kfd").exists():  # AMD; each of its GPUs has a render node
        return len(list(Path("/dev/dri").glob("renderD*")))
    return None if shutil.which("nvidia-smi") is not None else 0
