"""A run whose models have different search engines is shown, archived and verified with their outcomes."""

from __future__ import annotations

import csv
import json
import shutil
from dataclasses import replace
from datetime import UTC, datetime
from functools import partial
from pathlib import Path

import pytest
import yaml

from bfcl_pipeline.ask.jobs.run import run_job
from bfcl_pipeline.benchmark.config import Job, JobPaths, ModelRow, Selection
from bfcl_pipeline.benchmark.records import Mode
from bfcl_pipeline.benchmark.tables import entries_path, read_entries
from bfcl_pipeline.cli import main
from bfcl_pipeline.runs.run import Run
from bfcl_pipeline.share.archive.replay import derive
from bfcl_pipeline.world.tools.web_search.web import Hits
from bfcl_pipeline.world.web.cache import WebCache
from bfcl_pipeline.world.web.keys import FetchKey, SearchKey
from bfcl_pipeline.world.web.simulated import SimulatedWeb
from tests.share.archive.small_run import SmallRun
from tests.share.archive.test_archive import members
from tests.support.snakemake_project import OWN_MESSAGES, Project, make_project
from tests.support.web_record import record_outcome

QUESTION = "web_search_base_0"
CONFIG = {
    "run": "engines",
    "models": "[oracle-FC,oracle]",
    "categories": "[web_search_base]",
    "entry_ids": f"[{QUESTION}]",
    "web": "record",  # of what is recorded already: nothing is requested
}
ROWS = [
    {"name": "oracle-FC", "kind": "oracle", "search_engine": "brave"},
    {"name": "oracle", "kind": "oracle"},
]
ENGINES = {"oracle-FC": "brave", "oracle": "duckduckgo"}
NOON = datetime(2026, 10, 1, 12, tzinfo=UTC)


def titled(found: object, engine: str) -> Hits:
    """Results with the name of an engine in front of each title."""
    assert isinstance(found, Hits)
    return Hits(tuple(replace(hit, title=f"{engine} {hit.title}") for hit in found.hits))


def record(folder: Path) -> list[dict[str, str]]:
    """Records what the oracle asks: every search by two engines, with different results, and the pages."""
    questions = read_entries(entries_path(folder / "data", "web_search_base"))
    web, cache = SimulatedWeb.of(questions), WebCache(folder / "cache/web")
    hops = next(list(entry.source) for entry in questions if entry.entry_id == QUESTION)
    for hop in hops:
        for engine in ENGINES.values():
            key = SearchKey.of(hop["subquestion"], "wt-wt", engine)
            found = titled(web.search(key.keywords, key.region), engine)
            record_outcome(cache, key, found, NOON)
        page = FetchKey.of(hop["source"])
        record_outcome(cache, page, web.fetch(page.url), NOON)
    return hops


@pytest.fixture(scope="module")
def run(tmp_path_factory: pytest.TempPathFactory, staged: Path) -> SmallRun:
    """A finished run of two embedded models, one of which has an engine of its own."""
    folder = tmp_path_factory.mktemp("engines") / "project"
    folder.mkdir()
    project = make_project(folder)
    (folder / "data").mkdir()
    for part in ("release", "entries"):
        shutil.copytree(staged / part, folder / "data" / part)
    record(folder)
    (folder / "config/models.yaml").write_text(yaml.safe_dump({"models": ROWS}))
    project.call(**CONFIG)
    return SmallRun(folder, "engines")


def show(run: SmallRun, model: str, capsys: pytest.CaptureFixture[str]) -> str:
    """What `show` prints of the conversation of a model."""
    places = ["--data", str(run.data), "--cache", str(run.cache)]
    assert main(["show", QUESTION, "--model", model, "--run", str(run.results), *places]) == 0
    return capsys.readouterr().out


@pytest.mark.parametrize("model", ENGINES)
def test_each_model_is_shown_the_results_of_its_engine(
    run: SmallRun, model: str, capsys: pytest.CaptureFixture[str]
) -> None:
    """In the run and when its conversation is played again; those of the other engine are not shown."""
    own = ENGINES[model]
    (other,) = set(ENGINES.values()) - {own}
    text = show(run, model, capsys)
    assert f"{own} " in text
    assert f"{other} " not in text


def test_the_run_records_the_engine_of_each_model(run: SmallRun) -> None:
    """In models.yaml for the model that has its own, in config.yaml for the others."""
    assert {name: Run(run.results).engines.of(name) for name in ENGINES} == ENGINES
    rows = Run(run.results).rows
    assert [rows[name].search_engine for name in ENGINES] == ["brave", None]
    assert (
        "search_engine"
        not in (run.results / "models.yaml").read_text().split("- display_name: oracle\n")[-1]
    )


