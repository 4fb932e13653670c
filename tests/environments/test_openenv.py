"""OpenEnv's own client plays episodes on our server.

Their Python is this one if openenv is installed, else the one that BFCL_OPENENV_PYTHON names. The server is
started as its image starts it.
"""

from __future__ import annotations

import importlib.util
import json
import os
import re
import socket
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from urllib.request import urlopen

import pytest

from bfcl_pipeline.environments import Episode, oracle_answers
from tests.support import ROOT
from tests.support.episodes import chat_message

PYTHON = sys.executable if importlib.util.find_spec("openenv") else os.environ.get("BFCL_OPENENV_PYTHON")

RECIPE = (ROOT / "containers/environments/Containerfile").read_text(encoding="utf-8")
_, *STARTED = json.loads(re.findall(r"(?m)^ENTRYPOINT (.*)$", RECIPE)[-1])
"""The arguments of Python in the image."""

CLIENT = """
import json, sys
from openenv import GenericEnvClient
address, script = sys.argv[1], json.load(sys.stdin)
sessions = [GenericEnvClient(base_url=address).sync() for _ in script]
played = []
for session, (entry_id, messages) in zip(sessions, script):
    session.__enter__()
    played.append(session.reset(entry_id=entry_id, rules="verified"))
for place in range(max(len(messages) for _, messages in script)):  # the sessions take turns
    for number, (session, (_, messages)) in enumerate(zip(sessions, script)):
        if place < len(messages):
            assert not played[number].done
            played[number] = session.step({"message": messages[place]})
told = [
    (one.done, one.reward, one.observation["turn_rewards"], session.state())
    for one, session in zip(played, sessions)
]
for session in sessions:
    session.__exit__(None, None, None)
print(json.dumps(told))
"""


@pytest.fixture
def address(staged: Path) -> Iterator[str]:
    """The address of a server of ours, which listens."""
    assert PYTHON is not None
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    command = [PYTHON, *STARTED, "--host", "127.0.0.1", "--port", str(port), "--data", str(staged)]
    paths = os.pathsep.join([str(ROOT), os.environ.get("PYTHONPATH", "")])
    with subprocess.Popen(command, env={**os.environ, "PYTHONPATH": paths}) as server:
        try:
            while True:
                try:
                    with urlopen(f"http://127.0.0.1:{port}/health", timeout=30) as health:
                        assert health.status == 200
                    break
                except OSError:
                    assert server.poll() is None, "the server has ended"
            yield f"http://127.0.0.1:{port}"
        finally:
            server.terminate()


def test_the_recipe_of_the_image_has_its_files() -> None:
    """What it copies is in the repository, and its base is that of the pipeline's image."""
    for line in re.findall(r"(?m)^COPY (?!--from)(.*) \S+$", RECIPE):
        assert all((ROOT / name).exists() for name in line.split())
    pipeline = (ROOT / "containers/pipeline/Containerfile").read_text(encoding="utf-8")
    assert re.findall("(?m)^ARG BASE=.*$", RECIPE) == re.findall("(?m)^ARG BASE=.*$", pipeline)


@pytest.mark.skipif(PYTHON is None, reason="openenv is not installed")
def test_its_client_earns_our_rewards(address: str, staged: Path) -> None:
    """Interleaved sessions of the oracle earn 1, and one that answers with text alone 0."""
    ids = ["simple_python_0", "multi_turn_base_12", "memory_kv_3-customer-3", "web_search_base_3"]
    script = []
    for entry_id in ids:
        episode = Episode(entry_id, data=staged)
        messages = []
        for number, answer in enumerate(oracle_answers(episode)):
            messages.append(chat_message(answer, number))
            episode.answer(messages[-1])
        script.append((entry_id, messages))
    turns = len(Episode("multi_turn_base_3", data=staged).entry.turns)
    script.append(("multi_turn_base_3", [chat_message("No.")] * turns))
    assert PYTHON is not None
    done = subprocess.run(
        [PYTHON, "-c", CLIENT, address],
        input=json.dumps(script),
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stderr[-3000:]
    told = json.loads(done.stdout)
    assert [one[:2] for one in told] == [[True, 1.0]] * len(ids) + [[True, 0.0]]
    assert told[1][2] == [1.0, 1.0, 1.0]
    assert [one[3]["entry_id"] for one in told] == [*ids, "multi_turn_base_3"]
    assert [one[3]["step_count"] for one in told] == [len(messages) for _, messages in script]
