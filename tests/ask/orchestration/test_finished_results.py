"""A request compared with the recorded config of its run."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
import yaml

from bfcl_pipeline.ask.orchestration.finished_results import check_recorded, complete_models
from bfcl_pipeline.base.errors import ConfigError
from bfcl_pipeline.benchmark.config import ModelRow, load_run, recorded_models
from bfcl_pipeline.benchmark.config.check import config_schema
from bfcl_pipeline.benchmark.config.model_rows import Serving
from bfcl_pipeline.benchmark.config.run_record import recorded_config
from bfcl_pipeline.benchmark.records import Mode, Response, Status
from bfcl_pipeline.benchmark.tables import write_responses
from bfcl_pipeline.runs.run import Run

ROOT = Path(__file__).resolve().parents[3]
SHIPPED = yaml.safe_load((ROOT / "config/config.yaml").read_text())
CONFIG = {**SHIPPED, "run": "r", "models": ["a-FC", "b"], "categories": ["simple_python", "multiple"]}


def row(name: str, **columns: Any) -> ModelRow:
    mode = Mode.FC if name.endswith("-FC") else Mode.PROMPT
    given = {"kind": "openai_chat", "model": name, "endpoint": "http://localhost:8000/v1", **columns}
    return ModelRow(name=name, mode=mode, display_name=name, **given)


ROWS = {name: row(name) for name in ("a-FC", "b", "c-FC")}


def finish(
    folder: Path, config: Mapping[str, Any], status: str = "answered", rows: Mapping[str, ModelRow] = ROWS
) -> Run:
    """The results of a run whose models have responses of one status in all categories."""
    run = load_run(config, rows)
    lines = ["run,model,category,status,entries"]
    for name in run.folders:
        (folder / "responses" / name).mkdir(parents=True)
        (job,) = run.jobs_of(name)
        for category in job.categories:
            answer = Response(f"{category}_0", category, job.row.mode, None, status=Status(status))
            size = job.selection.size_of(category)
            write_responses(folder / "responses" / name / f"{category}.parquet", [answer] * size)
            lines.append(f"r,{name},{category},{status},9")
    (folder / "tables").mkdir()
    (folder / "tables/coverage.csv").write_text("\n".join(lines))
    (folder / "config.yaml").write_text(recorded_config(config))
    (folder / "models.yaml").write_text(
        recorded_models({job.row.name: job.row for job in run.jobs}.values())
    )
    return Run(folder)


def check(results: Run, config: Mapping[str, Any], rows: Mapping[str, ModelRow] = ROWS) -> None:
    check_recorded(Run(results.folder), load_run(config, rows))  # read anew, as by each process


def test_a_later_key_on_which_all_answers_depend_is_refused(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Its annotation in the schema is enough; a run that lacks it was made with null."""
    results = finish(tmp_path, CONFIG)
    about = {"type": ["string", "null"], "description": "New.", "default": None}
    about |= {"x-recorded": "if-set", "x-answers-depend": "all"}
    monkeypatch.setitem(config_schema()["properties"], "new", about)
    check(results, {**CONFIG, "new": None})
    with pytest.raises(ConfigError, match=r"other settings: new: null -> a\. Choose another"):
        check(results, {**CONFIG, "new": "a"})


def test_another_journal_is_refused(tmp_path: Path) -> None:
    """A run keeps its journals, also before anything is finished."""
    results = finish(tmp_path, {**CONFIG, "journal": "run"}, status="skipped")
    check(results, {**CONFIG, "journal": "run"})
    with pytest.raises(
        ConfigError, match=r"journal: run -> shared \(--fresh continues it\)\. Choose another"
    ):
        check(results, CONFIG)
    check(results, {**CONFIG, "overwrite": True})
    (tmp_path / "config.yaml").write_text(recorded_config(CONFIG))
    check(results, CONFIG)
    with pytest.raises(ConfigError, match=r"journal: shared -> run \(no --fresh continues it\)"):
        check(results, {**CONFIG, "journal": "run"})


