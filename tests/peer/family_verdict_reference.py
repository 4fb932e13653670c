"""Reads answers of open weights with the official handlers, and scores them. Runs under `.venv-peer` only.

    python -m tests.peer.family_verdict_reference QUESTIONS ANSWERS

Questions are JSON Lines with model, entry_id, category, answer (a text; of a conversation, turns of texts)
and today. An answer has `stored` (digests of the results that the official tool writes for the texts),
`executed` (of a conversation, the calls that each text is decoded to, null where that fails) and, as in
`verdict_reference.py`, {valid, error_type} or {crash} or {timeout}; `unread` names the exception where the
official handler ends the entry with an error, whose text is then scored. The official code evaluates some
texts: use it only with those that are known to be harmless.
"""

from __future__ import annotations

import json
from datetime import date
from functools import cache
from hashlib import sha256
from types import SimpleNamespace
from typing import Any

from bfcl_eval.constants.enums import Language, ReturnFormat
from bfcl_eval.constants.model_config import MODEL_CONFIG_MAPPING
from bfcl_eval.eval_checker import eval_runner
from bfcl_eval.utils import make_json_serializable

from tests.peer import verdict_reference
from tests.peer.verdict_reference import LANGUAGES, RELEVANCE, entries
from tests.peer.world_reference import Shared, refresh

USAGE = SimpleNamespace(prompt_tokens=1, completion_tokens=1)


@cache
def handler(model: str) -> Any:
    """The handler of a model in the official list."""
    config = MODEL_CONFIG_MAPPING[model]
    return config.model_handler(
        model_name=config.model_name, temperature=0, registry_name=model, is_fc_model=config.is_fc_model
    )


def stored(model: str, text: str) -> Any:
    """What the official tool writes for a model's text, as it is read back. Raises where it raises."""
    choice = SimpleNamespace(text=text)
    parsed = handler(model)._parse_query_response_prompting(SimpleNamespace(choices=[choice], usage=USAGE))
    return json.loads(json.dumps(make_json_serializable(parsed["model_responses"])))


def digest(value: Any) -> str:
    """A short name of a JSON value."""
    return sha256(json.dumps(value, sort_keys=True).encode()).hexdigest()[:16]


def single_turn(row: dict[str, Any], result: Any) -> dict[str, Any]:
    """The official result record of one text."""
    category, model = row["category"], row["model"]
    entry, truth = entries(category)[row["entry_id"]]
    if category in RELEVANCE:
        return eval_runner._evaluate_single_relevance_entry(
            handler(model), row["entry_id"], result, entry, model, category
        )
    language, return_format = LANGUAGES.get(category, (Language.PYTHON, ReturnFormat.PYTHON))
    tagged = False
    if category == "format_sensitivity":
        asked_format, tagged, *_ = eval_runner.parse_prompt_variation_params(row["entry_id"].split(":")[1])
        return_format = ReturnFormat(asked_format)
    return eval_runner._evaluate_single_ast_entry(
        handler(model),
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


def conversation(row: dict[str, Any], result: Any) -> dict[str, Any]:
    """The official result record of a conversation."""
    category, model = row["category"], row["model"]
    entry, truth = entries(category)[row["entry_id"]]
    if category.startswith("multi_turn"):
        refresh(SHARED, date.fromisoformat(row["today"]))  # no instances of an earlier one are left
        evaluate = eval_runner._evaluate_single_multi_turn_entry
        return evaluate(handler(model), row["entry_id"], result, truth, entry, "model", category)
    return eval_runner._evaluate_single_agentic_entry(
        handler(model), row["entry_id"], result, truth, dict(entry), "model", category
    )


def executed(model: str, result: Any) -> list[str] | None:
    """The calls that a result is decoded to in a conversation; None where that fails."""
    try:
        calls = handler(model).decode_execute(result, has_tool_call_tag=False)
    except Exception:  # noqa: BLE001  # the official loop takes any exception as the end of a turn
        return None
    return None if calls is None else [str(call) for call in calls]


def verdict(row: dict[str, Any]) -> dict[str, Any]:
    """What the official code makes of one answer."""
    model, answer = row["model"], row["answer"]
    try:
        results = [[stored(model, text) for text in turn] for turn in _turns(answer)]
    except (Exception, SystemExit) as error:  # noqa: BLE001  # the official tool stores it as the result
        result = f"Error during inference: {error}"
        record = (single_turn if isinstance(answer, str) else conversation)(row, result)
        return {"unread": type(error).__name__, **_verdict(record)}
    digests = [digest(result) for turn in results for result in turn]
    if isinstance(answer, str):
        return {"stored": digests, **_verdict(single_turn(row, results[0][0]))}
    calls = [executed(model, result) for turn in results for result in turn]
    return {"stored": digests, "executed": calls, **_verdict(conversation(row, results))}


def _turns(answer: str | list[list[str]]) -> list[list[str]]:
    return [[answer]] if isinstance(answer, str) else answer


def _verdict(record: dict[str, Any]) -> dict[str, Any]:
    error = record.get("error") if isinstance(record.get("error"), dict) else {}
    return {"valid": record["valid"], "error_type": record.get("error_type", error.get("error_type"))}


if __name__ == "__main__":
    SHARED = Shared()
    verdict_reference.answer_with(verdict)
