"""The command line and the environment of a vLLM server, from the row of its model.

Covers where vLLM is looked for. It is never imported: it lives in whatever environment the user gave it.
"""

from __future__ import annotations

import importlib.util
import os
import shutil
import sys
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

from bfcl_pipeline.config import ModelRow
from bfcl_pipeline.errors import ConfigError, ModelError
from bfcl_pipeline.records import Mode

PYTHON_VARIABLE = "BFCL_VLLM_PYTHON"
"""Environment variable with the Python that has vLLM."""

_MODULE = "vllm.entrypoints.openai.api_server"

_THREADS = (
    "OMP_NUM_THREADS",
    "GOTO_NUM_THREADS",
    "OPENBLAS_NUM_THREADS",
    "MKL_NUM_THREADS",
    "VECLIB_MAXIMUM_THREADS",
    "NUMEXPR_NUM_THREADS",
)


@dataclass(frozen=True, slots=True)
class Program:
    """How vLLM's server is called; the model comes next."""

    words: tuple[str, ...]


def find_program(python: str | None = None) -> Program:
    """vLLM under `python`, else under the one that BFCL_VLLM_PYTHON names, under this one, or on PATH.

    Raises ConfigError if a Python that was named is not there, ModelError if there is no vLLM.
    """
    named = python or os.environ.get(PYTHON_VARIABLE)
    if named:
        found = shutil.which(named)
        if found is None:
            origin = "--python" if python else PYTHON_VARIABLE
            raise ConfigError(f"{origin}: no program {named!r}; give the Python that has vLLM.")
        return _module(found)
    if importlib.util.find_spec("vllm") is not None:
        return _module(sys.executable)
    program = shutil.which("vllm")
    if program is not None:
        return Program((program, "serve"))
    raise ModelError(
        "vLLM is not here: neither under this Python nor as `vllm` on PATH. Install it (pip install vllm), "
        f"best in an environment of its own, and name its Python with --python or {PYTHON_VARIABLE}; or "
        "set `backend: endpoint` in the row to ask a server that already runs."
    )


def server_command(row: ModelRow, program: Program, host: str, port: int) -> tuple[str, ...]:
    """The command that serves `row` at that address. Raises ConfigError if the row cannot be served."""
    if not row.served:
        raise ConfigError(
            f"{row.name}: only models of kind vllm are served, and not those with `backend: endpoint`; "
            f"this one has kind {row.kind}, backend {row.backend}."
        )
    return (
        *program.words,
        row.model,
        *("--served-model-name", row.model),
        *("--host", host, "--port", str(port)),
        "--enable-prefix-caching",
        *_tools(row),
        *_given(row),
        *row.vllm.args,
    )


def server_environment(row: ModelRow, environment: Mapping[str, str]) -> dict[str, str]:
    """`environment` as the server gets it: nothing is reported, nothing fetched for a model in a folder."""
    found = {
        # Snakemake says 0 for a step that counts no cores; no library knows such a number of threads.
        name: value
        for name, value in environment.items()
        if not (name in _THREADS and value == "0")
    }
    found.update(VLLM_NO_USAGE_STATS="1", DO_NOT_TRACK="1")
    if Path(row.model).is_dir():
        found.setdefault("HF_HUB_OFFLINE", "1")
    return found


def _module(python: str) -> Program:
    return Program((python, "-m", _MODULE, "--model"))


def _tools(row: ModelRow) -> tuple[str, ...]:
    if row.mode is not Mode.FC or row.vllm.tool_parser is None:
        return ()
    return ("--enable-auto-tool-choice", "--tool-call-parser", row.vllm.tool_parser)


def _given(row: ModelRow) -> tuple[str, ...]:
    """The options of the row that are set."""
    serving = row.vllm
    options = {
        "--reasoning-parser": serving.reasoning_parser,
        "--chat-template": serving.chat_template,
        "--dtype": serving.dtype,
        "--max-model-len": serving.max_model_len,
        "--tensor-parallel-size": serving.gpus if serving.gpus > 1 else None,
    }
    return tuple(
        word for name, value in options.items() if value is not None for word in (name, str(value))
    )
