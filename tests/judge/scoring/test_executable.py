"""Answers whose calls are executed: decoding, counts, pairing, and what is asked of the network."""

from __future__ import annotations

import json
from collections.abc import Callable, Sequence
from typing import Any

import pytest

from bfcl_pipeline.base.errors import MalformedRelease, NotRecorded, WebError
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
from bfcl_pipeline.judge.scoring import Judge
from bfcl_pipeline.judge.scoring.executable import ExecutableChecker
from bfcl_pipeline.judge.scoring.findings import Outcome
from bfcl_pipeline.world.executables import ApiAnswer, ApiRequest, Apis, NoApis, read_call
from bfcl_pipeline.world.executables.functions import FUNCTIONS, Function
from bfcl_pipeline.world.executables.network import NETWORK_FUNCTIONS, NetworkFunction

ALL = (Rules.OFFICIAL, Rules.CORRECTED)


class Recorded:
    """Web APIs that know the prices of some names, and list the names that were asked for."""

    def __init__(self, prices: dict[str, Any] | None = None) -> None:
        self._prices = prices or {}
        self.asked: list[str] = []

    def get(self, request: ApiRequest) -> ApiAnswer:
        """The price. Raises NotRecorded."""
        name = dict(request.params)["name"]
        self.asked.append(name)
        if name not in self._prices:
            raise NotRecorded(f"There is no price of {name}.")
        return ApiAnswer(200, json.dumps(self._prices[name]))


class Down:
    """Web APIs that fail."""

    def get(self, request: ApiRequest) -> ApiAnswer:
        """Raises WebError."""
        raise WebError(f"{request.url} does not answer.")


def echo(value: Any) -> Any:
    """Returns its argument."""
    if value == "fails":
        raise ValueError("it fails")
    return value


def _price_request(name: str) -> ApiRequest:
    if not isinstance(name, str):
        raise TypeError("a name is a text")
    return ApiRequest("https://api.open-meteo.com/price", (("name", name),))


@pytest.fixture(autouse=True)
def _made_up_functions(monkeypatch: pytest.MonkeyPatch) -> None:
    """Two more functions: `echo` returns its argument, and `price` asks the network for a value."""
    price = NetworkFunction("price", _price_request, lambda answer, _name: json.loads(answer.body))
    monkeypatch.setitem(FUNCTIONS, "echo", Function("echo", echo))
    monkeypatch.setitem(NETWORK_FUNCTIONS, "price", price)


def entry(*truths: str, category: str = "exec_parallel", match: str = "exact_match") -> Entry:
    """An entry with expected calls, all compared in one way."""
    return Entry(f"{category}_0", category, ((),), (), [{"call": text, "match": match} for text in truths])


def check(truths: Sequence[str], answer: str, apis: Apis | None = None, **options: Any) -> list[Outcome]:
    """The outcomes of a prompted answer, by the official and the corrected rules."""
    checker = ExecutableChecker(entry(*truths, **options), apis or NoApis())
    return checker.check(answer, Mode.PROMPT, NameStyle.DOTTED, ALL)


def error_type(outcome: Outcome) -> str | None:
    """The error type; None if the answer is valid."""
    assert outcome.not_recorded is None
    return outcome.finding.error_type if outcome.finding else None


@pytest.mark.parametrize(
    ("answer", "expected"),
    [
        ("[echo(value=1)]", None),
        ("```\necho(value=1)\n```", None),
        ("[echo(value=2 - 1.0)]", None),
        ("I cannot answer.", "executable_decoder:decoder_failed"),
        ("[]", "executable_decoder:wrong_output_format"),
        ("[echo(value=1), echo(value=1)]", "simple_exec_checker:wrong_count"),
        ("[echo(value=2)]", "executable_checker:wrong_result"),
        ("[echo(value='1')]", "executable_checker:wrong_result"),
        ("[echo(value='fails')]", "executable_checker:execution_error"),
        ("[echo()]", "executable_checker:execution_error"),
        ("[echo(1)]", "executable_checker:execution_error"),
        ("[echo(value=1, other=1)]", "executable_checker:execution_error"),
        ("[print(value=1)]", "executable_checker:execution_error"),
        ("[echo.__class__(value=1)]", "executable_checker:execution_error"),
        ("[echo(value=echo(value=1))]", None),
    ],
)
def test_one_expected_call(answer, expected):
    """An answer to a simple entry is decoded, counted, executed and compared, in this order."""
    for outcome in check(["echo(value=1)"], answer, category="exec_simple"):
        assert error_type(outcome) == expected


