"""The official scorer as its users run it, on one result folder after the other, in one process.

    python -m benchmarks.score_speed_runner FOLDER

Runs under `.venv-peer` only: the official evaluation of partial results, which writes its own score files.
"""

from __future__ import annotations

import sys
from pathlib import Path

from bfcl_eval.eval_checker import eval_runner


def main(folder: Path) -> None:
    for results in sorted(folder.iterdir()):
        if results.name.isdigit():
            scores = folder / f"scores-{results.name}"
            scores.mkdir(exist_ok=True)
            eval_runner.main(None, ["all"], results, scores, partial_eval=True)


if __name__ == "__main__":
    main(Path(sys.argv[1]))
