"""Runs the official package's scoring of model outputs. Runs under `.venv-peer` only.

    python -m tests.peer.verdict_reference QUESTIONS ANSWERS

Questions are JSON Lines with entry_id, category, mode, name_style and result_json; an answer is
{valid, error_type}, or {crash} where the official code raises an unhandled exception (an official run
would end there), or {timeout}. The official code evaluates some model text: use it only with outputs that
are known to be harmless.
"""

from __future__ import annotations

import json
import signal
from collections.abc import Callable
from functools import cache
from types import FrameType
from typing import Any

from bfcl_eval.constants.enums import Language, ReturnFormat
from bfcl_eval.constants.eval_config import PROMPT_PATH
from bfcl_eval.eval_checker import eval_runner
from bfcl_eval.model_handler.api_inference.openai_completion import OpenAICompletionsHandler
from bfcl_eval.utils import load_dataset_entry, load_ground_truth_entry

from tests.peer.reference_process import answer_questions

LIMIT_SECONDS = 5

# Registered model names: one with and one without the replacement of dots in function names.
UNDERSCORED_MODEL = "gpt-4o-2024-11-20-FC"
DOTTED_MODEL = "gpt-4o-2024-11-20"

LANGUAGES = {
    "simple_java": (Language.JAVA, ReturnFormat.JAVA),
    "simple_javascript": (Language.JAVASCRIPT, ReturnFormat.JAVASCRIPT),
}
RELEVANCE = ("irrelevance", "live_irrelevance", "live_relevance", "chatable")

UNUSED = PROMPT_PATH / "unused_datasets"
"""Data that the official loader does not read, among it sql and chatable."""


class TimeIsUp(BaseException):
    """Raised by the alarm; not an Exception, so that the official code does not catch it."""


def _alarm(signum: int, frame: FrameType | None) -> None:
    raise TimeIsUp


def unused(folder: str, category: str) -> list[dict[str, Any]]:
    """The lines of a file of the data that are not used."""
    path = UNUSED / folder / f"BFCL_v4_{category}.json"
    return [json.loads(line) for line in path.read_text(encoding="utf-8").splitlines()]


@cache
def entries(category: str) -> dict[str, tuple[dict[str, Any], Any]]:
    """Entry and ground truth by id, loaded and paired as the official runner does."""
    if category == "sql":
        questions, truths = unused("question", category), unused("possible_answer", category)
        return {
            entry["id"]: (entry, truth["ground_truth"])
            for entry, truth in zip(questions, truths, strict=True)
        }
    if category == "chatable":
        chats = enumerate(unused("question", category))
        return {f"chatable_{number}": ({**entry, "function": []}, None) for number, entry in chats}
    asked = load_dataset_entry(category, include_prereq=False, include_language_specific_hint=False)
    if category in RELEVANCE:
        return {entry["id"]: (entry, None) for entry in asked}
    truths = load_ground_truth_entry(category)
    return {entry["id"]: (entry, truth["ground_truth"]) for entry, truth in zip(asked, truths, strict=True)}


@cache
def handler(mode: str) -> OpenAICompletionsHandler:
    """The handler that decodes the mode's results."""
    return OpenAICompletionsHandler("gpt-4o-2024-11-20", 0, DOTTED_MODEL, mode == "fc")


def evaluate(row: dict[str, Any]) -> dict[str, Any]:
    """The official result record of one output."""
    category = row["category"]
    entry, truth = entries(category)[row["entry_id"]]
    model = UNDERSCORED_MODEL if row["name_style"] == "underscored" else DOTTED_MODEL
    result = json.loads(row["result_json"])
    if category in RELEVANCE:
        rule = "irrelevance" if category == "chatable" else category
        return eval_runner._evaluate_single_relevance_entry(
            handler(row["mode"]), row["entry_id"], result, entry, model, rule
        )
    language, return_format = LANGUAGES.get(category, (Language.PYTHON, ReturnFormat.PYTHON))
    tagged = False
    if category == "format_sensitivity":
        asked_format, tagged, *_ = eval_runner.parse_prompt_variation_params(row["entry_id"].split(":")[1])
        return_format = ReturnFormat(asked_format)
    return eval_runner._evaluate_single_ast_entry(
        handler(row["mode"]),
        row["entry_id"],
        result,
        truth,
        entry,
        model,
        category,
        language,
        return_format,
        tagged,
    )


def verdict(row: dict[str, Any]) -> dict[str, Any]:
    """The official verdict on one output."""
    record = evaluate(row)
    return {"valid": record["valid"], "error_type": record.get("error_type")}


Judging = Callable[[dict[str, Any]], dict[str, Any]]


def answer(row: dict[str, Any], judge: Judging) -> dict[str, Any]:
    """The verdict of `judge` on the row, or the reason for its absence."""
    entries(row["category"])
    handler(row["mode"])
    signal.setitimer(signal.ITIMER_PROF, LIMIT_SECONDS)
    try:
        return judge(row)
    except TimeIsUp:
        return {"timeout": True}
    except (Exception, SystemExit) as error:  # noqa: BLE001  # any exception would end an official run
        return {"crash": type(error).__name__}
    finally:
        signal.setitimer(signal.ITIMER_PROF, 0)


def answer_with(judge: Judging) -> None:
    """Answers the questions of this process with the verdicts of `judge`."""
    signal.signal(signal.SIGPROF, _alarm)
    answer_questions(lambda row: answer(row, judge))


if __name__ == "__main__":
    answer_with(verdict)