@pytest.mark.parametrize(
    "changes",
    [
        {},
        {"models": ["a-FC", "b", "c-FC"]},
        {"categories": ["non_live"], "sample": 1000},
        {"categories": ["all"], "sample": None},
        {"sample": 40},
        {"sample": {"entries": 400, "by": "weight"}},  # more entries of each category
        {"sample": None},
        {"budget": 3.5, "rules": "corrected", "trials": 2},
        {"web": "off", "fetch_failures": 0.5},  # no category of the run searches the web
        {"containers": {"pipeline": "x.sif", "vllm": "y.sif"}},
        {"sample": 3, "overwrite": True},
        {"sample": 3, "replay": True},
    ],
)
def test_what_only_adds_is_allowed(tmp_path: Path, changes: dict[str, Any]) -> None:
    """More models, categories, trials or entries, and what no response depends on."""
    results = finish(tmp_path, {**CONFIG, "sample": 20})
    check(results, {**CONFIG, "sample": 20, **changes})


@pytest.mark.parametrize(
    ("changes", "words"),
    [
        ({"sample": 19}, "sample: 20 -> 19."),
        ({"sample": {"entries": 20, "by": "weight"}}, "sample: 20 -> 20 by weight."),
        ({"seed": 4}, "seed: 0 -> 4."),
        ({"models": ["a-FC", "c-FC"]}, "models: b removed."),
        ({"categories": ["multiple"]}, "categories: simple_python removed."),
        (
            {"categories": ["live", "simple_python", "multiple"]},
            "leaves fewer entries of simple_python, multiple (a larger",
        ),
        (
            {"entry_ids": ["multiple_3"], "sample": None},
            "sample: 20 -> null; entry_ids: null -> ['multiple_3'].",
        ),
        ({"release": {**CONFIG["release"], "sha256": "0" * 64}}, "release.sha256: 3bb6dfa5"),
        (
            {"models": ["a-FC"], "sample": 5},
            "run 'r' was made with other settings: sample: 20 -> 5; models: b removed. "
            "Choose another name (--run NAME), or replace it (--overwrite); to "
            "Snakemake, --config run=NAME or overwrite=true.",
        ),
    ],
)
def test_what_would_replace_finished_responses_is_refused(
    tmp_path: Path, changes: dict[str, Any], words: str
) -> None:
    """The error names each difference, and the two ways to go on."""
    results = finish(tmp_path, {**CONFIG, "sample": 20})
    with pytest.raises(ConfigError) as caught:
        check(results, {**CONFIG, "sample": 20, **changes})
    assert words in str(caught.value)


def test_another_web_is_refused_where_it_was_searched(tmp_path: Path) -> None:
    """Mode, failures and their seed decide what the tools return."""
    searched = {**CONFIG, "categories": ["web_search"], "fetch_failures": 0.5}
    results = finish(tmp_path, searched)
    with pytest.raises(ConfigError, match="web: simulated -> off"):
        check(results, {**searched, "web": "off"})
    with pytest.raises(ConfigError, match=r"seed: 0 -> 1\."):
        check(results, {**searched, "seed": 1})


def test_a_changed_row_is_refused_if_its_model_has_answers(tmp_path: Path) -> None:
    """An endpoint decides answers; a price does not, and a model without answers can be corrected."""
    moved = {**ROWS, "b": row("b", endpoint="http://elsewhere/v1")}
    with pytest.raises(ConfigError, match="b: endpoint http://localhost:8000/v1 -> http://elsewhere/v1"):
        check(finish(tmp_path / "answered", CONFIG), CONFIG, moved)
    check(finish(tmp_path / "priced", CONFIG), CONFIG, {**ROWS, "b": row("b", input_price=1.0)})
    check(finish(tmp_path / "dead", CONFIG, "infrastructure_error"), CONFIG, moved)


def test_entry_ids_may_be_added(tmp_path: Path) -> None:
    """All ids that ran are still there."""
    chosen = {**CONFIG, "entry_ids": ["multiple_3"]}
    results = finish(tmp_path, chosen)
    check(results, {**chosen, "entry_ids": ["simple_python_1", "multiple_3"]})
    check(results, CONFIG)
    with pytest.raises(ConfigError, match="entry_ids: "):
        check(results, {**chosen, "entry_ids": ["multiple_4"]})


def test_a_damaged_record_is_refused(tmp_path: Path) -> None:
    """What cannot be compared is not replaced."""
    results = finish(tmp_path, CONFIG)
    (tmp_path / "config.yaml").write_text("models: [")
    with pytest.raises(ConfigError, match=r"not readable as YAML .*overwrite=true"):
        check(results, CONFIG)
    check(results, {**CONFIG, "overwrite": True})


