"""`bfcl-pipeline watch` beside a real run: while it waits for answers, to its end, and after a kill."""

from __future__ import annotations

import fcntl
import json
import os
import pty
import re
import signal
import struct
import subprocess
import sys
import termios
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any

import pytest

from tests.support.local_chat import LocalChat, local_chat
from tests.support.snakemake_project import Project

CONFIG = {
    "run": "seen",
    "models": "[m-FC,oracle]",
    "categories": "[simple_python]",
    "sample": "40",
    "budget": "5",
}
ANSI = re.compile(r"\x1b\[[0-9;?]*[A-Za-z]")
WATCH = [sys.executable, "-m", "bfcl_pipeline.cli", "watch"]


@pytest.fixture(scope="module")
def chat() -> Iterator[LocalChat]:
    with local_chat() as server:
        yield server


@contextmanager
def started(project: Project, chat: LocalChat) -> Iterator[subprocess.Popen[str]]:
    """A run that waits for answers; it gets them at the end of the block, so that it always ends."""
    with project.start(**CONFIG) as running:
        try:
            chat.wait_for(34)
            yield running
        finally:
            chat.release()


@pytest.fixture
def held(project: Project, chat: LocalChat) -> Project:
    """A project whose model's server fails a part of the requests, and holds back all after the 30th."""
    row = f'{{name: m-FC, kind: openai_chat, endpoint: "{chat.endpoint}", input_price: 1, output_price: 1,'
    row += " limits: {in_flight: 4, attempts: 2, retry_seconds: 0.01}}"
    (project.folder / "config/models.yaml").write_text(
        f"models:\n  - {row}\n  - {{name: oracle, kind: oracle, mode: prompt}}\n"
    )
    chat.behave(faults=0.5, only="500", held_after=30)
    return project


def watch(project: Project, *arguments: str) -> subprocess.Popen[str]:
    return subprocess.Popen([*WATCH, *arguments], cwd=project.folder, stdout=subprocess.PIPE, text=True)


def model(state: dict[str, Any], name: str) -> dict[str, Any]:
    (found,) = [model for model in state["models"] if model["name"] == name]
    return dict(found)


def first_state(
    watching: subprocess.Popen[str], wanted: Callable[[dict[str, Any]], bool]
) -> dict[str, Any]:
    """The first state that a watch prints as JSON for which `wanted` is true."""
    assert watching.stdout is not None
    for line in watching.stdout:
        state: dict[str, Any] = json.loads(line)
        if wanted(state):
            return state
    raise AssertionError("the watch ended before")


def waits(state: dict[str, Any]) -> bool:
    """Whether the model has four requests in flight, and the other steps that can be done are done."""
    progress = model(state, "m-FC")["progress"]
    in_flight = progress is not None and progress["requests_in_flight"] == 4
    return in_flight and model(state, "oracle")["state"] == "finished" and not state["steps_running"]


class Terminal:
    """A watch on a terminal of a size."""

    def __init__(self, project: Project, columns: int, lines: int) -> None:
        self._master, slave = pty.openpty()
        fcntl.ioctl(slave, termios.TIOCSWINSZ, struct.pack("HHHH", lines, columns, 0, 0))
        environment = {**os.environ, "TERM": "xterm"}
        for name in ("COLUMNS", "LINES"):
            environment.pop(name, None)
        self.process = subprocess.Popen(
            [*WATCH, "seen"],
            cwd=project.folder,
            stdout=slave,
            stderr=slave,
            env=environment,
            start_new_session=True,
        )
        os.close(slave)
        self._bytes = b""

    @property
    def written(self) -> str:
        """Everything written so far, without control sequences."""
        return ANSI.sub("", self._bytes.decode("utf-8", "ignore"))

    def until(self, text: str) -> str:
        """Reads until `text` was written, or all, and returns everything written."""
        while text not in self.written:
            try:
                block = os.read(self._master, 65536)
            except OSError:  # the process has ended
                break
            if not block:
                break
            self._bytes += block
        return self.written

    def end(self) -> tuple[int, str]:
        """Reads to the end; returns the exit status and everything written."""
        self.until("\0")
        os.close(self._master)
        return self.process.wait(), self.written


