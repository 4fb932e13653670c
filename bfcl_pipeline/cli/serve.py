"""`bfcl-pipeline serve`: run vLLM's server for one local model until told to end."""

from __future__ import annotations

import argparse
import sys
from pathlib import Path

from bfcl_pipeline.models.serving.serve import HOST, START_SECONDS, Terms, announced, serve


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declares the options of the command."""
    parser.add_argument("model", metavar="MODEL", help="name of a row of kind vllm in the models file")
    parser.add_argument(
        "--models",
        type=Path,
        default=Path("config/models.yaml"),
        help="the models file (default: config/models.yaml)",
    )
    parser.add_argument(
        "--address-out",
        type=Path,
        required=True,
        metavar="FILE",
        help="says how far the server is, and where: for `bfcl-pipeline generate --endpoint-from FILE`",
    )
    parser.add_argument(
        "--log", type=Path, metavar="FILE", help="gets what vLLM says (default: standard error)"
    )
    parser.add_argument("--host", default=HOST, help=f"the address to bind (default: {HOST})")
    parser.add_argument("--port", type=int, help="the port to bind (default: a free one)")
    parser.add_argument(
        "--python",
        metavar="PROGRAM",
        help="the Python that has vLLM (default: BFCL_VLLM_PYTHON, else this one, else `vllm` on PATH)",
    )
    parser.add_argument(
        "--start-seconds",
        type=float,
        default=START_SECONDS,
        metavar="N",
        help=f"a server that is not ready after N seconds has failed (default: {START_SECONDS:g})",
    )
    parser.add_argument(
        "--end-with-parent",
        action="store_true",
        help="end when the process that started this command does, too",
    )


def run(args: argparse.Namespace) -> int:
    """Serves until TERM or INT. Lines on standard error say how far it is."""
    from bfcl_pipeline.config import load_models, model_row

    terms = Terms(
        args.address_out,
        args.log,
        args.host,
        args.port,
        args.python,
        args.start_seconds,
        args.end_with_parent,
    )
    with announced(args.model, terms) as address:
        row = model_row(load_models(args.models), args.model)
        serve(row, terms, address, tell=lambda line: _tell(args.model, line))
    return 0


def _tell(model: str, line: str) -> None:
    print(f"{model}: {line}", file=sys.stderr, flush=True)
