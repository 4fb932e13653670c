"""Records of answers: what they have of the answer, and that no answer is too large or hostile for them."""

from __future__ import annotations

import json

import pytest

from bfcl_pipeline.ask.models.oracle import DONE
from bfcl_pipeline.benchmark.config import WebChoice
from bfcl_pipeline.benchmark.records import Mode, Response, Rules, Status, Verdict
from bfcl_pipeline.judge.scoring import Judge
from bfcl_pipeline.show.playback.conditions import Conditions
from bfcl_pipeline.show.transcripts.answer import answer_record
from bfcl_pipeline.show.transcripts.memory import MemoriesAround, RecordedMemory
from bfcl_pipeline.show.transcripts.parts import TERMINAL, Item, Kind, as_json

TALK = "multi_turn_base_60"


@pytest.fixture
def conditions(staged, constants):
    """Those of a run on the simulated web."""
    return Conditions(staged, constants)


@pytest.fixture
def find(entries):
    """A function that returns an entry of a category by its id."""
    return lambda category, entry_id: next(one for one in entries(category) if one.entry_id == entry_id)


@pytest.fixture
def record(find, conditions):
    """A function that returns the record of an answer, with its verdicts under all rule sets."""

    def of(category, entry_id, result, mode=Mode.FC, rules=Rules.OFFICIAL, **more):
        entry = find(category, entry_id)
        text = result if isinstance(result, str) else json.dumps(result)
        response = Response(entry_id, category, mode, text, model="m", web=more.pop("web", None))
        judge = Judge(entry, conditions.constants)
        verdicts = {name: judge.verdict(response, name) for name in Rules}
        return answer_record(entry, response, verdicts, conditions, rules=rules, **more)

    return of


@pytest.fixture
def right(find):
    """Prompted answers with the calls of the truth."""
    return [[*turn, DONE] for turn in find("multi_turn_base", TALK).truth]


def _kinds(items):
    return [item.kind for item in items]


def test_a_conversation_has_calls_with_results_and_changes(record, right):
    """The first item of each step has its number; a right answer makes the calls of the truth."""
    found = record("multi_turn_base", TALK, right, Mode.PROMPT)
    last = found.turns[-1]
    assert _kinds(last.steps) == [Kind.CALL, Kind.RESULT, Kind.CHANGE, Kind.TEXT]
    assert [item.label for item in last.steps] == ["step 1", "", "", "step 2"]
    assert all(turn.as_truth and not turn.missing and not turn.remark for turn in found.turns)
    assert [(one.rules, one.valid, one.turn) for one in found.verdicts] == [
        ("official", True, None),
        ("corrected", True, None),
        ("verified", True, None),
    ]


def test_the_first_failing_turn_is_marked_with_the_missing_calls(record, right):
    """The verdicts have the turn; the turn has the remark and the positions of the calls it lacks."""
    right[1] = ["I looked."]
    found = record("multi_turn_base", TALK, right, Mode.PROMPT)
    assert [one.turn for one in found.verdicts] == [1, 1, 1]
    assert found.turns[1].remark == "first failing turn: multi_turn:empty_turn_model_response"
    assert (found.turns[1].missing, found.turns[1].as_truth) == ((0,), False)
    assert found.turns[2].remark == "not checked after the first failing turn"
    assert found.turns[0].remark == ""


def test_a_turn_that_fails_under_other_rules_names_them(record, find):
    """A call where nothing can be called is right officially, and marked with the rules that refuse it."""
    truth = find("multi_turn_miss_func", "multi_turn_miss_func_60").truth
    empty = truth.index([])
    turns = [turn if turn else ["[ticket_get_login_status()]"] for turn in truth]
    found = record("multi_turn_miss_func", "multi_turn_miss_func_60", turns, Mode.PROMPT)
    assert found.turns[empty].remark.startswith(
        "first failing turn under corrected and verified rules: multi_turn:irrelevance_error"
    )
    assert [one.turn for one in found.verdicts] == [None, empty, empty]
    strict = record("multi_turn_miss_func", "multi_turn_miss_func_60", turns, Mode.PROMPT, Rules.CORRECTED)
    assert strict.turns[empty].remark.startswith("first failing turn: multi_turn:irrelevance_error")


def test_turns_that_were_not_reached_say_so(record, right):
    """A conversation that ended early has all turns of the entry."""
    found = record("multi_turn_base", TALK, right[:2], Mode.PROMPT)
    assert [turn.steps[0].text for turn in found.turns[2:]] == [
        "(not reached: the conversation had ended)"
    ] * 3
    assert found.turns[1].remark == "first failing turn: multi_turn:force_terminated"


