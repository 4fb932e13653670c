"""The recorded config of a run, read back."""

from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any, get_args

import pytest
import yaml

from bfcl_pipeline.benchmark.config import Job, JobPaths, ModelRow, load_models, load_run, recorded_models
from bfcl_pipeline.benchmark.config.check import config_schema
from bfcl_pipeline.benchmark.config.run_form import FORM_KEY, RUN_FORM
from bfcl_pipeline.benchmark.config.run_record import recorded_config
from bfcl_pipeline.benchmark.config.run_settings import Answers, Recorded, complete_values
from bfcl_pipeline.benchmark.records import Mode

SHIPPED = Path(__file__).parents[3] / "config"

FORM_1 = """run models categories sample entry_ids seed budget journal trials rules compare report web
fetch_failures search_tool search_engine errata published release encoder containers form"""
"""The keys that every run of form 1 records, and no others: a run that lacks one is refused."""


def test_every_key_says_whether_it_is_recorded_and_which_answers_depend_on_it():
    """In the words that the head of the schema explains; its form is the one that is written and read."""
    keys = config_schema()["properties"]
    for key, about in keys.items():
        assert about["x-recorded"] in get_args(Recorded), key
        assert about["x-answers-depend"] in get_args(Answers), key
        assert key == FORM_KEY or about["x-recomputes"], key
    assert keys[FORM_KEY]["enum"] == [RUN_FORM]


@pytest.mark.parametrize("key", config_schema()["properties"])
def test_what_decides_answers_is_recorded_and_older_runs_stay_readable(key):
    """A later key is recorded if it is set: earlier runs lack it, which means its default, null."""
    about = config_schema()["properties"][key]
    if about["x-answers-depend"] != "none":
        assert about["x-recorded"] != "never", "answers depend on it, so it must be recorded: if-set"
    if about["x-recorded"] == "if-set":
        assert about["default"] is None
    assert (about["x-recorded"] == "always") is (key in FORM_1.split()), "runs of form 1 lack it: if-set"


OTHERWISE = {FORM_KEY, "entry_ids", "replay", "journal", "release", "encoder"}
"""The form; keys that say which files a job reads; one that replaces `sample`; and one that asks nobody."""

OTHER = {
    "models": ["b"],
    "categories": ["multiple"],
    "conditions": ["stream"],
    "models_file": "own.yaml",
    "sample": 5,
    "web_proxy": "none",
    "compare": [["a-FC", "b"]],
    "report": {"entries": "all"},
    "errata": ["own.yaml"],
    "published": [{"path": "scores.csv"}],
    "containers": {"pipeline": "other.sif"},
}


def other_value(key: str, about: Mapping[str, Any]) -> Any:
    """A value of a key that is not its default: of OTHER, or what its schema suggests."""
    if key in OTHER:
        return OTHER[key]
    if "enum" in about:
        return next(value for value in about["enum"] if value != about["default"])
    if about["type"] == "boolean":
        return not about["default"]
    return "other" if "string" in about["type"] else (about["default"] or 0) + 1


def deciding(key: str, value: Any) -> list[Job]:
    """The jobs of a config with that value of a key, without the fields on which no answer depends."""
    asked = {"kind": "openai_chat", "model": "m", "endpoint": "http://localhost:8000/v1"}
    modes = {"a-FC": Mode.FC, "b": Mode.PROMPT}
    rows = {name: ModelRow(name, mode=mode, display_name=name, **asked) for name, mode in modes.items()}
    config = {"models": ["a-FC", "b"], "categories": ["simple_python", "web_search"], "sample": 30}
    return [
        replace(job, run="", replay=False, budget=None, web=job.web.deciding, paths=JobPaths())
        for job in load_run(complete_values({**config, key: value}), rows).jobs
    ]


@pytest.mark.parametrize("key", sorted(config_schema()["properties"].keys() - OTHERWISE))
def test_answers_depend_on_the_keys_that_change_jobs(key):
    """What two values of a key change of a job, may change requests; its annotation must say so."""
    about = config_schema()["properties"][key]
    changed = deciding(key, other_value(key, about)) != deciding("run", "r")
    assert changed is (about["x-answers-depend"] != "none")


def test_rows_are_read_back_as_they_were(tmp_path):
    """Every row of the repository, official ones too, is the same after it was recorded."""
    rows = load_models(SHIPPED / "models.yaml")
    path = tmp_path / "models.yaml"
    path.write_text(recorded_models(rows.values()))
    again = load_models(path)
    assert list(again) == list(rows)
    for name, row in rows.items():
        assert again[name] == row, name


def test_a_row_with_all_keys_is_read_back(tmp_path):
    """Limits, options, shards and resources of a served model included; a key of its own, too."""
    path = tmp_path / "models.yaml"
    path.write_text(
        """
models:
  - {name: a-FC, kind: vllm, vllm: {tool_parser: x, shards: 3, args: [--seed, 7]}, limits: {attempts: 2},
     options: {top_p: null}, resources: {runtime: 30, slurm_partition: gpu}, input_price: 0}
  - {name: b, kind: openai_chat, endpoint: "http://localhost:1/v1"}
  - {name: c, kind: openai_chat, endpoint: "http://localhost:1/v1", key: MINE}
  - {name: d, kind: vllm, backend: endpoint, endpoint: "http://localhost:1/v1"}
"""
    )
    rows = load_models(path)
    path.write_text(recorded_models(rows.values()))
    assert load_models(path) == rows


def test_a_config_is_recorded_without_paths_of_the_machine():
    """Sources are null, and a replay is recorded as the run that it repeats."""
    config = {
        "run": "a",
        "replay": True,
        "release": {"version": "1", "sha256": "0", "source": "/home/me/x.whl"},
        "encoder": {"source": "/home/me/encoder"},
        "published": [{"path": "scores.csv"}],
        "errata": ["/home/me/own.yaml"],
    }
    recorded = yaml.safe_load(recorded_config(config))
    assert recorded == {
        "form": RUN_FORM,
        "run": "a",
        "release": {"version": "1", "sha256": "0", "source": None},
        "encoder": {"source": None},
        "published": [{"path": "scores.csv"}],
        "errata": ["own.yaml"],
    }
    assert config["release"]["source"] == "/home/me/x.whl"


@pytest.mark.parametrize("prompting", ["leaderboard", "server"])
def test_a_record_says_how_a_model_is_asked(tmp_path, prompting):
    """So that it means the same to later versions, whatever families they know."""
    path = tmp_path / "models.yaml"
    path.write_text(
        "models: [{name: Qwen/Qwen3-8B-FC, kind: vllm, vllm: {tool_parser: x},"
        f" prompting: {prompting}}}]"
    )
    rows = load_models(path)
    path.write_text(recorded_models(rows.values()))
    (recorded,) = yaml.safe_load(path.read_text())["models"]
    assert recorded["prompting"] == prompting
    assert recorded.get("family") == ("qwen3-fc" if prompting == "leaderboard" else None)
    assert load_models(path) == rows
