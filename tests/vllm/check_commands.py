"""Parses vLLM server command lines with vLLM, one JSON list of arguments on each line of standard input.

Prints one line for each error: unknown options, tool parsers and reasoning parsers. No server is started.
Runs under the Python that has vLLM.
"""

from __future__ import annotations

import contextlib
import io
import json
import sys

from vllm.entrypoints.launchers.cli_args import make_arg_parser, validate_parsed_serve_args
from vllm.entrypoints.launchers.launcher import validate_api_server_args
from vllm.reasoning import ReasoningParserManager
from vllm.utils.argparse_utils import FlexibleArgumentParser


def main() -> None:
    """Checks all of them."""
    parser = make_arg_parser(FlexibleArgumentParser())
    for line in sys.stdin:
        words = json.loads(line)
        said = io.StringIO()
        try:
            with contextlib.redirect_stderr(said):
                options = parser.parse_args(words)
                validate_parsed_serve_args(options)
                validate_api_server_args(options)
            if options.reasoning_parser:
                ReasoningParserManager.get_reasoning_parser(options.reasoning_parser)
        except (SystemExit, KeyError, TypeError, ValueError) as error:
            print(words[1], repr(error), said.getvalue().splitlines()[-1:])


if __name__ == "__main__":
    main()
