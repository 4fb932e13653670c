"""A run over a recorded web: recorded once, then checked, archived and derived again without a network.

Two models search and execute calls against web APIs. The engine, pages and APIs are behind a proxy of the
environment, over HTTP and TLS; afterwards every process refuses the network.
"""

from __future__ import annotations

import re
import subprocess
import sys
import zipfile
from base64 import b64encode
from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from urllib.parse import quote, urlsplit

import pytest
import yaml

from bfcl_pipeline.ask.jobs.run import run_job
from bfcl_pipeline.benchmark.config import Job, JobPaths, Selection, load_models
from bfcl_pipeline.benchmark.records import Entry
from bfcl_pipeline.benchmark.tables import read_table
from bfcl_pipeline.cli import main
from bfcl_pipeline.dialogue.release_texts import read_recorded_calls
from bfcl_pipeline.judge.web_files import needed_requests
from bfcl_pipeline.world.executables import SimulatedApis
from bfcl_pipeline.world.executables.apis import HOSTS
from bfcl_pipeline.world.web.cache import WebCache
from bfcl_pipeline.world.web.keys import ApiKey
from bfcl_pipeline.world.web.simulated import SimulatedWeb, hops
from tests.support import ROOT
from tests.support.api_hosts import KEYS, know
from tests.support.offline import offline, refused, without_native, without_network
from tests.support.simulated_sites import DUCKDUCKGO, sites
from tests.support.snakemake_project import make_project
from tests.support.web_server import Asked, WebServer, web_server

ROWS = ("oracle-FC", "second-FC")
EXECUTED = ("exec_simple_0", "exec_simple_30", "exec_simple_94", "exec_parallel_multiple_0")
QUESTIONS = ("web_search_base_0", "web_search_base_1", "web_search_base_2")
CATEGORIES = ("exec_simple", "exec_parallel_multiple", "web_search_base")
EARLY = {  # a run before anything is recorded
    "run": "early",
    "models": "[oracle-FC]",
    "categories": "[exec_simple,exec_parallel_multiple]",
    "entry_ids": f"[{','.join(EXECUTED)}]",
    "web": "replay",
}


@dataclass(frozen=True, slots=True)
class Recorded:
    """A project after the run; its web is gone."""

    folder: Path
    visits: tuple[Asked, ...]
    requests: tuple[ApiKey, ...]  # of executed calls
    said: str  # by the run

    @property
    def cache(self) -> WebCache:
        """The outcomes of the run."""
        return WebCache(self.folder / "cache/web")

    def command(self, *arguments: str) -> str:
        """What a command of the pipeline prints, which must succeed without any network."""
        env = offline(self.folder / "offline", blocked=("openai", "aiohttp"))
        without_native(self.folder / "offline", "primp")
        env["PYTHONWARNINGS"] = "default"  # Snakemake's own
        command = [*without_network(), sys.executable, "-m", "bfcl_pipeline.cli", *arguments]
        done = subprocess.run(
            command, cwd=self.folder, env=env, capture_output=True, text=True, timeout=300, check=False
        )
        assert done.returncode == 0, done.stdout + done.stderr
        assert refused(done.stderr) == []
        return done.stdout


def _requests(data: Path) -> tuple[ApiKey, ...]:
    """The requests that the executed calls of a model without faults need."""
    row, chosen = load_models(ROOT / "config/models.yaml")["oracle-FC"], Selection(entry_ids=EXECUTED)
    job = Job(row=row, categories=CATEGORIES[:2], run="x", selection=chosen, paths=JobPaths(data=data))
    apis = SimulatedApis(read_recorded_calls(data))
    return tuple(key for one in run_job(job) for key in needed_requests(one.entry, [one.response], apis))


def _web(web: SimulatedWeb, requests: tuple[ApiKey, ...], data: Path) -> Callable[[Asked], bytes]:
    """The engines and pages of a simulated web, and the APIs as the release has recorded them."""
    apis, site = WebServer(), sites(web)
    know(apis, SimulatedApis(read_recorded_calls(data)), [key.request for key in requests])

    def answer(visit: Asked) -> bytes:
        scripted = apis.answers.get(visit.url.partition("://")[2])
        if scripted and isinstance(scripted[0], bytes):
            return scripted[0]
        return site(visit)

    return answer


