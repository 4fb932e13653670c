"""A conversation with a model of each kind behind an API, replayed from its journal alone.

One process asks the models of all kinds, and one replays them: to start each and to load the clients of the
vendors is what takes time.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
from contextlib import ExitStack
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest
import yaml

from bfcl_pipeline.ask.models.serving.address import Address, State, write_address
from bfcl_pipeline.base.process import this_process
from bfcl_pipeline.benchmark.config import EMBEDDED_KINDS, KINDS, RECORDED_KINDS
from bfcl_pipeline.benchmark.tables import read_responses
from tests.support.api_formats import FORMATS
from tests.support.api_server import Answer, Scripted, answer, serve
from tests.support.offline import offline

MODEL = "m-FC"
VENDORS = ("openai", "anthropic", "google", "litellm", "aiohttp", "httpx", "httpx2")


def turns(kind: str) -> list[Answer]:
    """The answers of a model of the kind, turn by turn: first a call, then a text."""
    form = FORMATS["openai_chat" if kind in ("litellm", "vllm") else kind]
    return [answer(form.whole(item)) for item in (form.call("pwd", {}, "c1"), form.text("Done."))] * 20


# Kind transformers has no server: tests/ask/models/local replays it.
ASKED_KINDS = sorted(KINDS.keys() - EMBEDDED_KINDS - RECORDED_KINDS - {"transformers"})
GENERATE_ALL = """
import json, sys
from bfcl_pipeline.cli import main
for kind, words in json.load(sys.stdin).items():
    print("kind", kind, file=sys.stderr, flush=True)
    assert main(words) == 0, kind
"""


@dataclass(frozen=True, slots=True)
class Replayed:
    """The conversations of all kinds in one folder each, asked and replayed."""

    folder: Path
    given: dict[str, int]  # by kind: how many answers its server gave
    given_again: dict[str, int]  # of these, during the replay
    said: dict[str, str]  # by kind: the output of the replay


def generate(folder: Path, staged: Path, out: str, env: dict[str, str], *options: str) -> dict[str, str]:
    """Runs the command for one entry of several turns with each kind; returns its output by kind."""
    commands = {}
    for kind in ASKED_KINDS:
        place = folder / kind
        words = ["generate", "--run", "r", "--model", MODEL, "--models", str(place / "models.yaml")]
        words += ["--data", str(staged.resolve()), "--cache", str(place / "exchanges")]
        words += ["--category", "multi_turn_base", "--entry-ids", "multi_turn_base_0"]
        words += ["--out", str(place / out), *options]
        if kind == "vllm" and "--replay" not in options:
            words += ["--endpoint-from", str(place / "address.json")]
        commands[kind] = words
    done = subprocess.run(
        [sys.executable, "-c", GENERATE_ALL],
        input=json.dumps(commands),
        cwd=folder,
        env=env,
        capture_output=True,
        text=True,
        timeout=900,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    parts = [part.partition("\n") for part in ("\n" + done.stderr).split("\nkind ")[1:]]
    return {kind: said for kind, _, said in parts}


def write_row(place: Path, kind: str, endpoint: str) -> None:
    """The row of a model of the kind, with its server; a key is needed by each but vLLM."""
    endpoint = endpoint.removesuffix("/v1") if kind in ("anthropic", "gemini") else endpoint
    row: dict[str, Any] = {"name": MODEL, "kind": kind, "key": "MY_KEY", "endpoint": endpoint}
    if kind == "litellm":
        row["model"] = "openai/m"
    if kind == "vllm":
        del row["endpoint"], row["key"]
        row["vllm"] = {"tool_parser": "hermes"}
        address = Address(State.READY, MODEL, this_process(), 60, endpoint=endpoint)
        write_address(place / "address.json", address)
    (place / "models.yaml").write_text(yaml.safe_dump({"models": [row]}))


def posted(server: Scripted) -> int:
    """The number of requests to the model; others ask for the server's version."""
    return sum(asked.method == "POST" for asked in server.requests)


@pytest.fixture(scope="module")
def replayed(staged: Path, tmp_path_factory: pytest.TempPathFactory) -> Replayed:
    """All conversations, asked with a key and then replayed without one, while the servers still run."""
    folder = tmp_path_factory.mktemp("kinds")
    with ExitStack() as stack:
        servers = {kind: stack.enter_context(serve(*turns(kind))) for kind in ASKED_KINDS}
        for kind, server in servers.items():
            (folder / kind).mkdir()
            write_row(folder / kind, kind, server.endpoint)
        generate(folder, staged, "asked", {**os.environ, "MY_KEY": "not-a-secret"})
        given = {kind: posted(server) for kind, server in servers.items()}
        env = offline(folder / "offline", blocked=VENDORS, unset=["MY_KEY"])
        said = generate(folder, staged, "replayed", env, "--replay")
        again = {kind: posted(server) - given[kind] for kind, server in servers.items()}
    return Replayed(folder, given, again, said)


@pytest.mark.parametrize("kind", ASKED_KINDS)
def test_a_conversation_is_replayed_without_client_key_or_server(kind: str, replayed: Replayed) -> None:
    """The journal alone leads to the same bytes, where no vendor's package can be imported."""
    name = "multi_turn_base.parquet"
    (asked,) = read_responses(replayed.folder / kind / "asked" / name)
    assert asked.status == "answered"
    assert "pwd" in str(asked.result_json)
    assert replayed.given[kind] == len(asked.steps) > 2
    assert replayed.given_again[kind] == 0
    assert "replayed 1 entry: 1 answered" in replayed.said[kind]
    derived = replayed.folder / kind / "replayed" / name
    assert derived.read_bytes() == (replayed.folder / kind / "asked" / name).read_bytes()
