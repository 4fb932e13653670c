"""What six users type after reading one page, and what they see.

A newcomer, the owner of a model, an engineer who tests a server every night, an author with result folders,
a publisher, and a reader of an archive. The commands are those of the page; `SMALLER` makes the runs small.
"""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import sys
from pathlib import Path

from tests.support import ROOT
from tests.support.local_chat import local_chat
from tests.support.snakemake_project import Project
from tests.support.ssh_keys import make_key, needs_ssh

FEW = "simple_python_0,irrelevance_0,multi_turn_base_12"
SMALLER = {
    r"bfcl-pipeline run$": rf"\g<0> --run embedded --entry-id {FEW}",
    r"--sample 200": "--sample 6 -c simple_java",
    r"--run whole": r"\g<0> -c simple_java",
    r"--sample 1000": "--sample 24 -c simple_python,irrelevance",
    r"--no-worse 5": "--no-worse 60 --category simple_python irrelevance",
}
"""What replaces a part of a command."""

NIGHTLY = "bfcl-pipeline run -m my-model-FC --sample 1000 --sample-by weight --fresh"

Transcript = list[tuple[str, int, list[str]]]
"""Of each command: the command, its exit status, and what it prints among other lines (patterns)."""

USERS: dict[str, tuple[str, Transcript]] = {
    "newcomer": (
        "README.md",
        [
            (
                "bfcl-pipeline run",
                0,
                [r"Overall", r"Oracle \(FC\) ", r"Report: results/embedded/report.html"],
            ),
            ("bfcl-pipeline table embedded", 0, [r"Oracle \(FC\) ", r"Per cent, official rules"]),
            (
                "bfcl-pipeline show multi_turn_base_12 -m lexical-FC --run embedded",
                0,
                [r"multi_turn_base_12", r"lexical-FC", r"not valid|invalid|wrong|force_terminated"],
            ),
            (
                "bfcl-pipeline compare embedded:oracle embedded:lexical",
                0,
                [r"A: oracle", r"simple_python +1 "],
            ),
        ],
    ),
    "own model": (
        "README.md",
        [
            (
                "bfcl-pipeline models add my-model-FC --endpoint http://localhost:8000/v1",
                0,
                [r"added my-model-FC \(openai_chat, mode fc", r"bfcl-pipeline ping my-model-FC"],
            ),
            (
                "bfcl-pipeline plan --within 5 --model my-model-FC",
                0,
                [r"±5\.00 points", r"my-model-FC, by weight: about [\d,]+ requests"],
            ),
            (
                "bfcl-pipeline run -m my-model-FC --sample 200 --run sample -n",
                0,
                [r"my-model-FC: 6 entries, about 6 requests", r"nothing is run"],
            ),
            (
                "bfcl-pipeline run -m my-model-FC --sample 200 --run sample",
                0,
                [r"sample: 6 requests sent$", r"Report: results/sample/report.html"],
            ),
            (
                "bfcl-pipeline run -m my-model-FC --run whole",
                0,
                [r"whole: 94 requests sent; 6 answers from the journal, recorded on \d{4}-\d\d-\d\d"],
            ),
        ],
    ),
    "a server every night": (
        "docs/recipes.md",
        [
            (f"{NIGHTLY} --run baseline", 0, [r"baseline: 24 requests sent$"]),
            (f"{NIGHTLY} --run night-$(date +%F)", 0, [r"night-\S+: 24 requests sent$"]),
            (
                "bfcl-pipeline gate night-$(date +%F) --against baseline --no-worse 5 --max-unread 1",
                0,
                [r"^pass: .* on simple_python is 0\.00 points"],
            ),
        ],
    ),
    "author with result folders": (
        "docs/official.md",
        [
            (
                "bfcl-pipeline import-official result/ --as-run theirs",
                0,
                [r"^oracle-FC +fc ", r"Report: results/theirs/report.html"],
            ),
        ],
    ),
    "publisher": (
        "docs/recipes.md",
        [
            (
                "bfcl-pipeline archive RUN",
                0,
                [r"^sha256 [0-9a-f]{64}", r"bfcl-pipeline verify \S+\.crate\.zip$"],
            ),
            ("bfcl-pipeline sign RUN --key ~/.ssh/id_ed25519", 0, [r"signed by SHA256:"]),
            (
                "bfcl-pipeline submit RUN --out DIR",
                0,
                [r"1 signature of embedded.crate.zip: in the bundle"],
            ),
        ],
    ),
    "reader of an archive": (
        "docs/signing.md",
        [
            (
                "bfcl-pipeline verify embedded.crate.zip --signers ~/.ssh/id_ed25519.pub",
                0,
                [r"verified +results", r"signed by id_ed25519\.pub \(SHA256:", r"Not covered"],
            ),
        ],
    ),
}
"""By user: the page, and what they type in order. All but the reader are in one folder."""

