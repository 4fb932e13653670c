"""`bfcl-pipeline serve`: run a vLLM server for one local model until TERM or INT."""

import argparse
import sys
from pathlib import Path

from bfcl_pipeline.ask.jobs.options import add_models
from bfcl_pipeline.ask.models.serving.program import printed_command
from bfcl_pipeline.ask.models.serving.serve import (
    HOST,
    START_SECONDS,
    ServerOptions,
    announced_address,
    serve,
)
from bfcl_pipeline.base.errors import ConfigError
from bfcl_pipeline.benchmark.config import load_models, model_row


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declares the options of the command."""
    parser.add_argument("model", metavar="MODEL", help="name of a model of kind vllm in the models file")
    add_models(parser)
    about = "status file to write, with state and endpoint, for `generate --endpoint-from FILE`"
    parser.add_argument("--address-out", type=Path, metavar="FILE", help=about)
    about = "only print vLLM's command, whether vLLM is installed or not"
    parser.add_argument("--print", action="store_true", help=about)
    about = "file for vLLM's output (default: standard error)"
    parser.add_argument("--log", type=Path, metavar="FILE", help=about)
    parser.add_argument("--host", default=HOST, help=f"address to bind (default: {HOST})")
    parser.add_argument("--port", type=int, help="port to bind (default: a free one)")
    about = "Python with vLLM (default: BFCL_VLLM_PYTHON, else this Python, else `vllm` on PATH)"
    parser.add_argument("--python", metavar="PROGRAM", help=about)
    about = f"fail if the server is not ready after N seconds (default: {START_SECONDS:g})"
    parser.add_argument("--start-seconds", type=float, default=START_SECONDS, metavar="N", help=about)
    about = "end when the process that started this command ends"
    parser.add_argument("--end-with-parent", action="store_true", help=about)


def run(args: argparse.Namespace) -> int:
    """Serves until TERM or INT, with log lines on standard error; or prints the command."""
    if args.print:
        row = model_row(load_models(args.models), args.model)
        print(printed_command(row, args.python, args.host, args.port))
        return 0
    if args.address_out is None:
        raise ConfigError("--address-out FILE is missing: jobs find the server by this file.")
    options = ServerOptions(
        args.address_out,
        args.log,
        args.host,
        args.port,
        args.python,
        args.start_seconds,
        args.end_with_parent,
    )
    with announced_address(args.model, options) as announce:
        row = model_row(load_models(args.models), args.model)
        serve(
            row, options, announce, lambda line: print(f"{row.name}: {line}", file=sys.stderr, flush=True)
        )
    return 0
