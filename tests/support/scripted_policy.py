"""A server for chat completions that answers the requests of known episodes as the oracle does."""

from __future__ import annotations

import json
import threading
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path

from bfcl_pipeline.benchmark.records import Json
from bfcl_pipeline.environments import Episode, oracle_answers
from tests.support.episodes import chat_message


def scripted_answers(entry_ids: Sequence[str], data: Path, wrong: Sequence[str] = ()) -> dict[str, Json]:
    """By the messages and tools of a request, as JSON: the message that answers it.

    wrong: entries whose requests are all answered with text.
    """
    answers = {}
    for entry_id in entry_ids:
        episode = Episode(entry_id, data=data)
        for number, answer in enumerate(oracle_answers(episode)):
            message = chat_message("I would rather not." if entry_id in wrong else answer, number)
            assert episode.request is not None
            answers[asked(episode.request.messages, episode.request.tools)] = message
            episode.answer(message)
    return answers


def asked(messages: Json, tools: Json) -> str:
    """A request as a key, without empty values, which programs add and leave out."""
    plain = [{key: value for key, value in message.items() if value} for message in messages]
    return json.dumps([plain, [tool["function"]["name"] for tool in tools or ()]], sort_keys=True)


@contextmanager
def scripted_server(answers: dict[str, Json]) -> Iterator[str]:
    """The address of the server; a request that is not scripted is refused with its text."""

    class Handler(BaseHTTPRequestHandler):
        def do_POST(self) -> None:
            body = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
            message = answers.get(asked(body["messages"], body.get("tools")))
            choice = {"index": 0, "message": message, "finish_reason": "stop"}
            usage = {"prompt_tokens": 1, "completion_tokens": 1, "total_tokens": 2}
            told = {"id": "x", "object": "chat.completion", "created": 0, "model": body["model"]}
            told |= {"choices": [choice], "usage": usage} if message else {"error": {"message": str(body)}}
            content = json.dumps(told).encode()
            self.send_response(200 if message else 400)
            self.send_header("Content-Type", "application/json")
            self.send_header("Content-Length", str(len(content)))
            self.end_headers()
            self.wfile.write(content)

        def log_message(self, *_: object) -> None:
            """Nothing is logged."""

    server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    thread = threading.Thread(target=server.serve_forever, daemon=True)
    thread.start()
    try:
        yield f"http://127.0.0.1:{server.server_port}/v1"
    finally:
        server.shutdown()
        server.server_close()
        thread.join()