def test_a_search_is_readable_hit_by_hit(record):
    """Each hit has a number, and title, address and snippet on lines of their own; a page is its text."""
    steps = [
        [{"search_engine_query": '{"keywords": "city tourists 2024", "max_results": 2}'}],
        [{"fetch_url_content": '{"url": "https://a.example/none"}'}],
        "{'answer': '70', 'context': ''}",
    ]
    found = record("web_search_base", "web_search_base_5", [steps], web="simulated")
    call, first, second, fetch, failed, text = found.turns[0].steps
    assert call.text == "search_engine_query(keywords='city tourists 2024', max_results=2)"
    assert (first.label, second.label) == ("1", "2")
    assert [line.partition(":")[0] for line in first.text.split("\n")][1] == "https"
    assert fetch.kind is Kind.CALL
    assert "404 Client Error" in failed.text
    assert text.kind is Kind.TEXT


def test_calls_whose_results_are_not_recorded_say_so(record):
    """On a live web a call has a note instead of a result."""
    steps = [[{"search_engine_query": '{"keywords": "tea"}'}], "x"]
    found = record("web_search_base", "web_search_base_5", [steps], web="live")
    assert found.turns[0].steps[1] == Item(
        Kind.NOTE, "(result not recorded: The web of this answer is not recorded.)"
    )


def test_a_question_has_the_memory_and_what_look_ups_returned(record, find):
    """The texts with the answer are marked; the result of a look-up is that on this memory."""
    question = "memory_kv_12-customer-12"
    memory = {"core_memory": {"pet": "a cat"}, "archival_memory": {"toast": "a toaster oven"}}
    steps = [[{"archival_memory_retrieve": '{"key": "toast"}'}], "{'answer': 'toaster oven'}"]
    around = MemoriesAround(RecordedMemory(memory))
    found = record("memory_kv", question, [steps], memories=around, limits=TERMINAL)
    assert found.turns[0].steps[1].text == '{"value": "a toaster oven"}'
    (at_question,) = found.memories
    texts = [(item.label, item.marked) for item in at_question.texts if item.kind is Kind.MEMORY]
    assert texts == [("pet", False), ("toast", True)]
    assert found.sessions == find("memory_kv", question).depends_on


def test_a_session_has_the_memory_before_and_after_it(record):
    """Both are recorded; a session has no verdict."""
    before = RecordedMemory({"core_memory": {}, "archival_memory": {}})
    after = RecordedMemory({"core_memory": {"a": "b"}, "archival_memory": {}})
    steps = [[{"core_memory_add": '{"key": "a", "value": "b"}'}], "noted"]
    found = record(
        "memory_kv",
        "memory_kv_prereq_1-customer-1",
        [steps],
        memories=MemoriesAround(before, after),
        limits=TERMINAL,
    )
    assert [memory.title for memory in found.memories] == [
        "memory before the session",
        "memory after the session",
    ]
    assert found.verdicts == ()
    assert [item.text for item in found.turns[0].steps if item.kind is Kind.CHANGE] == [
        "MemoryAPI_kv.core_memory['a']: (nothing) -> 'b'"
    ]


def test_a_response_without_an_answer_has_its_status(find, conditions):
    """There are no turns, and the verdict has the status and its reason."""
    down = Response(TALK, "multi_turn_base", Mode.FC, None, Status.INFRASTRUCTURE_ERROR, "HTTP 503")
    verdicts = {Rules.OFFICIAL: Verdict(None, None, "HTTP 503", Status.INFRASTRUCTURE_ERROR)}
    found = answer_record(find("multi_turn_base", TALK), down, verdicts, conditions)
    (verdict,) = found.verdicts
    assert (found.turns, found.answer) == ((), ())
    assert (verdict.valid, verdict.status, verdict.message) == (None, "infrastructure_error", "HTTP 503")


def test_a_single_answer_is_shown_and_read(record):
    """A prompted answer in another format has its text, then the calls in it; a broken one has a reason."""
    found = record("simple_python", "simple_python_3", [{"algebra_quadratic_roots": '{"a": 1'}])
    assert _kinds(found.answer) == [Kind.TEXT, Kind.NOTE]
    found = record("simple_python", "simple_python_3", [{"algebra_quadratic_roots": '{"a": 1}'}])
    assert found.answer == (Item(Kind.CALL, "algebra_quadratic_roots(a=1)", label="answer"),)


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


def test_a_renamed_search_tool_is_read_as_one(find, staged, constants):
    """Hits of a search under another name are readable, too."""
    conditions = Conditions(staged, constants, web=WebChoice(search_tool="duckduckgo_search"))
    steps = [[{"duckduckgo_search": '{"keywords": "city tourists 2024"}'}]]
    response = Response(
        "web_search_base_5", "web_search_base", Mode.FC, json.dumps([steps]), web="simulated"
    )
    found = answer_record(find("web_search_base", "web_search_base_5"), response, {}, conditions)
    assert found.turns[0].steps[1].label == "1"
