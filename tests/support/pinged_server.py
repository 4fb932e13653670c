"""A server on loopback for `bfcl-pipeline ping`, whose answers a function of the request's body gives."""

from __future__ import annotations

import json
import threading
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any, TypeAlias

Answer: TypeAlias = tuple[int, Any]
"""A status, and the content as bytes or as JSON values."""

ORDER = {
    "items": [{"drink": "tea", "count": 2}, {"drink": "coffee", "count": 3}],
    "address": {"street": "5 Elm Street", "city": "Oslo"},
}


def chat(body: Any, calls: Sequence[Any], text: str | None = None, **more: Any) -> Answer:
    """A chat completion. calls: pairs of name and arguments, a mapping or text."""
    listed = [
        {
            "id": f"call_{place}",
            "type": "function",
            "function": {"name": name, "arguments": given if isinstance(given, str) else json.dumps(given)},
        }
        for place, (name, given) in enumerate(calls)
    ]
    message = {"role": "assistant", "content": text, "tool_calls": listed, **more.pop("message", {})}
    choice = {"finish_reason": "tool_calls" if calls else "stop", "message": message}
    sent = len(json.dumps([body["messages"], body.get("tools")]))
    usage = {"prompt_tokens": sent, "completion_tokens": 20}
    return 200, {"model": body["model"], "choices": [{**choice, **more}], "usage": usage}


def wanted(body: Any) -> list[Any]:
    """The calls that the last message of a request asks for."""
    last = body["messages"][-1]
    if last["role"] == "tool":
        return []
    if "teas" in last["content"]:
        return [("place_order", ORDER)]
    return [("get_weather", {"city": city}) for city in ("Oslo", "Lima") if city in last["content"]]


def good(body: Any) -> Answer:
    """What a model does that can all that is asked for."""
    calls = wanted(body)
    return chat(body, calls, None if calls else "It is 9.")


class Scripted(ThreadingHTTPServer):
    """Answers each request alike, or as a function of its body says."""

    answer: Answer | Callable[[Any], Answer]
    models: Answer  # what its list of models is answered with
    count: Answer  # what its counts of tokens are answered with
    asked: list[tuple[str, str | None, Any]]  # path, key and body of each request


class Handler(BaseHTTPRequestHandler):
    """Answers one request."""

    server: Scripted

    def do_POST(self) -> None:
        body = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
        self.server.asked.append((self.path, self.headers.get("Authorization"), body))
        counts = self.path.endswith(("/tokenize", "/count"))
        answer = self.server.answer
        self._send(*(self.server.count if counts else answer(body) if callable(answer) else answer))

    def do_GET(self) -> None:
        self.server.asked.append((self.path, self.headers.get("Authorization"), None))
        self._send(*self.server.models)

    def log_message(self, *_: Any) -> None:
        """Logs nothing."""

    def _send(self, status: int, content: Any) -> None:
        data = content if isinstance(content, bytes) else json.dumps(content).encode()
        self.send_response(status)
        self.send_header("Content-Type", "application/json")
        self.send_header("Content-Length", str(len(data)))
        self.end_headers()
        self.wfile.write(data)


@contextmanager
def server_of(
    status: int | Callable[[Any], Answer],
    content: Any = None,
    models: Answer = (404, b""),
    count: Answer = (200, {"count": 9, "max_model_len": 4096}),
) -> Iterator[Scripted]:
    """A running server. status: of every answer, with `content`; or what answers a body."""
    with Scripted(("127.0.0.1", 0), Handler) as server:
        server.answer = (status, content) if isinstance(status, int) else status
        server.models, server.count, server.asked = models, count, []
        thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.01})
        thread.start()
        try:
            yield server
        finally:
            server.shutdown()
            thread.join()
