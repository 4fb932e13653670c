"""Every documented command that can run offline in seconds is run, with the runs that the pages name.

Not covered: commands that need a server, a key, the real web, a package index, a GPU or a cluster, or
minutes (`NEEDS`), and those that a reader completes (`PLACEHOLDER`). `tests/test_docs.py` checks the
options of all.
"""

from __future__ import annotations

import os
import re
import shlex
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from bfcl_pipeline.cli import main
from tests.support import ROOT
from tests.support.doc_pages import PAGES, Command, commands
from tests.support.snakemake_project import Project
from tests.support.ssh_keys import allow, make_key, needs_ssh

NEEDS = {
    "a server": r"\bping |--ask-again|\bserve |--endpoint-from|-m (my-|q8)(?!.* -n\b)|against base",
    "a run that asked a server": r"\bconditions ways|--by host",
    "trials of a server": r"noise twice",
    "a key, or an account": r"--sigstore|-m gpt-",
    "the real web": r"\bweb try|--web record(?!.* -n\b)|unzip",
    "a record of the real web": r"--web replay|web status|web check",
    "a package index": r"--official$|pipeline stage\b",
    "a GPU": r"Qwen/Qwen3",
    "vLLM, or a server": r"\bceiling ",
    "a cluster": r"--profile",
    "minutes": r"run -c (executable|live)|--run small$|\bgallery bundles|\breplay ",
    "no end": r"watch( mine)?( --json)?$",
    "results of others": r"theirs|import-official",
    "experiments that were run": r"fetch_failures_0|no_snippet tools_off",
    "what a longer command of the page verifies": r"verify embedded\.crate\.zip( --signers \S+)?$",
}
"""Why a command is not run here, and how it is recognized, without its comment."""

PLACEHOLDER = re.compile(r"\b(RUN|MODEL|FILE|DIR|ENTRY|FIRST|SECOND|SIGNERS|RESPONSES|NAME|gpt-5[.\w]*)\b")

PROCESSES = re.compile(r"^bfcl-pipeline (run|replay|verify|submit|watch) |[|>&]|^(?!bfcl-pipeline )")
"""Commands that are run by a shell: they start Snakemake, or are not one command of ours."""

STATUS = {
    r"diff (first|a\.crate)": 1,  # the two differ
    r"gate embedded": 2,  # the overall of a run without memory and web is refused
}
"""Exit status of commands that end with another one than 0."""


def without_comment(text: str) -> str:
    """A command without its comment."""
    return re.sub(r"\s+#.*$", "", text)


def why_not(command: Command) -> str | None:
    """Why a command is not run here; None if it is."""
    text = without_comment(command.text)
    if PLACEHOLDER.search(text):
        return "a placeholder"
    return next((why for why, pattern in NEEDS.items() if re.search(pattern, text)), None)


RUNNABLE = list(
    dict.fromkeys(
        without_comment(one.text) for page in PAGES for one in commands(page) if why_not(one) is None
    )
)


def prepare(project: Project) -> None:
    """The runs, archives and keys that pages name, on a few entries."""
    four = "[oracle-FC,oracle,lexical-FC,lexical]"
    ids = "[multi_turn_base_12,simple_python_0,irrelevance_0]"
    project.call(run="embedded", models=four, entry_ids=ids)
    for run, models in (("mine", "[lexical-FC]"), ("first", "[oracle-FC]"), ("second", "[oracle-FC]")):
        chosen = "[multi_turn_base_12]" if run != "first" else ids
        project.call(run=run, models=models, entry_ids=chosen)
    assert main(["archive", "results/first", "--out", "a.crate.zip"]) == 0
    assert main(["archive", "results/second", "--out", "b.crate.zip"]) == 0
    (project.folder / ".ssh").mkdir()
    key = make_key(project.folder / ".ssh/id_ed25519")
    allow(project.folder / "signers", ("alice@example.org", key))


@needs_ssh
def test_documented_commands_end_as_documented(project: Project, monkeypatch: pytest.MonkeyPatch) -> None:
    """Typed in one folder, to which the archive of `embedded` is copied, as to another machine."""
    monkeypatch.chdir(project.folder)
    monkeypatch.setenv("HOME", str(project.folder))
    prepare(project)
    tool = project.folder / "bin/bfcl-pipeline"
    tool.parent.mkdir()
    tool.write_text(f'#!/bin/sh\nexec {sys.executable} -m bfcl_pipeline.cli "$@"\n')
    tool.chmod(0o755)
    variables = os.environ | {
        "PATH": f"{tool.parent}:{os.environ['PATH']}",
        "PYTHONPATH": str(ROOT),
    }
    wrong = []
    for command in sorted(RUNNABLE, key=order):
        if PROCESSES.search(command):
            typed = ["bash", "-c", command]
            done = subprocess.run(typed, env=variables, capture_output=True, text=True, check=False)
            status, said = done.returncode, f"{done.stdout[-600:]}{done.stderr[-600:]}"
        else:
            status, said = main(shlex.split(command.replace("~", str(project.folder)))[1:]), ""
        if status != next((status for known, status in STATUS.items() if re.search(known, command)), 0):
            wrong.append(f"{command}: exit status {status}\n{said}")
        made = Path("results/embedded.crate.zip")
        if made.is_file() and not Path(made.name).exists():
            shutil.copy(made, made.name)
    assert not wrong, "\n\n".join(wrong)
    assert len(RUNNABLE) > 30


def order(command: str) -> int:
    """Rows are added, then archives are made, signed, and verified; the order of pages is alphabetic."""
    steps = ["models add", "archive", "sign ", "", "verify", "submit"]
    return next((place for place, word in enumerate(steps) if word and word in command), steps.index(""))