def test_a_run_is_watched_until_it_ends(held: Project, chat: LocalChat) -> None:
    """Midway every view has the model's figures and its last error; at the end the watches end as well."""
    with started(held, chat) as running:
        with watch(held, "seen", "--json") as watching:
            state = first_state(watching, waits)
            progress = model(state, "m-FC")["progress"]
            assert (state["name"], state["phase"], state["at_work"]) == ("seen", "running", True)
            assert progress["entries_total"] == 40
            assert 0 < progress["entries_done"] < 40
            assert 0 < progress["share"] < 1
            assert (progress["budget"], progress["spent"]) == (5.0, progress["dollars"])
            assert 0 < state["dollars"] == progress["dollars"]
            assert progress["errors"]["failed request"] >= progress["retries"] > 0
            assert sum(progress["failures"].values()) == progress["entries_failed"]
            assert set(progress["failures"]) <= {"infrastructure_error"}
            assert "500" in progress["last_error"]

            small, large = Terminal(held, 80, 24), Terminal(held, 200, 50)
            for terminal, width in ((small, 80), (large, 200)):
                drawn = terminal.until("steps")
                assert "last error: " in drawn
                assert max(map(len, drawn.splitlines())) <= width
            assert "in flight" in large.written
            assert "of $5.00" in small.written

            with watch(held, "seen") as once:  # no terminal
                lines, _ = once.communicate(timeout=900)
            assert once.returncode == 0
            assert lines.startswith(
                "Run seen: 2 models, 1 category, a sample of 40 entries; running, after "
            )
            assert "m-FC: " in lines
            assert "in flight" in lines
            assert "last error: " in lines

            stopped = Terminal(held, 80, 24)
            stopped.until("steps")
            stopped.process.send_signal(signal.SIGINT)
            status, written = stopped.end()
            assert status == 130
            assert "the run goes on" in written

            chat.release()
            last = first_state(watching, lambda state: state["phase"] != "running")
            watching.communicate(timeout=900)
        printed, _ = running.communicate(timeout=900)
    assert running.returncode == 0, printed
    assert watching.returncode == 0
    assert (last["phase"], last["steps_done"]) == ("done", last["steps_total"])
    assert last["report"].endswith("results/seen/report.html")
    for terminal in (small, large):
        status, written = terminal.end()
        assert status == 0
        end = written[written.rindex("Run seen: ") :]
        assert "; done, after " in end
        (done,) = re.findall(r"(?m)^m-FC .* (\d+)/40 .*finished", end)
        (failed,) = re.findall(r"(?m)^m-FC: without an answer: (\d+) ", end)
        assert int(done) + int(failed) == 40
        assert "Report: " in end


def test_a_killed_run_is_seen_as_killed(held: Project, chat: LocalChat) -> None:
    """The watch ends with status 1 and advises to run the command again; it changes no file."""
    with started(held, chat) as running:
        with watch(held, "seen", "--json") as watching:
            first_state(watching, waits)
            before = {path for path in held.folder.rglob("*") if ".snakemake/progress" in str(path)}
            os.killpg(running.pid, signal.SIGKILL)
            state = first_state(watching, lambda state: state["phase"] != "running")
            watching.communicate(timeout=900)
        running.communicate(timeout=900)
    assert state["phase"] == "killed"
    assert watching.returncode == 1
    with watch(held) as once:
        lines, _ = once.communicate(timeout=900)
    assert once.returncode == 1
    assert "killed" in lines.splitlines()[0]
    assert lines.endswith("Run the same command again to continue it.\n")
    assert {path for path in held.folder.rglob("*") if ".snakemake/progress" in str(path)} <= before
