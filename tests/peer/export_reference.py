"""Scores result folders with the official tool; runs in its environment.

Usage: python -m tests.peer.export_reference QUESTIONS ANSWERS. A question has `results`, a folder of
results; its answer maps each model and category to `correct`, `total` and the ids that were scored as
`wrong`, sorted.
"""

import functools
import json
import tempfile
from pathlib import Path

from bfcl_eval.eval_checker import eval_runner, eval_runner_helper
from bfcl_eval.utils import extract_test_category

from tests.peer.reference_process import answer_questions


def scored(results):
    """The official scores, read from the files that the official tool writes."""
    answer = {}
    with tempfile.TemporaryDirectory() as folder:
        scores = Path(folder)
        eval_runner.main(None, ["all"], results, scores, partial_eval=True)
        for file in scores.rglob("BFCL_v4_*_score.json"):
            with file.open() as lines:
                header, *wrong = map(json.loads, lines)
            answer.setdefault(file.relative_to(scores).parts[0], {})[extract_test_category(file)] = {
                "correct": header["correct_count"],
                "total": header["total_count"],
                "wrong": sorted(row["id"] for row in wrong),
            }
    return answer


if __name__ == "__main__":
    # A category that is missing is loaded for its size, for each model anew: once is enough.
    eval_runner_helper.load_dataset_entry = functools.cache(eval_runner_helper.load_dataset_entry)
    answer_questions(lambda question: scored(question["results"]))
