"""Local models: a vLLM server that runs as long as a run uses it, and the file with its address."""

from bfcl_pipeline.ask.models.serving.address import Address, State, ready_endpoint, write_address
from bfcl_pipeline.ask.models.serving.program import find_program, server_command, server_environment
from bfcl_pipeline.ask.models.serving.serve import ServerOptions, announced_address, serve

__all__ = [
    "Address",
    "ServerOptions",
    "State",
    "announced_address",
    "find_program",
    "ready_endpoint",
    "serve",
    "server_command",
    "server_environment",
    "write_address",
]
