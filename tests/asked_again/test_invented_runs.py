"""Runs with invented or edited answers, all else consistent: they verify until the model is asked again.

The forger rewrites the journal and runs the workflow again, which derives all numbers from the new answers.
"""

from __future__ import annotations

import json
import shutil
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest

from bfcl_pipeline.cli import main
from bfcl_pipeline.models.oracle import answer
from bfcl_pipeline.records import Entry, Mode
from bfcl_pipeline.tables import entries_path, read_entries
from tests.support.local_chat import LocalChat, local_chat
from tests.support.snakemake_project import Project, make_project

NAME = "claimed"
MODEL = "near/chat-FC"
ENTRIES = 60
N = 50
KEY = "CLAIMED_RUN_KEY"
CONFIG = {
    "run": NAME,
    "models": f"[{MODEL}]",
    "categories": "[simple_python]",
    "entry_ids": f"[{','.join(f'simple_python_{number}' for number in range(ENTRIES))}]",
}

Forger = Callable[[Entry, Any], None]
"""Changes an answer to a request of an entry: the message in the API's format."""


@dataclass(frozen=True, slots=True)
class ClaimedRun:
    """A run, honest or not, beside the server of the model that it claims."""

    folder: Path
    server: LocalChat

    @property
    def archive(self) -> Path:
        """The archive of the run."""
        return self.folder / "claimed.crate.zip"

    def make(self) -> None:
        """Runs the workflow."""
        done = Project(self.folder).snakemake(**CONFIG)
        assert done.returncode == 0, done.stdout

    def forged(self, folder: Path, forger: Forger) -> ClaimedRun:
        """A run with answers that the forger changed, made again without the model."""
        made_again = shutil.ignore_patterns("results", ".snakemake")
        shutil.copytree(self.folder, folder, symlinks=True, ignore=made_again)
        entries = {
            one.entry_id: one for one in read_entries(entries_path(folder / "data", "simple_python"))
        }
        [journal] = (folder / "cache/exchanges").rglob("exchanges.jsonl")
        lines = [json.loads(line) for line in journal.read_text().splitlines()]
        for line in lines:
            forger(entries[line["entry_id"]], line["raw"]["choices"][0]["message"])
        journal.write_text("".join(f"{json.dumps(line)}\n" for line in lines))
        self.server.behave()
        forged = ClaimedRun(folder, self.server)
        forged.make()
        assert self.server.counts()["requests"] == 0
        places = ["--data", str(folder / "data"), "--cache", str(folder / "cache")]
        assert main(["archive", str(folder / "results" / NAME), "--out", str(forged.archive), *places]) == 0
        return forged

    def ask_again(self) -> int:
        """`bfcl-pipeline verify` with 50 requests, asked with a row of one's own; its exit status."""
        own = self.folder / "own"
        own.mkdir()
        (own / "models.yaml").write_text(_row(self.server))
        asking = ["--ask-again", str(N), "--seed", "7", "--models", str(own / "models.yaml")]
        places = ["--data", str(self.folder / "data"), "--cache", str(own / "cache")]
        return main(["verify", str(self.archive), *asking, *places])


def _row(server: LocalChat) -> str:
    row = f"{{name: {MODEL}, kind: openai_chat, model: chat, endpoint: '{server.endpoint}', key: {KEY}}}"
    return f"models:\n  - {row}\n"


@pytest.fixture(scope="module")
def honest(staged: Path, tmp_path_factory: pytest.TempPathFactory) -> Iterator[ClaimedRun]:
    """A run whose answers the model gave, with its server."""
    folder = tmp_path_factory.mktemp("honest")
    make_project(folder)
    (folder / "data").mkdir()
    for part in ("release", "entries"):
        (folder / "data" / part).symlink_to(staged / part)
    with pytest.MonkeyPatch.context() as patch, local_chat() as server:
        patch.setenv(KEY, "a key of this test")
        (folder / "config/models.yaml").write_text(_row(server))
        run = ClaimedRun(folder, server)
        run.make()
        yield run


def changed(entry: Entry) -> bool:
    """Whether a forger changes the answers to an entry: 24 of 60."""
    return int(entry.entry_id.rpartition("_")[2]) % 5 < 2


def other_model(entry: Entry, message: Any) -> None:
    """Makes the same calls in 60 % of the requests."""
    if changed(entry):
        for call in message["tool_calls"]:
            arguments = json.loads(call["function"]["arguments"])
            call["function"]["arguments"] = json.dumps({**arguments, "unit": "default"})


def edited(entry: Entry, message: Any) -> None:
    """Has 40 % of the answers right."""
    if changed(entry):
        right: Any = answer(entry, Mode.FC)
        [(name, arguments)] = right[0].items()
        del message["tool_calls"][1:]
        message["tool_calls"][0]["function"] = {"name": name, "arguments": arguments}


@pytest.mark.parametrize(("forger", "levels"), [(other_model, "calls"), (edited, "calls and verdicts")])
def test_an_invented_run_verifies_and_is_told_apart_when_the_model_is_asked(
    honest: ClaimedRun, forger: Forger, levels: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """Every number follows from its answers, but they are not those of the model that it claims."""
    forged = honest.forged(tmp_path / "forged", forger)
    capsys.readouterr()
    assert forged.ask_again() == 1
    output = capsys.readouterr().out
    assert "derived again and are identical" in output
    [finding] = (line for line in output.splitlines() if line.startswith("DIFFERS"))
    assert finding.split()[1] == "answers"
    assert f"their {levels} differ more than its own do" in finding
