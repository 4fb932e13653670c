"""Asks the official package for its verdict on conversations of several turns; for `.venv-peer` only.

    python trajectory_reference.py QUESTIONS ANSWERS

Questions are JSON Lines with entry_id, category, mode, result_json and today; an answer is {valid,
error_type, corrected}, or {crash} or {timeout} as of `verdict_reference.py`. `corrected` is the error_type
after a valid conversation was also put to the official check that nothing is called where the truth calls
nothing, which the official runner never asks. Every conversation is judged as in a fresh process. The
official code evaluates what a model calls: ask it only about outputs that are known to be harmless.
"""

from __future__ import annotations

import json
import os
import sys
import time
from datetime import date
from pathlib import Path
from typing import Any

import verdict_reference
from bfcl_eval.eval_checker import eval_runner
from bfcl_eval.eval_checker.multi_turn_eval.multi_turn_checker import multi_turn_irrelevance_checker
from verdict_reference import entries, handler
from world_reference import Shared, refresh

MODEL = "model"
"""The official code keeps its instances under this name and the entry's, and shows it in some results."""


class Overheard:
    """Stands before the official checker and keeps the decoded calls that it was given last."""

    def __init__(self) -> None:
        self.decoded: list[list[list[str]]] = []
        self._check = eval_runner.multi_turn_checker
        eval_runner.multi_turn_checker = self

    def __call__(self, decoded: list[list[list[str]]], *others: Any) -> dict[str, Any]:
        self.decoded = decoded
        return self._check(decoded, *others)


def evaluate(row: dict[str, Any], model: str) -> dict[str, Any]:
    """The official result record of one conversation. `model`: whose instances its calls are run on."""
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
    """The official verdict on one conversation, and what it would be with the check that is not asked."""
    refresh(shared, date.fromisoformat(row["today"]))  # no instances of an earlier conversation are left
    record = evaluate(row, MODEL)
    error_type = corrected = None if record["valid"] else record["error"]["error_type"]
    if record["valid"]:
        _, truth = entries(row["category"])[row["entry_id"]]
        corrected = multi_turn_irrelevance_checker(overheard.decoded, truth).get("error_type")
    return {"valid": record["valid"], "error_type": error_type, "corrected": corrected}


def main(questions: Path, answers: Path) -> None:
    os.environ["TZ"] = "UTC"
    time.tzset()
    shared, overheard = Shared(), Overheard()
    verdict_reference.main(questions, answers, lambda row: verdict(row, shared, overheard))


if __name__ == "__main__":
    main(Path(sys.argv[1]), Path(sys.argv[2]))
