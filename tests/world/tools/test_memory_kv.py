from __future__ import annotations

import json
import subprocess
import sys
from typing import Any

import pytest

from bfcl_pipeline.base.errors import MalformedRelease
from bfcl_pipeline.benchmark.records import Call
from bfcl_pipeline.world.tools import World, WorldConfig, effects
from bfcl_pipeline.world.tools.memory import MEMORIES
from bfcl_pipeline.world.tools.memory.kv import MAX_KEY, MAX_QUERY_WORDS, MemoryAPI_kv

NOT_FOUND = {"error": "Key not found."}


def kv(setting: WorldConfig, core: dict[str, Any] | None = None, **archival: str) -> MemoryAPI_kv:
    return MemoryAPI_kv.load({"core_memory": core or {}, "archival_memory": archival}, setting)


def run(api: str, setting: WorldConfig, initial: Any, name: str, **arguments: Any) -> str:
    return World.of([api], {api: initial}, setting, "m").run(Call(name, arguments))


def test_empty(setting: WorldConfig) -> None:
    """Without a snapshot a memory is empty, and the system prompt states that."""
    api = MemoryAPI_kv.load({}, setting)
    assert api.snapshot() == {"core_memory": {}, "archival_memory": {}}
    assert api.context_text() == "There is no content in the core memory at this point."


def test_pairs(setting: WorldConfig) -> None:
    """A text is added under a key, found, replaced and removed; numbers become texts."""
    api = kv(setting)
    assert api.core_memory_add("age", 35) == {"status": "Key-value pair added."}  # type: ignore[arg-type]
    assert api.core_memory_add("age", "36") == {"error": "Key name must be unique."}
    assert api.core_memory_retrieve("age") == {"value": "35"}
    assert api.core_memory_replace("age", "36") == {"status": "Key replaced."}
    assert api.core_memory_retrieve_all() == {"age": "36"}
    assert api.core_memory_remove("age") == {"status": "Key removed."}
    assert [api.core_memory_remove("age"), api.core_memory_replace("age", "")] == [NOT_FOUND, NOT_FOUND]
    assert api.core_memory_list_keys() == {"keys": []}


def test_parts_are_separate(setting: WorldConfig) -> None:
    """The two parts have separate contents, and different result texts."""
    api = kv(setting, {"name": "Ann"}, name="Bob")
    assert api.archival_memory_add("age", "3") == {"status": "Key added."}
    assert api.archival_memory_retrieve("name") == {"value": "Bob"}
    assert api.archival_memory_clear() == {"status": "Long term memory cleared."}
    assert api.core_memory_retrieve("name") == {"value": "Ann"}
    assert api.core_memory_clear() == {"status": "Short term memory cleared."}
    assert api.core_memory_retrieve("name") == NOT_FOUND


@pytest.mark.parametrize(
    ("key", "taken"),
    [("a", True), ("trip_to_rome_2", True), ("a\n", True), ("a\n\n", False), ("", False), ("a__b", False),
     ("_a", False), ("a_", False), ("2a", False), ("a b", False), ("Name", False), ("näme", False)],
)  # fmt: skip
def test_keys(setting: WorldConfig, key: str, taken: bool) -> None:
    """Keys are lower-case words joined by underscores; one final line break is accepted."""
    wrong = {"error": "Key must be in snake_case format and cannot contain spaces."}
    assert (kv(setting).archival_memory_add(key, "x") != wrong) is taken


def test_limits(setting: WorldConfig) -> None:
    """The core part has 7 texts of 300 characters, the other 50 of 2,000; a full part can be changed."""
    api = kv(setting, {f"a{i}": "" for i in range(6)}, **{f"a{i}": "" for i in range(49)})
    too_long = "Entry is too long. Please shorten the entry to less than {} characters."
    assert api.core_memory_add("b", "x" * 301) == {"error": too_long.format(300)}
    assert api.archival_memory_add("b", "x" * 2001) == {"error": too_long.format(2000)}
    assert "status" in api.core_memory_add("b", "x" * 300)
    assert "status" in api.archival_memory_add("b", "x" * 2000)
    assert api.core_memory_add("c", "") == {"error": "Core memory is full. Please clear some entries."}
    assert api.archival_memory_add("c", "") == {
        "error": "Long term memory is full. Please clear some entries."
    }
    assert api.core_memory_replace("b", "x" * 301) == {"error": too_long.format(300)}
    assert "status" in api.core_memory_replace("b", "y")