@pytest.mark.parametrize(
    ("change", "words"),
    [
        (
            {"form": 2},
            "this run has form 2, and this version of bfcl-pipeline reads form 1: use the version",
        ),
        ({"form": None}, "this run has no form number"),
        ({"form": True}, "this run has form True"),
        ({"journal": None}, "the key 'journal' is missing"),
    ],
)
def test_a_record_of_another_form_is_refused(tmp_path: Path, change: dict[str, Any], words: str) -> None:
    """With what to do; `overwrite` makes the run again."""
    results = finish(tmp_path, CONFIG)
    record = {**yaml.safe_load((tmp_path / "config.yaml").read_text()), **change}
    text = yaml.safe_dump(
        {key: value for key, value in record.items() if value is not None or key not in change}
    )
    (tmp_path / "config.yaml").write_text(text)
    with pytest.raises(ConfigError, match=rf"{words}.*--overwrite"):
        check(results, CONFIG)
    check(results, {**CONFIG, "overwrite": True})


def test_complete_results_have_all_responses_and_no_failures(tmp_path: Path) -> None:
    """A model with failures, fewer categories, fewer entries or a damaged table is not complete."""
    sampled = {**CONFIG, "sample": 20}
    results = finish(tmp_path / "a", sampled)
    assert complete_models(results, load_run(sampled, ROWS)) == {"a-FC", "b"}
    for more in ({"sample": 24}, {"sample": None}, {"categories": ["non_live"], "sample": 1000}):
        assert complete_models(results, load_run({**sampled, **more}, ROWS)) == set()
    (results.folder / "responses/b/multiple.parquet").write_bytes(b"PAR1")
    assert complete_models(results, load_run(sampled, ROWS)) == {"a-FC"}
    failed = finish(tmp_path / "f", sampled, "infrastructure_error")
    assert complete_models(failed, load_run(sampled, ROWS)) == set()


def test_another_way_of_asking_is_refused(tmp_path: Path) -> None:
    """The prompts of the family would replace the answers of a run that asked through its server."""
    name = "Qwen/Qwen3-8B-FC"
    columns: dict[str, Any] = {"kind": "vllm", "model": name.removesuffix("-FC"), "endpoint": None}
    rows = {name: row(name, **columns)}
    results = finish(tmp_path, config := {**CONFIG, "models": [name]}, rows=rows)
    models = yaml.safe_load((tmp_path / "models.yaml").read_text())
    assert models["models"][0]["prompting"] == "server"
    models["models"][0]["vllm"]["tool_parser"] = "hermes"
    (tmp_path / "models.yaml").write_text(yaml.safe_dump(models))
    rows = {name: replace(rows[name], vllm=Serving(tool_parser="hermes"))}
    check(results, config, rows)
    rows = {name: replace(rows[name], prompting="leaderboard", family="qwen3-fc")}
    kept = "kept by `prompting: server` in its row"
    with pytest.raises(ConfigError, match=rf"{name}: prompting server -> leaderboard \({kept}\)\. "):
        check(results, config, rows)


def test_of_options_only_the_changed_one_is_named(tmp_path: Path) -> None:
    """Options that are as before would hide the difference behind the limit on a value's length."""
    name = "org/model"
    rows = {name: row(name, kind="vllm", endpoint=None, options={"top_p": 0.5, "seed": 1})}
    results = finish(tmp_path, config := {**CONFIG, "models": [name]}, rows=rows)
    options = {"top_p": 0.5, "seed": 2}
    rows = {name: replace(rows[name], options=options, vllm=Serving(args=("--enforce-eager",)))}
    with pytest.raises(ConfigError) as caught:
        check(results, config, rows)
    assert f"{name}: options.seed 1 -> 2; {name}: vllm.args () -> ('--enforce-eager',). " in str(
        caught.value
    )


def test_another_search_engine_is_refused_where_it_was_searched(tmp_path: Path) -> None:
    """Proxy and pause, and the engine of models that do not search, may change."""
    searched = {**CONFIG, "categories": ["web_search"], "web": "record"}
    results = finish(tmp_path / "searched", searched)
    with pytest.raises(ConfigError, match="search_engine: duckduckgo -> serpapi"):
        check(results, {**searched, "search_engine": "serpapi"})
    check(results, {**searched, "web_proxy": "none", "web_pause": 60})
    check(finish(tmp_path / "plain", CONFIG), {**CONFIG, "search_engine": "serpapi"})
