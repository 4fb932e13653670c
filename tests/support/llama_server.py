"""Serves a GGUF file with llama.cpp's server, as its package xllamacpp embeds it, until its input ends.

    python llama_server.py FILE CONTEXT

Prints the endpoint.
"""

from __future__ import annotations

import sys

import xllamacpp


def main() -> None:
    """Serves."""
    parameters = xllamacpp.CommonParams()
    parameters.model.path = sys.argv[1]
    parameters.n_ctx = int(sys.argv[2])
    parameters.n_parallel = 1
    parameters.hostnames = ["127.0.0.1"]
    parameters.port = 0  # a free one
    server = xllamacpp.Server(parameters)
    print(f"{server.listening_address}/v1", flush=True)
    sys.stdin.read()


if __name__ == "__main__":
    main()
