"""A run that executes calls against web APIs: recorded once, then archived and derived again offline."""

from __future__ import annotations

import os
import zipfile
from base64 import b64encode
from pathlib import Path
from urllib.parse import quote

import pytest

from bfcl_pipeline.cli import main
from bfcl_pipeline.config import Job, JobPaths, Selection, load_models
from bfcl_pipeline.executables import SimulatedApis
from bfcl_pipeline.jobs.run import run_job
from bfcl_pipeline.tables import read_table
from bfcl_pipeline.tables.texts import read_recorded_calls
from bfcl_pipeline.web.cache import WebCache
from bfcl_pipeline.web.executed import needed_requests
from tests.support import ROOT
from tests.support.api_hosts import KEYS, ApiHosts
from tests.support.snakemake_project import make_project

IDS = ("exec_simple_0", "exec_simple_30", "exec_simple_94", "exec_parallel_multiple_0")
CATEGORIES = ("exec_simple", "exec_parallel_multiple")
CONFIG = {
    "run": "recorded",
    "models": "[oracle-FC]",
    "categories": f"[{','.join(CATEGORIES)}]",
    "entry_ids": f"[{','.join(IDS)}]",
    "web": "record",
}


def _derive(results: Path, data: Path, cache: Path) -> list[str]:
    """Derives responses, verdicts and the page of an archived run again; their names in the archive."""
    places = ["--data", str(data), "--cache", str(cache)]
    responses, verdicts = results / "responses/oracle-FC", results / "verdicts/oracle-FC.parquet"
    files = [*(responses / f"{name}.parquet" for name in CATEGORIES), verdicts, results / "report.html"]
    for file in files:
        file.unlink()
    asked = ["--model", "oracle-FC", "--run", "recorded", "--entry-ids", *IDS, "--replay"]
    web = ["--web", "record", "--web-record", str(cache / "web"), "--data", str(data)]
    assert main(["generate", *asked, *web, "--category", *CATEGORIES, "--out", str(responses)]) == 0
    tables = [str(file) for file in files[: len(CATEGORIES)]]
    assert main(["score", *tables, "--out", str(verdicts), "--rules", "all", *places]) == 0
    assert main(["report", str(results), *places]) == 0
    return [str(file.relative_to(results.parents[1])) for file in files]


def test_executed_calls_are_recorded_archived_and_derived_again(
    hosts: ApiHosts,
    staged: Path,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    """Only the run sends requests; the archive alone gives the same bytes again; no file has a key."""
    row = load_models(ROOT / "config/models.yaml")["oracle-FC"]
    chosen = Selection(entry_ids=IDS)
    completed = run_job(
        Job(row=row, categories=CATEGORIES, run="x", selection=chosen, paths=JobPaths(data=staged))
    )
    simulated = SimulatedApis(read_recorded_calls(staged))
    needed = [key for one in completed for key in needed_requests(one.entry, [one.response], simulated)]
    hosts.know(simulated, [key.request for key in needed])
    hosts.site(tmp_path / "site")
    own = [str(tmp_path / "site"), str(ROOT), os.environ.get("PYTHONPATH", "")]
    project = tmp_path / "project"
    project.mkdir()
    (project / "data").symlink_to(staged)
    with monkeypatch.context() as environment:
        environment.setenv("PYTHONPATH", os.pathsep.join(filter(None, own)))
        for name, key in KEYS.items():
            environment.setenv(name, key)
        done = make_project(project).snakemake(**CONFIG)
        assert done.returncode == 0, done.stdout
    assert len(hosts.asked) == len(needed) == 3
    verdicts = read_table(project / "results/recorded/verdicts/oracle-FC.parquet").to_pylist()
    assert {(row["valid"], row["status"]) for row in verdicts} == {(True, "answered")}
    archive = tmp_path / "recorded.crate.zip"
    places = ["--data", str(staged), "--cache", str(project / "cache")]
    with monkeypatch.context() as environment:
        for name, key in KEYS.items():
            environment.setenv(name, key)
        assert main(["archive", str(project / "results/recorded"), "--out", str(archive), *places]) == 0
    with zipfile.ZipFile(archive) as file:
        members = {name: file.read(name) for name in file.namelist()}
    outcomes = WebCache(Path("cache/web"))
    assert {str(outcomes.path(key)) for key in needed} <= set(members)
    nothing = tmp_path / "nothing"
    nothing.mkdir()
    assert main(["verify", str(archive), "--data", str(nothing)]) == 3  # compares hashes only
    assert "3 searches, pages and answers of web APIs are as they were recorded" in capsys.readouterr().out
    again = tmp_path / "again"
    with zipfile.ZipFile(archive) as file:
        file.extractall(again)
    derived = _derive(again / "results/recorded", staged, again / "cache")
    assert {name: members[name] for name in derived} == {
        name: (again / name).read_bytes() for name in derived
    }
    assert len(hosts.asked) == 3
    written = [path.read_bytes() for path in project.rglob("*") if path.is_file() and path.parent != staged]
    forms = [form for key in KEYS.values() for form in (key, quote(key, safe=""))]
    forms += [b64encode(key.encode()).decode() for key in KEYS.values()]
    everything = [*members.values(), *members, *written, done.stdout]
    texts = [one if isinstance(one, bytes) else one.encode() for one in everything]
    assert not [form for form in forms if any(form.encode() in text for text in texts)]
