"""A small run for tests of archives, made with Snakemake as a user does.

It runs an embedded model and two trials of a model behind an API on single calls, a memory and web
questions with recorded outcomes. Its journals and its web cache also have entries of other runs.
"""

from __future__ import annotations

import base64
import json
import os
import shutil
from collections.abc import Iterator
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path
from unittest.mock import patch

from bfcl_pipeline.benchmark.tables import entries_path, read_entries, read_responses
from bfcl_pipeline.cli import main
from bfcl_pipeline.world.web.cache import WebCache
from bfcl_pipeline.world.web.coverage import web_keys
from bfcl_pipeline.world.web.keys import Key, SearchKey
from bfcl_pipeline.world.web.simulated import SimulatedWeb
from tests.support.local_chat import LocalChat, local_chat
from tests.support.snakemake_project import Project, make_project
from tests.support.web_record import record_outcome

NAME = "small"
WEB_ENTRY = "web_search_base_0"
CONFIG = {
    "run": NAME,
    "models": "[near/chat-FC,oracle-FC]",
    "categories": "[simple_python,memory_kv,web_search_base]",
    "entry_ids": f"[simple_python_0,simple_python_1,memory_kv_0-customer-0,{WEB_ENTRY}]",
    "trials": "2",
    "errata": "[mine.yaml]",
    "web": "replay",
}
OWN_ERRATA = """\
- entries: [simple_python_1]
  defect: doc
  status: confirmed
  what: A defect that the run's own errata name.
  why: It is a test.
  evidence: bfcl-pipeline show {entry}
  faithful: fails
  propose: exclude
"""
"""The file mine.yaml, which lies in the folder of the project."""

OTHER_ENTRY = "simple_python_2"  # entries of another run of the same model
KEY_VARIABLE = "SMALL_RUN_KEY"
TIME = datetime(2026, 1, 2, 3, 4, 5, tzinfo=UTC)


@dataclass(frozen=True, slots=True)
class SmallRun:
    folder: Path
    name: str = NAME

    @property
    def results(self) -> Path:
        return self.folder / "results" / self.name

    @property
    def data(self) -> Path:
        """The staged release."""
        return self.folder / "data"

    @property
    def cache(self) -> Path:
        """Journals and web cache."""
        return self.folder / "cache"

    @property
    def journal(self) -> Path:
        """The exchanges of the first trial of the model behind an API."""
        return self.cache / "exchanges/near_chat-FC/exchanges.jsonl"

    def archive(self, out: Path, *options: str) -> int:
        """`bfcl-pipeline archive`; its exit status."""
        places = ["--data", str(self.data), "--cache", str(self.cache)]
        return main(["archive", str(self.results), "--out", str(out), *places, *options])

    def verify(self, file: Path, *options: str) -> int:
        """`bfcl-pipeline verify`; its exit status."""
        return main(["verify", str(file), "--data", str(self.data), "--cores", "2", *options])


def make_small_run(folder: Path, staged: Path, *, recorded: bool = True) -> None:
    """Makes the run in the new directory `folder`; recorded: with Snakemake, errata and trials."""
    folder.mkdir(parents=True)
    project = make_project(folder)
    (folder / "data").mkdir()
    for part in ("release", "entries"):
        shutil.copytree(staged / part, folder / "data" / part)
    _record_web(folder)
    (folder / "mine.yaml").write_text(OWN_ERRATA, encoding="utf-8")
    with local_chat() as server, patch.dict(os.environ, {KEY_VARIABLE: "made-for-this-run"}):
        server.behave()
        _write_models(project, server)
        for trial in (1, 2):
            _ask_for_another_run(folder, trial)
        if recorded:
            done = project.snakemake(**CONFIG)
            assert done.returncode == 0, done.stdout
        else:
            project.call(**CONFIG | {"errata": "[]", "trials": "1"})
    _add_leftovers(SmallRun(folder))


def _write_models(project: Project, server: LocalChat) -> None:
    (project.folder / "config/models.yaml").write_text(
        "models:\n"
        "  - {name: oracle-FC, kind: oracle}\n"
        f"  - {{name: near/chat-FC, kind: openai_chat, model: chat, endpoint: '{server.endpoint}',"
        f" key: {KEY_VARIABLE}}}\n"
    )


def _ask_for_another_run(folder: Path, trial: int) -> None:
    """Asks the model behind an API for an entry that only another run has."""
    out = folder / "other"
    options = ["--model", "near/chat-FC", "--models", str(folder / "config/models.yaml"), "--run", "other"]
    options += ["--data", str(folder / "data"), "--cache", str(folder / "cache/exchanges")]
    options += ["--category", "simple_python", "--entry-ids", OTHER_ENTRY, "--trial", str(trial)]
    assert main(["generate", *options, "--out", str(out)]) == 0
    shutil.rmtree(out)


def _record_web(folder: Path) -> None:
    """Records the searches and pages of the oracle, and a search of another run."""
    web = SimulatedWeb.of(read_entries(entries_path(folder / "data", "web_search_base")))
    record = WebCache(folder / "cache/web")
    for key in [*_requested(folder), SearchKey.of("what another run asked", "wt-wt")]:
        found = web.search(key.keywords, key.region) if isinstance(key, SearchKey) else web.fetch(key.url)
        record_outcome(record, key, found, TIME)


def _requested(folder: Path) -> Iterator[Key]:
    """The searches and pages that the oracle requests."""
    out = folder / "dry"
    options = ["--model", "oracle-FC", "--models", str(folder / "config/models.yaml"), "--run", "dry"]
    options += ["--data", str(folder / "data"), "--category", "web_search_base", "--entry-ids", WEB_ENTRY]
    assert main(["generate", *options, "--out", str(out)]) == 0
    for response in read_responses(out / "web_search_base.parquet"):
        yield from web_keys(response)
    shutil.rmtree(out)


def _add_leftovers(run: SmallRun) -> None:
    """Adds files of a model that the config no longer names, of a killed writer, and of another run."""
    _add_steps_of_another_run(run)
    shutil.copytree(run.results / "responses/oracle-FC", run.results / "responses/forgotten")
    shutil.copyfile(run.results / "verdicts/oracle-FC.parquet", run.results / "verdicts/forgotten.parquet")
    (run.results / "tables/.rules.csv.x.tmp").write_text("half")
    with run.journal.open("ab") as file:
        file.write(json.dumps({"torn": True}).encode()[:5])


def _add_steps_of_another_run(run: SmallRun) -> None:
    """Adds Snakemake's log and records of a run in the same folder."""
    state = run.folder / ".snakemake"
    for record in [path for path in (state / "metadata").rglob("*") if path.is_file()]:
        output = base64.urlsafe_b64decode(record.name).decode()
        other = output.replace(f"results/{NAME}/", "results/other/")
        record.with_name(base64.urlsafe_b64encode(other.encode()).decode()).write_bytes(record.read_bytes())
    for log in sorted((state / "log").glob("*.log")):
        other = log.read_text().replace(f"results/{NAME}/", "results/other/").replace(NAME, "other")
        log.with_name(f"0-{log.name}").write_text(other)
