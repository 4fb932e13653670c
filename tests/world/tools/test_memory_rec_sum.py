from __future__ import annotations

import pytest

from bfcl_pipeline.base.errors import MalformedRelease
from bfcl_pipeline.world.tools import WorldConfig
from bfcl_pipeline.world.tools.api import BoundExceeded
from bfcl_pipeline.world.tools.memory.rec_sum import MAX_REPLACED, MemoryAPI_rec_sum

UPDATED = {"status": "Memory updated."}


def memory(setting: WorldConfig, text: str = "") -> MemoryAPI_rec_sum:
    return MemoryAPI_rec_sum.load({"memory": text}, setting)


def test_empty(setting: WorldConfig) -> None:
    """Without a snapshot a memory is empty: retrieving fails, and the system prompt states that."""
    api = MemoryAPI_rec_sum.load({}, setting)
    assert api.snapshot() == {"memory": ""}
    assert api.memory_retrieve() == {"error": "Memory is empty."}
    assert api.context_text() == "There is no content in the memory at this point."


def test_writing(setting: WorldConfig) -> None:
    """Text is appended, replaces the memory, and is removed; other values become text."""
    api = memory(setting, "a")
    assert api.memory_append(5) == {"status": "Memory appended."}  # type: ignore[arg-type]
    assert api.memory_retrieve() == {"memory_content": "a5"}
    assert api.memory_update("new") == UPDATED
    assert api.context_text() == "new"
    assert api.memory_clear() == {"status": "Short term memory cleared."}
    assert api.snapshot() == {"memory": ""}


def test_replacing(setting: WorldConfig) -> None:
    """Every occurrence of a text is replaced; a missing text is reported."""
    api = memory(setting, "a-a")
    assert api.memory_replace("a", "b") == UPDATED
    assert api.memory_replace("a", "b") == {"error": "Text 'a' not found in memory."}
    assert api.snapshot() == {"memory": "b-b"}
    assert api.memory_replace("", ".") == UPDATED
    assert api.snapshot() == {"memory": ".b.-.b."}


def test_limit(setting: WorldConfig) -> None:
    """A memory has up to 10,000 characters; a longer text is refused with the name of the operation."""
    error = "Entry will be too long after {}. Please shorten the entry to less than 10000 characters."
    api = memory(setting, "ab")
    assert api.memory_append("x" * 9_999) == {"error": error.format("appending")}
    assert api.memory_update("x" * 10_001) == {"error": error.format("updating")}
    assert api.memory_replace("a", "x" * 10_001) == {"error": error.format("replacing")}
    assert api.snapshot() == {"memory": "ab"}
    assert api.memory_append("x" * 9_998) == {"status": "Memory appended."}


def test_replacing_may_pass_the_limit(setting: WorldConfig) -> None:
    """Only the new text of a replacement is checked: the memory may exceed its limit, within a bound."""
    api = memory(setting, "a" * 1_000)
    assert api.memory_replace("a", "x" * 100) == UPDATED
    assert len(api.snapshot()["memory"]) == 100_000
    with pytest.raises(BoundExceeded, match="1,000,000 characters"):
        api.memory_replace("x", "y" * 11)
    assert len(api.snapshot()["memory"]) == 100_000 < MAX_REPLACED


def test_snapshot_of_another_form(setting: WorldConfig) -> None:
    """A snapshot with a memory that is not text is rejected."""
    with pytest.raises(MalformedRelease, match="memory: expected str, got list"):
        MemoryAPI_rec_sum.load({"memory": []}, setting)
