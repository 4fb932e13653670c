"""Many threads of several processes record one web: searches, pages and failures, each outcome once."""

from __future__ import annotations

import contextlib
import gzip
import json
import random
import socket
import struct
import subprocess
import sys
import threading
from collections import Counter
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from subprocess import PIPE
from typing import Any
from urllib.parse import parse_qsl

import brotli

from bfcl_pipeline.world.tools.web_search.web import Hit, Hits
from bfcl_pipeline.world.web.cache import WebCache, outcome_document
from bfcl_pipeline.world.web.check import check_cache
from bfcl_pipeline.world.web.coverage import survey
from bfcl_pipeline.world.web.recording import ReplayingWeb
from tests.support.simulated_sites import duckduckgo_page
from tests.world.web.recording_worker import REFUSED, calls

PROCESSES, THREADS, CALLS = 2, 32, 480
WORKER = Path(__file__).with_name("recording_worker.py")


def test_parallel_processes_agree(tmp_path: Path) -> None:
    """Of 480 calls by 2 processes x 32 threads none is lost or repeated, all return the same outcome, the
    replay returns it again, and every cassette proves it."""
    folder = tmp_path / "web"
    with _Server() as server:
        reports = crowd(folder, server.base)
    outcomes: dict[tuple[str, str], list[Any]] = {}
    for report in reports:
        for function, argument, outcome in report["found"]:
            outcomes.setdefault((function, argument), []).append(outcome)
    assert sum(map(len, outcomes.values())) == CALLS
    assert set(outcomes) == set(calls(server.base, CALLS, 0))
    assert all(outcome == told[0] for told in outcomes.values() for outcome in told)
    assert [argument for (_, argument), told in outcomes.items() if told[0] is None] == [REFUSED]
    del outcomes["search", REFUSED]
    _check_requests(reports, server)
    _check_record(WebCache(folder), outcomes)


def _check_requests(reports: list[Any], server: _Server) -> None:
    """A process asks for each key once, and each of its requests is sent once."""
    asked: Counter[str] = Counter()
    for report in reports:
        once = Counter(report["asked"])
        del once[f"search {REFUSED}"]
        assert set(once.values()) == {1}
        asked += once
    assert asked.total() > len(asked)  # processes did compete
    for key, count in asked.items():
        function, _, argument = key.partition(" ")
        if function == "fetch":
            assert server.seen[argument.removeprefix(server.base)] == count
        else:
            refused = argument.startswith("busy")  # the first request of all
            assert server.seen[key] == count + refused, key


def _check_record(cache: WebCache, outcomes: dict[tuple[str, str], list[Any]]) -> None:
    """The web cache has each outcome once, proven by its cassette, and replays it."""
    found = survey(cache)
    assert found.outcomes.total() == len(found.keys) == len(outcomes)
    assert {kind for _, kind in found.outcomes} == {"hits", "page", "failure"}
    checked = check_cache(cache)
    assert [lines for _, lines in checked.findings()] == [[]] * 5
    assert checked.proven == len(outcomes)
    for (function, argument), told in outcomes.items():
        if function == "fetch":
            seen: Any = ReplayingWeb(cache).fetch(argument)
        else:
            seen = ReplayingWeb(cache).search(argument, "wt-wt")
        assert outcome_document(seen) == told[0]


