"""Records of answers: what they have of the answer, and that no answer is too large or hostile for them."""

from __future__ import annotations

import json

import pytest

from bfcl_pipeline.benchmark.config import WebChoice
from bfcl_pipeline.benchmark.records import Mode, Response, Rules, Verdict
from bfcl_pipeline.show.playback.conditions import Conditions
from bfcl_pipeline.show.transcripts.answer import answer_record
from bfcl_pipeline.show.transcripts.memory import MemoriesAround, RecordedMemory
from bfcl_pipeline.show.transcripts.parts import as_json

TALK = "multi_turn_base_60"


@pytest.fixture
def conditions(staged, constants):
    """Those of a run on the simulated web."""
    return Conditions(staged, constants)


@pytest.fixture
def find(entries):
    """A function that returns an entry of a category by its id."""
    return lambda category, entry_id: next(one for one in entries(category) if one.entry_id == entry_id)


HOSTILE = "\x1b[2J</script><b>\u202e\ud800\n"
DEEP = "[" * 100_000 + "]" * 100_000
LARGE = {
    "deep": DEEP,
    "a number of thousands of digits": f"[[[{'9' * 5000}]]]",
    "a text of megabytes": json.dumps("x" * 3_000_000),
    "beyond what is scored": json.dumps([["y" * 21_000_000]]),
    "a hundred thousand empty steps": json.dumps([[""] * 100_000]),
    "a hundred thousand turns": json.dumps([[]] * 100_000),
    "many calls": json.dumps([[[{"cd": '{"folder": "a"}'}] * 9_000]]),
    "long calls": json.dumps([[[{"cd": json.dumps({"folder": "z" * 500_000})}] * 6]]),
    "hostile texts": json.dumps([[[{HOSTILE: json.dumps({HOSTILE: HOSTILE})}], HOSTILE], HOSTILE]),
    "not turns": json.dumps([None, 1, {"a": [[]]}, [None, [None], [[]], {}]]),
}


@pytest.mark.parametrize("result", LARGE.values(), ids=list(LARGE))
@pytest.mark.parametrize(
    ("category", "entry_id"),
    [
        ("multi_turn_base", TALK),
        ("memory_kv", "memory_kv_12-customer-12"),
        ("memory_rec_sum", "memory_rec_sum_prereq_0-customer-0"),
        ("web_search_base", "web_search_base_5"),
        ("simple_python", "simple_python_3"),
        ("irrelevance", "irrelevance_3"),
    ],
)
def test_any_answer_has_a_record_of_bounded_size(find, conditions, category, entry_id, result):
    """Deep, large and hostile answers become records that a page can hold: bounded, printable JSON."""
    response = Response(entry_id, category, Mode.FC, result, model="m", web="simulated")
    verdicts = {Rules.OFFICIAL: Verdict(False, "x", "y")}
    found = answer_record(find(category, entry_id), response, verdicts, conditions)
    text = json.dumps(as_json(found), ensure_ascii=False)
    assert len(text.encode("utf-8")) < 4_000_000
    assert text.isprintable()


@pytest.mark.parametrize(
    "snapshot",
    [
        {"core_memory": {HOSTILE: HOSTILE}, "archival_memory": {"a": [1, None]}},
        {"memory": HOSTILE},
        {"core_memory": HOSTILE, "archival_memory": 1},
        [HOSTILE],
    ],
)
def test_any_memory_has_a_record(find, conditions, snapshot):
    """Also a snapshot of an unrecognized form, which is recorded as it is."""
    entry = find("memory_kv", "memory_kv_prereq_1-customer-1")
    steps = '[[[{"core_memory_list_keys": "{}"}], "x"]]'
    response = Response(entry.entry_id, "memory_kv", Mode.FC, steps, model="m")
    around = MemoriesAround(RecordedMemory(snapshot), RecordedMemory(snapshot))
    found = answer_record(entry, response, {}, conditions, around)
    text = json.dumps(as_json(found), ensure_ascii=False)
    assert text.isprintable()
    assert "1b[2J" in text


def test_a_search_is_readable_hit_by_hit_under_any_name(find, staged, constants):
    """Each hit has a number, and title, address and snippet on lines of their own; a page is its text."""
    conditions = Conditions(staged, constants, web=WebChoice(search_tool="duckduckgo_search"))
    steps = [
        [{"duckduckgo_search": '{"keywords": "city tourists 2024", "max_results": 2}'}],
        [{"fetch_url_content": '{"url": "https://a.example/none"}'}],
    ]
    entry = find("web_search_base", "web_search_base_5")
    response = Response(entry.entry_id, entry.category, Mode.FC, json.dumps([steps]), web="simulated")
    (turn,) = answer_record(entry, response, {}, conditions).turns
    _, first, second, _, failed = turn.steps
    assert (first.label, second.label) == ("1", "2")
    assert [line.partition(":")[0] for line in first.text.split("\n")][1] == "https"
    assert "404 Client Error" in failed.text
