"""The recorded config of a run, read back."""

from pathlib import Path
from typing import Any

import pytest
import yaml

from bfcl_pipeline.config import (
    RunSample,
    SampleBy,
    load_models,
    recorded_config,
    recorded_models,
    recorded_sample,
    sizes_in_means,
)
from bfcl_pipeline.config.run_form import RUN_FORM

SHIPPED = Path(__file__).parents[2] / "config"


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
    }
    recorded = yaml.safe_load(recorded_config(config))
    assert recorded == {
        "form": RUN_FORM,
        "run": "a",
        "release": {"version": "1", "sha256": "0", "source": None},
        "encoder": {"source": None},
    }
    assert config["release"]["source"] == "/home/me/x.whl"


@pytest.mark.parametrize(
    ("value", "sample"),
    [
        (None, None),
        (20, RunSample(20)),
        ({"entries": 1000, "by": "weight"}, RunSample(1000, SampleBy.WEIGHT)),
        ({"by": "size", "entries": 7}, RunSample(7)),
    ],
)
def test_the_sample_is_read_back(tmp_path: Path, value: Any, sample: RunSample | None) -> None:
    """From the recorded config as it is written; only a sample by weight has sizes of its own in means."""
    pin = {"version": "1", "sha256": "0", "source": None}
    text = recorded_config({"run": "a", "sample": value, "release": pin, "encoder": {"source": None}})
    assert RunSample.of(value) == recorded_sample(text) == sample
    assert sizes_in_means(tmp_path) is None
    (tmp_path / "config.yaml").write_text(text)
    sizes = sizes_in_means(tmp_path)
    assert (sizes or {}).get("live_multiple") == (1053 if sample and sample.by is SampleBy.WEIGHT else None)


EARLIER = """
models:
- backend: endpoint
  display_name: Qwen3-8B (FC)
  endpoint: http://127.0.0.1:9/v1
  kind: vllm
  limits: {attempts: 6, in_flight: 32, retry_seconds: 1.0, seconds: 600.0}
  mode: fc
  model: Qwen/Qwen3-8B
  name: Qwen/Qwen3-8B-FC
  vllm: {args: [], gpus: 1, shards: 1, tool_parser: hermes}
- {display_name: oracle-FC, kind: oracle, mode: fc, name: oracle-FC}
"""
"""Rows as versions recorded them that asked all models by chat completions."""


def test_a_record_without_prompting_was_asked_by_its_server(tmp_path):
    """Only in a record: in a models file, the same row is asked by the prompts of its family."""
    path = tmp_path / "models.yaml"
    path.write_text(EARLIER)
    earlier, now = (load_models(path, recorded=recorded)["Qwen/Qwen3-8B-FC"] for recorded in (True, False))
    assert (earlier.prompting, earlier.family) == ("server", None)
    assert (now.prompting, now.family) == ("leaderboard", "qwen3-fc")


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
    assert load_models(path, recorded=True) == rows