def crowd(folder: Path, base: str) -> list[Any]:
    """The reports of the processes, which start together and have all ended."""
    share = str(CALLS // PROCESSES)
    with contextlib.ExitStack() as stack:
        processes = []
        for name in range(PROCESSES):
            command = [sys.executable, str(WORKER), str(folder), base, str(name), share, str(THREADS)]
            process = stack.enter_context(subprocess.Popen(command, stdin=PIPE, stdout=PIPE, text=True))
            stack.callback(process.kill)
            processes.append(process)
        alarm = threading.Timer(600, lambda: [process.kill() for process in processes])
        alarm.start()
        stack.callback(alarm.cancel)
        for process in processes:
            assert process.stdout is not None
            assert process.stdout.readline() == "ready\n"
        for process in processes:
            assert process.stdin is not None
            process.stdin.write("go\n")
            process.stdin.flush()
        reports = [json.loads(process.communicate()[0]) for process in processes]
        assert [process.returncode for process in processes] == [0] * PROCESSES
    return reports


class _Server(ThreadingHTTPServer):
    """A web with all kinds of failures. No two answers to the same request are equal."""

    daemon_threads = True
    request_queue_size = 512

    def __init__(self) -> None:
        super().__init__(("127.0.0.1", 0), _Handler)
        self.base = f"http://127.0.0.1:{self.server_port}"
        self.seen: Counter[str] = Counter()
        self.lock = threading.Lock()
        self.random = random.Random(7)
        self._thread = threading.Thread(target=self.serve_forever, kwargs={"poll_interval": 0.01})

    def __enter__(self) -> _Server:
        self._thread.start()
        return self

    def __exit__(self, *_: object) -> None:
        self.shutdown()
        self._thread.join()
        self.server_close()

    def handle_error(self, *_: object) -> None:
        """Clients disconnect."""

    def arrived(self, key: str) -> tuple[int, str]:
        """How often a key was requested, and a text that no other answer has."""
        with self.lock:
            self.seen[key] += 1
            number, delay = self.seen[key], self.random.random() / 100
        threading.Event().wait(delay)  # seconds, so that answers arrive in a different order than requests
        return number, f"Seite \u00e4 {key}, the {number}. time after {delay} s. " * 20


class _Handler(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    server: _Server

    def do_GET(self) -> None:
        kind = self.path.split("/")[1]
        _, text = self.server.arrived(self.path)
        return getattr(self, f"_{kind}")(text)

    def do_POST(self) -> None:
        form = self.rfile.read(int(self.headers["Content-Length"])).decode("ascii")
        keywords = dict(parse_qsl(form))["q"]
        number, text = self.server.arrived(f"search {keywords}")
        if keywords == REFUSED or (keywords.startswith("busy") and number == 1):
            return self._answer(429, b"")
        hits = Hits((Hit(text, "https://tea.example/?a=%26b", text),))
        if keywords == "nothing":
            hits = Hits(())
        page = duckduckgo_page(hits)
        return self._answer(200, gzip.compress(page.encode()), {"Content-Encoding": "gzip"})

    def _page(self, text: str) -> None:
        self._answer(200, text.encode(), {"Content-Type": "text/html; charset=utf-8", "Set-Cookie": "a=b"})

    def _gzip(self, text: str) -> None:
        self._answer(200, gzip.compress(text.encode()), {"Content-Encoding": "gzip"})

    def _brotli(self, text: str) -> None:
        self._answer(200, brotli.compress(text.encode()), {"Content-Encoding": "br"})

    def _binary(self, text: str) -> None:
        self._answer(200, bytes(range(256)) + text.encode(), {"Content-Type": "application/octet-stream"})

    def _missing(self, text: str) -> None:
        self._answer(404, text.encode())

    def _redirect(self, _text: str) -> None:
        self._answer(302, b"", {"Location": self.path.replace("redirect", "page")})

    def _reset(self, _text: str) -> None:
        self.connection.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
        self.close_connection = True
        self.connection.close()

    def _cut(self, text: str) -> None:
        self.send_response(200)
        self.send_header("Content-Length", str(len(text) * 2))
        self.end_headers()
        self.wfile.write(text.encode())
        self.close_connection = True

    def _answer(self, status: int, body: bytes, headers: dict[str, str] | None = None) -> None:
        self.send_response(status)
        for name, value in {**(headers or {}), "Content-Length": str(len(body))}.items():
            self.send_header(name, value)
        self.end_headers()
        self.wfile.write(body)

    def log_message(self, *_: object) -> None:
        """Nothing is printed."""
