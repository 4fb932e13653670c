"""The rows of a models file that use one tiny model in every way that tests need."""

from __future__ import annotations

import os
import shlex
from pathlib import Path
from typing import Any

CONTEXT = 8192
"""In tokens: enough for every entry of these tests except one, which must be too long."""

ARGS = (
    *("--enforce-eager", "--max-num-seqs", "64", "--kv-cache-memory-bytes", str(2**28)),
    *("--tool-strict-level", "parameter"),  # the arguments of required calls are of the right types
)

RIGHT_CALL = '{"name": "calculate_triangle_area", "arguments": {"base": 10, "height": 5}}'
RIGHT_TAGGED = f"So:\n<tool_call>\n{RIGHT_CALL}\n</tool_call>"
RIGHT_TEXT = "[calculate_triangle_area(base=10, height=5)]"
"""What passes the entry simple_python_0, in the two modes."""


def tiny_rows(model: Path) -> list[dict[str, Any]]:
    """Rows that differ in their request options; a server started for one can answer for all.

    Except that a server started for a `prompted` row reads no calls of chat completions.
    Without constraints the model writes a few random words. `called` must call a function each time, and
    `told` writes the given text, token by token. `prompted` is sent prompts of a family, the others are
    asked by chat completions.
    """
    free = {"temperature": 0, "max_completion_tokens": 64}
    called = {
        "temperature": 0,
        "max_completion_tokens": 512,
        "tool_choice": "required",
        "parallel_tool_calls": False,
    }
    return [
        _row(model, "tiny", free),
        _row(model, "tiny-FC", free),
        _row(model, "tiny-called-FC", called),
        _row(model, "tiny-told", _told(RIGHT_TEXT)),
        # With text before the call: unconstrained, the model could begin a different valid call.
        _row(model, "tiny-told-FC", _told(RIGHT_TAGGED)),
        *_prompted_rows(model),
    ]


def _prompted_rows(model: Path) -> list[dict[str, Any]]:
    """Rows that are asked as the leaderboard asks, by the prompts of two families."""
    rows = [
        _row(model, "tiny-prompted-FC", {"temperature": 0}),
        _row(model, "tiny-prompted-told-FC", _told(RIGHT_TAGGED)),
        _row(model, "tiny-prompted-told", _told(RIGHT_TEXT)),
    ]
    families = ("qwen3-fc", "qwen3-fc", "minicpm")
    return [
        {**row, "prompting": "leaderboard", "family": family}
        for row, family in zip(rows, families, strict=True)
    ]


def _row(model: Path, name: str, options: dict[str, Any]) -> dict[str, Any]:
    serving = {
        "tool_parser": "hermes",
        "dtype": "float32",  # in which answers are the same each time
        "max_model_len": CONTEXT,
        "args": [*ARGS, *shlex.split(os.environ.get("BFCL_VLLM_ARGS", ""))],
    }
    limits = {"in_flight": 16, "attempts": 2}
    return {
        "name": name,
        "kind": "vllm",
        "model": str(model),
        "options": options,
        "limits": limits,
        "vllm": serving,
    }


def _told(text: str) -> dict[str, Any]:
    escaped = "".join(f"\\{sign}" if sign in '[](){}.*+?|^$"' and sign != '"' else sign for sign in text)
    return {"temperature": 0, "structured_outputs": {"regex": escaped}}
