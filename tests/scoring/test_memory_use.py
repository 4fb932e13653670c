"""What a model does with its memory: kinds of calls, failures, facts."""

from __future__ import annotations

import pytest

from bfcl_pipeline.benchmark import GROUPS
from bfcl_pipeline.records import Call, Entry, Json
from bfcl_pipeline.scoring.memory_use import (
    FUNCTIONS,
    Contents,
    Facts,
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
    api = category.replace("memory_", "MemoryAPI_")
    return Entry(f"{category}_prereq_0-student-0", category, (), (), apis=(api,), prerequisite=True)


def test_every_function_of_every_memory_has_a_kind() -> None:
    """No function of a memory is missing, and none is made up."""
    assert set(FUNCTIONS) == set(GROUPS["memory"])
    for category, kinds in FUNCTIONS.items():
        assert set(kinds) == set(effects(MEMORIES[category.replace("memory_", "MemoryAPI_")]))


def test_retrieving_by_meaning_is_a_search() -> None:
    """The same name reads a key in one memory and searches in the other."""
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
def test_failed_calls_are_found_by_making_them_again(
    category: str, calls: list[Call], before: Json, failed: int
) -> None:
    """Refusals of the memory, wrong arguments and unknown functions fail, from the state before."""
    assert failed_calls(session(category), calls, before, CONSTANTS) == failed


def test_a_search_by_meaning_needs_no_encoder_here() -> None:
    """It is passed over, and what comes after it is still made."""
    add = Call("core_memory_add", {"text": "x"})
    calls = [add, Call("core_memory_retrieve", {"query": "x"}), add, add]
    assert failed_calls(session("memory_vector"), calls, None, CONSTANTS) == 1


@pytest.mark.parametrize(
    ("snapshot", "expected"),
    [
        (None, Contents((), ())),
        (kv({"my_city": "Oslo"}, {"a": "b"}), Contents(("my city: Oslo",), ("a: b",))),
        (
            {
                "core_memory": {"next_id": 3, "store": {"2": "x"}},
                "archival_memory": {"next_id": 0, "store": {}},
            },
            Contents(("x",), ()),
        ),
        ({"memory": "all"}, Contents(("all",), ())),
        ({"memory": ""}, Contents((), ())),
    ],
)
def test_contents_of_every_memory_are_texts(snapshot: Json, expected: Contents) -> None:
    """Keys count as words of their texts; an empty memory has none."""
    assert contents(snapshot) == expected


def test_facts_are_followed_from_session_to_session() -> None:
    """Stored and kept, stored and deleted, stored again after that, never stored."""
    snapshots = [
        kv({"city": "Oslo", "pet": "a cat"}),
        kv({"pet": "a cat"}),
        kv({"pet": "a cat", "city": "Oslo"}, {"x": "38 feet"}),
        kv({"city": "Oslo"}, {"x": "38 feet"}),
    ]
    asked = [question("Oslo"), question("dog", "Cat"), question("38"), question("8"), question()]
    facts = follow_facts(asked, snapshots)
    assert facts == Facts(asked=5, stored=3, kept=2)
    assert facts.lost == 1


def test_without_a_session_nothing_is_kept() -> None:
    """No snapshot, no fact."""
    assert follow_facts([question("x")], []) == Facts(1, 0, 0)
