"""The reference side of the request seam of open weights: what the official handlers send and store.

Runs under the Python of .venv-peer only, and shares no code with the pipeline. Each handler runs whole
conversations; only its client and its tokenizer are replaced: the client answers from a script, the
tokenizer counts characters. Memories and the web are those of `conversation_reference`.

    python -m tests.peer.family_reference QUESTIONS ANSWERS

A question is a chain of conversations with one model: `model`, `folder` (of its tokenizer, if that writes
the prompts), `category`, `context` (the length of the model's context in tokens), `full`, `stop` (end after
the first request), `web`, and `conversations` (`entry_id`, `answers`). An answer has for each conversation
`requests` (a digest of each body, or the body if `full`), `result`, `error` (of the handler, if it stops
with one) and `snapshot`.
"""

from __future__ import annotations

import json
from copy import deepcopy
from functools import cache
from hashlib import blake2b
from pathlib import Path
from types import SimpleNamespace
from typing import Any

from bfcl_eval.constants.model_config import MODEL_CONFIG_MAPPING
from bfcl_eval.model_handler.local_inference.mistral_fc import MistralFCHandler
from bfcl_eval.utils import (
    contain_multi_turn_interaction,
    populate_initial_settings_for_memory_test_cases,
    populate_initial_settings_for_web_search_test_cases,
)

from tests.peer.conversation_reference import TODAY, answer_chains, entries, snapshot_of
from tests.peer.world_reference import Shared, refresh

TEMPERATURE = 0.001
OWN_FOLDER = "tokenizer"
"""Replaces the path of a tokenizer's folder, which differs by machine, in what is sent."""


class Enough(BaseException):
    """Ends a conversation after its first request; not an Exception, so that no handler catches it."""


class Scripted:
    """Replaces the client of a handler: records each request and answers from the script."""

    def __init__(self, row: dict[str, Any], answers: list[str]) -> None:
        self.requests: list[Any] = []
        self.completions = self
        self._row = row
        self._answers = iter(answers)

    def create(self, timeout: int, extra_body: dict[str, Any] | None = None, **body: Any) -> Any:
        sent = json.dumps({**body, **(extra_body or {})}, sort_keys=True)
        if self._row["folder"]:
            sent = sent.replace(self._row["folder"], OWN_FOLDER)
        digest = blake2b(sent.encode(), digest_size=8).hexdigest()
        self.requests.append(sent if self._row["full"] else digest)
        if self._row["stop"]:
            raise Enough
        usage = SimpleNamespace(prompt_tokens=1, completion_tokens=1)
        return SimpleNamespace(choices=[SimpleNamespace(text=next(self._answers, "Done."))], usage=usage)


class Counting:
    """Replaces a tokenizer: a token is four characters."""

    @staticmethod
    def tokenize(text: str) -> range:
        return range(-(-len(text) // 4))


@cache
def handler(model: str, folder: str | None) -> Any:
    config = MODEL_CONFIG_MAPPING[model]
    made = config.model_handler(config.model_name, TEMPERATURE, model, config.is_fc_model)
    made.model_path_or_id = folder or made.model_name_huggingface
    made.model_name_underline_replaced = "model"
    made.tokenizer = Counting if folder is None else own_tokenizer(folder)
    return made


def own_tokenizer(folder: str) -> Any:
    """The tokenizer of a model's folder, with the count of `Counting`."""
    from transformers import AutoTokenizer

    tokenizer = AutoTokenizer.from_pretrained(folder, local_files_only=True)
    tokenizer.tokenize = Counting.tokenize
    return tokenizer


class Numbered:
    """Replaces the random ids of calls: numbered through a conversation."""

    def __init__(self) -> None:
        self._count = 0

    def __call__(self) -> str:
        self._count += 1
        return f"id{self._count:07}"


def converse(row: dict[str, Any], asked: dict[str, Any], shared: Shared, folder: Path) -> dict[str, Any]:
    """The requests and the result of one conversation."""
    entry = deepcopy(entries(row["category"])[asked["entry_id"]])
    if contain_multi_turn_interaction(entry["id"]):
        refresh(shared, TODAY)
        populate_initial_settings_for_memory_test_cases([entry], folder)
        populate_initial_settings_for_web_search_test_cases([entry])
    model = handler(row["model"], row["folder"])
    model.client = scripted = Scripted(row, asked["answers"])
    model.max_context_length = row["context"]
    MistralFCHandler.generate_random_string = staticmethod(Numbered())
    result, error = None, None
    try:
        result, _ = model.inference(entry, include_input_log=False, exclude_state_log=True)
    except Enough:
        pass
    except Exception as stopped:  # noqa: BLE001  # the official tool stores it as the result
        error = type(stopped).__name__
    snapshot = None if error or row["stop"] else snapshot_of(entry, folder)
    return {"requests": scripted.requests, "result": result, "error": error, "snapshot": snapshot}


if __name__ == "__main__":
    answer_chains(converse)
