"""The calls in the whole answer to an entry of several steps, for those who count what models do."""

from __future__ import annotations

from bfcl_pipeline.calls import decode_step
from bfcl_pipeline.records import Call, DecodeFailure, Json, Mode

Steps = tuple[tuple[Call, ...], ...]
"""The calls of each step, in order; a step that calls nothing, or nothing that can be read, is empty."""


def calls_by_step(result: Json, mode: Mode) -> Steps:
    """The steps of all turns of a result in the official form: a list of turns, each a list of steps."""
    turns = result if isinstance(result, list) else []
    steps = [step for turn in turns if isinstance(turn, list) for step in turn]
    decoded = (decode_step(step, mode) for step in steps)
    return tuple(() if isinstance(calls, DecodeFailure) else calls for calls in decoded)
