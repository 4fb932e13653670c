"""Counts of a model's memory use: kinds of calls, failures, facts."""

from __future__ import annotations

import pytest

from bfcl_pipeline.benchmark import CATEGORIES, GROUPS
from bfcl_pipeline.records import Call, Entry, Json
from bfcl_pipeline.scoring.memory_use import (
    FUNCTIONS,
    FactCounts,
    MemoryContents,
    contents,
    count_calls,
    failed_calls,
    follow_facts,
)
from bfcl_pipeline.tools import Constants
from bfcl_pipeline.tools.api import effects
from bfcl_pipeline.tools.memory import MEMORIES

LIMITS = {
    f"MAX_{part}_MEMORY_{what}": size
    for part, size in (("CORE", 2), ("ARCHIVAL", 50))
    for what in ("SIZE", "ENTRY_LENGTH")
}
CONSTANTS = Constants(
    {"memory_kv": LIMITS, "memory_vector": LIMITS, "memory_rec_sum": {"MAX_MEMORY_ENTRY_LENGTH": 10}}
)


def kv(core: dict[str, str], archival: dict[str, str] | None = None) -> Json:
    return {"core_memory": core, "archival_memory": archival or {}}


def question(*answers: str) -> Entry:
    return Entry("memory_kv_0-student-0", "memory_kv", (), (), truth=list(answers))


def session(category: str) -> Entry:
    apis = (str(CATEGORIES[category].backend),)
    return Entry(f"{category}_prereq_0-student-0", category, (), (), apis=apis, prerequisite=True)


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
    ("category", "calls", "before", "failed"),
    [
        ("memory_kv", [Call("core_memory_add", {"key": key, "value": "x"}) for key in "abc"], None, 1),
        ("memory_kv", [Call("core_memory_remove", {"key": "a"})] * 2, kv({"a": "x"}), 1),
        ("memory_kv", [Call("core_memory_add", {}), Call("made_up", {}), Call("exit", {})], None, 3),
        ("memory_rec_sum", [Call("memory_append", {"text": "123456"})] * 2, None, 1),
        ("memory_rec_sum", [Call("memory_retrieve", {})], {"memory": '{"error": 1}'}, 0),
        ("memory_vector", [Call("core_memory_update", {"vec_id": 0, "new_text": "x"})], None, 1),
    ],
)
def test_failed_calls_are_found_by_running_them_again(
    category: str, calls: list[Call], before: Json, failed: int
) -> None:
    """Refusals of the memory, wrong arguments and unknown functions fail, from the earlier state."""
    assert failed_calls(session(category), calls, before, CONSTANTS) == failed


def test_a_vector_search_is_counted_without_an_encoder() -> None:
    """A vector search is skipped, and later calls are still run."""
    add = Call("core_memory_add", {"text": "x"})
    calls = [add, Call("core_memory_retrieve", {"query": "x"}), add, add]
    assert failed_calls(session("memory_vector"), calls, None, CONSTANTS) == 1


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


def test_facts_are_followed_from_session_to_session() -> None:
    """Facts that are stored and kept, stored and deleted, stored again, or never stored are
    distinguished."""
    snapshots = [
        kv({"city": "Oslo", "pet": "a cat"}),
        kv({"pet": "a cat"}),
        kv({"pet": "a cat", "city": "Oslo"}, {"x": "38 feet"}),
        kv({"city": "Oslo"}, {"x": "38 feet"}),
    ]
    asked = [question("Oslo"), question("dog", "Cat"), question("38"), question("8"), question()]
    facts = follow_facts(asked, snapshots)
    assert facts == FactCounts(asked=5, stored=3, kept=2)
    assert facts.lost == 1


def test_without_a_session_no_fact_is_stored() -> None:
    """Without a snapshot no fact is stored."""
    assert follow_facts([question("x")], []) == FactCounts(1, 0, 0)
