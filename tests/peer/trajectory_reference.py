"""Runs the official package's scoring of conversations of several turns; for `.venv-peer` only.

    python -m tests.peer.trajectory_reference QUESTIONS ANSWERS

Questions are JSON Lines with entry_id, category, mode, result_json and today; an answer is {valid,
error_type, corrected}, or {crash} or {timeout} as in `verdict_reference.py`. `corrected` is the error_type
after a valid conversation was also passed to the official check for calls in turns without calls in the
truth, which the official runner does not use. Every conversation is scored as in a fresh process. The
official code evaluates a model's calls as Python: use it only with outputs that are known to be harmless.
"""

from __future__ import annotations

import json
from datetime import date
from typing import Any

from bfcl_eval.eval_checker import eval_runner
from bfcl_eval.eval_checker.multi_turn_eval.multi_turn_checker import multi_turn_irrelevance_checker

from tests.peer import verdict_reference
from tests.peer.verdict_reference import entries, handler
from tests.peer.world_reference import Shared, refresh

MODEL = "model"
"""The official code keeps its instances under this name and the entry's, and shows it in some results."""


class Overheard:
    """Wraps the official checker and stores the decoded calls of its last call."""

    def __init__(self) -> None:
        self.decoded: list[list[list[str]]] = []
        self._check = eval_runner.multi_turn_checker
        eval_runner.multi_turn_checker = self

    def __call__(self, decoded: list[list[list[str]]], *others: Any) -> dict[str, Any]:
        self.decoded = decoded
        return self._check(decoded, *others)


def evaluate(row: dict[str, Any], model: str) -> dict[str, Any]:
    """The official result record of one conversation. `model`: the name of the API instances that run its
    calls."""
    entry, truth = entries(row["category"])[row["entry_id"]]
    return eval_runner._evaluate_single_multi_turn_entry(
        handler(row["mode"]),
        row["entry_id"],
        json.loads(row["result_json"]),
        truth,
        entry,
        model,
        row["category"],
    )


def verdict(row: dict[str, Any], shared: Shared, overheard: Overheard) -> dict[str, Any]:
    """The official verdict on one conversation, and the verdict with the check that the runner does not
    use."""
    refresh(shared, date.fromisoformat(row["today"]))  # no instances of an earlier conversation are left
    record = evaluate(row, MODEL)
    error_type = corrected = None if record["valid"] else record["error"]["error_type"]
    if record["valid"]:
        _, truth = entries(row["category"])[row["entry_id"]]
        corrected = multi_turn_irrelevance_checker(overheard.decoded, truth).get("error_type")
    return {"valid": record["valid"], "error_type": error_type, "corrected": corrected}


if __name__ == "__main__":
    shared, overheard = Shared(), Overheard()
    verdict_reference.answer_with(lambda row: verdict(row, shared, overheard))