def test_search(setting: WorldConfig) -> None:
    """Keys with rare words of the query are returned first, among equals the older; `k` limits their
    number."""
    api = kv(setting, dict.fromkeys(("user_name", "dog_name", "user_age", "order"), ""))
    ranked = api.core_memory_key_search("What NAME has the dog")["ranked_results"]
    assert [key for _, key in ranked] == ["dog_name", "user_name", "user_age", "order"]
    assert ranked[1][0] > ranked[2][0] == ranked[3][0] > 0
    assert all(type(score) is float for score, _ in ranked)
    assert api.core_memory_key_search("dog name", k=1)["ranked_results"] == [ranked[0]]
    assert len(api.core_memory_key_search("dog", k=-1)["ranked_results"]) == 3


def test_search_is_printed_as_plain_numbers(setting: WorldConfig) -> None:
    """Scores print as Python floats, also in an argument of another call."""
    world = World.of(
        ["MemoryAPI_kv"], {"MemoryAPI_kv": kv(setting, {"a": "", "b": ""}).snapshot()}, setting, "m"
    )
    search = Call("core_memory_key_search", {"query": "a", "k": 1})
    assert world.run(search) == '{"ranked_results": [[2.1972245773362196, "a"]]}'
    world.run(Call("archival_memory_add", {"key": "found", "value": search}))
    found = json.loads(world.run(Call("archival_memory_retrieve", {"key": "found"})))
    assert found == {"value": "{'ranked_results': [(2.1972245773362196, 'a')]}"}


@pytest.mark.parametrize(
    ("core", "arguments", "error"),
    [
        ({}, {"query": "x"}, "division by zero"),
        ({}, {"query": 5}, "division by zero"),
        ({"a": ""}, {"query": 5}, "'int' object has no attribute 'replace'"),
        (
            {"a": ""},
            {"query": "x", "k": "2"},
            "slice indices must be integers or None or have an __index__ method",
        ),
    ],
)
def test_search_fails(setting: WorldConfig, core: Any, arguments: Any, error: str) -> None:
    """Searching an empty part divides by zero; arguments of wrong types fail with Python's messages."""
    initial = {"core_memory": core, "archival_memory": {}}
    text = run("MemoryAPI_kv", setting, initial, "core_memory_key_search", **arguments)
    assert text == f"Error during execution: {error}"


def test_snapshot(setting: WorldConfig) -> None:
    """A snapshot loads as the same memory, in the same order, without shared objects."""
    core = {"z": "1", "a": "ü"}
    api = kv(setting, core, b="2")
    snapshot = json.loads(json.dumps(api.snapshot()))
    assert list(MemoryAPI_kv.load(snapshot, setting).state.core_memory) == ["z", "a"]
    assert api.context_text() == '{\n    "z": "1",\n    "a": "\\u00fc"\n}'
    api.snapshot()["core_memory"]["x"] = "y"
    api.core_memory_remove("z")
    assert api.snapshot()["core_memory"] == {"a": "ü"}
    assert core == {"z": "1", "a": "ü"}


def test_damaged_snapshot(setting: WorldConfig) -> None:
    """A snapshot without one of the parts is refused."""
    with pytest.raises(MalformedRelease, match="archival_memory"):
        MemoryAPI_kv.load({"core_memory": {}}, setting)


@pytest.mark.parametrize("name", MEMORIES)
def test_internal_methods_cannot_be_called(setting: WorldConfig, name: str) -> None:
    """A model can neither take a snapshot nor read the system prompt's text by a call."""
    assert not {"snapshot", "context_text", "load"} & set(effects(MEMORIES[name]))
    assert run(name, setting, {}, "snapshot") == "Error during execution: name 'snapshot' is not defined"


def test_bounds(setting: WorldConfig) -> None:
    """Keys and queries that would make a search slow are refused."""
    key = "a_" * MAX_KEY + "b"
    assert "a key has at most" in run("MemoryAPI_kv", setting, {}, "core_memory_add", key=key, value="")
    initial = {"core_memory": {"a": ""}, "archival_memory": {}}
    query = "a " * (MAX_QUERY_WORDS + 1)
    assert "a query has at most" in run(
        "MemoryAPI_kv", setting, initial, "core_memory_key_search", query=query
    )


def test_heavy_libraries_load_where_they_are_used() -> None:
    """Importing the simulated APIs imports neither numpy nor libraries that need it."""
    program = (
        "import sys, bfcl_pipeline.world.tools; print({'numpy', 'faiss', 'rank_bm25'} & set(sys.modules))"
    )
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "set()"
