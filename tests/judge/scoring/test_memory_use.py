"""Counts of a model's memory use: kinds of calls, contents of a memory."""

from __future__ import annotations

import pytest

from bfcl_pipeline.benchmark.definition import CATEGORIES, GROUPS
from bfcl_pipeline.benchmark.records import Call, Json
from bfcl_pipeline.judge.scoring.memory_facts import (
    FUNCTIONS,
    MemoryContents,
    contents,
    count_calls,
)
from bfcl_pipeline.world.tools.api import effects
from bfcl_pipeline.world.tools.memory import MEMORIES


def kv(core: dict[str, str], archival: dict[str, str] | None = None) -> Json:
    return {"core_memory": core, "archival_memory": archival or {}}


def test_every_function_of_every_memory_has_a_role() -> None:
    """The table lists exactly the functions of each memory."""
    assert set(FUNCTIONS) == {CATEGORIES[category].backend for category in GROUPS["memory"]}
    for backend, roles in FUNCTIONS.items():
        assert set(roles) == set(effects(MEMORIES[backend]))


def test_retrieving_by_meaning_is_a_search() -> None:
    """The same function name reads a key in one memory and searches in the other."""
    calls = [Call("core_memory_retrieve", {}), Call("core_memory_retrieve_all", {}), Call("made_up", {})]
    assert count_calls("memory_kv", calls) == {"retrievals": 2, "core_calls": 2}
    assert count_calls("memory_vector", calls) == {"searches": 1, "retrievals": 1, "core_calls": 2}


@pytest.mark.parametrize(
    ("snapshot", "expected"),
    [
        (None, MemoryContents((), ())),
        (kv({"my_city": "Oslo"}, {"a": "b"}), MemoryContents(("my city: Oslo",), ("a: b",))),
        (
            {
                "core_memory": {"next_id": 3, "store": {"2": "x"}},
                "archival_memory": {"next_id": 0, "store": {}},
            },
            MemoryContents(("x",), ()),
        ),
        ({"memory": "all"}, MemoryContents(("all",), ())),
        ({"memory": ""}, MemoryContents((), ())),
    ],
)
def test_contents_of_every_memory_are_texts(snapshot: Json, expected: MemoryContents) -> None:
    """Keys count as words of their texts; an empty memory has none."""
    assert contents(snapshot) == expected
