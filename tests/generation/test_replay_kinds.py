"""A conversation with a model of each kind behind an API, replayed from its journal alone."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import threading
from collections.abc import Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any

import pytest
import yaml

from bfcl_pipeline.config import EMBEDDED_KINDS, KINDS, RECORDED_KINDS
from bfcl_pipeline.models.serving.address import Address, State, write_address
from bfcl_pipeline.tables import read_responses
from tests.support.offline import offline

MODEL = "m-FC"
VENDORS = ("openai", "anthropic", "google", "litellm", "aiohttp", "httpx", "httpx2")

CHAT = [
    {
        "id": f"chat-{number}",
        "object": "chat.completion",
        "created": 1,
        "model": "m",
        "choices": [{"index": 0, "message": {"role": "assistant", **message}, "finish_reason": reason}],
        "usage": {"prompt_tokens": 7, "completion_tokens": 3, "total_tokens": 10},
    }
    for number, message, reason in (
        (
            0,
            {
                "content": None,
                "tool_calls": [
                    {"id": "c1", "type": "function", "function": {"name": "pwd", "arguments": "{}"}}
                ],
            },
            "tool_calls",
        ),
        (1, {"content": "Done."}, "stop"),
    )
]
RESPONSES = [
    {"status": "completed", "output": [item], "usage": {"input_tokens": 7, "output_tokens": 3}}
    for item in (
        {"type": "function_call", "call_id": "c1", "name": "pwd", "arguments": "{}"},
        {"type": "message", "role": "assistant", "content": [{"type": "output_text", "text": "Done."}]},
    )
]
MESSAGES = [
    {"content": [block], "stop_reason": reason, "usage": {"input_tokens": 7, "output_tokens": 3}}
    for block, reason in (
        ({"type": "tool_use", "id": "c1", "name": "pwd", "input": {}}, "tool_use"),
        ({"type": "text", "text": "Done."}, "end_turn"),
    )
]
CANDIDATES = [
    {
        "candidates": [{"content": {"role": "model", "parts": [part]}, "finishReason": "STOP"}],
        "usageMetadata": {"promptTokenCount": 7, "candidatesTokenCount": 3},
    }
    for part in ({"functionCall": {"name": "pwd", "args": {}}}, {"text": "Done."})
]
ANSWERS = {
    "openai_chat": CHAT,
    "openai_responses": RESPONSES,
    "anthropic": MESSAGES,
    "gemini": CANDIDATES,
    "litellm": CHAT,
    "vllm": CHAT,
}
"""The answers of a model of each kind in every turn: first a call, then a text."""


class _Handler(BaseHTTPRequestHandler):
    def do_POST(self) -> None:
        self.rfile.read(int(self.headers["Content-Length"]))
        server: Any = self.server
        said = json.dumps(server.answers[server.given % 2]).encode()
        server.given += 1
        self.send_response(200)
        self.send_header("Content-Type", "application/json")
        self.send_header("Content-Length", str(len(said)))
        self.end_headers()
        self.wfile.write(said)

    def log_message(self, *_: object) -> None:
        """Logs nothing."""


@pytest.fixture
def server() -> Iterator[Any]:
    """Answers with `answers` in turn; `given` counts."""
    scripted: Any = ThreadingHTTPServer(("127.0.0.1", 0), _Handler)
    scripted.given = 0
    thread = threading.Thread(target=scripted.serve_forever)
    thread.start()
    yield scripted
    scripted.shutdown()
    thread.join()
    scripted.server_close()


def generate(folder: Path, staged: Path, out: str, env: dict[str, str], *options: str) -> str:
    """Runs the command for one entry of several turns; returns its output."""
    command = [sys.executable, "-m", "bfcl_pipeline.cli", "generate", "--run", "r", "--model", MODEL]
    command += ["--models", "models.yaml", "--data", str(staged.resolve()), "--cache", "exchanges"]
    command += ["--category", "multi_turn_base", "--entry-ids", "multi_turn_base_0", "--out", out]
    done = subprocess.run(
        [*command, *options], cwd=folder, env=env, capture_output=True, text=True, timeout=900, check=False
    )
    assert done.returncode == 0, done.stderr
    return done.stderr


# Kind transformers has no server: tests/models/local replays it.
@pytest.mark.parametrize("kind", sorted(KINDS.keys() - EMBEDDED_KINDS - RECORDED_KINDS - {"transformers"}))
def test_a_conversation_is_replayed_without_client_key_or_server(
    kind: str, server: Any, staged: Path, tmp_path: Path
) -> None:
    """The journal alone leads to the same bytes, where no vendor's package can be imported."""
    server.answers = ANSWERS[kind]
    port = server.server_address[1]
    endpoint = f"http://127.0.0.1:{port}" + ("" if kind in ("anthropic", "gemini") else "/v1")
    row: dict[str, Any] = {"name": MODEL, "kind": kind, "key": "MY_KEY", "endpoint": endpoint}
    options: list[str] = []
    if kind == "litellm":
        row["model"] = "openai/m"
    if kind == "vllm":
        del row["endpoint"], row["key"]
        row["vllm"] = {"tool_parser": "hermes"}
        address = Address(State.READY, MODEL, os.getpid(), "here", 60, endpoint=endpoint)
        write_address(tmp_path / "address.json", address)
        options = ["--endpoint-from", "address.json"]
    (tmp_path / "models.yaml").write_text(yaml.safe_dump({"models": [row]}))

    generate(tmp_path, staged, "asked", {**os.environ, "MY_KEY": "not-a-secret"}, *options)
    (asked,) = read_responses(tmp_path / "asked/multi_turn_base.parquet")
    assert asked.status == "answered"
    assert "pwd" in str(asked.result_json)
    given = server.given
    assert given == len(asked.steps) > 2

    env = offline(tmp_path / "offline", blocked=VENDORS, unset=["MY_KEY"])
    said = generate(tmp_path, staged, "replayed", env, "--replay")
    assert server.given == given
    assert "replayed 1 entry: 1 answered" in said
    name = "multi_turn_base.parquet"
    assert (tmp_path / "replayed" / name).read_bytes() == (tmp_path / "asked" / name).read_bytes()
