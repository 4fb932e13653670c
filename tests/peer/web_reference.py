"""Runs calls of the official package's web tools. Runs under `.venv-peer` only.

    python -m tests.peer.web_reference QUESTIONS ANSWERS

A question is a conversation: `number`, `show_snippet` and `calls`, each with `name`, `arguments` and one of
`answer` (what the clients under the official tools return: a search's payload, a page's `status`, `reason`
and `text`, or the text of an exception, `raises`) and `server` (the base address of a local server, which
the official clients themselves ask; it replaces the address of the search service). An answer is `results`:
the text of each call.
"""

from __future__ import annotations

from collections.abc import Iterator
from types import SimpleNamespace
from typing import Any

import requests
from bfcl_eval.eval_checker.multi_turn_eval import multi_turn_utils
from bfcl_eval.eval_checker.multi_turn_eval.func_source_code import web_search
from bfcl_eval.model_handler.utils import convert_to_function_call
from serpapi import GoogleSearch

from tests.peer.reference_process import answer_questions


class Clients:
    """Replaces the search client and the HTTP client; both do what the current call says."""

    def __init__(self) -> None:
        self.call: dict[str, Any] = {}

    def search(self, parameters: dict[str, Any]) -> Any:
        """The client of a search."""
        server = self.call.get("server")
        if server is None:
            return SimpleNamespace(get_dict=self._answer)
        client = GoogleSearch(parameters)
        client.BACKEND = server
        return client

    def get(self, url: str, **options: Any) -> requests.Response:
        """The response of a page."""
        if "server" in self.call:
            return requests.get(url, **options)
        given = self._answer()
        response = requests.Response()
        response.url, response.status_code, response.reason = url, given["status"], given["reason"]
        response._content = given["text"].encode("utf-8", "surrogatepass")
        response.encoding = "utf-8"
        return response

    def _answer(self) -> Any:
        answer = self.call["answer"]
        if "raises" in answer:
            raise requests.exceptions.ConnectionError(answer["raises"])
        return answer


def answer(row: dict[str, Any], clients: Clients) -> dict[str, Any]:
    """The results of one conversation."""

    def texts() -> Iterator[str]:
        """The calls as the official handlers write them."""
        for call in row["calls"]:
            clients.call = call
            yield from convert_to_function_call([{call["name"]: call["arguments"]}])

    initial = {"WebSearchAPI": {"show_snippet": row["show_snippet"]}}
    results, _ = multi_turn_utils.execute_multi_turn_func_call(
        texts(), initial, ["WebSearchAPI"], "seam", str(row["number"])
    )
    return {"results": results}


def main() -> None:
    clients = Clients()
    web_search.GoogleSearch = clients.search
    web_search.requests = SimpleNamespace(get=clients.get)
    answer_questions(lambda row: answer(row, clients))


if __name__ == "__main__":
    main()
