"""Checks answers of the category rest: one request to a web API, and the form of what it answers.

Covers decoding, what `requests` refuses, the request that the release itself makes, whose response it
holds, and the comparison of another request's answer with that response. `executables.rest` makes the
requests. Source: the official checker until it was retired (gorilla, commit 4d05b53f).
"""

from collections.abc import Mapping, Sequence
from functools import cached_property
from urllib.parse import urlsplit

from bfcl_pipeline.base.errors import NotRecorded
from bfcl_pipeline.benchmark.records import Call, DecodeFailure, Entry, Json, Mode, NameStyle, Rules
from bfcl_pipeline.dialogue.calls import decode_step, parse_json
from bfcl_pipeline.judge.scoring.findings import Finding, Outcome, shorten
from bfcl_pipeline.world.executables import (
    ApiAnswer,
    ApiRequest,
    Apis,
    ExecutionFailed,
    api_request,
    reference_request,
)
from bfcl_pipeline.world.executables.rest import NAMES

_CHECKER = "executable_checker_rest"

_MAX_BODY = 20_000_000
"""Characters of an answer that are read."""

_OK = 200


METRICS = ("rest_executed", "rest_response_type", "rest_keys")
"""What the release compares of an answer, in this order: the API answers the request with status 200; the
answer is JSON of the recorded response's type; its keys are those of that response."""

FULFILLED: Mapping[str, int] = {
    f"{_CHECKER}:response_format_error": 1,
    f"{_CHECKER}:wrong_type": 1,
    f"{_CHECKER}:wrong_key": 2,
    "value_error:exec_result_rest_count": 2,
    f"{_CHECKER}:wrong_value": 3,
}
"""How many of METRICS a wrong answer fulfils, by its error type; of other error types none."""


class RestChecker:
    """Checks the answers to one entry of the category rest."""

    def __init__(self, entry: Entry, apis: Apis) -> None:
        self._entry = entry
        self._expected: Json = entry.truth["response"]
        self._apis = apis

    def check(
        self,
        result: Json | DecodeFailure,
        mode: Mode,
        style: NameStyle,  # noqa: ARG002  # both spellings of requests.get are read
        rules: Sequence[Rules],
    ) -> list[Outcome]:
        """The outcome of one answer by each of `rules`. Raises WebError as `Apis.get`."""
        if isinstance(result, DecodeFailure):
            return [self.check_calls(result, rule_set) for rule_set in rules]
        return [self.check_calls(decode_step(result, mode, rules=name), name) for name in rules]

    def check_calls(self, calls: Sequence[Call] | DecodeFailure, rules: Rules) -> Outcome:
        """The outcome of decoded calls. Raises WebError as `Apis.get`."""
        if isinstance(calls, DecodeFailure):
            return _not_valid("executable_decoder:decoder_failed", f"No call can be read: {calls.message}")
        if len(calls) != 1:
            given = f"Expected one call, got {len(calls)}."
            return _not_valid("executable_decoder:rest_wrong_output_format", given)
        try:
            request = _request(calls[0])
            if request == self._reference:
                return Outcome()
            if other_host(request, self._reference, rules):
                place = urlsplit(self._reference.url).netloc
                return _not_valid(f"{_CHECKER}:other_host", f"{request.url:.300} is not at {place}.")
            return Outcome(compare_answer(self._expected, self._apis.get(request), rules))
        except ExecutionFailed as error:
            return _not_valid(f"{_CHECKER}:execution_error", str(error))
        except NotRecorded as error:
            return Outcome(not_recorded=str(error))

    @cached_property
    def _reference(self) -> ApiRequest:
        """The request of the release, which is never sent: the release holds its response."""
        return reference_request(self._entry.truth["request"])


def _request(call: Call) -> ApiRequest:
    """The request that `call` would send. Raises ExecutionFailed and NotRecorded."""
    if call.name not in NAMES:
        raise ExecutionFailed(f"NameError: name {call.name!r} is not defined")
    return api_request(call.arguments)


def other_host(request: ApiRequest, reference: ApiRequest, rules: Rules) -> bool:
    """Whether `request` fails since it does not ask the API of the entry. Rule `rest-host`."""
    if rules is Rules.OFFICIAL:
        return False
    return urlsplit(request.url).netloc != urlsplit(reference.url).netloc


def compare_answer(expected: Json, answer: ApiAnswer, rules: Rules) -> Finding | None:
    """The error in an answer; None if it has the form of `expected`, the recorded response."""
    if answer.status != _OK:
        return Finding(f"{_CHECKER}:wrong_status_code", f"The API answers with status {answer.status}.")
    try:
        if len(answer.body) > _MAX_BODY:
            raise ValueError(f"{len(answer.body):,} characters; at most {_MAX_BODY:,} are read")
        given = parse_json(answer.body)
    except (ValueError, RecursionError) as error:
        return Finding(f"{_CHECKER}:response_format_error", f"The answer is not JSON ({error}).")
    if type(given) is not type(expected):
        kinds = f"Expected a JSON {_kind(expected)}, got {shorten(given)}."
        return Finding(f"{_CHECKER}:wrong_type", kinds)
    if isinstance(expected, list):
        return _compare_items(expected, given, rules)
    return _compare_keys(expected, given) or unlike_values(expected, given, rules)


def _compare_items(expected: list[Json], given: list[Json], rules: Rules) -> Finding | None:
    if wrong_length(expected, given, rules):
        lengths = f"Expected a list of {len(expected)}, got {len(given)}."
        return Finding("value_error:exec_result_rest_count", lengths)
    for place, item in enumerate(given):
        if not isinstance(item, dict):
            return Finding(f"{_CHECKER}:response_format_error", f"Item {place} is {shorten(item)}.")
        options = expected[place : place + 1] if len(given) == len(expected) else expected
        if not any(item.keys() == option.keys() for option in options):
            return _compare_keys(options[0], item)
    return None


def _compare_keys(expected: dict[str, Json], given: dict[str, Json]) -> Finding | None:
    if expected.keys() == given.keys():
        return None
    missing = [key for key in expected if key not in given]
    further = [key for key in given if key not in expected]
    said = f"The answer lacks the keys {shorten(missing)} and has the further keys {shorten(further)}."
    return Finding(f"{_CHECKER}:wrong_key", said)


def wrong_length(expected: list[Json], given: list[Json], rules: Rules) -> bool:
    """Whether a list fails by its number of items. Rule `rest-list-length`."""
    if rules is Rules.OFFICIAL:
        return len(given) != len(expected)
    return bool(expected) != bool(given)


def unlike_values(expected: dict[str, Json], given: dict[str, Json], rules: Rules) -> Finding | None:
    """The error in the values of an object that has the expected keys. Rule `rest-values`.

    A value must be a list, an object or neither as the recorded one, and not be empty if that is not.
    """
    if rules is Rules.OFFICIAL:
        return None
    for key, value in expected.items():
        kind = _kind(value)
        if _kind(given[key]) != kind or (kind != "value" and bool(value) and not given[key]):
            said = f"Expected a {kind} at {key!r} as in the recorded response, got {shorten(given[key])}."
            return Finding(f"{_CHECKER}:wrong_value", said)
    return None


def _kind(value: Json) -> str:
    """What JSON calls a value with parts."""
    return "object" if isinstance(value, dict) else "list" if isinstance(value, list) else "value"


def _not_valid(error_type: str, message: str) -> Outcome:
    return Outcome(Finding(error_type, message))