@pytest.fixture(scope="module")
def recorded(
    tmp_path_factory: pytest.TempPathFactory, staged: Path, entries: Callable[[str], list[Entry]]
) -> Recorded:
    """The run. Tests must not change it."""
    folder = tmp_path_factory.mktemp("web")
    (folder / "project").mkdir()
    project = make_project(folder / "project")
    (project.folder / "data").symlink_to(staged)
    rows = [{"name": name, "kind": "oracle"} for name in ROWS]
    (project.folder / "config/models.yaml").write_text(yaml.safe_dump({"models": rows}))
    questions, requests = entries("web_search_base"), _requests(staged)
    pages = [hop.url for entry in questions if entry.entry_id in QUESTIONS for hop in hops(entry)]
    hosts = {*(str(urlsplit(page).hostname) for page in pages), *HOSTS, DUCKDUCKGO}
    project.call(**EARLY)
    with web_server(folder, sorted(hosts)) as web, pytest.MonkeyPatch.context() as environment:
        web.answering = _web(SimulatedWeb.of(questions), requests, staged)
        web.reached_through_the_environment(environment)
        for name, key in KEYS.items():
            environment.setenv(name, key)
        done = project.snakemake(
            run="r",
            models=f"[{','.join(ROWS)}]",
            categories=f"[{','.join(CATEGORIES)}]",
            entry_ids=f"[{','.join((*QUESTIONS, *EXECUTED))}]",
            web="record",
            web_pause="0",
        )
    assert done.returncode == 0, done.stdout
    return Recorded(project.folder, tuple(web.asked), requests, done.stdout)


def test_nothing_is_asked_twice(recorded: Recorded) -> None:
    """Both models find the answers; each process sends a request once."""
    asked = Counter(
        f"{visit.method} {visit.url} {sorted(visit.fields.items())}" for visit in recorded.visits
    )
    assert max(asked.values()) <= len(ROWS)
    assert DUCKDUCKGO in {visit.host for visit in recorded.visits}
    assert len({visit.url for visit in recorded.visits if visit.host in HOSTS}) == 3
    for name in ROWS:
        verdicts = read_table(recorded.folder / f"results/r/verdicts/{name}.parquet").to_pylist()
        judged = {(row["valid"], row["status"]) for row in verdicts if row["rules"] != "verified"}
        assert judged == {(True, "answered")}


def test_the_record_proves_itself(recorded: Recorded) -> None:
    """Every cassette proves its outcome, and the record covers every call of the run."""
    outcomes = len([*recorded.cache.paths()])
    assert f"{outcomes} outcomes" in recorded.command("web", "check")
    status = recorded.command("web", "status", "results/r", "--data", "data")
    counts = re.search(
        r"^results/r: ([\d,]+) different web requests, ([\d,]+) recorded\.$", status, re.MULTILINE
    )
    assert counts
    assert counts[1] == counts[2]
    assert "By duckduckgo by ddgs " in status


def test_the_archive_alone_gives_the_same_run(recorded: Recorded, monkeypatch: pytest.MonkeyPatch) -> None:
    """The results are derived again from the outcomes of engines, pages and APIs; no file has a key."""
    archive = recorded.folder / "r.crate.zip"
    with monkeypatch.context() as environment:
        for name, key in KEYS.items():
            environment.setenv(name, key)
        places = ["--data", str(recorded.folder / "data"), "--cache", str(recorded.folder / "cache")]
        assert main(["archive", str(recorded.folder / "results/r"), "--out", str(archive), *places]) == 0
    with zipfile.ZipFile(archive) as file:
        members = {name: file.read(name) for name in file.namelist()}
    paths = [path.relative_to(recorded.folder) for path in recorded.cache.paths()]
    assert {path.as_posix() for path in paths} <= set(members)
    assert recorded.cache.path(recorded.requests[0]).relative_to(recorded.folder) in paths
    said = recorded.command("verify", str(archive), "--data", "data", "--cores", "2")
    assert f"{len(paths)} searches, pages and answers of web APIs are as they were recorded" in said
    assert "derived again and are identical" in said
    project = [path for path in recorded.folder.rglob("*") if path.is_file()]
    written = [path.read_bytes() for path in project if not path.is_relative_to(recorded.folder / "data")]
    forms = [form for key in KEYS.values() for form in (key, quote(key, safe=""))]
    forms += [b64encode(key.encode()).decode() for key in KEYS.values()]
    texts = [*members.values(), *(name.encode() for name in members), *written, recorded.said.encode()]
    assert not [form for form in forms if any(form.encode() in text for text in texts)]


def test_answers_that_were_recorded_later_are_not_archived(
    recorded: Recorded, capsys: pytest.CaptureFixture[str]
) -> None:
    """A run whose verdicts lack them is derived from its archive with the same verdicts."""
    verdicts = read_table(recorded.folder / "results/early/verdicts/oracle-FC.parquet").to_pylist()
    lacking = {row["entry_id"] for row in verdicts if row["status"] == "not_recorded"}
    assert lacking < {row["entry_id"] for row in verdicts}
    assert all(recorded.cache.find(key) for key in recorded.requests)
    archive = recorded.folder / "early.crate.zip"
    places = ["--data", str(recorded.folder / "data"), "--cache", str(recorded.folder / "cache")]
    assert main(["archive", str(recorded.folder / "results/early"), "--out", str(archive), *places]) == 0
    assert f"Left out: {len(lacking)} answers of web APIs" in capsys.readouterr().out
    with zipfile.ZipFile(archive) as file:
        assert not [name for name in file.namelist() if name.startswith("cache/web/")]
    said = recorded.command("verify", str(archive), "--data", "data", "--cores", "2")
    assert "derived again and are identical" in said
