"""The record: written once, checked when read, shared by many."""

import contextlib
import gzip
import json
import os
import random
import socket
import struct
import subprocess
import sys
import threading
from collections import Counter
from dataclasses import replace
from datetime import UTC, datetime, timedelta, timezone
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from subprocess import PIPE

import brotli
import pytest

from bfcl_pipeline.errors import WebError
from bfcl_pipeline.ownership import temporary_path, this_process
from bfcl_pipeline.tools.web import Failure, Hit, Hits, Page
from bfcl_pipeline.web import record as module
from bfcl_pipeline.web.keys import FetchKey, SearchKey
from bfcl_pipeline.web.record import Record, outcome_document
from bfcl_pipeline.web.recorded import Replaying
from bfcl_pipeline.web.status import survey

NOON = datetime(2026, 10, 1, 12, tzinfo=UTC)
TEA = SearchKey("tea", "wt-wt")
PAGE = FetchKey("http://example.com/")
WORKER = Path(__file__).with_name("record_worker.py")


def add(record, key, outcome, **more):
    return record.add(key, outcome, engine="test 1", recorded_at=NOON, **more)


@pytest.mark.parametrize(
    ("key", "outcome"),
    [
        (TEA, Hits((Hit("t", "http://h", "b"), Hit("", "", "")))),
        (TEA, Hits(())),
        (TEA, Failure("no")),
        (PAGE, Page("a\r\n\x00\u2028\ud800\U0001f600")),
        (PAGE, Page("")),
        (PAGE, Failure("404 Client Error: Not Found for url: http://example.com/")),
    ],
)
def test_what_was_recorded_is_found(tmp_path, key, outcome):
    """Every kind of outcome is found again as it was, by another object too, and nothing before."""
    record = Record(tmp_path / "web")
    assert record.find(key) is None
    assert add(record, key, outcome) == outcome
    assert record.find(key) == outcome == Record(tmp_path / "web").find(key)


def test_a_file_says_what_it_is(tmp_path):
    """A file stands two folders deep and has format, key, time in UTC and engine in clear."""
    record = Record(tmp_path)
    summer = NOON.astimezone(timezone(timedelta(hours=2)))
    record.add(TEA, Failure("no"), engine="duckduckgo 1", recorded_at=summer)
    path = record.path(TEA)
    assert [*record.paths()] == [path]
    assert path.relative_to(tmp_path).parts == (path.stem[:2], path.stem[2:4], f"{path.stem}.json")
    document = json.loads(path.read_text())
    assert document["format"] == 1
    assert document["key"] == {"function": "search", "keywords": "tea", "region": "wt-wt"}
    assert document["recorded_at"] == "2026-10-01T12:00:00+00:00"
    assert document["engine"] == "duckduckgo 1"
    assert path.stat().st_mode & 0o777 == 0o666 & ~_umask()


def _umask():
    current = os.umask(0)
    os.umask(current)
    return current


def test_the_first_writer_wins(tmp_path):
    """Who records a key again gets the first outcome; file and cassette stay, nothing else is left."""
    record = Record(tmp_path)
    assert add(record, PAGE, Page("first"), cassette=b"evidence 1\n") == Page("first")
    before = _files(tmp_path)
    assert add(record, PAGE, Page("second"), cassette=b"evidence 2\n") == Page("first")
    assert _files(tmp_path) == before
    assert sorted(before.values())[0] == b"evidence 1\n"


def test_a_link_that_only_seems_to_fail_keeps_its_evidence(tmp_path, monkeypatch):
    """Over NFS a link can be made and reported as already there; the cassette it names is kept."""
    real = os.link

    def link(source, target):
        real(source, target)
        if target.suffix == ".json":
            raise FileExistsError(target)

    monkeypatch.setattr(module.os, "link", link)
    record = Record(tmp_path)
    assert add(record, PAGE, Page("text"), cassette=b"evidence\n") == Page("text")
    assert b"evidence\n" in _files(tmp_path).values()


def test_nothing_is_overwritten_even_if_damaged(tmp_path):
    """A damaged file in the place of an outcome is named, neither used nor replaced."""
    record = Record(tmp_path)
    record.path(PAGE).parent.mkdir(parents=True)
    record.path(PAGE).write_bytes(b"")
    with pytest.raises(WebError, match=record.path(PAGE).name):
        add(record, PAGE, Page("text"), cassette=b"evidence\n")
    assert [*_files(tmp_path).values()] == [b""]


def _edited(change):
    def damage(path):
        document = json.loads(path.read_text())
        change(document)
        path.write_text(json.dumps(document))

    return damage


@pytest.mark.parametrize(
    "damage",
    [
        lambda path: path.write_bytes(path.read_bytes()[:-20]),
        lambda path: path.write_bytes(b""),
        lambda path: path.write_bytes(b"\xff\xfe\x00"),
        lambda path: path.write_bytes(b"[" * 100_000),
        lambda path: path.write_bytes(b"[]"),
        lambda path: path.write_bytes(b"NaN"),
        _edited(lambda document: document["outcome"].update(text="another")),
        _edited(lambda document: document["key"].update(url="http://other/")),
        _edited(lambda document: document.update(recorded_at="2020-01-01T00:00:00+00:00")),
        _edited(lambda document: document.update(engine="another")),
        _edited(lambda document: document.update(format=2)),
        _edited(lambda document: document.pop("sha256")),
        _edited(lambda document: document.pop("outcome")),
        lambda path: (path.unlink(), path.mkdir()),
    ],
)
def test_damage_is_named_and_not_used(tmp_path, damage):
    """Any change to a file of the record is a WebError that names the file and what to do."""
    record = Record(tmp_path)
    add(record, PAGE, Page("text"))
    damage(record.path(PAGE))
    with pytest.raises(WebError, match=f"{record.path(PAGE).name}.*delete it and record again"):
        record.find(PAGE)


