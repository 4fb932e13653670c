"""The official scorer as one process: load rows and entries, judge each row, write the verdicts.

    python score_speed_official.py QUESTIONS ANSWERS

Runs under `.venv-peer` only. Covers nothing but what is timed: the official per-entry functions, called
as `tests/peer/verdict_reference.py` calls them, without that script's alarms.
"""

from __future__ import annotations

import json
import sys
from pathlib import Path
from typing import Any

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "peer"))

from verdict_reference import evaluate


def judged(row: dict[str, Any]) -> dict[str, Any]:
    """The verdict; none where the official code raises, so that the other rows can be timed."""
    try:
        record = evaluate(row)
    except Exception:  # noqa: BLE001  # an official run would end here
        return {"valid": None, "error_type": None}
    return {"valid": record["valid"], "error_type": record.get("error_type")}


def main(questions: Path, answers: Path) -> None:
    rows = [json.loads(line) for line in questions.read_text(encoding="ascii").splitlines()]
    verdicts = [judged(row) for row in rows]
    answers.write_text("".join(json.dumps(verdict) + "\n" for verdict in verdicts), encoding="ascii")


if __name__ == "__main__":
    main(Path(sys.argv[1]), Path(sys.argv[2]))
