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
    """Runs can be compared, and every single answer can be identified."""
    first, second = (completion(server, user("two seats")) for _ in range(2))
    assert first.pop("id") != second.pop("id")
    assert first == second


def test_a_turn_is_calls_and_then_a_text(server: LocalChat) -> None:
    """The model calls offered functions with the required arguments, and ends the turn."""
    messages = [user("two seats")]
    for _ in range(4):
        message = completion(server, *messages)["choices"][0]["message"]
        if message["content"] is not None:
            break
        for call in message["tool_calls"]:
            assert call["function"]["name"] == "book"
            assert json.loads(call["function"]["arguments"]).keys() == {"seats"}
        messages.append(message)
    assert len(messages) > 1
    assert message["content"] is not None


def test_requests_are_counted_by_their_digest(server: LocalChat) -> None:
    """A test can count how often each request arrived, by the digest in the id of its answer."""
    asked = [completion(server, user(text))["id"].split("-")[1] for text in ("a", "b", "a")]
    counts = server.counts()
    assert counts["requests"] == counts["answers"] == 3
    assert counts["bodies"] == {asked[0]: 2, asked[1]: 1}


def test_many_requests_wait_concurrently(server: LocalChat) -> None:
    """No request is answered before the latency has passed, and all of them wait concurrently."""
    server.behave(latency=1.0)
    with ThreadPoolExecutor(48) as pool:
        answers = list(pool.map(lambda number: completion(server, user(str(number))), range(48)))
    counts = server.counts()
    assert len(answers) == counts["most_in_flight"] == 48
    assert counts["last_at"] - counts["first_at"] >= 1.0


def test_it_reports_when_a_number_of_requests_has_arrived(server: LocalChat) -> None:
    """A client that waits for the second request is answered after it, and not before."""
    with ThreadPoolExecutor(1) as pool:
        told = pool.submit(server.wait_for, 2)
        completion(server, user("a"))
        assert not told.done()
        completion(server, user("b"))
        told.result(timeout=300)


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


def test_a_reasoning_model_returns_its_reasoning(server: LocalChat) -> None:
    """The reasoning is a separate field of about the given length, and does not change the answer."""
    with local_chat() as thinking:
        thinking.behave(thought=2000)
        given = completion(thinking, user("two seats by the window, please"))
    plain = completion(server, user("two seats by the window, please"))
    thoughts = given["choices"][0]["message"].pop("reasoning_content")
    assert 1000 <= len(thoughts) <= 3000
    assert given["choices"][0]["message"]["tool_calls"] == plain["choices"][0]["message"]["tool_calls"]
