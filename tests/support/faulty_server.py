"""A scripted chat completions server that knows the truth, and breaks answers only when asked in some way.

It runs in a thread on loopback. Without a fault it breaks a share of the answers: which ones follows from
the request and how often it was received, so that equal requests have answers that differ by chance.
"""

from __future__ import annotations

import asyncio
import json
import random
from collections import Counter
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from typing import Any

from bfcl_pipeline.benchmark.records import Entry
from tests.support.api_server import Asked, Connection, response, running

QUIET_SECONDS = 0.1
"""Without a further request for so long, the fault `load` has seen all that a client sends at once."""

MANY = 16
"""Requests at once that the fault `load` breaks."""


def right_answers(entries: list[Entry]) -> dict[str, list[dict[str, Any]]]:
    """By the text of the question: the calls of a right answer to single-turn entries."""
    return {
        entry.turns[0][-1]["content"]: [
            {
                name.replace(".", "_"): {
                    key: values[0] for key, values in arguments.items() if values[0] != ""
                }
            }
            for call in entry.truth
            for name, arguments in call.items()
        ]
        for entry in entries
    }


class FaultyServer:
    """Answers on any number of connections; a `api_server.Handler`."""

    def __init__(self, answers: Mapping[str, Any], fault: str = "", noise: float = 0.0, after: int = 2000):
        """fault: load, stream, strict, silent (never calls), or decay (after so many requests)."""
        self._answers, self._fault, self._noise, self._after = answers, fault, noise, after
        self._times: Counter[bytes] = Counter()
        self._waiting: list[tuple[Connection, bytes, int]] = []  # of the fault `load`
        self._timer: asyncio.TimerHandle | None = None
        self.requests = 0

    def came(self, connection: Connection) -> None: ...

    def left(self, connection: Connection) -> None: ...

    def asked(self, connection: Connection, asked: Asked) -> None:
        if not asked.target.endswith("/chat/completions"):
            connection.write(response(b"{}", "404 Not Found"))
            return
        self.requests += 1
        self._waiting.append((connection, asked.body, self.requests))
        if self._fault != "load" or len(self._waiting) >= MANY:
            self._answer_all()
            return
        if self._timer is not None:
            self._timer.cancel()
        self._timer = asyncio.get_running_loop().call_later(QUIET_SECONDS, self._answer_all)

    def _answer_all(self) -> None:
        waiting, self._waiting = self._waiting, []
        for one in waiting:
            self._answer(*one, many=len(waiting) >= MANY)

    def _answer(self, connection: Connection, body: bytes, number: int, many: bool) -> None:
        request = json.loads(body)
        self._times[body] += 1
        streams = bool(request.get("stream"))
        found = {
            "load": many,
            "stream": streams,
            "strict": request["tools"][0]["function"].get("strict", False),
            "decay": number > self._after,
        }
        noisy = random.Random(f"{body!r} {self._times[body]}").random() < self._noise
        right = self._answers[request["messages"][-1]["content"]]
        calls: list[dict[str, Any]] = [
            {
                "index": place,
                "id": f"call_{place}",
                "type": "function",
                "function": {"name": name, "arguments": json.dumps(arguments)},
            }
            for place, call in enumerate(right)
            for name, arguments in call.items()
        ]
        if found.get(self._fault, False):
            calls[0]["function"]["arguments"] = calls[0]["function"]["arguments"][:-1]
        elif noisy:
            calls[0]["function"]["name"] += "_"
        message: dict[str, Any] = {"role": "assistant", "content": None, "tool_calls": calls}
        if self._fault == "silent":
            message = {"role": "assistant", "content": "I cannot call functions."}
        choice = {"index": 0, "delta" if streams else "message": message, "finish_reason": "tool_calls"}
        usage = {"prompt_tokens": len(body) // 4, "completion_tokens": 20}
        whole = json.dumps({"id": str(number), "choices": [choice], "usage": usage}).encode()
        if streams:
            connection.write(response(b"data: %s\n\ndata: [DONE]\n\n" % whole, kind="text/event-stream"))
        else:
            connection.write(response(whole))


@contextmanager
def faulty_server(server: FaultyServer) -> Iterator[str]:
    """The base URL of the server, which runs until the block is left."""
    with running(server) as port:
        yield f"http://127.0.0.1:{port}/v1"