def test_tables_and_page_name_the_engine(run: SmallRun) -> None:
    """Another engine than the leaderboard's is in the column `web`, marked, not in official files."""
    with (run.results / "tables/leaderboard.csv").open(newline="") as lines:
        webs = {row["model"]: row["web"] for row in csv.DictReader(lines)}
    with (run.results / "tables/web_hops.csv").open(newline="") as lines:
        hops = {row["model"]: row["web"] for row in csv.DictReader(lines)}
    assert webs == hops == {"oracle-FC": "record by brave", "oracle": "record"}
    with (run.results / "tables/official/data_agentic.csv").open(newline="") as lines:
        official = {row["Model"]: row["Web Search Base"] for row in csv.DictReader(lines)}
    assert official == {"oracle-FC": "N/A", "oracle": "100.00%"}
    page = (run.results / "report.html").read_text()
    assert "brave (oracle-FC); duckduckgo (oracle)" in page
    assert "another search engine (brave): not comparable with the leaderboard" in page


def test_the_archive_has_the_outcomes_of_both_engines_and_verifies(run: SmallRun, tmp_path: Path) -> None:
    """Of each search the outcome of the engine that was asked; a replay derives the same tables."""
    out = tmp_path / "engines.crate.zip"
    assert run.archive(out) == 0
    names = [name for name in members(out) if name.startswith("cache/web/") and name.endswith(".json")]
    keys = [json.loads(members(out)[name])["key"] for name in names]
    engines = [key.get("engine", "") for key in keys if key["function"] == "search"]
    assert engines.count("brave") == engines.count("") > 0
    assert run.verify(out) == 0
    for model, web in (("oracle-FC", "unknown"), ("oracle", "record")):
        theirs = ModelRow("theirs", "results", Mode.PROMPT, "", model=model, path=str(out))
        (done,) = run_job(
            Job(
                row=theirs,
                categories=("web_search_base",),
                run="r",
                selection=Selection(entry_ids=(QUESTION,)),
                paths=JobPaths(data=run.data),
            )
        )
        assert done.response.web == web  # the new run could not find the outcomes of brave


def test_outcomes_of_another_engine_do_not_replace_missing_ones(
    run: SmallRun, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str]
) -> None:
    """An archive without the outcomes of brave does not verify, although duckduckgo's are there."""
    copied = tmp_path / "project"
    shutil.copytree(run.folder, copied, symlinks=True)
    other = SmallRun(copied, run.name)
    cache = WebCache(other.cache / "web")
    removed = [path for path in cache.paths() if "brave" in path.read_text()]
    for path in removed:
        path.unlink()
    assert removed
    assert other.archive(tmp_path / "poor.crate.zip") == 0
    answers = partial(derive, arguments=["--until", "generate_oracle-FC"])  # later steps follow from these
    monkeypatch.setattr("bfcl_pipeline.share.archive.verify.derive", answers)
    capfd.readouterr()
    assert other.verify(tmp_path / "poor.crate.zip") == 1
    differs = "DIFFERS       results    responses/oracle-FC/web_search_base.parquet: row 1"
    assert differs in capfd.readouterr().out


def test_status_counts_the_searches_of_each_engine(
    run: SmallRun, capsys: pytest.CaptureFixture[str]
) -> None:
    """Every web call of both models is covered."""
    place = ["--record", str(run.cache / "web"), "--data", str(run.data)]
    assert main(["web", "status", str(run.results), *place]) == 0
    lines = capsys.readouterr().out.splitlines()
    covered = {line.split()[0]: line.split() for line in lines if line.startswith("oracle")}
    found = {name: (words[1] == words[2], words[-2]) for name, words in covered.items()}
    assert found == dict.fromkeys(ENGINES, (True, "100.0"))


def test_a_changed_proxy_or_pause_repeats_nothing_and_a_changed_engine_is_refused(run: SmallRun) -> None:
    """Answers do not depend on the first two; another engine of a row would replace finished answers."""
    project = Project(run.folder)
    changed = {**CONFIG, "web_pause": "7", "web_proxy": "none"}
    planned = project.snakemake("-n", "-p", "--forcerun", "generate_oracle", *OWN_MESSAGES, **changed)
    assert "--web-proxy=none --web-pause=7" in planned.stdout
    assert "Generate all categories with oracle\n" in planned.stdout
    assert "Generate all categories with oracle-FC" not in planned.stdout
    models = run.folder / "config/models.yaml"
    before = models.read_text()
    models.write_text(before.replace("brave", "mojeek"))
    refused = project.snakemake("-n", **CONFIG)
    models.write_text(before)
    assert refused.returncode == 1
    assert "oracle-FC: search_engine brave -> mojeek" in refused.stdout
