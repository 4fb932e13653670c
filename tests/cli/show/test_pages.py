"""The pages that `bfcl-pipeline show` prints: each whole, in transcripts/, by the case with its name."""

from __future__ import annotations

import json
from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Any

import pytest

from bfcl_pipeline.benchmark.definition import category_of
from bfcl_pipeline.benchmark.records import Mode, Response, Status

TALK, FOUND = "multi_turn_base_60", "multi_turn_miss_func_60"
SINGLE, MIXED, WEB = "simple_python_3", "exec_parallel_multiple_3", "web_search_base_5"
SESSION, QUESTION = "memory_kv_prereq_4-customer-4", "memory_kv_12-customer-12"


def fc(entry_id: str, result: Any, **fields: Any) -> Response:
    """A native answer."""
    return Response(entry_id, category_of(entry_id), Mode.FC, json.dumps(result), **fields)


def prompted(entry_id: str, result: Any, **fields: Any) -> Response:
    """A prompted answer."""
    return replace(fc(entry_id, result, **fields), mode=Mode.PROMPT)


def with_turn(turn: int, steps: Any) -> Callable[[Response], Response]:
    """What changes an answer so that one turn has other steps."""

    def changed(response: Response) -> Response:
        turns = json.loads(response.result_json)
        turns[turn] = steps
        return replace(response, result_json=json.dumps(turns))

    return changed


def ended(response: Response) -> Response:
    """A conversation that ended before its last turn."""
    return replace(response, result_json=json.dumps(json.loads(response.result_json)[:4]))


def as_answered(response: Response) -> Response:
    """An answer of the oracle."""
    return response


@dataclass(frozen=True)
class Case:
    """What is shown: an entry alone, with a response, or with the oracle's, which is changed."""

    entry_id: str
    response: Response | Callable[[Response], Response] | None = None
    words: tuple[str, ...] = ()
    mode: Mode = Mode.FC  # of the oracle


YEAR_2021 = (
    "[retrieve_holiday_by_year(year='2021', country='ES'), "
    "calculate_displacement(initial_velocity=10, acceleration=2, time=5)]"
)
NATIVE_CALLS = [
    {"retrieve_holiday_by_year": '{"year": "2020", "country": "ES"}'},
    {"calculate_displacement": '{"initial_velocity": 10, "acceleration": 2, "time": 5}'},
]
SEARCH = {"search_engine_query": '{"keywords": "tea"}'}
EARLY = with_turn(1, [[{"ticket_get_login_status": "{}"}]])

CASES = {
    # Messages, calls with results and changes, closing text, and at the end the verdict.
    "conversation": Case(TALK, as_answered),
    # The failing turn is marked, the truth follows the calls, and the last lines have the reason.
    "failing_turn": Case(TALK, with_turn(1, ["I looked."])),
    # A call of the truth that was made with other arguments is marked.
    "other_arguments": Case(TALK, with_turn(4, [[{"close_ticket": '{"ticket_id": 1}'}], "Closed."])),
    # Turns that were not reached are printed with the calls of the truth.
    "forced_end": Case(TALK, ended),
    # An infrastructure failure has its status and detail in place of a verdict.
    "no_answer": Case(
        TALK, Response(TALK, "multi_turn_base", Mode.FC, None, Status.INFRASTRUCTURE_ERROR, "HTTP 503")
    ),
    # Without a model the truth is played.
    "entry_alone": Case(TALK),
    # In multi_turn_miss_func a turn may have no message, only the signature of a function.
    "function_appears": Case(FOUND, as_answered, mode=Mode.PROMPT),
    # A call that fails under corrected rules only: both verdicts are printed, and the chosen one.
    "rules_differ": Case(FOUND, EARLY),
    "rules_chosen": Case(FOUND, EARLY, ("--rules", "corrected")),
    # Messages, the functions by signature, the answer, what is acceptable, the verdict.
    "single_turn": Case(SINGLE, as_answered),
    # A broken call is printed unchanged, with the reason and the official error type.
    "broken_call": Case(SINGLE, fc(SINGLE, [{"algebra_quadratic_roots": '{"a": 1'}])),
    # A prompted answer that is not Python is printed unchanged, then as the calls in it.
    "java": Case("simple_java_3", as_answered, mode=Mode.PROMPT),
    # If the release has no truth, the right answer is described.
    "irrelevance": Case("irrelevance_3", as_answered),
    # An id of format_sensitivity is found by its part before the first colon.
    "prompt_format": Case("format_sensitivity_5199", as_answered, mode=Mode.PROMPT),
    # Calls of each step, the closing message, the acceptable answers; memories that are not recorded.
    "agentic": Case(
        QUESTION, fc(QUESTION, [[[{"core_memory_retrieve": '{"key": "kid"}'}], "{'answer': 'oven'}"]])
    ),
    # A session accepts any answer: it is not scored.
    "session_alone": Case(SESSION),
    # Beside each expected call are its requests, where their answers come from, and what is accepted.
    "executed_alone": Case(MIXED),
    # A value that the release recorded, and that may differ by 20 %.
    "executed_of_release": Case("exec_simple_22"),
    # The calls of an answer have values, and the expected calls that they fit, in any order.
    "executed": Case(MIXED, fc(MIXED, NATIVE_CALLS[::-1], web="simulated")),
    # In an answer with a wrong number of calls each has its value, and fits none.
    "executed_too_few": Case(MIXED, fc(MIXED, NATIVE_CALLS[1:], web="simulated")),
    # Nothing that a model names is run: the error is that of a name that does not exist.
    "executed_unknown": Case(
        MIXED, fc(MIXED, [{name: '{"command": "ls"}'} for name in ("os.system", "eval")], web="simulated")
    ),
    # Another year is another request, whose answer is not the expected one.
    "executed_wrong": Case(MIXED, prompted(MIXED, YEAR_2021, web="simulated")),
    # Without recorded answers a call without network has its value, and there is no verdict.
    "executed_not_recorded": Case(MIXED, fc(MIXED, NATIVE_CALLS, web="live")),
    # A REST entry has its reference request; what `requests` refuses is the error of call and verdict.
    "rest_refused": Case(
        "rest_69", prompted("rest_69", "[requests.get(url='ftp://a/b')]", web="simulated")
    ),
    # Headers choose the answer of an API and are shown; keys are placeholders.
    "rest_key": Case("rest_3"),
    # SQL and chats are single turns: acceptable values, or no call; no part for functions without any.
    "sql": Case("sql_3", as_answered),
    "chatable": Case("chatable_3", as_answered),
    # Each hop is followed by its answer and the address of the page that has it.
    "hops": Case(WEB),
    # Calls on a live web have a note in place of a result.
    "live_web": Case(WEB, fc(WEB, [[[SEARCH], "70"]], web="live")),
    # The rule sets that refuse an answer share one verdict before that of the chosen rules.
    "verdicts_differ": Case(WEB, fc(WEB, [["The answer is 70."]], web="simulated")),
    # A text in the form of final answers has no note that it cannot be read as calls.
    "final_answer": Case(
        WEB, prompted(WEB, [["{'answer': '70', 'context': 'the tower (in Bangkok)'}"]], web="simulated")
    ),
}


