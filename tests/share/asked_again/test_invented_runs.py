"""Runs with invented or edited answers, all else consistent: they verify until the model is asked again.

The forger rewrites the journal and runs the workflow again, which derives all numbers from the new answers.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest

from bfcl_pipeline.ask.models.oracle import answer
from bfcl_pipeline.benchmark.config import model_folder
from bfcl_pipeline.benchmark.records import Entry, Mode, Rules
from bfcl_pipeline.benchmark.tables import entries_path, read_entries
from bfcl_pipeline.cli import main
from tests.support.local_chat import LocalChat, local_chat
from tests.support.snakemake_project import Project, make_project

NAME = "claimed"
MODELS = ("near/chat-FC", "far/chat-FC")
IDS = [f"simple_python_{number}" for number in range(60)]
N = 50
KEY = "CLAIMED_RUN_KEY"
CONFIG = {
    "run": NAME,
    "models": f"[{','.join(MODELS)}]",
    "categories": "[simple_python]",
    "entry_ids": f"[{','.join(IDS)}]",
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
        return self.folder / "claimed.crate.zip"

    def ask(self) -> None:
        """Asks the models, each with its own journal."""
        for model in MODELS:
            options = ["--model", model, "--models", str(self.folder / "config/models.yaml"), "--run", NAME]
            options += ["--category", "simple_python", "--entry-ids", *IDS]
            options += ["--data", str(self.folder / "data"), "--out", str(self.folder / "out")]
            options += ["--cache", str(self.folder / "cache/exchanges")]
            assert main(["generate", *options]) == 0

    def forge(self, forgers: Mapping[str, Forger]) -> None:
        """Makes the run with answers that the forgers of its models changed, without the models."""
        entries = {
            one.entry_id: one for one in read_entries(entries_path(self.folder / "data", "simple_python"))
        }
        for model, forger in forgers.items():
            journal = self.folder / "cache/exchanges" / model_folder(model) / "exchanges.jsonl"
            lines = [json.loads(line) for line in journal.read_text().splitlines()]
            for line in lines:
                forger(entries[line["entry_id"]], line["raw"]["choices"][0]["message"])
            journal.write_text("".join(f"{json.dumps(line)}\n" for line in lines))
        self.server.behave()
        Project(self.folder).call(**CONFIG)
        assert self.server.counts()["requests"] == 0
        places = ["--data", str(self.folder / "data"), "--cache", str(self.folder / "cache")]
        results = str(self.folder / "results" / NAME)
        assert main(["archive", results, "--out", str(self.archive), *places]) == 0

    def ask_again(self) -> int:
        """`bfcl-pipeline verify` with 50 requests of each model, by rows of one's own; its exit status."""
        own = self.folder / "own"
        own.mkdir()
        (own / "models.yaml").write_text(_rows(self.server))
        asking = ["--ask-again", str(N), "--seed", "7", "--models", str(own / "models.yaml")]
        places = ["--data", str(self.folder / "data"), "--cache", str(own / "cache")]
        return main(["verify", str(self.archive), *asking, *places])


def _rows(server: LocalChat) -> str:
    of_server = f"kind: openai_chat, model: chat, endpoint: '{server.endpoint}', key: {KEY}"
    return "models:\n" + "".join(f"  - {{name: {model}, {of_server}}}\n" for model in MODELS)


@pytest.fixture
def honest(staged: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[ClaimedRun]:
    """The answers that two models gave, with their server."""
    make_project(tmp_path)
    (tmp_path / "data").mkdir()
    for part in ("release", "entries"):
        (tmp_path / "data" / part).symlink_to(staged / part)
    monkeypatch.setenv(KEY, "a key of this test")
    with local_chat() as server:
        (tmp_path / "config/models.yaml").write_text(_rows(server))
        run = ClaimedRun(tmp_path, server)
        run.ask()
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


def test_an_invented_run_verifies_and_is_told_apart_when_the_model_is_asked(
    honest: ClaimedRun, capsys: pytest.CaptureFixture[str]
) -> None:
    """Every number follows from its answers, but they are not those of the models that it claims."""
    honest.forge(dict(zip(MODELS, (other_model, edited), strict=True)))
    capsys.readouterr()
    assert honest.ask_again() == 1
    output = capsys.readouterr().out
    assert "derived again and are identical" in output
    findings = [line for line in output.splitlines() if line.startswith("DIFFERS")]
    edited_levels = ", ".join(["same calls", *(f"wrong, {rules}" for rules in Rules)])
    for finding, model, levels in zip(findings, MODELS, ("same calls", edited_levels), strict=True):
        assert finding.split()[1] == "answers"
        assert model in finding
        assert finding.endswith(f"below its own by more than the margin: {levels}")
