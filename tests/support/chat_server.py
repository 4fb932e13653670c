"""A scripted chat completions server on loopback in a separate process; counts requests, faulty on demand.

    python chat_server.py [--latency SECONDS]

Prints the port, and ends when its standard input is closed, so that it never outlives its parent. Answers
`POST .../chat/completions` (`chat_answers`) after the latency, any number concurrently, and `GET
.../models`. For the process that started it (`local_chat` sends these requests):

    GET  /counts                  the counts of requests so far, as JSON
    GET  /seen?requests=N         answered when N requests were received; &later=SECONDS after that
    GET  /quiet                   answered when no client is connected
    GET  /release                 sends all answers that are held back, and holds back no more
    POST /behave                  sets latency and misbehaviour (fields of `Behaviour`), resets all counts
"""

from __future__ import annotations

import argparse
import asyncio
import gc
import json
import os
import sys
from collections import Counter
from collections.abc import Awaitable
from dataclasses import dataclass, field, fields, replace
from urllib.parse import parse_qs, urlsplit

from tests.support.api_server import Asked, Connection, response
from tests.support.chat_answers import Answer, answer_to, digest_of
from tests.support.chat_faults import ALL, GOOD, drawn


@dataclass(frozen=True, slots=True)
class Behaviour:
    """How requests are answered."""

    latency: float = 0.0  # seconds from a request to its answer
    held_after: int | None = None  # the number of requests answered; others wait for /release
    faults: float = 0.0  # the share of requests that something else is done to
    odd: float = 0.0  # the share of answers that are right, but oddly sent
    seed: int = 0  # of both
    thought: int = 0  # characters, about, that a model thinks before each answer
    voice: str = ""  # of the model that answers: with another one it is another model
    only: str | None = None  # the one thing done to those requests or answers: a name of ALL


@dataclass(slots=True)
class Counts:
    """The requests since the behaviour was set."""

    requests: int = 0
    answers: int = 0  # sent, and right
    in_flight: int = 0
    most_in_flight: int = 0
    first_at: float | None = None  # when the first request was received, in seconds of a monotonic clock
    last_at: float | None = None  # when the last answer was sent
    # how often each request was received, by its digest
    bodies: Counter[str] = field(default_factory=Counter)
    # how often each faulty behaviour was used, by its name
    done: Counter[str] = field(default_factory=Counter)


class ChatServer:
    """Answers on any number of connections; a `api_server.Handler`."""

    def __init__(self, behaviour: Behaviour) -> None:
        self._behaviour = behaviour
        self._counts = Counts()
        self._answers: dict[str, Answer] = {}
        self._number = 0  # of answers, ever
        self._clients: set[Connection] = set()  # connections that sent no control request
        # /seen: requests, seconds later, connection
        self._waiting: list[tuple[int, float, Connection]] = []
        self._held: list[tuple[Connection, bytes, str, Counts]] = []  # what `_answer` is called with
        self._quiet: list[Connection] = []
        self._tasks: set[asyncio.Future[None]] = set()

    def came(self, connection: Connection) -> None:
        self._clients.add(connection)

    def left(self, connection: Connection) -> None:
        self._clients.discard(connection)
        self._tell_quiet()

    def asked(self, connection: Connection, asked: Asked) -> None:
        if asked.target.endswith("/chat/completions"):
            self._chat(connection, asked.body)
        elif asked.target.endswith("/models"):
            connection.write(
                response(b'{"object": "list", "data": [{"id": "scripted", "object": "model"}]}')
            )
        else:
            self._clients.discard(connection)
            self._control(connection, asked)

    def _chat(self, connection: Connection, body: bytes) -> None:
        counts, behaviour = self._counts, self._behaviour
        loop = asyncio.get_running_loop()
        digest = digest_of(body)
        counts.requests += 1
        counts.bodies[digest] += 1
        counts.in_flight += 1
        counts.most_in_flight = max(counts.most_in_flight, counts.in_flight)
        if counts.first_at is None:
            counts.first_at = loop.time()
        if behaviour.held_after is not None and counts.requests > behaviour.held_after:
            self._held.append((connection, body, digest, counts))
        elif behaviour.latency:
            loop.call_later(behaviour.latency, self._answer, connection, body, digest, counts)
        else:
            self._answer(connection, body, digest, counts)
        if self._waiting:
            self._tell_seen()

    def _answer(self, connection: Connection, body: bytes, digest: str, counts: Counts) -> None:
        behaviour, times = self._behaviour, counts.bodies[digest]
        if digest not in self._answers:
            self._answers[digest] = answer_to(body, digest, behaviour.thought, behaviour.voice)
        self._number += 1
        whole = self._answers[digest].numbered(self._number)
        counts.in_flight -= 1
        name = drawn(behaviour.seed, behaviour.faults, behaviour.odd, digest, times)
        if name is not None:
            name = behaviour.only or name
            counts.done[name] += 1
        if name is None or name in GOOD:
            counts.answers += 1
            counts.last_at = asyncio.get_running_loop().time()
        if name is None:
            connection.write(response(whole))
        else:
            self._keep(ALL[name](connection, whole))

    def _keep(self, doing: Awaitable[None] | None) -> None:
        if doing is not None:
            task = asyncio.ensure_future(doing)
            self._tasks.add(task)
            task.add_done_callback(self._tasks.discard)

    def _control(self, connection: Connection, asked: Asked) -> None:
        target = urlsplit(asked.target)
        query = parse_qs(target.query)
        match target.path:
            case "/counts":
                counts = {one.name: getattr(self._counts, one.name) for one in fields(Counts)}
                connection.write(response(json.dumps(counts).encode("ascii")))
            case "/seen":
                later = float(query.get("later", ["0"])[0])
                self._waiting.append((int(query["requests"][0]), later, connection))
                self._tell_seen()
            case "/quiet":
                self._quiet.append(connection)
                self._tell_quiet()
            case "/release":
                self._behaviour = replace(self._behaviour, held_after=None)
                held, self._held = self._held, []
                for one in held:
                    self._answer(*one)
                connection.write(response(b"{}"))
            case "/behave":
                self._behaviour = Behaviour(**json.loads(asked.body))
                self._counts = Counts()
                self._answers.clear()
                connection.write(response(b"{}"))
            case _:
                connection.write(response(b"{}", "404 Not Found"))

    def _tell_seen(self) -> None:
        for waiting in [one for one in self._waiting if one[0] <= self._counts.requests]:
            self._waiting.remove(waiting)
            _, later, connection = waiting
            asyncio.get_running_loop().call_later(later, connection.write, response(b"{}"))

    def _tell_quiet(self) -> None:
        while self._quiet and not self._clients:
            self._quiet.pop().write(response(b"{}"))


async def serve(behaviour: Behaviour) -> None:
    """Listens on a free port of loopback, prints it, and answers until the standard input ends."""
    loop = asyncio.get_running_loop()
    handler = ChatServer(behaviour)
    listening = await loop.create_server(lambda: Connection(handler), "127.0.0.1", 0, backlog=1024)
    print(listening.sockets[0].getsockname()[1], flush=True)
    ended = loop.create_future()

    def read() -> None:
        if not os.read(0, 1) and not ended.done():
            ended.set_result(None)

    loop.add_reader(sys.stdin, read)
    await ended


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--latency", type=float, default=0.0, help="seconds from a request to its answer")
    options = parser.parse_args()
    gc.freeze()
    asyncio.run(serve(Behaviour(latency=options.latency)))
