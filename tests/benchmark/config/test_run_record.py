"""The recorded config of a run, read back."""

from pathlib import Path
from typing import get_args

import pytest
import yaml

from bfcl_pipeline.benchmark.config import load_models, recorded_models
from bfcl_pipeline.benchmark.config.check import config_schema
from bfcl_pipeline.benchmark.config.run_form import FORM_KEY, RUN_FORM
from bfcl_pipeline.benchmark.config.run_record import recorded_config
from bfcl_pipeline.benchmark.config.run_settings import Answers, Recorded

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
        "published": [{"path": "/home/me/data_overall.csv"}],
        "errata": ["/home/me/own.yaml"],
    }
    recorded = yaml.safe_load(recorded_config(config))
    assert recorded == {
        "form": RUN_FORM,
        "run": "a",
        "release": {"version": "1", "sha256": "0", "source": None},
        "encoder": {"source": None},
        "published": [{"path": "data_overall.csv"}],
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
