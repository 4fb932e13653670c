"""One run that asks a model both ways, by the leaderboard's prompts and by chats, and compares them."""

from __future__ import annotations

import shutil
import zipfile
from pathlib import Path

import pytest
import yaml

from bfcl_pipeline.benchmark.tables import read_table
from bfcl_pipeline.cli import main
from tests.support.snakemake_project import Project, make_project
from tests.support.two_ways import TwoWays, two_ways

PROMPTS, CHATS = "Qwen/Qwen3-8B-FC", "Qwen/Qwen3-8B-server-FC"
RUN = {
    "run": "ways",
    "models": f"[{PROMPTS},{CHATS}]",
    "categories": "[simple_python,multi_turn_base]",
    "entry_ids": "[simple_python_0,simple_python_1,multi_turn_base_0]",
    "compare": f"[{PROMPTS},{CHATS}]",
}


@pytest.fixture(scope="module")
def asked(tmp_path_factory: pytest.TempPathFactory, staged: Path) -> tuple[Project, TwoWays]:
    """The project after the run, and the server that answered, which is stopped."""
    project = make_project(tmp_path_factory.mktemp("ways"))
    shutil.copytree(staged / "release", project.folder / "data/release")
    shutil.copytree(staged / "entries", project.folder / "data/entries")
    with two_ways() as server:
        common = {
            "kind": "vllm",
            "backend": "endpoint",
            "endpoint": server.endpoint,
            "model": "Qwen/Qwen3-8B",
        }
        rows = [{"name": PROMPTS, **common}, {"name": CHATS, **common, "prompting": "server"}]
        (project.folder / "config/models.yaml").write_text(yaml.safe_dump({"models": rows}))
        project.call(**RUN)
    return project, server


def test_both_ways_are_one_config(asked: tuple[Project, TwoWays]) -> None:
    """Tables and page compare the two rows, and say how each was asked."""
    project, server = asked
    results = project.folder / "results/ways"
    assert server.count("/v1/completions") == server.count("/v1/chat/completions") > 4
    pairs = {(row["first"], row["second"]) for row in _rows(results / "tables/comparisons.parquet")}
    assert pairs == {(PROMPTS, CHATS)}
    page = (results / "report.html").read_text(encoding="utf-8")
    assert "prompts of the leaderboard, family qwen3-fc" in page
    assert "server&#39;s chat template and tool parser" in page
    recorded = yaml.safe_load((results / "models.yaml").read_text(encoding="utf-8"))["models"]
    assert {row["name"]: row["prompting"] for row in recorded} == {PROMPTS: "leaderboard", CHATS: "server"}


def test_both_are_archived_and_verified(asked: tuple[Project, TwoWays], tmp_path: Path) -> None:
    """Prompts are rendered again without the server, and are those of the journal: no result differs."""
    project, _ = asked
    results, out = project.folder / "results/ways", tmp_path / "ways.crate.zip"
    places = ["--data", str(project.folder / "data")]
    cache = ["--cache", str(project.folder / "cache")]
    assert main(["archive", str(results), "--out", str(out), *places, *cache]) == 0
    with zipfile.ZipFile(out) as archive:
        (metadata,) = [name for name in archive.namelist() if name.endswith("ro-crate-metadata.json")]
        assert b"data/release/family_texts.json" in archive.read(metadata)
    assert main(["verify", str(out), *places, "--cores", "2"]) == 0


def _rows(path: Path) -> list[dict[str, object]]:
    return read_table(path).to_pylist()