MOST = {"newcomer": 4, "own model": 5, "a server every night": 3, "publisher": 3}
"""Commands until the user has what they came for; one, for the others."""


class Terminal:
    """A shell that finds `bfcl-pipeline`."""

    def __init__(self, home: Path, endpoint: str) -> None:
        self.home, self.endpoint = home, endpoint
        tool = home / "bin/bfcl-pipeline"
        tool.parent.mkdir()
        tool.write_text(f'#!/bin/sh\nexec {sys.executable} -m bfcl_pipeline.cli "$@"\n')
        tool.chmod(0o755)
        paths = {"PATH": f"{tool.parent}:{os.environ['PATH']}", "HOME": str(home), "PYTHONPATH": str(ROOT)}
        self.variables = os.environ | paths | {"COLUMNS": "120"}

    def type(self, command: str, folder: Path) -> tuple[int, str]:
        """The exit status of a command, made smaller, and all that it prints."""
        for part, smaller in SMALLER.items():
            command = re.sub(part, smaller, command)
        command = command.replace("http://localhost:8000/v1", self.endpoint)
        command = command.replace("RUN", "embedded").replace("DIR", "bundle")
        done = subprocess.run(
            ["bash", "-c", command],
            cwd=folder,
            env=self.variables,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            text=True,
            check=False,
        )
        return done.returncode, done.stdout


@needs_ssh
def test_each_user_needs_one_page_and_few_commands(project: Project) -> None:
    """Each command stands on the user's page, ends with its status, and prints what the user came for."""
    folder = project.folder
    (folder / ".ssh").mkdir()
    make_key(folder / ".ssh/id_ed25519")
    elsewhere = folder / "elsewhere"
    elsewhere.mkdir()
    (elsewhere / "data").symlink_to(folder / "data")
    wrong = []
    with local_chat() as server:
        terminal = Terminal(folder, server.endpoint)
        for user, (page, transcript) in USERS.items():
            text = (ROOT / page).read_text(encoding="utf-8")
            assert len(transcript) <= MOST.get(user, 1)
            place = elsewhere if user.startswith("reader") else folder
            if place == elsewhere:
                shutil.copy(folder / "bundle/embedded.crate.zip", place)
                shutil.copy(folder / "bundle/embedded.crate.zip.intoto.jsonl", place)
            if user.startswith("author"):  # as the official tool would have written them
                terminal.type("bfcl-pipeline export-official embedded --out . 2>/dev/null", folder)
            for command, expected, patterns in transcript:
                assert command in text, f"{page} does not have: {command}"
                status, printed = terminal.type(command, place)
                missing = [one for one in patterns if not re.search(one, printed, re.MULTILINE)]
                if status != expected or missing:
                    wrong.append(
                        f"{user}: {command}: status {status}, without {missing}\n{printed[-3000:]}"
                    )
    assert not wrong, "\n\n".join(wrong)
