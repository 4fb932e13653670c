"""Calls in and out of text: decoding what models write, writing calls in every format."""

from bfcl_pipeline.calls.decode import FAILED, decode
from bfcl_pipeline.calls.execution import decode_step, executed_text
from bfcl_pipeline.calls.json_text import parse_json
from bfcl_pipeline.calls.literal import read_literal_call
from bfcl_pipeline.calls.write import write_calls, write_native

__all__ = [
    "FAILED",
    "decode",
    "decode_step",
    "executed_text",
    "parse_json",
    "read_literal_call",
    "write_calls",
    "write_native",
]
