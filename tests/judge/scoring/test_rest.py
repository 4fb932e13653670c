"""The verdicts on answers of the category rest, by the request and by what an API answers."""

from __future__ import annotations

import json
from dataclasses import replace
from typing import Any

import pytest

from bfcl_pipeline.base.errors import NotRecorded, WebError
from bfcl_pipeline.benchmark.records import (
    Call,
    DecodeFailure,
    Entry,
    Mode,
    NameStyle,
    Response,
    Rules,
    Status,
)
from bfcl_pipeline.judge.scoring import judge
from bfcl_pipeline.judge.scoring.findings import Outcome
from bfcl_pipeline.judge.scoring.rest import RestChecker
from bfcl_pipeline.world.executables import ApiAnswer, ApiRequest, NoApis

REST = "executable_checker_rest"


class OneAnswer:
    """An `Apis` with one answer to all requests, which it counts."""

    def __init__(self, status: int, body: Any) -> None:
        self.asked: list[ApiRequest] = []
        self._answer = ApiAnswer(status, body if isinstance(body, str) else json.dumps(body))

    def get(self, request: ApiRequest) -> ApiAnswer:
        """The answer."""
        self.asked.append(request)
        return self._answer


@pytest.fixture(scope="session")
def entry_of(entries):
    """The entry of a number in the category rest."""
    return lambda number: entries("rest")[number]


def error(outcome: Outcome) -> str | None:
    """The error type; None if the answer is valid. Fails if there is no verdict."""
    assert outcome.not_recorded is None
    return outcome.finding and outcome.finding.error_type


def asked_otherwise(entry: Entry) -> tuple[Call, ...]:
    """The reference request of `entry` with one further parameter."""
    checker = RestChecker(entry, NoApis())
    url = checker._reference.url
    return (Call("requests.get", {"url": url, "params": {"further": 1}}),)


def verdict(entry: Entry, status: int, body: Any, rules: Rules = Rules.OFFICIAL) -> str | None:
    """The error type of another request that is answered with `body`."""
    checker = RestChecker(entry, OneAnswer(status, body))
    return error(checker.check_calls(asked_otherwise(entry), rules))


def test_every_reference_request_is_valid_and_never_sent(entries):
    """The text of the reference request is a valid answer by all rules, without an API."""
    for entry in entries("rest"):
        answer = Response(
            entry.entry_id, "m", mode=Mode.PROMPT, result_json=json.dumps(entry.truth["request"])
        )
        for rules in Rules:
            assert judge(entry, answer, rules).valid, entry.entry_id


@pytest.mark.parametrize("name", ["requests.get", "requests_get"])
def test_native_calls_have_either_spelling(entry_of, name):
    """The dot of the function's name may be an underscore, whatever the style of the request was."""
    arguments = json.dumps({"url": "http://ip-api.com/json", "params": {"lang": "fr"}})
    for style in NameStyle:
        [outcome] = RestChecker(entry_of(30), NoApis()).check(
            [{name: arguments}], Mode.FC, style, (Rules.OFFICIAL,)
        )
        assert error(outcome) is None


