"""The example at the end of each command's help ends with 0, in one folder with small runs and real parts.

On loopback is the server of `my-model-FC`; for `ceiling` and `reparse`, a chat template and our own reader
of its form take the place of a vLLM server. Nothing else is replaced.
"""

from __future__ import annotations

import shlex
import shutil
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest
import yaml

from bfcl_pipeline.benchmark.definition import release
from bfcl_pipeline.cli import main
from bfcl_pipeline.cli.commands import COMMANDS, example_of
from tests.show.compare.diff.made_run import MadeRun
from tests.show.servers.test_recorded import endpoint, made, tokenizer
from tests.support.pinged_server import good, server_of
from tests.support.snakemake_project import Project
from tests.support.ssh_keys import make_key, needs_ssh
from tests.support.template_server import TemplateServer

__all__ = ["endpoint", "made", "tokenizer"]  # fixtures

STATUS = {"diff": 1, "gate": 1}
"""Exit status of examples that end with another one than 0: the runs differ; few entries decide nothing."""

FIRST = ("run", "export-official", "archive", "sign", "submit", "generate")
"""Commands whose examples make what examples of others read, in this order."""

PROCESSES = ("run", "replay", "verify", "gallery")
"""Commands that start Snakemake, run as processes of their own."""


@contextmanager
def template_server(_options: Any) -> Iterator[tuple[str, TemplateServer]]:
    """In the place of a server with vLLM's routes."""
    yield "hermes", TemplateServer("hermes")


def prepare(project: Project, address: str) -> None:
    """The runs, rows, shards and files that the examples name."""
    row = {"name": "my-model-FC", "kind": "openai_chat", "endpoint": address}
    rows = [{**row, "input_price": 1, "output_price": 1}]
    Path("config/my_models.yaml").write_text(yaml.safe_dump({"models": rows}), encoding="utf-8")
    ids = "[multi_turn_base_12,simple_python_0,multiple_0]"
    project.call(run="embedded", models="[oracle-FC,oracle,lexical-FC]", entry_ids=ids)
    project.call(run="mine", models="[oracle-FC]", entry_ids=ids)
    for name in ("monday", "tuesday"):
        project.call(run=name, models="[my-model-FC]", entry_ids=ids, journal="run")
    project.call(run="ways", models="[my-model-FC]", entry_ids=ids, conditions="[strict]")
    for part in ("1", "2"):
        words = f"generate --model oracle --category simple_java --run r --shard {part}/2"
        places = f"--out try/{part}/responses --sessions-out try/{part}/memory"
        assert main(shlex.split(f"{words} {places}")) == 0
    Path(".ssh").mkdir()
    make_key(Path(".ssh/id_ed25519"))
    shutil.copy(Path("data/release") / release.WHEEL, release.WHEEL)


@needs_ssh
def test_every_example_of_the_help_runs(
    project: Project, made: MadeRun, tokenizer: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """As it is typed; what an example writes is there for the next."""
    shutil.copytree(made.results, project.folder / "results/nightly")
    shutil.copytree(made.cache, project.folder / "cache", dirs_exist_ok=True)
    (project.folder / "tokenizer").symlink_to(tokenizer)
    monkeypatch.chdir(project.folder)
    monkeypatch.setenv("HOME", str(project.folder))
    monkeypatch.setattr("bfcl_pipeline.cli.ceiling.opened_server", template_server)
    monkeypatch.setattr("bfcl_pipeline.cli.reparse.opened_server", template_server)
    wrong = []
    with server_of(good) as server:
        prepare(project, server.endpoint)
        for name in sorted(COMMANDS, key=lambda name: (*FIRST, name).index(name)):
            words = shlex.split(example_of(name).replace("~", str(project.folder)))[1:]
            if name in PROCESSES:
                command = [sys.executable, "-m", "bfcl_pipeline.cli", *words]
                done = subprocess.run(command, capture_output=True, text=True, check=False)
                status, said = done.returncode, f"{done.stdout}{done.stderr}"[-800:]
            else:
                status, said = main(words), ""
            if status != STATUS.get(name, 0):
                wrong.append(f"{example_of(name)}: exit status {status}\n{said}")
    assert not wrong, "\n\n".join(wrong)