@pytest.mark.parametrize("category", ["exec_multiple", "exec_parallel", "exec_parallel_multiple"])
def test_several_expected_calls(category):
    """In the other categories, also with one expected call, calls match in any order, each once."""
    truths = ["echo(value=1)", "echo(value=(2, 3))"]
    for answer, expected in (
        ("[echo(value=[2, 3]), echo(value=1)]", None),
        ("[echo(value=1)]", "value_error:exec_result_count"),
        ("[]", "executable_decoder:wrong_output_format"),
        ("[echo(value=1), echo(value=1)]", "executable_checker:cannot_find_match"),
        ("[echo(value=1), echo(value='fails')]", "executable_checker:cannot_find_match"),
    ):
        for outcome in check(truths, answer, category=category):
            assert error_type(outcome) == expected


def test_native_calls():
    """Native calls have arguments as JSON; an item that is not a call is a decoding failure."""
    checker = ExecutableChecker(entry("echo(value={'a': [1]})"), NoApis())
    for result, expected in (
        ([{"echo": '{"value": {"a": [1]}}'}], None),
        ([{"echo": '{"value": {"a": [2]}}'}], "executable_checker:cannot_find_match"),
        ("", "executable_decoder:wrong_output_format"),
        ([], "executable_decoder:wrong_output_format"),
        ("no call", "executable_decoder:decoder_failed"),
        ([{"echo": "{"}], "executable_decoder:decoder_failed"),
        (DecodeFailure("ast_decoder:decoder_failed", "too long"), "executable_decoder:decoder_failed"),
    ):
        for outcome in checker.check(result, Mode.FC, NameStyle.UNDERSCORED, ALL):
            assert error_type(outcome) == expected


def test_expected_calls_are_python_texts():
    """An expected call may have positional arguments and arithmetic; any other text is an error."""
    for outcome in check(["echo(500*500)"], "[echo(value=250000)]"):
        assert error_type(outcome) is None
    for text in ("echo(value=x)", "other(value=1)", "echo(", "echo"):
        with pytest.raises(MalformedRelease, match="truth"):
            ExecutableChecker(entry(text), NoApis())


def test_assignment_rule():
    """Official pairs greedily and misses a complete pairing, which corrected finds."""
    official, corrected = check(
        ["echo(value=100)", "echo(value=85)"],
        "[echo(value=90), echo(value=110)]",
        match="real_time_match",
    )
    assert error_type(official) == "executable_checker:cannot_find_match"
    assert official.finding is not None
    assert "Call 1: fits, but another expected call takes it." in official.finding.message
    assert error_type(corrected) is None


def test_reasons_of_a_message_are_sentences():
    """An error and a difference of values both end with one full stop."""
    given = "[other(value=1), echo(value=2)]"
    official, _ = check(["echo(value=5)", "echo(value=6)"], given, category="exec_parallel")
    assert official.finding is not None
    assert "'other'. Call 2: " in official.finding.message
    assert official.finding.message.endswith("got 2.")


def test_unary_operator_rule():
    """Prompted answers are decoded by each rule set: official negates for every unary operator."""
    official, corrected = check(["echo(value=5)"], "[echo(value=+5)]")
    assert error_type(official) == "executable_checker:cannot_find_match"
    assert error_type(corrected) is None


