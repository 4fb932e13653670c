"""What users of the memory of keys and texts rely on, the release's quirks, and the bounds."""

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
from tests.world.tools.scenes import scene_test, scenes

INITIAL: dict[str, Any] = {"core_memory": {}, "archival_memory": {}}

SCENES = scenes(
    r"""
# Without a snapshot a memory is empty.
given only {}
state.core_memory => {}
state.archival_memory => {}

# A text is added under a key, found, replaced and removed; numbers become texts.
core_memory_add(key='age', value=35) => {"status": "Key-value pair added."}
core_memory_add(key='age', value='36') => {"error": "Key name must be unique."}
core_memory_retrieve(key='age') => {"value": "35"}
core_memory_replace(key='age', value='36') => {"status": "Key replaced."}
core_memory_retrieve_all() => {"age": "36"}
core_memory_remove(key='age') => {"status": "Key removed."}
core_memory_remove(key='age') => {"error": "Key not found."}
core_memory_replace(key='age', value='') => {"error": "Key not found."}
core_memory_list_keys() => {"keys": []}

# The two parts have separate contents, and different result texts.
given {'core_memory': {'name': 'Ann'}, 'archival_memory': {'name': 'Bob'}}
archival_memory_add(key='age', value='3') => {"status": "Key added."}
archival_memory_retrieve(key='name') => {"value": "Bob"}
archival_memory_clear() => {"status": "Long term memory cleared."}
core_memory_retrieve(key='name') => {"value": "Ann"}
core_memory_clear() => {"status": "Short term memory cleared."}
core_memory_retrieve(key='name') => {"error": "Key not found."}

# The core part has 7 texts of 300 characters, and can be changed when it is full.
given {'core_memory': {'a': '', 'b': '', 'c': '', 'd': '', 'e': '', 'f': ''}}
core_memory_add(key='g', value='${X300}x') => {"error": "Entry is too long. Please shorten the entry to
    less than 300 characters."}
core_memory_add(key='g', value='$X300') => {"status": "Key-value pair added."}
core_memory_add(key='h', value='') => {"error": "Core memory is full. Please clear some entries."}
core_memory_replace(key='g', value='${X300}x') => {"error": "Entry is too long. Please shorten the entry
    to less than 300 characters."}
core_memory_replace(key='g', value='y') => {"status": "Key replaced."}

# The archival part has 50 texts of 2,000 characters.
given {'archival_memory': $FULL}
archival_memory_add(key='b', value='${X2000}x') => {"error": "Entry is too long. Please shorten the
    entry to less than 2000 characters."}
archival_memory_add(key='b', value='$X2000') => {"status": "Key added."}
archival_memory_add(key='c', value='') => {"error": "Long term memory is full. Please clear some
    entries."}

# Keys with rare words of the query are returned first, among equals the older; `k` limits their number.
given {'core_memory': {'user_name': '', 'dog_name': '', 'user_age': '', 'order': ''}}
core_memory_key_search(query='What NAME has the dog') => {"ranked_results": [[4.89889649802071,
    "dog_name"], [3.3866729561363202, "user_name"], [2.5257286443082556, "user_age"],
    [2.5257286443082556, "order"]]}
core_memory_key_search(query='dog name', k=1) => {"ranked_results": [[4.89889649802071, "dog_name"]]}
core_memory_key_search(query='dog', k=-1) => {"ranked_results": [[3.12166145431849, "dog_name"],
    [1.6094379124341003, "user_name"], [1.6094379124341003, "user_age"]]}

# Scores print as Python floats, also in an argument of another call.
given {'core_memory': {'a': '', 'b': ''}}
core_memory_key_search(query='a', k=1) => {"ranked_results": [[2.1972245773362196, "a"]]}
archival_memory_add(key='found', value=core_memory_key_search(query='a', k=1)) => {"status": "Key
    added."}
archival_memory_retrieve(key='found') => {"value": "{'ranked_results': [(2.1972245773362196, 'a')]}"}

# Searching an empty part divides by zero.
core_memory_key_search(query='x') => Error during execution: division by zero
core_memory_key_search(query=5) => Error during execution: division by zero

# Arguments of wrong types fail with Python's messages.
given {'core_memory': {'a': ''}}
core_memory_key_search(query=5) => Error during execution: 'int' object has no attribute 'replace'
core_memory_key_search(query='x', k='2') => Error during execution: slice indices must be integers or
    None or have an __index__ method
""",
    X300="x" * 300,
    X2000="x" * 2_000,
    FULL=repr({f"a{number}": "" for number in range(49)}),
)

test_scenes = scene_test("MemoryAPI_kv", INITIAL, SCENES)


def run(api: str, setting: WorldConfig, initial: Any, name: str, **arguments: Any) -> str:
    return World.of([api], {api: initial}, setting, "m").run(Call(name, arguments))


@pytest.mark.parametrize(
    ("key", "taken"),
    [("a", True), ("trip_to_rome_2", True), ("a\n", True), ("a\n\n", False), ("", False), ("a__b", False),
     ("_a", False), ("a_", False), ("2a", False), ("a b", False), ("Name", False), ("näme", False)],
)  # fmt: skip
def test_keys(setting: WorldConfig, key: str, taken: bool) -> None:
    """Keys are lower-case words joined by underscores; one final line break is accepted."""
    wrong = {"error": "Key must be in snake_case format and cannot contain spaces."}
    assert (MemoryAPI_kv.load({}, setting).archival_memory_add(key, "x") != wrong) is taken


def test_snapshot(setting: WorldConfig) -> None:
    """A snapshot loads as the same memory, in the same order, without shared objects."""
    core = {"z": "1", "a": "ü"}
    api = MemoryAPI_kv.load({"core_memory": core, "archival_memory": {"b": "2"}}, setting)
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
