"""Runs in the official tool's environment: has it write its six CSV files for given counts.

Usage: python -m tests.peer.tables_reference QUESTIONS ANSWERS. A question maps each model, in order, to
`scores` (category to correct and total), `formats` (one [id, valid] per format-sensitivity entry) and
`responses` (latency and token counts as the official result files hold them). Its answer has `files`,
the text of each file by name, and `models`, the official rows of those models.
"""

import functools
import json
import tempfile
from pathlib import Path

from bfcl_eval.constants.model_config import MODEL_CONFIG_MAPPING
from bfcl_eval.eval_checker import eval_runner, eval_runner_helper
from bfcl_eval.eval_checker.eval_runner_helper import (
    generate_leaderboard_csv,
    record_cost_latency,
    record_result,
)

from tests.peer.reference_process import answer_questions


def format_header(marks, scores):
    """The result of the official format-sensitivity runner with the given verdict of each entry."""
    eval_runner._evaluate_single_ast_entry = lambda *given, **_: {"valid": given[2]}
    eval_runner.format_sensitivity_runner(
        None,
        [{"id": name, "result": valid} for name, valid in marks],
        [{} for _ in marks],
        [{"ground_truth": None} for _ in marks],
        "model",
        "format_sensitivity",
        scores,
    )
    (file,) = scores.rglob("*format_sensitivity_score.json")
    with file.open() as lines:
        return json.loads(next(lines))


def csv_files(given, folder):
    """The six files for one question."""
    table = {}
    for model, record in given.items():
        record_cost_latency(table, model, record["responses"])
        for category, (correct, total) in record["scores"].items():
            record_result(table, model, category, correct / total, total)
        if record["formats"]:
            table[model]["format_sensitivity"] = format_header(record["formats"], folder / model)
    generate_leaderboard_csv(table, folder)
    return {path.name: path.read_bytes().decode() for path in folder.glob("*.csv")}


def model_row(name):
    """A model's row in the official tool's tables."""
    columns = ("display_name", "url", "org", "license", "input_price", "output_price")
    config = MODEL_CONFIG_MAPPING[name]
    return {"name": name, **{column: getattr(config, column) for column in columns}}


def answer(given):
    """The six files for one question, and the official rows of its models."""
    with tempfile.TemporaryDirectory() as folder:
        files = csv_files(given, Path(folder))
    return {"files": files, "models": [model_row(model.replace("_", "/")) for model in given]}


if __name__ == "__main__":
    # A category that is missing is loaded for its size, for each model anew: once is enough.
    eval_runner_helper.load_dataset_entry = functools.cache(eval_runner_helper.load_dataset_entry)
    answer_questions(answer)