def test_a_file_in_anothers_place_is_not_used(tmp_path):
    """A whole file under another key's name is not that key's outcome."""
    record = Record(tmp_path)
    add(record, PAGE, Page("text"))
    other = FetchKey("http://other/")
    record.path(other).parent.mkdir(parents=True, exist_ok=True)
    record.path(PAGE).rename(record.path(other))
    with pytest.raises(WebError, match=r"holds the fetch of 'http://example\.com/'"):
        record.find(other)


@pytest.mark.parametrize(
    ("key", "outcome"),
    [(TEA, Page("a page")), (PAGE, Hits(())), (PAGE, Page(None)), (TEA, Hits((Hit("t", None, "b"),)))],
)
def test_only_outcomes_are_recorded(tmp_path, key, outcome):
    """What a web should not answer is refused, and nothing is written."""
    with pytest.raises(WebError, match="cannot be recorded"):
        add(Record(tmp_path), key, outcome)
    assert not _files(tmp_path)


def test_a_record_that_cannot_be_written_says_so(tmp_path, monkeypatch):
    """Without hard links, or space, adding is a WebError and leaves nothing."""
    monkeypatch.setattr(module.os, "link", _not_permitted)
    with pytest.raises(WebError, match="hard links"):
        add(Record(tmp_path), PAGE, Page("text"), cassette=b"evidence\n")
    assert not _files(tmp_path)


def _not_permitted(*_):
    raise PermissionError(1, "Operation not permitted")


def test_a_writer_that_is_stopped_harms_nobody(tmp_path, monkeypatch):
    """A writer that ends before the link leaves no outcome; the next one records as if it had not been."""
    record = Record(tmp_path)
    with monkeypatch.context() as patch:
        patch.setattr(module.os, "fsync", _stopped)
        with pytest.raises(KeyboardInterrupt):
            add(record, PAGE, Page("half"))
    assert record.find(PAGE) is None
    assert add(record, PAGE, Page("whole")) == Page("whole")


def _stopped(*_):
    raise KeyboardInterrupt


def _files(folder):
    return {path: path.read_bytes() for path in folder.rglob("*") if path.is_file()}


PROCESSES, THREADS, CALLS = 8, 32, 1_000


def test_a_crowd_agrees(tmp_path):
    """1,000 calls of 8 processes x 32 threads: all on disk, none lost or doubled, all told the same."""
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
    assert asked.total() > len(outcomes)  # processes did get in each other's way
    for key, count in asked.items():  # and the server says the same: one request each, but after a 429
        tries = count + (1 if key.startswith("/search") else 0)
        assert server.seen[key.removeprefix(server.base)] == tries

    found = survey(Record(folder))
    assert found.outcomes.total() == len(found.keys) == len(outcomes)
    assert (found.damaged, found.leftovers, found.cassettes_missing) == ([], 0, 0)
    assert found.cassettes == len(outcomes)
    assert {kind for _, kind in found.outcomes} == {"hits", "page", "failure"}
    assert not any(b"k" * 20 in content for content in _files(folder).values())

    replayed = Replaying(Record(folder))
    for (function, argument), told in outcomes.items():
        seen = replayed.fetch(argument) if function == "fetch" else replayed.search(argument, "wt-wt")
        assert outcome_document(seen) == told[0]


def _crowd(folder, base):
    """What the processes report; they begin together, and all have ended when this returns."""
    share = str(CALLS // PROCESSES)
    with contextlib.ExitStack() as stack:
        crowd = []
        for name in range(PROCESSES):
            command = [sys.executable, str(WORKER), str(folder), base, str(name), share, str(THREADS)]
            process = stack.enter_context(subprocess.Popen(command, stdin=PIPE, stdout=PIPE, text=True))
            stack.callback(process.kill)
            crowd.append(process)
        alarm = threading.Timer(120, lambda: [process.kill() for process in crowd])
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
    """A web of all kinds of trouble. No two answers to the same page are equal."""

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
        pass  # clients that hang up


class _Handler(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"

    def do_GET(self):
        with self.server.lock:
            self.server.seen[self.path] += 1
            number = self.server.seen[self.path]
            delay = self.server.random.random() / 100
        threading.Event().wait(delay)  # seconds, so that answers come in another order than questions
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


def test_what_a_killed_writer_left_goes_with_the_next_one(tmp_path):
    """Its unfinished files, of the outcome and of its evidence; those of writers that are alive stay."""
    record = Record(tmp_path)
    path = record.path(PAGE)
    evidence = path.with_name(f"{path.stem}.0123456789ab.yaml")
    path.parent.mkdir(parents=True)
    dead = replace(this_process(), started="1")
    alive = temporary_path(evidence)
    for unfinished in (temporary_path(path, dead), temporary_path(evidence, dead), alive):
        unfinished.write_text("half")
    add(record, PAGE, Page("text"))
    assert {*_files(tmp_path)} == {path, alive}
