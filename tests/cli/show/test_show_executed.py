"""`bfcl-pipeline show` on entries whose calls are executed, on SQL questions, and on chats."""

from __future__ import annotations

import json

import pytest

from bfcl_pipeline.benchmark.records import Mode, Response

MIXED = "exec_parallel_multiple_3"

HOSTILE = "\x1b[2J\u202e" + "W" * 200_000


def answer(entry_id, category, text, web="simulated"):
    """A prompted answer."""
    return Response(entry_id, category, Mode.PROMPT, json.dumps(text), web=web)


def test_an_entry_has_the_values_of_its_expected_calls(show):
    """Beside each call are its requests, where their answers come from, and what is accepted."""
    text = show(MIXED)
    assert (
        "\n\ntruth 1  > retrieve_holiday_by_year(year='2020', country='ES')\n"
        "request  GET https://date.nager.at/api/v3/publicholidays/2020/ES\n"
        "from     the simulated network\n"
        "value    [{'date': '2020-01-01', "
    ) in text
    assert text.endswith(
        "truth 2  > calculate_displacement(initial_velocity=10, acceleration=2, time=5)\n"
        "value    75.0\n"
        "accepts  an equal value\n\n"
        "no erratum on record\n"
    )


def test_an_answer_has_its_values_and_the_expected_calls_that_they_fit(show, oracle):
    """The oracle's calls have the values of the truth; the verdict is that of the simulated network."""
    text = show(MIXED, oracle(MIXED))
    assert "\n\nanswer 1 > retrieve_holiday_by_year(year='2020', country='ES')\n" in text
    assert "\nvalue    75.0\nfits     truth 2\n\ntruth 1  > " in text
    assert text.endswith("valid  official rules\n")


def test_a_wrong_answer_has_the_verdict_and_what_lacks_a_match(show):
    """Another year is another request, whose answer is not the expected one."""
    calls = (
        "[retrieve_holiday_by_year(year='2021', country='ES'), "
        "calculate_displacement(initial_velocity=10, acceleration=2, time=5)]"
    )
    text = show(MIXED, answer(MIXED, "exec_parallel_multiple", calls))
    assert "value    75.0\nfits     truth 2\n         (no call fits truth 1)\n" in text
    assert "invalid  executable_checker:cannot_find_match  (official rules)\n" in text


def test_a_value_that_is_not_recorded_is_no_verdict(show):
    """In a mode without recorded answers the call without network has its value, the other says why not."""
    calls = [{"retrieve_holiday_by_year": '{"year": "2020", "country": "ES"}'}]
    calls += [{"calculate_displacement": '{"initial_velocity": 10, "acceleration": 2, "time": 5}'}]
    native = Response(MIXED, "exec_parallel_multiple", Mode.FC, json.dumps(calls), web="live")
    text = show(MIXED, native)
    assert "value    (not recorded: " in text
    assert "\nvalue    75.0\n" in text
    assert "\nno verdict  not_recorded\n" in text


def test_a_rest_entry_has_its_reference_request_and_a_refused_answer_its_error(show):
    """What `requests` refuses is the error of the call and of the verdict."""
    text = show("rest_69", answer("rest_69", "rest", "[requests.get(url='ftp://a/b')]"))
    assert "answer   > requests.get(url='ftp://a/b')\nerror    InvalidSchema: " in text
    assert "truth    > requests.get(url='https://date.nager.at/api/v3/LongWeekend/2023/CA')\n" in text
    assert "from     a recording of the release\nvalue    status 200: [{" in text
    assert "invalid  executable_checker_rest:execution_error  (official rules)\n" in text


@pytest.mark.parametrize(
    ("entry_id", "accepted"),
    [
        ("sql_3", "accepts  > sql.execute\n             sql_keyword = 'CREATE'\n"),
        ("chatable_3", "(no call)"),
    ],
)
def test_sql_and_chats_are_single_turns(show, oracle, entry_id, accepted):
    """They have acceptable values, or accept no call; without functions there is no part of them."""
    text = show(entry_id, oracle(entry_id))
    assert accepted in text
    assert "\n\n\n" not in text
    assert "valid  official rules" in text


def test_hostile_calls_are_short_texts(show):
    """Control characters and marks of direction are escaped, and what is too long is cut."""
    calls = f"[calculate_cosine_similarity(vectorA={HOSTILE!r}, vectorB=[1])]"
    text = show("exec_simple_3", answer("exec_simple_3", "exec_simple", calls))
    assert "\x1b" not in text
    assert "\u202e" not in text
    assert len(text) < 12_000
    assert "more characters)" in text


@pytest.mark.parametrize("entry_id", ["exec_simple_3", "rest_3", "sql_3", "chatable_3"])
def test_the_first_request_has_the_question_and_no_value(show, entry, entry_id):
    """`--prompt` prints what a model is sent: the release's text, with placeholders instead of keys."""
    sent = json.loads(show(entry_id, None, "--prompt", "oracle"))
    asked = entry(entry_id)
    assert sent["messages"][-1]["content"] == asked.turns[0][-1]["content"]
    assert ("YOUR-RAPID-API-KEY" in json.dumps(sent)) == (entry_id == "rest_3")