@pytest.mark.parametrize(
    ("result", "mode", "expected"),
    [
        (DecodeFailure("any", "why"), Mode.FC, "executable_decoder:decoder_failed"),
        ("I cannot do this.", Mode.PROMPT, "executable_decoder:decoder_failed"),
        ([{"requests_get": "{"}], Mode.FC, "executable_decoder:decoder_failed"),
        ([], Mode.FC, "executable_decoder:rest_wrong_output_format"),
        ("[]", Mode.PROMPT, "executable_decoder:rest_wrong_output_format"),
        ([{"requests_get": "{}"}] * 2, Mode.FC, "executable_decoder:rest_wrong_output_format"),
        ([{"requests_get": "{}"}], Mode.FC, f"{REST}:execution_error"),
        ([{"requests_get": '{"url": "ip-api.com"}'}], Mode.FC, f"{REST}:execution_error"),
        ("[requests.get('http://ip-api.com/json')]", Mode.PROMPT, f"{REST}:execution_error"),
        ("[requests.get(url=open(file='/etc/passwd'))]", Mode.PROMPT, f"{REST}:execution_error"),
        ("[out_of_domain(user_query='x')]", Mode.PROMPT, f"{REST}:execution_error"),
        ([{"requests_post": '{"url": "http://ip-api.com/json"}'}], Mode.FC, f"{REST}:execution_error"),
    ],
)
def test_what_fails_before_it_is_sent_needs_no_answer(entry_of, result, mode, expected):
    """Decoding, the count and refused arguments are verdicts by all rules, and no API is asked."""
    apis = OneAnswer(200, {})
    outcomes = RestChecker(entry_of(30), apis).check(result, mode, NameStyle.DOTTED, tuple(Rules))
    assert [error(outcome) for outcome in outcomes] == [expected] * len(Rules)
    assert apis.asked == []


def test_another_request_without_an_answer_has_a_status(entry_of):
    """What no API can be asked for is not recorded, which is no failure."""
    entry = entry_of(30)
    outcome = RestChecker(entry, NoApis("Why.")).check_calls(asked_otherwise(entry), Rules.OFFICIAL)
    assert outcome.finding is None
    assert outcome.not_recorded == "Why. Needed: http://ip-api.com/json"
    text = json.dumps("requests.get(url='http://ip-api.com/json')")
    scored = judge(entry, Response(entry.entry_id, "m", mode=Mode.PROMPT, result_json=text))
    assert (scored.valid, scored.status) == (None, Status.NOT_RECORDED)


def test_an_outage_is_not_a_verdict(entry_of):
    """That an API cannot be asked now is an error of the machinery."""

    class Down:
        def get(self, request: ApiRequest) -> ApiAnswer:
            raise WebError("down")

    with pytest.raises(WebError) as raised:
        RestChecker(entry_of(30), Down()).check_calls(asked_otherwise(entry_of(30)), Rules.OFFICIAL)
    assert not isinstance(raised.value, NotRecorded)


@pytest.mark.parametrize(
    ("status", "body", "expected"),
    [
        (404, {}, f"{REST}:wrong_status_code"),
        (201, {}, f"{REST}:wrong_status_code"),
        (200, "", f"{REST}:response_format_error"),
        (200, "<html>", f"{REST}:response_format_error"),
        (200, "\ufeff{}", f"{REST}:response_format_error"),
        (200, "[" * 100_000, f"{REST}:response_format_error"),
        (200, '{"a": ' * 100_000, f"{REST}:response_format_error"),
        (200, "1" * 10_000, f"{REST}:response_format_error"),
        (200, '{"country": 1, "city": 1} {}', f"{REST}:response_format_error"),
        (200, "[]", f"{REST}:wrong_type"),
        (200, '"text"', f"{REST}:wrong_type"),
        (200, "NaN", f"{REST}:wrong_type"),
        (200, "null", f"{REST}:wrong_type"),
        (200, {"country": 1, "city": 2}, f"{REST}:wrong_key"),
        (200, {"country": 1, "city": 2, "timezone": 3, "isp": 4}, f"{REST}:wrong_key"),
        (200, '{"country": NaN, "city": null, "timezone": 1, "timezone": 2}', None),
    ],
)
def test_an_object_is_compared_by_its_top_level_keys(entry_of, status, body, expected):
    """Status, JSON, type and names count; values do not."""
    assert verdict(entry_of(31), status, body) == expected


