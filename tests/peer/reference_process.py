"""The loop of the processes that run the official package: questions in, answers out, as JSON Lines.

Runs under `.venv-peer` only, and does not import the pipeline.
"""

from __future__ import annotations

import json
import os
import sys
import time
from collections.abc import Callable
from contextlib import redirect_stdout
from pathlib import Path
from typing import Any


def answer_questions(answer: Callable[[dict[str, Any]], dict[str, Any]]) -> None:
    """Writes the answer to every line of QUESTIONS to ANSWERS, the two arguments of the command.

    The clock is UTC, and the output of the official code is discarded.
    """
    os.environ["TZ"] = "UTC"
    time.tzset()
    questions, answers = map(Path, sys.argv[1:])
    with (
        questions.open(encoding="ascii") as lines,
        answers.open("w", encoding="ascii") as out,
        Path(os.devnull).open("w") as nowhere,
        redirect_stdout(nowhere),
    ):
        for line in lines:
            out.write(json.dumps(answer(json.loads(line))) + "\n")
