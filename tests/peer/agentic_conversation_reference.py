"""The reference side of the request seam, agentic conversations: what the official package sends.

Runs under the Python of .venv-peer only. The official handlers run the conversations as in
`conversation_reference`; memories are stored by the official code, as snapshot files in a separate folder;
the web is a table, which replaces the libraries that the official web tools call.

    python -m tests.peer.agentic_conversation_reference QUESTIONS ANSWERS

A question is a chain of conversations, each of which starts from the memory that the earlier ones left:
`wire`, `mode`, `category`, `full`, `conversations` (`entry_id`, `answers`) and `web`: `searches` (an
outcome by keywords and region) and `pages` (an outcome by URL). An answer has, for each conversation, the
fields of `conversation_reference`, and `snapshot`: the file that a session wrote, as JSON; else null.
"""

from __future__ import annotations

import json
import tempfile
from copy import deepcopy
from pathlib import Path
from types import SimpleNamespace
from typing import Any, ClassVar

import requests
import sentence_transformers
from bfcl_eval.eval_checker.multi_turn_eval.func_source_code import web_search
from bfcl_eval.utils import (
    get_directory_structure_by_id,
    populate_initial_settings_for_memory_test_cases,
    populate_initial_settings_for_web_search_test_cases,
)

from tests.peer.conversation_reference import converse, entries
from tests.peer.memory_reference import StandIn
from tests.peer.reference_process import answer_questions
from tests.peer.world_reference import Shared


class Engine:
    """Replaces the search engine's client."""

    searches: ClassVar[dict[str, Any]] = {}  # of the chain that is held

    def __init__(self, parameters: dict[str, Any]) -> None:
        self._keywords, self._region = parameters["q"], parameters["kl"]

    def get_dict(self) -> Any:
        if self._keywords is None or not str(self._keywords).strip():
            return {"error": "Missing query `q` parameter."}
        region = "wt-wt" if self._region is None else self._region
        outcome = self.searches[json.dumps([str(self._keywords), str(region)])]
        if "failure" in outcome:
            raise requests.exceptions.ConnectionError(outcome["failure"])
        return outcome


class Internet:
    """Replaces the HTTP client."""

    def __init__(self) -> None:
        self.pages: dict[str, Any] = {}  # of the chain that is held

    def get(self, url: str, **options: Any) -> requests.Response:
        outcome = self.pages[url]
        if "failure" in outcome:
            raise requests.exceptions.ConnectionError(outcome["failure"])
        response = requests.Response()
        response.url = url
        response.status_code, response.reason = outcome["status"], outcome["reason"]
        response._content = outcome["text"].encode("utf-8")
        response.encoding = "utf-8"
        return response


INTERNET = Internet()


def answer(row: dict[str, Any], shared: Shared, folder: Path) -> dict[str, Any]:
    """The requests, results and snapshots of the official package in the conversations of one chain, in
    order."""
    Engine.searches, INTERNET.pages = row["web"]["searches"], row["web"]["pages"]
    return {"conversations": [one(row, asked, shared, folder) for asked in row["conversations"]]}


def one(row: dict[str, Any], asked: dict[str, Any], shared: Shared, folder: Path) -> dict[str, Any]:
    entry = deepcopy(entries(row["category"])[asked["entry_id"]])
    populate_initial_settings_for_memory_test_cases([entry], folder)
    populate_initial_settings_for_web_search_test_cases([entry])
    held = converse({**row, **asked}, entry, shared)
    return {**held, "snapshot": snapshot_of(entry, folder)}


def snapshot_of(entry: dict[str, Any], folder: Path) -> str | None:
    """The file that a session wrote, as JSON; None for a question."""
    if "prereq" not in entry["id"]:
        return None
    kept = folder / get_directory_structure_by_id(entry["id"]) / "memory_snapshot"
    latest = (kept / f"{entry['scenario']}_final.json").read_text(encoding="utf-8")
    assert latest == (kept / "prereq_checkpoints" / f"{entry['id']}.json").read_text(encoding="utf-8")
    return json.dumps(json.loads(latest))


def main() -> None:
    sentence_transformers.SentenceTransformer = StandIn
    web_search.GoogleSearch = Engine
    web_search.requests = SimpleNamespace(get=INTERNET.get)
    shared = Shared()

    def answer_in_folder(row: dict[str, Any]) -> dict[str, Any]:
        with tempfile.TemporaryDirectory() as folder:
            return answer(row, shared, Path(folder))

    answer_questions(answer_in_folder)


if __name__ == "__main__":
    main()
