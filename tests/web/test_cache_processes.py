"""The web cache shared by many processes: every request has one outcome, which all of them are given."""

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

import brotli

from bfcl_pipeline.web.cache import WebCache, outcome_document
from bfcl_pipeline.web.recording import ReplayingWeb
from bfcl_pipeline.web.status import survey

WORKER = Path(__file__).with_name("cache_worker.py")
PROCESSES, THREADS, CALLS = 8, 32, 1_000


def test_parallel_processes_agree(tmp_path):
    """Of 1,000 calls by 8 processes x 32 threads none is lost or repeated, and all return the same
    outcome."""
    folder = tmp_path / "web"
    with _Server() as server:
        reports = _crowd(folder, server.base)
    outcomes = {}
    for report in reports:
        for function, argument, outcome in report["found"]:
            outcomes.setdefault((function, argument), []).append(outcome)
    assert sum(map(len, outcomes.values())) == CALLS
    assert all(outcome == told[0] for told in outcomes.values() for outcome in told)
    assert len(outcomes) == 45

    asked = Counter(key for report in reports for key in report["asked"])
    assert all(set(report["asked"].values()) <= {1} for report in reports)  # once per process
    assert asked.total() > len(outcomes)  # processes did compete
    for key, count in asked.items():  # one request each, and a second one after a 429
        tries = count + (1 if key.startswith("/search") else 0)
        assert server.seen[key.removeprefix(server.base)] == tries

    found = survey(WebCache(folder))
    assert found.outcomes.total() == len(found.keys) == len(outcomes)
    assert (found.damaged, found.leftovers, found.cassettes_missing) == ([], 0, 0)
    assert found.cassettes == len(outcomes)
    assert {kind for _, kind in found.outcomes} == {"hits", "page", "failure"}
    assert not any(b"k" * 20 in content for content in _contents(folder))

    replayed = ReplayingWeb(WebCache(folder))
    for (function, argument), told in outcomes.items():
        seen = replayed.fetch(argument) if function == "fetch" else replayed.search(argument, "wt-wt")
        assert outcome_document(seen) == told[0]


def _contents(folder):
    return [path.read_bytes() for path in folder.rglob("*") if path.is_file()]


def _crowd(folder, base):
    """The reports of the processes, which start together and have all ended."""
    share = str(CALLS // PROCESSES)
    with contextlib.ExitStack() as stack:
        crowd = []
        for name in range(PROCESSES):
            command = [sys.executable, str(WORKER), str(folder), base, str(name), share, str(THREADS)]
            process = stack.enter_context(subprocess.Popen(command, stdin=PIPE, stdout=PIPE, text=True))
            stack.callback(process.kill)
            crowd.append(process)
        alarm = threading.Timer(600, lambda: [process.kill() for process in crowd])
        alarm.start()
        stack.callback(alarm.cancel)
        assert [process.stdout.readline() for process in crowd] == ["ready\n"] * PROCESSES
        for process in crowd:
            process.stdin.write("go\n")
            process.stdin.flush()
        reports = [json.loads(process.communicate()[0]) for process in crowd]
        assert [process.returncode for process in crowd] == [0] * PROCESSES
    return reports


class _Server(ThreadingHTTPServer):
    """A web with all kinds of failures. No two answers to the same page are equal."""

    daemon_threads = True
    request_queue_size = 512

    def __init__(self):
        super().__init__(("127.0.0.1", 0), _Handler)
        self.base = f"http://127.0.0.1:{self.server_port}"
        self.seen = Counter()
        self.lock = threading.Lock()
        self.random = random.Random(7)
        self._thread = threading.Thread(target=self.serve_forever, kwargs={"poll_interval": 0.01})

    def __enter__(self):
        self._thread.start()
        return self

    def __exit__(self, *_):
        self.shutdown()
        self._thread.join()
        self.server_close()

    def handle_error(self, request, client_address):
        pass  # clients that disconnect


class _Handler(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"

    def do_GET(self):
        with self.server.lock:
            self.server.seen[self.path] += 1
            number = self.server.seen[self.path]
            delay = self.server.random.random() / 100
        threading.Event().wait(delay)  # seconds, so that answers arrive in a different order than requests
        text = f"Seite \u00e4 {self.path}, the {number}. time after {delay} s. " * 20
        kind = self.path.split("/")[1].split("?")[0]
        getattr(self, f"_{kind}")(text, number)

    def _page(self, text, _number):
        self._answer(200, text.encode(), {"Content-Type": "text/html; charset=utf-8", "Set-Cookie": "a=b"})

    def _gzip(self, text, _number):
        self._answer(200, gzip.compress(text.encode()), {"Content-Encoding": "gzip"})

    def _brotli(self, text, _number):
        self._answer(200, brotli.compress(text.encode()), {"Content-Encoding": "br"})

    def _binary(self, text, _number):
        self._answer(200, bytes(range(256)) + text.encode(), {"Content-Type": "application/octet-stream"})

    def _missing(self, text, _number):
        self._answer(404, text.encode())

    def _busy(self, text, number):
        self._answer(429 if number == 1 else 200, text.encode())

    def _redirect(self, _text, _number):
        self._answer(302, b"", {"Location": self.path.replace("redirect", "page")})

    def _search(self, text, number):
        if number == 1:
            return self._answer(429, b"")
        return self._answer(200, json.dumps([{"title": text, "href": "http://h", "body": ""}]).encode())

    def _reset(self, _text, _number):
        self.connection.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
        self.close_connection = True
        self.connection.close()

    def _cut(self, text, _number):
        self.send_response(200)
        self.send_header("Content-Length", str(len(text) * 2))
        self.end_headers()
        self.wfile.write(text.encode())
        self.close_connection = True

    def _answer(self, status, body, headers=None):
        self.send_response(status)
        for name, value in {**(headers or {}), "Content-Length": str(len(body))}.items():
            self.send_header(name, value)
        self.end_headers()
        self.wfile.write(body)

    def log_message(self, *_):
        pass
