"""Many threads of several processes record one web: searches, pages and failures, each outcome once."""

from __future__ import annotations

import contextlib
import gzip
import json
import random
import subprocess
import sys
import threading
from collections import Counter
from pathlib import Path
from subprocess import PIPE
from typing import Any

import brotli

from bfcl_pipeline.world.tools.web_search.web import Hit, Hits
from bfcl_pipeline.world.web.cache import WebCache, outcome_document
from bfcl_pipeline.world.web.check import check_cache
from bfcl_pipeline.world.web.coverage import survey
from bfcl_pipeline.world.web.recording import ReplayingWeb
from tests.support.search_pages import duckduckgo_page
from tests.support.web_server import RESET, Asked, http, moved, web_server
from tests.world.web.recording_worker import REFUSED, calls

PROCESSES, THREADS, CALLS = 2, 32, 480
WORKER = Path(__file__).with_name("recording_worker.py")


def test_parallel_processes_agree(tmp_path: Path) -> None:
    """Of 480 calls by 2 processes x 32 threads none is lost or repeated, all return the same outcome, the
    replay returns it again, and every cassette proves it."""
    folder = tmp_path / "web"
    sites = _Sites()
    with web_server() as server:
        server.answering = sites
        reports = crowd(folder, base := server.address)
    outcomes: dict[tuple[str, str], list[Any]] = {}
    for report in reports:
        for function, argument, outcome in report["found"]:
            outcomes.setdefault((function, argument), []).append(outcome)
    assert sum(map(len, outcomes.values())) == CALLS
    assert set(outcomes) == set(calls(base, CALLS, 0))
    assert all(outcome == told[0] for told in outcomes.values() for outcome in told)
    assert [argument for (_, argument), told in outcomes.items() if told[0] is None] == [REFUSED]
    del outcomes["search", REFUSED]
    _check_requests(reports, sites, base)
    _check_record(WebCache(folder), outcomes)


def _check_requests(reports: list[Any], sites: _Sites, base: str) -> None:
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
            assert sites.seen[argument.removeprefix(base)] == count
        else:
            refused = argument.startswith("busy")  # the first request of all
            assert sites.seen[key] == count + refused, key


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


class _Sites:
    """A web with all kinds of failures. No two answers to the same request are equal."""

    def __init__(self) -> None:
        self.seen: Counter[str] = Counter()
        self._lock = threading.Lock()
        self._random = random.Random(7)

    def __call__(self, asked: Asked) -> bytes:
        keywords = asked.fields.get("q", "")
        key = f"search {keywords}" if asked.method == "POST" else asked.target
        with self._lock:
            self.seen[key] += 1
            number, delay = self.seen[key], self._random.random() / 100
        threading.Event().wait(delay)  # seconds, so that answers arrive in a different order than requests
        text = f"Seite \u00e4 {key}, the {number}. time after {delay} s. " * 20
        if asked.method != "POST":
            return _page(asked.target, text.encode())
        if keywords == REFUSED or (keywords.startswith("busy") and number == 1):
            return http("", "429 Too Many Requests")
        hits = () if keywords == "nothing" else (Hit(text, "https://tea.example/?a=%26b", text),)
        return http(gzip.compress(duckduckgo_page(Hits(hits)).encode()), Content_Encoding="gzip")


def _page(target: str, content: bytes) -> bytes:
    match target.split("/")[1]:
        case "gzip":
            return http(gzip.compress(content), Content_Encoding="gzip")
        case "brotli":
            return http(brotli.compress(content), Content_Encoding="br")
        case "binary":
            return http(bytes(range(256)) + content, kind="application/octet-stream")
        case "missing":
            return http(content, "404 Not Found")
        case "redirect":
            return moved(target.replace("redirect", "page"))
        case "reset":
            return RESET
        case "cut":
            return http(content, length=len(content) * 2)
    return http(content, kind="text/html; charset=utf-8", Set_Cookie="a=b")
