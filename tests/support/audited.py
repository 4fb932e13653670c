"""Small entries for the tests of detectors, and what a detector finds on them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from bfcl_pipeline.benchmark.definition import CATEGORIES, category_of
from bfcl_pipeline.benchmark.records import Entry, Rules
from bfcl_pipeline.judge.audit import Benchmark, Suspicion, find
from bfcl_pipeline.judge.scoring import NO_CONSTANTS
from bfcl_pipeline.world.tools import Constants


def user(text: str) -> tuple[dict[str, str], ...]:
    """The messages of a turn."""
    return ({"role": "user", "content": text},)


def single_turn(
    entry_id: str,
    request: str = "Do it.",
    truth: Mapping[str, Sequence[Any]] | None = None,
    properties: Mapping[str, Any] | None = None,
    required: Sequence[str] = (),
    also: Sequence[str] = (),
) -> Entry:
    """An entry that offers the function f with `properties`, and those named in `also`.

    truth: accepted values by parameter of the demanded call of f; None: no call is demanded.
    """
    names = ("f", *also)
    docs = [
        {"name": name, "description": "d", "parameters": {"properties": {}, "required": []}}
        for name in names
    ]
    docs[0]["parameters"] = {"properties": dict(properties or {}), "required": list(required)}
    calls = None if truth is None else [{"f": dict(truth)}]
    return Entry(entry_id, category_of(entry_id), (user(request),), tuple(docs), calls)


def benchmark(*entries: Entry, constants: Constants = NO_CONSTANTS) -> Benchmark:
    """The entries by category, in the benchmark's order."""
    by_category: dict[str, list[Entry]] = {}
    for name in CATEGORIES:
        found = [entry for entry in entries if entry.category == name]
        if found:
            by_category[name] = found
    return Benchmark(by_category, constants)


def found(
    detector: str, *entries: Entry, constants: Constants = NO_CONSTANTS, rules: Rules = Rules.OFFICIAL
) -> list[Suspicion]:
    """What one detector finds on the entries."""
    return find(benchmark(*entries, constants=constants), [detector], rules=rules)