def test_a_message_names_the_call_and_both_values():
    """A finding shows the call, its value and the expected one, within bounds."""
    (official, _) = check(["echo(value=1)"], "[echo(value=[" + "7, " * 5000 + "])]", category="exec_simple")
    assert official.finding is not None
    assert official.finding.message.startswith("echo(value=[7, 7, ")
    assert "Expected 1, got [7, " in official.finding.message
    assert len(official.finding.message) < 1000


def test_a_message_shows_calls_among_arguments():
    """A call in the place of an argument is shown as it was written, to a bounded depth."""
    (official, _) = check(["echo(value=1)"], "[echo(value=echo(value=2))]", category="exec_simple")
    assert official.finding is not None
    assert official.finding.message == "echo(value=echo(value=2)): Expected 1, got 2."
    nested = "echo(value=" * 40 + "2" + ")" * 40
    (official, _) = check(["echo(value=1)"], f"[{nested}]", category="exec_simple")
    assert official.finding is not None
    assert official.finding.message == (
        "echo(value=echo(value=echo(value=echo(value=...)))): Expected 1, got 2."
    )


def test_the_network_gives_values():
    """Expected and given calls read the same recorded answers."""
    apis = Recorded({"A": 5, "B": 6})
    for answer, expected in (
        ("[price(name='A')]", None),
        ("[price(name='B')]", "executable_checker:wrong_result"),
        ("[price(name=1)]", "executable_checker:execution_error"),
    ):
        for outcome in check(["price(name='A')"], answer, apis, category="exec_simple"):
            assert error_type(outcome) == expected


@pytest.mark.parametrize("category", ["exec_simple", "exec_multiple", "exec_parallel"])
def test_a_missing_record_is_a_status(category):
    """Where the given or the expected call has no recorded answer, there is no verdict by any rules."""
    for prices, answer in (({"A": 5}, "[price(name='B')]"), ({"B": 5}, "[price(name='B')]")):
        for outcome in check(["price(name='A')"], answer, Recorded(prices), category=category):
            assert outcome.finding is None
            assert outcome.not_recorded is not None
            assert outcome.not_recorded.startswith("There is no price of ")


def test_the_judge_gives_the_status_not_recorded():
    """A verdict without a recorded answer has the status not_recorded, and says what is missing."""
    judge = Judge(entry("price(name='A')"), apis=Recorded())
    result = json.dumps([{"price": '{"name": "A"}'}])
    for rules in Rules:
        verdict = judge.verdict(Response("exec_parallel_0", "exec_parallel", Mode.FC, result), rules)
        assert (verdict.valid, verdict.status) == (None, Status.NOT_RECORDED)
        assert verdict.error_message == "There is no price of A."


@pytest.mark.parametrize(
    "answer",
    [
        "[price(name='A'), echo(value=2)]",  # a wrong value without network
        "[echo(value=2), price(name='A')]",
        "[price(name='A'), price(name='A')]",  # one expected call uses no network
        "[echo(value=1), echo(value=5)]",  # one does
        "[echo(value=1), price(name=5)]",  # fails before a request
        "[echo(value=1), price()]",
        "[echo(value=1), unknown(name='A')]",
        "[price(name='A')]",
        "no calls",
    ],
)
def test_nothing_is_asked_if_calls_without_network_decide(answer):
    """A verdict that does not depend on the network is given without a request."""
    apis = Recorded({"A": 5})
    for truths in (["price(name='A')", "echo(value=1)"], ["echo(value=1)", "price(name='A')"]):
        for outcome in check(truths, answer, apis):
            assert error_type(outcome) is not None
    assert apis.asked == []