@pytest.mark.parametrize("name", CASES)
def test_the_page(page, oracle, name):
    """The whole page of an entry, alone or with an answer."""
    case = CASES[name]
    response = case.response
    if callable(response):
        response = response(oracle(case.entry_id, case.mode))
    model = "oracle" if response is not None and response.mode is Mode.PROMPT else "org/some-FC"
    page(name, case.entry_id, response, *case.words, model=model)


def test_searches_and_fetches_have_what_they_returned(show, oracle):
    """Hits are numbered, with title, address and snippet on lines of their own; a page is its text.

    Not a whole page: the simulated web repeats other questions with their answers.
    """
    text = show(WEB, oracle(WEB))
    found = "\n         1 List of cities by international visitors - en.wikipedia.org\n           https://"
    assert "step 1   > search_engine_query(" in text
    assert found in text
    assert "> fetch_url_content(url=" in text
    assert "\n           This page is simulated" in text
    assert "not recorded" not in text
    assert text.endswith("valid  official rules, right\n")


def test_long_results_are_cut_and_counted(show, oracle):
    """A long result takes a few lines, with the number of characters that are left out."""
    found = "multi_turn_long_context_60"
    text = show(found, oracle(found))
    assert "more characters)" in " ".join(text.split())
    assert len(text) < 6_000
    assert max(map(len, text.splitlines())) <= 100


def test_text_of_a_model_cannot_control_the_terminal(show, oracle):
    """Escape sequences, markup and direction marks are printed as text, on indented lines."""
    hostile = "\x1b[2J[bold]x[/bold]\u202e\ud800\nTurn 9 of 9  valid"
    calls = [{"create_ticket": json.dumps({"title": hostile})}, {f"a{hostile}": "{}"}]
    text = show(TALK, with_turn(2, [calls])(with_turn(1, [hostile])(oracle(TALK))))
    assert "\x1b" not in text
    assert "step 1   \\x1b[2J[bold]x[/bold]\\u202e\\ud800\n         Turn 9 of 9  valid\n" in text
    assert all(line.isprintable() for line in text.splitlines())


def test_hostile_calls_are_short_texts(show):
    """Control characters and marks of direction are escaped, and what is too long is cut."""
    hostile = "\x1b[2J\u202e" + "W" * 200_000
    calls = f"[calculate_cosine_similarity(vectorA={hostile!r}, vectorB=[1])]"
    text = show("exec_simple_3", prompted("exec_simple_3", calls, web="simulated"))
    assert "\x1b" not in text
    assert "\u202e" not in text
    assert len(text) < 12_000
    assert "more characters)" in text


def test_a_result_with_a_number_that_cannot_be_parsed(show):
    """A result that is valid JSON but cannot be parsed is scored, and printed unchanged."""
    text = show(SINGLE, Response(SINGLE, "simple_python", Mode.FC, f"[{'9' * 5000}]"))
    assert "\nanswer   [999" in text
    assert "\ninvalid  ast_decoder:decoder_failed" in text
