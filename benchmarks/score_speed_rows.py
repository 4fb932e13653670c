"""The rows that are scored for the comparison of speeds: generated outputs, or real ones, repeated.

Covers drawing them, and making repeated ones differ without changing what they do.
"""

from __future__ import annotations

import json
import random
from collections.abc import Callable
from pathlib import Path
from typing import Any

from bfcl_pipeline.benchmark.definition import CATEGORIES, Check
from bfcl_pipeline.benchmark.records import Mode
from bfcl_pipeline.benchmark.tables import entries_path, read_entries, read_table
from tests.peer.trajectories import STYLES, trajectories
from tests.peer.variants import cases

COLUMNS = ("entry_id", "category", "mode", "name_style", "result_json")


def generated(data: Path, count: int, multi_turn: bool) -> list[dict[str, str]]:
    """At most `count` of the outputs that the verdict seam is compared on."""
    entries = [
        entry for name in _categories(multi_turn) for entry in read_entries(entries_path(data, name))
    ]
    made = trajectories(entries, -(-count // len(entries))) if multi_turn else cases(entries)
    rows = [{column: str(getattr(case, column)) for column in COLUMNS} for case in made]
    return random.Random(0).sample(rows, k=min(count, len(rows)))


def drawn(table: Path, count: int, multi_turn: bool, distinct: bool) -> list[dict[str, str]]:
    """`count` rows of a table; each as often as the others. `distinct`: no two are equal."""
    rng = random.Random(0)
    categories = _categories(multi_turn)
    needed = ["entry_id", "category", "mode", "result_json"]
    real = [row for row in read_table(table, needed).to_pylist() if row["category"] in categories]
    differing: Callable[[str, int], str] = _remarked if multi_turn else _padded
    rows: list[dict[str, str]] = []
    for number in range(-(-count // len(real))):
        for row in rng.sample(real, k=min(len(real), count - len(rows))):
            written = differing(row["result_json"], number) if distinct else row["result_json"]
            rows.append({**row, "name_style": STYLES[Mode(row["mode"])], "result_json": written})
    rng.shuffle(rows)
    return [{column: row[column] for column in COLUMNS} for row in rows]


def _categories(multi_turn: bool) -> list[str]:
    return [
        category.name
        for category in CATEGORIES.values()
        if (category.check is Check.MULTI_TURN if multi_turn else category.single_turn)
    ]


def _padded(result_json: str, number: int) -> str:
    """The result with blanks where no reader minds them: after a text, or after the first arguments."""
    blanks = " " * number
    match json.loads(result_json):
        case str(text):
            return json.dumps(text + blanks)
        case [{**first}, *others] if first and all(isinstance(value, str) for value in first.values()):
            return json.dumps([{name: text + blanks for name, text in first.items()}, *others])
    return result_json


def _remarked(result_json: str, number: int) -> str:
    """The conversation with an additional text at its end, which is not a call in any mode."""
    result: Any = json.loads(result_json)
    match result:
        case [*_, [*steps]]:
            return json.dumps([*result[:-1], [*steps, f"Done, for time {number}."]])
    return _padded(result_json, number)