def test_recorded_answers_decide_where_they_can():
    """An expected call that no recorded call matches decides, also if another answer is not recorded."""
    truths = ["price(name='A')", "price(name='B')"]
    answer = "[price(name='C'), price(name='D')]"
    for known in ({"A": 1, "C": 2, "D": 3}, {"B": 1, "C": 2, "D": 3}):
        for outcome in check(truths, answer, Recorded(known)):
            assert error_type(outcome) == "executable_checker:cannot_find_match"
    for known in ({"A": 1, "B": 2, "C": 1}, {"A": 1, "B": 2}, {"A": 1, "C": 1, "D": 3}):
        for outcome in check(truths, answer, Recorded(known)):
            assert outcome.not_recorded is not None


def test_an_answer_that_only_official_pairing_misses():
    """By the official rules the order of the answer matters, and with it which record is needed."""
    truths = ["price(name='A')", "price(name='B')"]
    known = {"A": 100, "B": 85, "C": 90, "D": 110}
    official, corrected = check(
        truths, "[price(name='C'), price(name='D')]", Recorded(known), match="real_time_match"
    )
    assert error_type(official) == "executable_checker:cannot_find_match"
    assert error_type(corrected) is None


def test_an_expected_call_without_a_value_is_a_status():
    """If an expected call fails on the recorded answer, there is no verdict."""

    class Broken(Recorded):
        def get(self, request: ApiRequest) -> ApiAnswer:
            """Text that is not JSON."""
            super().get(request)
            return ApiAnswer(200, "<html>")

    for outcome in check(
        ["price(name='A')"], "[price(name='A')]", Broken({"A": 1}), category="exec_simple"
    ):
        assert error_type(outcome) == "executable_checker:execution_error"
    (outcome, _) = check(["price(name='A')"], "[echo(value=1)]", Broken({"A": 1}), category="exec_simple")
    assert outcome.not_recorded is not None
    assert "has no value" in outcome.not_recorded


def test_failures_of_the_network_are_not_verdicts():
    """A failing web API raises its error, so that the response is asked for again."""
    with pytest.raises(WebError, match="does not answer"):
        check(["price(name='A')"], "[price(name='A')]", Down())
    for outcome in check(["price(name='A')", "echo(value=1)"], "[price(name='A'), echo(value=2)]", Down()):
        assert error_type(outcome) == "executable_checker:cannot_find_match"


def test_each_request_is_made_once_for_an_answer():
    """Both rule sets, and all expected calls, use the value of a call that is known already."""
    apis = Recorded({"A": 1, "B": 2})
    outcomes = check(["price(name='A')", "price(name='B')"], "[price(name='B'), price(name='A')]", apis)
    assert [error_type(outcome) for outcome in outcomes] == [None, None]
    assert sorted(apis.asked) == ["A", "A", "B", "B"]


def test_every_expected_call_without_network_is_its_own_answer(entries: Callable[[str], list[Entry]]):
    """The expected calls of the 134 entries without network pass, and by no network."""
    passed = 0
    for category in ("exec_simple", "exec_multiple", "exec_parallel", "exec_parallel_multiple"):
        for one in entries(category):
            checker = ExecutableChecker(one, NoApis())
            calls = [read_call(expected["call"]) for expected in one.truth]
            outcome = checker.check_calls(calls[::-1], Rules.OFFICIAL)
            assert outcome.finding is None, outcome.finding
            passed += outcome.not_recorded is None
            if outcome.not_recorded is None:
                wrong = checker.check_calls(
                    [Call("math_gcd", {"a": 7, "b": 7})] * len(calls), Rules.OFFICIAL
                )
                assert wrong.finding is not None
    assert passed == 134


def test_deep_arguments_end():
    """Arguments that are nested as deep as can be read have a verdict, in both modes."""
    for depth in (150, 900, 100_000):
        nested = "[" * depth + "]" * depth
        native = json.dumps([{"echo": f'{{"value": {nested}}}'}])
        for mode, result in ((Mode.FC, native), (Mode.PROMPT, json.dumps(f"[echo(value={nested})]"))):
            judge = Judge(entry("echo(value=1)"))
            for verdict in judge.answer_verdicts(result, mode, None, [*Rules]):
                assert verdict.valid is False
