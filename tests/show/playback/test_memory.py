"""Calls of a memory are run again: their results, failures, and the memory after each."""

from __future__ import annotations

import pytest

from bfcl_pipeline.benchmark.definition import CATEGORIES
from bfcl_pipeline.benchmark.records import Call, Entry, Json
from bfcl_pipeline.show.playback.memory import MemoryStart
from bfcl_pipeline.world.tools import Constants
from tests.support.word_encoder import WordEncoder

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


def session(category: str) -> Entry:
    apis = (str(CATEGORIES[category].backend),)
    return Entry(f"{category}_prereq_0-student-0", category, (), (), apis=apis, prerequisite=True)


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
    repeated = MemoryStart(before, CONSTANTS).repeat(session(category), calls)
    assert sum(call.failed for call in repeated) == failed


def test_a_vector_search_is_counted_without_an_encoder() -> None:
    """A vector search is skipped, and later calls are still run."""
    add = Call("core_memory_add", {"text": "x"})
    calls = [add, Call("core_memory_retrieve", {"query": "x"}), add, add]
    repeated = list(MemoryStart(None, CONSTANTS).repeat(session("memory_vector"), calls))
    assert [call.failed for call in repeated] == [False, False, False, True]
    assert [call.result is None for call in repeated] == [False, True, False, False]


def test_a_vector_search_with_embeddings_has_a_result_and_is_no_failure() -> None:
    """With an encoder the result is known; a search that fails then is still not counted."""
    calls = [
        Call("core_memory_add", {"text": "x"}),
        Call("core_memory_retrieve", {"query": "x"}),
        Call("core_memory_retrieve", {"query": "x", "top_k": -1}),
    ]
    _, found, refused = MemoryStart(None, CONSTANTS, WordEncoder()).repeat(session("memory_vector"), calls)
    assert found.result is not None
    assert '"text": "x"' in found.result
    assert refused.result is not None
    assert refused.result.startswith("Error during execution")
    assert not refused.failed


def test_the_memory_after_each_call_is_known() -> None:
    """The snapshot after a call has what the call changed, and not what a later one does."""
    calls = [Call("core_memory_add", {"key": "a", "value": "x"}), Call("core_memory_clear", {})]
    after = [call.after() for call in MemoryStart(None, CONSTANTS).repeat(session("memory_kv"), calls)]
    assert after == [kv({"a": "x"}), kv({})]


def test_conversations_from_one_memory_do_not_see_each_other() -> None:
    """What one conversation changes, also by a call within a call, the next one does not find."""
    start = MemoryStart(kv({"a": "x"}), CONSTANTS)
    read = Call("core_memory_retrieve", {"key": "a"})
    for changing in (
        Call("core_memory_clear", {}),
        Call("core_memory_retrieve", {"key": Call("core_memory_clear", {})}),
        Call(" core_memory_clear", {}),
        read,
    ):
        list(start.repeat(session("memory_kv"), [changing]))
        (found,) = start.repeat(session("memory_kv"), [read])
        assert found.result == '{"value": "x"}'
