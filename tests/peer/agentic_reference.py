"""Runs the official package's scoring of agentic answers. Runs under `.venv-peer` only.

    python -m tests.peer.agentic_reference QUESTIONS ANSWERS

Questions are JSON Lines with entry_id, category, mode and result_json; an answer is {valid, error_type},
or {crash} or {timeout} as of `verdict_reference.py`.
"""

from __future__ import annotations

import json
from typing import Any

from bfcl_eval.eval_checker import eval_runner

from tests.peer import verdict_reference
from tests.peer.verdict_reference import entries, handler


def verdict(row: dict[str, Any]) -> dict[str, Any]:
    """The official verdict on one conversation."""
    entry, truth = entries(row["category"])[row["entry_id"]]
    record = eval_runner._evaluate_single_agentic_entry(
        handler(row["mode"]),
        row["entry_id"],
        json.loads(row["result_json"]),
        truth,
        dict(entry),
        "model",
        row["category"],
    )
    error = record.get("error") or {}
    return {"valid": record["valid"], "error_type": error.get("error_type")}


if __name__ == "__main__":
    verdict_reference.answer_with(verdict)
