"""The scripted server does what tests and benchmarks take for granted."""

from __future__ import annotations

import json
import subprocess
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from http.client import HTTPConnection
from typing import Any

import pytest

from tests.support import ROOT
from tests.support.local_chat import COMMAND, LocalChat, local_chat

TOOL = {
    "type": "function",
    "function": {
        "name": "book",
        "parameters": {
            "type": "object",
            "properties": {"seats": {"type": "integer"}, "note": {"type": "string"}},
            "required": ["seats"],
        },
    },
}


@pytest.fixture(scope="module")
def running() -> Iterator[LocalChat]:
    with local_chat() as started:
        yield started


@pytest.fixture
def server(running: LocalChat) -> LocalChat:
    """The server before any request."""
    running.behave()
    return running


def completion(server: LocalChat, *messages: dict[str, Any], tools: tuple[Any, ...] = (TOOL,)) -> Any:
    body = {"model": "scripted", "messages": messages, "tools": tools}
    connection = HTTPConnection("127.0.0.1", server.port, timeout=300)
    connection.request("POST", "/v1/chat/completions", json.dumps(body))
    answer = json.loads(connection.getresponse().read())
    connection.close()
    return answer


def user(text: str) -> dict[str, Any]:
    return {"role": "user", "content": text}


def test_a_repeated_request_has_the_same_answer_with_another_id(server: LocalChat) -> None:
    """Runs can be compared, and every single answer can be identified and counted by its request."""
    answers = [completion(server, user(text)) for text in ("two seats", "b", "two seats")]
    digests = [answer["id"].split("-")[1] for answer in answers]
    assert answers[0].pop("id") != answers[2].pop("id")
    assert answers[0] == answers[2]
    counts = server.counts()
    assert counts["requests"] == counts["answers"] == 3
    assert counts["bodies"] == {digests[0]: 2, digests[1]: 1}


def test_many_requests_wait_concurrently(server: LocalChat) -> None:
    """No request is answered before the latency has passed, and all of them wait concurrently."""
    server.behave(latency=1.0)
    with ThreadPoolExecutor(48) as pool:
        answers = list(pool.map(lambda number: completion(server, user(str(number))), range(48)))
    counts = server.counts()
    assert len(answers) == counts["most_in_flight"] == 48
    assert counts["last_at"] - counts["first_at"] >= 1.0


def test_held_answers_are_sent_on_release(server: LocalChat) -> None:
    """A release answers requests that have waited for any time; later requests are answered immediately."""
    server.behave(held_after=1)
    completion(server, user("a"))
    with ThreadPoolExecutor(2) as pool:
        asked = [pool.submit(completion, server, user(text)) for text in ("b", "c")]
        server.wait_for(3)
        assert not any(one.done() for one in asked)
        assert server.counts()["answers"] == 1
        server.release()
        assert len([one.result(timeout=300) for one in asked]) == 2
    completion(server, user("d"))
    assert server.counts()["answers"] == 4


def test_it_ends_with_its_parent() -> None:
    """A test that is killed leaves no server behind: its input ends, and so does the server."""
    with subprocess.Popen(COMMAND, cwd=ROOT, stdin=subprocess.PIPE, stdout=subprocess.PIPE) as process:
        assert process.stdout is not None
        assert int(process.stdout.readline()) > 0
        process.communicate(timeout=300)
    assert process.returncode == 0
