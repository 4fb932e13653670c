"""What models lack, known before a run starts."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pytest
import yaml

from bfcl_pipeline.ask.jobs.preflight import Machine, preflight
from bfcl_pipeline.ask.jobs.selection import check_entry_ids
from bfcl_pipeline.ask.orchestration.finished_results import complete_models
from bfcl_pipeline.base.errors import ConfigError
from bfcl_pipeline.benchmark.config import ModelRow, load_run
from bfcl_pipeline.benchmark.records import Mode, Response
from bfcl_pipeline.benchmark.tables import write_responses
from bfcl_pipeline.runs.run import Run
from bfcl_pipeline.world.executables.apis import PLACEHOLDERS

ROOT = Path(__file__).resolve().parents[3]
CONFIG = {**yaml.safe_load((ROOT / "config/config.yaml").read_text()), "categories": ["simple_java"]}


def row(name: str, kind: str = "openai_chat", **columns: Any) -> ModelRow:
    return ModelRow(name=name, kind=kind, mode=Mode.PROMPT, display_name=name, model=name, **columns)


HERE = Machine()

ROWS = {
    one.name: one
    for one in (
        row("oracle", "oracle"),
        row("keyed", key="BFCL_TEST_KEY", input_price=1.0, output_price=1.0),
        row("other", key="BFCL_TEST_KEY", input_price=1.0, output_price=1.0),
        row("unpriced", endpoint="http://127.0.0.1/v1"),
        row("served", "vllm"),
    )
}


@pytest.fixture(autouse=True)
def bare_machine(monkeypatch: pytest.MonkeyPatch) -> None:
    """A machine without keys and without vLLM."""
    for name in ("BFCL_TEST_KEY", "SERPAPI_API_KEY", "BFCL_VLLM_PYTHON"):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setenv("PATH", "/nowhere")


def check(
    folder: Path, machine: Machine = HERE, rows: Mapping[str, ModelRow] = ROWS, **changes: Any
) -> list[str]:
    run = load_run({**CONFIG, **changes}, rows)
    return preflight(run, complete_models(Run(folder), run), machine)


def test_each_need_is_one_line_with_its_models_and_remedy(tmp_path: Path) -> None:
    """A key that two models lack, a price, vLLM; the other models run."""
    lines = check(tmp_path, models=["oracle", "keyed", "other", "unpriced", "served"], budget=1.0)
    need = "BFCL_TEST_KEY is missing: export BFCL_TEST_KEY=... (or in the file .env)"
    assert lines[0] == f"keyed, other: {need}"
    assert lines[1].startswith(
        "unpriced: a price, which the budget needs, is missing: give its row input_price"
    )
    assert lines[2].startswith("served: vLLM is missing: pip install vllm==0.31.0, or set BFCL_VLLM_PYTHON")
    assert lines[-1] == "The other models run. These get no new answers, and the exit status is 2."


def test_keys_for_executed_calls_are_named(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Only where calls are recorded; the run starts all the same."""
    for name in PLACEHOLDERS:
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setenv("RAPID_API_KEY", "0123456789abcdef")
    monkeypatch.setenv("OMDB_API_KEY", "short")
    asked = {"models": ["oracle"], "categories": ["exec_simple", "simple_java", "rest"]}
    (line,) = check(tmp_path, web="record", **asked)
    assert line.startswith(
        "exec_simple, rest: EXCHANGERATE_API_KEY, OMDB_API_KEY, GEOCODE_API_KEY missing: entries whose "
    )
    assert check(tmp_path, web="replay", **asked) == []
    assert check(tmp_path, web="record", models=["oracle"], categories=["simple_java", "sql"]) == []


def test_a_run_without_a_usable_model_does_not_start(tmp_path: Path) -> None:
    """The error lists what is missing."""
    with pytest.raises(
        ConfigError, match=r"keyed: BFCL_TEST_KEY is missing.*\nNo model of the run can start\."
    ):
        check(tmp_path, models=["keyed"])


def test_a_ready_run_has_nothing_to_say(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A key that is set is no need, and embedded models have none."""
    monkeypatch.setenv("BFCL_TEST_KEY", "secret")
    assert check(tmp_path, models=["oracle", "keyed"], budget=1.0) == []


def test_a_complete_model_needs_nothing(tmp_path: Path) -> None:
    """Its tables can be made again without its key."""
    (tmp_path / "responses/keyed").mkdir(parents=True)
    answer = Response("simple_java_0", "simple_java", Mode.FC, "[]")
    write_responses(tmp_path / "responses/keyed/simple_java.parquet", [answer] * 2)
    assert check(tmp_path, models=["keyed"], sample=2) == []
    with pytest.raises(ConfigError, match="BFCL_TEST_KEY is missing"):
        check(tmp_path, models=["keyed"], sample=3)


def test_nodes_and_images_have_what_this_machine_lacks(tmp_path: Path) -> None:
    """vLLM and GPUs are those of a cluster's nodes; packages are those of an image."""
    for machine in (Machine(cluster=True), Machine(cluster=True, containers=True)):
        assert check(tmp_path, machine, models=["served"]) == []
    assert not any(
        "vLLM is" in line for line in check(tmp_path, Machine(containers=True), models=["served"])
    )


def test_a_search_engine_needs_its_key(tmp_path: Path) -> None:
    """It concerns all models, so nothing starts."""
    searching = {"models": ["oracle"], "categories": ["web_search"], "web": "live"}
    assert len(check(tmp_path, **searching)) == 1
    with pytest.raises(ConfigError, match="search engine serpapi: SERPAPI_API_KEY is missing"):
        check(tmp_path, **searching, search_engine="serpapi")
    others = {**searching, "categories": ["multiple"]}
    assert check(tmp_path, **others, search_engine="serpapi") == []


def test_how_the_web_is_reached_is_stated(tmp_path: Path) -> None:
    """Engine, proxy and pause, in one line; only if a model is going to search."""
    models = ["oracle"]
    (line,) = check(tmp_path, models=models, categories=["web_search"], web="record", web_pause=5)
    assert line.startswith(
        "web record: searches by duckduckgo; web_proxy: environment; 5 s between two requests to one host."
    )
    assert check(tmp_path, models=models, categories=["web_search"], web="replay") == []
    assert check(tmp_path, models=models, categories=["simple_java"], web="record") == []


def test_unknown_entry_ids_are_found_once_the_release_is_staged(staged: Path, tmp_path: Path) -> None:
    """The error names similar ids; without the release nothing can be said."""
    run = load_run({**CONFIG, "models": ["oracle"], "entry_ids": ["simple_java_9999"]}, ROWS)
    with pytest.raises(ConfigError, match=r"no entry 'simple_java_9999'. Did you mean 'simple_java_99'"):
        check_entry_ids(run, staged)
    check_entry_ids(run, tmp_path)
    check_entry_ids(
        load_run({**CONFIG, "models": ["oracle"], "entry_ids": ["simple_java_9"]}, ROWS), staged
    )
