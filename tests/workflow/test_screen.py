"""The screen of real runs: on a terminal, in a log, after Ctrl-C and SIGTERM."""

from __future__ import annotations

import os
import pty
import re
import signal
import subprocess
import sys
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path

import pytest

from tests.support.local_chat import LocalChat, local_chat
from tests.support.serving_process import descendants, has_ended
from tests.support.snakemake_project import Project

CONFIG = {
    "run": "seen",
    "models": "[m-FC]",
    "categories": "[simple_python,multi_turn_base]",
    "sample": "24",
}
SECONDS = 900.0
"""Timeout of a run, far above the time that it takes."""


@dataclass(frozen=True, slots=True)
class Interrupted:
    """A run that was interrupted."""

    status: int
    last: list[str]  # its last two lines
    processes: list[int]  # that it had before


def ctrl_c(process: subprocess.Popen[str]) -> None:
    """As a terminal does on Ctrl-C; SIGTERM, in contrast, is sent to Snakemake alone."""
    os.killpg(process.pid, signal.SIGINT)


@pytest.fixture(scope="module")
def chat() -> Iterator[LocalChat]:
    with local_chat() as server:
        yield server


@pytest.fixture
def asking(project: Project, chat: LocalChat) -> Project:
    """A project with a model behind the local server."""
    chat.behave()
    row = f'{{name: m-FC, kind: openai_chat, endpoint: "{chat.endpoint}", limits: {{in_flight: 4}}}}'
    (project.folder / "config/models.yaml").write_text(
        f"models:\n  - {row}\n  - {{name: oracle, kind: oracle, mode: prompt}}\n"
    )
    return project


def test_a_log_has_one_line_for_each_step_and_the_table(asking: Project) -> None:
    """Nothing else of Snakemake is printed but the name of its profile."""
    done = asking.snakemake(**CONFIG)
    assert done.returncode == 0, done.stdout
    lines = [
        line for line in done.stdout.splitlines() if not line.startswith("m-FC: ")
    ]  # progress, if slow
    assert lines[0].startswith("Using workflow specific profile")
    assert lines[1] == "Run seen: 1 model, 2 categories, a sample of 24 entries; 6 steps, 2 cores"
    steps = [line for line in lines if line.startswith("[")]
    assert [line.partition("] ")[0] for line in steps] == [f"[{number}/6" for number in range(1, 7)]
    (generated,) = [line for line in steps if "Generate all categories with m-FC: 24 entries in " in line]
    assert re.search(r"24 entries in \d+ s, \d+ requests", generated)
    assert re.search(r"^1 +m-FC ", done.stdout, re.MULTILINE)
    assert "Report: results/seen/report.html" in lines
    assert lines[-1].startswith("seen: done in ")
    (requests,) = [line for line in lines if line.startswith("seen: ") and "sent" in line]
    assert re.fullmatch(r"seen: \d+ requests sent", requests)
    # The run, its steps, its table with the notes on the sample, the overall by rules, requests, report.
    assert len(lines) == 2 + 6 + 10 + 7 + 1 + 2


def on_terminal(project: Project, columns: int, *arguments: str, **config: str) -> str:
    """What a run writes to a terminal of so many columns."""
    master, slave = pty.openpty()
    command = [sys.executable, "-m", "snakemake", "--cores", "2", *arguments]
    command += ["--config", *(f"{key}={value}" for key, value in config.items())]
    environment = {**os.environ, "XDG_CACHE_HOME": str(project.folder / "cache"), "TERM": "xterm"}
    environment |= {"COLUMNS": str(columns), "LINES": "30"}
    with subprocess.Popen(
        command, cwd=project.folder, env=environment, stdout=slave, stderr=slave, start_new_session=True
    ):
        os.close(slave)
        written = b""
        try:
            while block := os.read(master, 65536):
                written += block
        except OSError:  # the process has ended
            pass
    os.close(master)
    return written.decode()


def interrupted(
    project: Project, chat: LocalChat, end: Callable[[subprocess.Popen[str]], None]
) -> Interrupted:
    """A run that `end` ends after 10 answers."""
    chat.behave(held_after=10)
    with project.start(**CONFIG) as process:
        # The ten, and four that are not answered. A moment later the job has counted the ten.
        chat.wait_for(14, later=0.5)
        processes = descendants(process.pid)
        end(process)
        printed, _ = process.communicate(timeout=SECONDS)
    return Interrupted(process.returncode, printed.splitlines()[-2:], processes)


def test_an_interrupted_run_ends_in_two_lines_with_its_steps_and_goes_on(
    asking: Project, chat: LocalChat
) -> None:
    """It counts what this call saved; the same command continues without asking again, here on a terminal.

    The picture on the terminal counts the steps and is removed at the end; what stays is the model, the
    table and the report.
    """
    journal = asking.folder / "cache/exchanges/m-FC/exchanges.jsonl"
    for number, end in enumerate((ctrl_c, subprocess.Popen[str].terminate), 1):
        run = interrupted(asking, chat, end)
        assert run.status == 130
        before = "" if number == 1 else ", beside 10 that the journal had"
        assert re.fullmatch(rf"Interrupted\. \d+ answers are saved{before}\.", run.last[0]), run.last
        assert run.last[1] == "Run the same command again to continue."
        assert run.processes
        assert all(map(has_ended, run.processes))
        assert journal.read_text().count("\n") == 10 * number

    chat.behave()
    written = on_terminal(asking, 80, **CONFIG)
    assert "20 from the journal" in written
    assert chat.counts()["requests"] == journal.read_text().count("\n") - 20
    assert re.search(r"of \d steps", written)
    assert "\x1b[2K" in written
    end = written.rpartition("\x1b[2K")[2]
    assert "Report: results/seen/report.html" in end
    assert not re.search(r"of \d steps", end)
    assert "Generate all categories with m-FC: 24 entries in " in written
    assert "Score m-FC\r\n" not in re.sub(r"\x1b\[[0-9;?]*[A-Za-z]", "", end)  # short steps leave no line


def test_a_failed_model_does_not_hide_the_others(asking: Project) -> None:
    """The failure is shown with its reason when it happens, and again in one line at the end."""
    (asking.folder / "data/entries/format_sensitivity.parquet").write_bytes(b"damaged")
    choice = {"models": "m-FC,oracle", "categories": "irrelevance,format_sensitivity"}
    done = asking.snakemake(**CONFIG | choice)
    assert done.returncode == 1
    lines = done.stdout.splitlines()
    failed = lines.index("Failed: Generate all categories with oracle")
    assert "format_sensitivity.parquet" in lines[failed + 1]
    assert lines[failed + 2] == "  Log: results/seen/logs/generate/oracle.log"
    assert "Finished steps and recorded answers are kept" in lines[failed + 3]
    assert "  Generate all categories with oracle (results/seen/logs/generate/oracle.log)" in lines
    assert any("Score m-FC" in line for line in lines)
    for noise in ("CalledProcessError", "RuleException", "WorkflowError", "bfcl-pipeline generate --model"):
        assert noise not in done.stdout


def test_a_dry_run_is_short(bare: Project) -> None:
    """Nothing but the grouped steps, however many models."""
    done = bare.snakemake("-n", run="all")
    assert done.returncode == 0, done.stdout
    assert "nothing is run." in done.stdout
    assert len(done.stdout.splitlines()) < 20
    assert not Path(bare.folder / "results").exists()