@pytest.mark.parametrize(
    ("change", "expected"),
    [
        (lambda items: items, None),
        (lambda items: items[:-1], "value_error:exec_result_rest_count"),
        (lambda items: [*items, items[0]], "value_error:exec_result_rest_count"),
        (lambda items: [], "value_error:exec_result_rest_count"),
        (lambda items: {}, f"{REST}:wrong_type"),
        (lambda items: [{}, *items[1:]], f"{REST}:wrong_key"),
        (lambda items: [*items[:-1], {**items[-1], "more": 1}], f"{REST}:wrong_key"),
        (lambda items: [*items[:-1], 1], f"{REST}:response_format_error"),
        (lambda items: [{}, *items[1:-1], 1], f"{REST}:wrong_key"),
        (lambda items: [1, *items[1:-1], {}], f"{REST}:response_format_error"),
    ],
)
def test_a_list_is_compared_by_its_length_and_the_keys_of_its_items(entry_of, change, expected):
    """Items are compared in order; the first that differs decides."""
    entry = entry_of(65)
    assert len(entry.truth["response"]) > 2
    assert verdict(entry, 200, change(entry.truth["response"])) == expected


@pytest.mark.parametrize("rules", [Rules.CORRECTED, Rules.VERIFIED])
def test_corrected_rules_accept_any_number_of_found_items(entry_of, rules):
    """More or fewer items are valid if each has the keys of one of the recorded items; none are not."""
    entry = entry_of(65)
    items = entry.truth["response"]
    assert verdict(entry, 200, items[:1], rules) is None
    assert verdict(entry, 200, items * 2, rules) is None
    assert verdict(entry, 200, [*items, {}], rules) == f"{REST}:wrong_key"
    assert verdict(entry, 200, [], rules) == "value_error:exec_result_rest_count"


def test_corrected_rules_refuse_an_answer_that_found_nothing(entry_of):
    """Statistics of all countries, or of none, have the keys of one country's, but not their values."""
    entry = entry_of(6)
    response = entry.truth["response"]
    for other in ({"parameters": []}, {"response": []}, {"response": "none"}, {"errors": {"country": "?"}}):
        assert verdict(entry, 200, {**response, **other}) is None
        assert verdict(entry, 200, {**response, **other}, Rules.CORRECTED) == f"{REST}:wrong_value"
    another = {**response, "parameters": {"country": "Peru"}, "results": None}
    assert verdict(entry, 200, another, Rules.CORRECTED) is None


def test_corrected_rules_want_the_host_of_the_entry(entry_of):
    """A request to another server fails without being sent; by official rules only its answer counts."""
    entry = entry_of(31)
    calls = (Call("requests.get", {"url": "https://example.com/json"}),)
    apis = OneAnswer(200, entry.truth["response"])
    assert error(RestChecker(entry, apis).check_calls(calls, Rules.CORRECTED)) == f"{REST}:other_host"
    assert apis.asked == []
    assert error(RestChecker(entry, apis).check_calls(calls, Rules.OFFICIAL)) is None
    assert RestChecker(entry, NoApis()).check_calls(calls, Rules.OFFICIAL).not_recorded


def test_corrected_rules_read_an_empty_object(entry_of):
    """`headers={}` in prompted text cannot be decoded by official rules; by corrected ones it can."""
    text = "[requests.get(url='http://ip-api.com/json', params={'lang': 'fr'}, headers={})]"
    official, corrected = RestChecker(entry_of(30), NoApis()).check(
        text, Mode.PROMPT, NameStyle.DOTTED, (Rules.OFFICIAL, Rules.CORRECTED)
    )
    assert error(official) == "executable_decoder:decoder_failed"
    assert error(corrected) is None


def test_messages_are_short_and_show_what_differs(entry_of):
    """A message names missing and further keys; a long answer does not make it long."""
    entry = entry_of(31)
    given = {f"k{number}" * 100: "v" * 1000 for number in range(1000)}
    checker = RestChecker(entry, OneAnswer(200, {**given, "country": 1}))
    finding = checker.check_calls(asked_otherwise(entry), Rules.OFFICIAL).finding
    assert "'city'" in finding.message
    assert len(finding.message) < 5_000


def test_a_truth_that_is_mended_decides(entry_of):
    """The expected form is that of the entry's truth."""
    entry = entry_of(31)
    mended = replace(entry, truth={**entry.truth, "response": [{"a": 1}]})
    assert verdict(mended, 200, [{"a": 2}]) is None
