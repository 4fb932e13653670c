"""Local models: a vLLM server that lives for as long as it is asked, and where those who ask find it."""

from bfcl_pipeline.models.serving.address import Address, State, ready_endpoint, write_address
from bfcl_pipeline.models.serving.program import Program, find_program, server_command, server_environment
from bfcl_pipeline.models.serving.serve import Terms, announced, serve

__all__ = [
    "Address",
    "Program",
    "State",
    "Terms",
    "announced",
    "find_program",
    "ready_endpoint",
    "serve",
    "server_command",
    "server_environment",
    "write_address",
]
