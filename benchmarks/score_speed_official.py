"""The official scorer as one process: loads rows and entries, scores each row, writes the verdicts.

    python -m benchmarks.score_speed_official QUESTIONS ANSWERS SECONDS

Runs under `.venv-peer` only. Covers only the timed part: the official per-entry functions, called as
`tests/peer/{verdict,trajectory}_reference.py` call them, without their time limits, and with a separate
model name for every row, because the official code stores the simulated APIs by model name. Writes the
seconds of the scoring, with everything imported and loaded, to SECONDS.
"""

from __future__ import annotations

import json
import sys
import time
from datetime import date
from pathlib import Path
from typing import Any

from tests.peer import trajectory_reference, verdict_reference
from tests.peer.world_reference import Shared, refresh

TODAY = date(2026, 3, 23)
"""The fixed date of the simulated APIs, the same as in ours."""


def judged(row: dict[str, Any], number: int) -> dict[str, Any]:
    """The verdict; None if the official code raises, so that the other rows can be timed."""
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
