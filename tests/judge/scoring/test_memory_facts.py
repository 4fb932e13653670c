"""Facts are followed through the states of a memory."""

from __future__ import annotations

from bfcl_pipeline.benchmark.records import Entry
from bfcl_pipeline.judge.scoring.memory_facts import (
    Action,
    FactEvent,
    FactTracker,
    MemoryContents,
    mentions,
    readable,
)


def question(number: int, *answers: str) -> Entry:
    return Entry(f"memory_kv_{number}", "memory_kv", (), (), truth=list(answers))


def texts(*core: str, archival: tuple[str, ...] = ()) -> MemoryContents:
    return MemoryContents(core, archival)


def test_facts_are_followed_from_state_to_state() -> None:
    """Facts that are kept, lost, stored again, lost within a session or never stored are
    distinguished."""
    asked = [
        question(0, "Oslo"),
        question(1, "dog", "Cat"),
        question(2, "38"),
        question(3, "8"),
        question(4),
    ]
    tracker = FactTracker(asked)
    remove = FactEvent("s1", 2, 1, action=Action.REMOVE, fill=0.5)
    tracker.observe(texts("city: Oslo", "38 feet"), FactEvent("s0", 1, 1))
    tracker.observe(texts("city: Oslo"), FactEvent("s0", 1, 2))
    tracker.end_session(texts("city: Oslo", "pet: a cat"), "s0")
    tracker.observe(texts(), remove)
    tracker.end_session(texts(archival=("Oslo!",)), "s1")
    city, pet, feet, short, none = tracker.histories().values()
    assert (city.stored, city.lost, city.in_core, city.in_archival) == (
        FactEvent("s0", 1, 1),
        None,
        False,
        True,
    )
    assert (pet.stored, pet.lost, pet.lost_within) == (FactEvent("s0"), remove, False)
    assert (feet.lost, feet.lost_within) == (FactEvent("s0", 1, 2), True)
    assert (short.stored, none.stored, none.kept) == (None, None, False)
    assert tracker.texts_with_facts() == 1


def test_an_answer_is_mentioned_between_word_boundaries() -> None:
    """An occurrence within a word does not hide a later one."""
    assert mentions("on 7 may", ["7"])
    assert mentions("17 and 7", ["7"])
    assert not mentions("17", ["7"])


def test_results_are_read_as_texts_and_keys_but_not_as_numbers() -> None:
    """Escapes are undone, the words of keys count, and scores and numbers do not."""
    result = '{"ranked_results": [[7.5, "home_town"]], "result": [{"id": 3, "text": "caf\\u00e9\\nnew"}]}'
    read = readable(result)
    assert mentions(read, ["home town"])
    assert mentions(read, ["café"])
    assert mentions(read, ["new"])
    assert not mentions(read, ["3"])
    assert mentions(readable("Error: a text that is not JSON"), ["text"])
