"""What can explain a difference between two models."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
import yaml

from bfcl_pipeline.benchmark.config import load_models, recorded_models
from bfcl_pipeline.runs.run import Run
from bfcl_pipeline.show.compare.causes import causes
from tests.support.run_form import recorded

API = {"name": "m-FC", "kind": "openai_chat", "endpoint": "http://localhost:1/v1"}
ORACLE = {"name": "m-FC", "kind": "oracle"}
FOUND = {"name": "m-FC", "kind": "results", "path": "found.jsonl"}


def made(folder: Path, row: dict[str, Any], config: dict[str, Any]) -> Run:
    """A run of one model with this row and this config, without journals."""
    folder.mkdir()
    (folder / "rows.yaml").write_text(yaml.safe_dump({"models": [row]}))
    (folder / "models.yaml").write_text(recorded_models(load_models(folder / "rows.yaml").values()))
    keys = {"models": ["m-FC"], "categories": ["simple_python", "web_search_base"], **config}
    (folder / "config.yaml").write_text(recorded(yaml.safe_dump(keys)))
    return Run(folder, folder / "cache")


@pytest.mark.parametrize(
    ("row", "row_of_other", "config", "changed", "explained"),
    [
        (ORACLE, {}, {}, [], "by nothing but noise"),
        (ORACLE, {}, {"sample": 7}, ["sample"], "by nothing but noise"),
        (ORACLE, {"display_name": "M"}, {"budget": 3}, [], "by nothing but noise"),
        (API, {}, {}, [], "by nothing but the server (not recorded) or noise"),
        (FOUND, {"path": "other.jsonl"}, {}, [], "by nothing but the server (not recorded) or noise"),
        (API, {"endpoint": "http://a.b/v1"}, {}, ["endpoint"], "by nothing but the server or noise"),
        (
            API,
            {"options": {"top_p": 0.5}, "endpoint": "http://a.b/v1"},
            {},
            ["endpoint", "options.top_p"],
            "by options.top_p, endpoint; or noise",
        ),
        (API, {}, {"web": "off"}, ["web"], "by web; or noise"),
        (
            ORACLE,
            {},
            {"fetch_failures": 0.5, "seed": 3},
            ["seed", "fetch_failures"],
            "by fetch_failures; or noise",
        ),
        (ORACLE, {}, {"categories": ["simple_python"], "web": "off"}, [], "by nothing but noise"),
    ],
)
def test_settings_on_which_answers_depend_explain_a_difference(
    row: dict[str, Any],
    row_of_other: dict[str, Any],
    config: dict[str, Any],
    changed: list[str],
    explained: str,
    tmp_path: Path,
) -> None:
    """Entries, names and prices explain nothing; what is not recorded is not taken to be the same."""
    one, two = made(tmp_path / "one", row, {}), made(tmp_path / "two", {**row, **row_of_other}, config)
    pair = ("m-FC", "m-FC")
    found = causes(one, two, pair, None)
    assert ([each.path for each in found.changed or ()], found.explained) == (changed, explained)
    (tmp_path / "two/models.yaml").unlink()
    bare = causes(one, Run(tmp_path / "two"), pair, None)
    assert (bare.changed, bare.explained) == (None, "not known: a side did not record its settings")
