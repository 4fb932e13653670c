"""The command line and the environment of a vLLM server, from the row of its model.

Covers the search for vLLM. It is never imported: it is installed in an environment of the user's choice.
"""

import importlib.util
import os
import shlex
import shutil
import sys
from collections.abc import Iterator, Mapping
from pathlib import Path

from bfcl_pipeline.base.errors import ConfigError, ModelError
from bfcl_pipeline.base.project import project_file
from bfcl_pipeline.benchmark.config import ModelRow
from bfcl_pipeline.benchmark.records import Mode

PYTHON_VARIABLE = "BFCL_VLLM_PYTHON"
"""Environment variable with the Python in whose environment vLLM is installed."""

VLLM_VERSION = "0.31.0"
"""The version that the image of the server has, and with which the rows are tested."""

DEFAULT_PORT = 8000
"""The port in a printed command; a server that runs has a free one."""

_MODULE = "vllm.entrypoints.openai.api_server"

_THREADS = (
    "OMP_NUM_THREADS",
    "GOTO_NUM_THREADS",
    "OPENBLAS_NUM_THREADS",
    "MKL_NUM_THREADS",
    "VECLIB_MAXIMUM_THREADS",
    "NUMEXPR_NUM_THREADS",
)


def find_program(python: str | None = None) -> tuple[str, ...]:
    """The start of the command of vLLM's server, which the model's name follows.

    Searched in this order: `python`, the Python in BFCL_VLLM_PYTHON, this Python, `vllm` on PATH. Raises
    ConfigError if a named Python does not exist, ModelError if vLLM is not found.
    """
    named = python or os.environ.get(PYTHON_VARIABLE)
    if named:
        path = shutil.which(named)
        if path is None:
            origin = "--python" if python else PYTHON_VARIABLE
            raise ConfigError(f"{origin}: no program {named!r}; name the Python that has vLLM.")
        return _module(path)
    if importlib.util.find_spec("vllm") is not None:
        return _module(sys.executable)
    program = shutil.which("vllm")
    if program is not None:
        return (program, "serve")
    raise ModelError(
        "vLLM is not installed: neither for this Python nor as `vllm` on PATH. Install it (pip install "
        f"vllm=={VLLM_VERSION}), best in its own environment, and name its Python with --python or "
        f"{PYTHON_VARIABLE}; or set `backend: endpoint` in the row to use a server that is already running."
    )


def printed_command(row: ModelRow, python: str | None, host: str, port: int | None) -> str:
    """The command that serves the model of `row`, for a shell; vLLM need not be installed.

    Raises ConfigError if no run serves the model, or `python` does not exist.
    """
    try:
        program = find_program(python)
    except ModelError:
        program = ("vllm", "serve")
    return shlex.join(server_command(row, program, host, port or DEFAULT_PORT))


def server_command(row: ModelRow, program: tuple[str, ...], host: str, port: int) -> tuple[str, ...]:
    """The command that serves the model of `row`. Raises ConfigError if no run serves the model."""
    if not row.served:
        raise ConfigError(
            f"{row.name}: only models of kind vllm without `backend: endpoint` are served; "
            f"this one has {'backend endpoint' if row.kind == 'vllm' else f'kind {row.kind}'}."
        )
    return (
        *program,
        row.model,
        *("--served-model-name", row.model),
        *("--host", host, "--port", str(port)),
        "--enable-prefix-caching",
        *_options(row),
        *row.vllm.args,
    )


def server_environment(row: ModelRow, environment: Mapping[str, str]) -> dict[str, str]:
    """The environment of the server: no usage reports, and no downloads for a model in a directory."""
    passed = {
        # Snakemake sets 0 for a step without cores, which the libraries refuse as a number of threads.
        name: value
        for name, value in environment.items()
        if not (name in _THREADS and value == "0")
    }
    passed.update(VLLM_NO_USAGE_STATS="1", DO_NOT_TRACK="1")
    if Path(row.model).is_dir():
        passed.setdefault("HF_HUB_OFFLINE", "1")
    return passed


def _module(python: str) -> tuple[str, ...]:
    return (python, "-m", _MODULE, "--model")


def _options(row: ModelRow) -> Iterator[str]:
    """The options of vLLM that the row sets; a model asked by prompts needs none of chat completions."""
    serving = row.vllm
    values: dict[str, object] = {
        "--revision": row.revision,
        "--dtype": serving.dtype,
        "--max-model-len": serving.max_model_len,
        "--tensor-parallel-size": serving.gpus if serving.gpus > 1 else None,
    }
    if row.family is None:
        if row.mode is Mode.FC and serving.tool_parser is not None:
            yield from ("--enable-auto-tool-choice", "--tool-call-parser", serving.tool_parser)
        template = serving.chat_template and project_file(serving.chat_template)
        values = {"--reasoning-parser": serving.reasoning_parser, "--chat-template": template, **values}
    for name, value in values.items():
        if value is not None:
            yield from (name, str(value))
