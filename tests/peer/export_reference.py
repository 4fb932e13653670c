"""Runs in the official tool's environment: has it score result folders.

Usage: export_reference.py QUESTIONS.jsonl ANSWERS.jsonl. A question has `results`, a folder of results; its
answer maps each model and category to `correct`, `total` and the ids that were judged `wrong`, sorted.
"""

import functools
import json
import sys
import tempfile
from pathlib import Path

from bfcl_eval.eval_checker import eval_runner, eval_runner_helper
from bfcl_eval.utils import extract_test_category


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


def main(questions, answers):
    """Answers line by line."""
    # A category that is missing is loaded for its size, for each model anew: once is enough.
    eval_runner_helper.load_dataset_entry = functools.cache(eval_runner_helper.load_dataset_entry)
    with Path(questions).open() as lines, Path(answers).open("w") as written:
        for line in lines:
            written.write(json.dumps(scored(json.loads(line)["results"])) + "\n")


if __name__ == "__main__":
    main(sys.argv[1], sys.argv[2])
