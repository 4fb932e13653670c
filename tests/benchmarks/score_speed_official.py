"""The official scorer as one process: load rows and entries, judge each row, write the verdicts.

    python score_speed_official.py QUESTIONS ANSWERS SECONDS

Runs under `.venv-peer` only. Covers nothing but what is timed: the official per-entry functions, called
as `tests/peer/{verdict,trajectory}_reference.py` call them, without their alarms, and with a model name
for every row, as the official code keeps the simulated APIs of each. Writes the seconds that the judging
took, with everything imported and loaded, to SECONDS.
"""

from __future__ import annotations

import json
import sys
import time
from datetime import date
from pathlib import Path
from typing import Any

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "peer"))

import trajectory_reference
import verdict_reference
from world_reference import Shared, refresh

TODAY = date(2026, 3, 23)
"""The day on which the clock of the simulated APIs stands still, here as in ours."""


def judged(row: dict[str, Any], number: int) -> dict[str, Any]:
    """The verdict; none where the official code raises, so that the other rows can be timed."""
    try:
        if row["category"].startswith("multi_turn"):
            record = trajectory_reference.evaluate(row, f"model_{number}")
            return {"valid": record["valid"], "error_type": record.get("error", {}).get("error_type")}
        record = verdict_reference.evaluate(row)
    except Exception:  # noqa: BLE001  # an official run would end here
        return {"valid": None, "error_type": None}
    return {"valid": record["valid"], "error_type": record.get("error_type")}


def main(questions: Path, answers: Path, seconds: Path) -> None:
    rows = [json.loads(line) for line in questions.read_text(encoding="ascii").splitlines()]
    for row in rows:
        verdict_reference.entries(row["category"])
        verdict_reference.handler(row["mode"])
    refresh(Shared(), TODAY)
    started = time.perf_counter()
    verdicts = [judged(row, number) for number, row in enumerate(rows)]
    seconds.write_text(f"{time.perf_counter() - started}\n", encoding="ascii")
    answers.write_text("".join(json.dumps(verdict) + "\n" for verdict in verdicts), encoding="ascii")


if __name__ == "__main__":
    main(*map(Path, sys.argv[1:]))
