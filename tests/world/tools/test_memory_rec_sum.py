"""What users of the memory of one text rely on, and the bounds."""

from __future__ import annotations

import pytest

from bfcl_pipeline.base.errors import MalformedRelease
from bfcl_pipeline.world.tools import WorldConfig
from bfcl_pipeline.world.tools.api import BoundExceeded
from bfcl_pipeline.world.tools.memory.rec_sum import MAX_REPLACED, MemoryAPI_rec_sum
from tests.world.tools.scenes import scene_test, scenes

INITIAL = {"memory": "a-a"}

SCENES = scenes(
    r"""
# Without a snapshot a memory is empty, and retrieving fails.
given only {}
state.memory => ''
memory_retrieve() => {"error": "Memory is empty."}

# Text is appended, replaces the memory, and is removed; other values become text.
memory_append(text=5) => {"status": "Memory appended."}
memory_retrieve() => {"memory_content": "a-a5"}
memory_update(text='new') => {"status": "Memory updated."}
state.memory => 'new'
memory_clear() => {"status": "Short term memory cleared."}
state.memory => ''

# Every occurrence of a text is replaced; a missing text is reported.
memory_replace(old_text='a', new_text='b') => {"status": "Memory updated."}
memory_replace(old_text='a', new_text='b') => {"error": "Text 'a' not found in memory."}
state.memory => 'b-b'
memory_replace(old_text='', new_text='.') => {"status": "Memory updated."}
state.memory => '.b.-.b.'

# A memory has up to 10,000 characters; a longer text is refused with the name of the operation.
memory_append(text='$X9998') => {"error": "Entry will be too long after appending. Please shorten the
    entry to less than 10000 characters."}
memory_update(text='${X9998}xxx') => {"error": "Entry will be too long after updating. Please shorten
    the entry to less than 10000 characters."}
memory_replace(old_text='a', new_text='${X9998}xxx') => {"error": "Entry will be too long after
    replacing. Please shorten the entry to less than 10000 characters."}
state.memory => 'a-a'
memory_clear() => {"status": "Short term memory cleared."}
memory_append(text='${X9998}xx') => {"status": "Memory appended."}
""",
    X9998="x" * 9_998,
)

test_scenes = scene_test("MemoryAPI_rec_sum", INITIAL, SCENES)


def test_the_system_prompt(setting: WorldConfig) -> None:
    """It has the memory, or states that there is none."""
    said = "There is no content in the memory at this point."
    assert MemoryAPI_rec_sum.load({}, setting).context_text() == said
    assert MemoryAPI_rec_sum.load({"memory": "new"}, setting).context_text() == "new"


def test_replacing_may_pass_the_limit(setting: WorldConfig) -> None:
    """Only the new text of a replacement is checked: the memory may exceed its limit, within a bound."""
    api = MemoryAPI_rec_sum.load({"memory": "a" * 1_000}, setting)
    assert api.memory_replace("a", "x" * 100) == {"status": "Memory updated."}
    assert len(api.snapshot()["memory"]) == 100_000
    with pytest.raises(BoundExceeded, match="1,000,000 characters"):
        api.memory_replace("x", "y" * 11)
    assert len(api.snapshot()["memory"]) == 100_000 < MAX_REPLACED


def test_snapshot_of_another_form(setting: WorldConfig) -> None:
    """A snapshot with a memory that is not text is rejected."""
    with pytest.raises(MalformedRelease, match="memory: expected str, got list"):
        MemoryAPI_rec_sum.load({"memory": []}, setting)
