"""Calls to and from text: decoding model output, writing calls in every format."""

from bfcl_pipeline.dialogue.calls.attempts import (
    after_reasoning,
    attempted_call,
    has_words,
    is_written_call,
)
from bfcl_pipeline.dialogue.calls.decode import (
    FAILED,
    Steps,
    calls_by_step,
    decode,
    decode_step,
    executed_text,
)
from bfcl_pipeline.dialogue.calls.json_calls import parse_json
from bfcl_pipeline.dialogue.calls.limits import MAX_DEPTH, Work
from bfcl_pipeline.dialogue.calls.python import (
    is_prose,
    read_expression,
    read_literal_call,
    read_literal_value,
    read_statements,
    read_value,
)
from bfcl_pipeline.dialogue.calls.write import write_calls, write_native

__all__ = [
    "FAILED",
    "MAX_DEPTH",
    "Steps",
    "Work",
    "after_reasoning",
    "attempted_call",
    "calls_by_step",
    "decode",
    "decode_step",
    "executed_text",
    "has_words",
    "is_prose",
    "is_written_call",
    "parse_json",
    "read_expression",
    "read_literal_call",
    "read_literal_value",
    "read_statements",
    "read_value",
    "write_calls",
    "write_native",
]
