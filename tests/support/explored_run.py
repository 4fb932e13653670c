"""A small run of the two embedded models, made by the commands that the workflow calls, in this process.

Also reads the blocks of its page.
"""

from __future__ import annotations

import base64
import gzip
import json
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from bfcl_pipeline.benchmark.definition import category_of
from bfcl_pipeline.cli import main

MODELS = ("oracle", "lexical")

ENTRIES = (
    "simple_python_0",
    "simple_python_1",
    "simple_python_2",
    "irrelevance_3",
    "live_simple_0-0-0",
    "multi_turn_base_0",
    "multi_turn_base_3",
    "multi_turn_miss_func_1",
    "memory_kv_0-customer-0",
    "web_search_base_5",
)
"""Of every kind; the sessions before the question about a memory are played as well."""


def make_explored_run(run: Path, data: Path, entry_ids: Sequence[str] = ENTRIES) -> None:
    """Writes responses, sessions, verdicts and tables to `run`, a directory; data: the staged release."""
    categories = list(dict.fromkeys(map(category_of, entry_ids)))
    for model in MODELS:
        responses = run / "responses" / model
        asked = ["--category", *categories, "--entry-ids", *entry_ids, "--data", str(data)]
        outputs = ["--out", str(responses), "--sessions-out", str(run / "memory" / model)]
        assert main(["generate", "--run", run.name, "--model", model, *asked, *outputs]) == 0
        tables = [str(responses / f"{category}.parquet") for category in categories]
        verdicts = str(run / "verdicts" / f"{model}.parquet")
        assert main(["score", *tables, "--out", verdicts, "--data", str(data), "--rules", "all"]) == 0
    assert main(["aggregate", str(run), "--data", str(data)]) == 0


def unpacked(text: str) -> Any:
    """The value of a block, as a browser reads it."""
    return json.loads(gzip.decompress(base64.b64decode(text)))


def with_items(value: Any, items: list[Any]) -> Any:
    """A value of a block with its items in place of their numbers, as the script of the page does it."""
    if isinstance(value, list):
        return [with_items(part, items) for part in value]
    if not isinstance(value, dict) or "kind" in value:
        return value
    if "item" in value:
        return items[value["item"]]
    return {key: with_items(part, items) for key, part in value.items()}
