"""A server on loopback that answers chat completions and completions of plain text, as vLLM serves both.

Each answer calls the first function of the request without arguments; after results of calls, it is a text.
Text has calls as Qwen3 writes them. Only the request decides, so that runs are repeatable.
"""

from __future__ import annotations

import json
import re
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

_NAME = re.compile(r'<tools>\n\{"name": "([^"]+)"')
_CONTEXT = 40_960


@dataclass(slots=True)
class TwoWays:
    """The running server."""

    endpoint: str
    bodies: dict[str, list[dict[str, Any]]] = field(default_factory=dict)  # of requests, by path

    def count(self, path: str) -> int:
        """The number of requests to `path`."""
        return len(self.bodies.get(path, ()))


class _Server(ThreadingHTTPServer):
    request_queue_size = 128  # connections of a run begin at the same time


@contextmanager
def two_ways() -> Iterator[TwoWays]:
    """Serves until the block is left."""

    class Handler(BaseHTTPRequestHandler):
        protocol_version = "HTTP/1.1"
        disable_nagle_algorithm = True  # or each body waits 40 ms for the receipt of its headers

        def do_GET(self) -> None:
            self._send({"object": "list", "data": [{"id": "scripted", "max_model_len": _CONTEXT}]})

        def do_POST(self) -> None:
            body = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
            state.bodies.setdefault(self.path, []).append(body)
            self._send(_ANSWERS[self.path](body))

        def log_message(self, *_: object) -> None:
            """Prints nothing."""

        def _send(self, answer: dict[str, Any]) -> None:
            content = json.dumps(answer).encode()
            self.send_response(200)
            self.send_header("Content-Type", "application/json")
            self.send_header("Content-Length", str(len(content)))
            self.end_headers()
            self.wfile.write(content)

    with _Server(("127.0.0.1", 0), Handler) as server:
        state = TwoWays(f"http://127.0.0.1:{server.server_port}/v1")
        thread = threading.Thread(target=server.serve_forever, daemon=True)
        thread.start()
        try:
            yield state
        finally:
            server.shutdown()
            thread.join()


def _chat(body: dict[str, Any]) -> dict[str, Any]:
    called = body["messages"][-1]["role"] == "tool"
    function = body["tools"][0]["function"]["name"]
    call = {"id": "call_0", "type": "function", "function": {"name": function, "arguments": "{}"}}
    message = {"role": "assistant", "content": "Done." if called else None}
    return _answer({"message": message if called else {**message, "tool_calls": [call]}})


def _completion(body: dict[str, Any]) -> dict[str, Any]:
    last = body["prompt"].rpartition("<|im_start|>user\n")[2]
    found = _NAME.search(body["prompt"])
    if found is None or last.startswith("<tool_response>"):
        return _answer({"text": "Done."})
    return _answer({"text": f'<tool_call>\n{{"name": "{found[1]}", "arguments": {{}}}}\n</tool_call>'})


def _tokenize(body: dict[str, Any]) -> dict[str, Any]:
    return {"count": len(body["prompt"]) // 4, "max_model_len": _CONTEXT}


def _answer(choice: dict[str, Any]) -> dict[str, Any]:
    usage = {"prompt_tokens": 10, "completion_tokens": 5}
    return {"choices": [{"index": 0, "finish_reason": "stop", **choice}], "usage": usage}


_ANSWERS = {"/v1/chat/completions": _chat, "/v1/completions": _completion, "/tokenize": _tokenize}
