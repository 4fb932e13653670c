"""Entries whose calls are executed to score them, and answers to them, as items.

Each call is followed by what it asks web APIs, where the answer comes from, and the value that it returns.
An entry has which values are accepted; an answer has the expected call that each call fits.
"""

import json
from collections.abc import Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from typing import Any
from urllib.parse import urlencode

from bfcl_pipeline.base.errors import PipelineError, WebError
from bfcl_pipeline.base.text import cut, on_one_line
from bfcl_pipeline.benchmark.definition import CATEGORIES, Check
from bfcl_pipeline.benchmark.records import Call, DecodeFailure, Entry, Json, Mode, Response, Rules
from bfcl_pipeline.dialogue.calls import decode_step, executed_text
from bfcl_pipeline.judge.scoring.executable import ExecutableChecker
from bfcl_pipeline.judge.scoring.findings import shorten
from bfcl_pipeline.judge.scoring.matching import Pairing
from bfcl_pipeline.judge.web_files import NotingApis
from bfcl_pipeline.show.playback.conditions import OF_RELEASE, Conditions
from bfcl_pipeline.show.transcripts.judged import judged_entry
from bfcl_pipeline.show.transcripts.parts import Item, Kind, TextLimits
from bfcl_pipeline.show.transcripts.texts import call_text, items_before_calls
from bfcl_pipeline.world.executables import (
    ApiAnswer,
    ApiRequest,
    Apis,
    Evaluator,
    ExecutionFailed,
    read_call,
)
from bfcl_pipeline.world.executables.functions import EvaluationWork
from bfcl_pipeline.world.executables.functions.work import AnswerWork
from bfcl_pipeline.world.executables.rest import NAMES, api_request, reference_call, reference_request


@dataclass(frozen=True, slots=True)
class ExecutedCall:
    """One call that was executed."""

    call: Call
    value: Any = None  # what it returned; of a REST request the ApiAnswer
    error: str | None = None  # why it cannot be executed, as Python would report it; None if it can
    missing: str | None = None  # why its value is not known, for a person; None if it is
    requests: tuple[tuple[ApiRequest, str], ...] = ()  # in order, each once, and where its answer comes
    # from, in words; empty if that is not recorded


def execute(
    call: Call, conditions: Conditions, web: str | None, work: EvaluationWork | None = None
) -> ExecutedCall:
    """Executes a call of a function.

    web: the column `web` of the response. work: what may be done; None: as much as for any call.
    """
    noting = NotingApis(conditions.apis(web))
    value, error, missing = None, None, None
    try:
        value = Evaluator(noting).value(call, work)
    except ExecutionFailed as failed:
        error = str(failed)
    except PipelineError as failed:  # an answer is not recorded, or its record is damaged
        missing = str(failed)
    requests = tuple(
        (key.request, conditions.api_source(web, key.request) if found else "")
        for key, found in noting.keys.items()
    )
    return ExecutedCall(call, value, error, missing, requests)


def execute_request(entry: Entry, call: Call, conditions: Conditions, web: str | None) -> ExecutedCall:
    """Makes the request of a call in an answer to a REST entry, or of its truth.

    The reference request has the recorded response. web: the column `web` of the response.
    """
    if call.name not in NAMES:
        return ExecutedCall(call, error=f"NameError: name {call.name!r} is not defined")
    try:
        request = api_request(call.arguments)
    except ExecutionFailed as failed:
        return ExecutedCall(call, error=str(failed))
    except PipelineError as failed:  # a request that is never sent
        return ExecutedCall(call, missing=str(failed))
    if request == reference_request(entry.truth["request"]):
        answer = ApiAnswer(200, json.dumps(entry.truth["response"], ensure_ascii=False))
        return ExecutedCall(call, answer, requests=((request, OF_RELEASE),))
    try:
        answer = conditions.apis(web).get(request)
        source = conditions.api_source(web, request)
    except PipelineError as failed:
        return ExecutedCall(call, missing=str(failed), requests=((request, ""),))
    return ExecutedCall(call, answer, requests=((request, source),))


MOST_EXECUTED = 100
"""Calls of one answer that are executed to show their values."""

_ACCEPTED: Mapping[str, str] = {
    "exact_match": "an equal value",
    "real_time_match": "a number within 20 % of the value",
    "structural_match": "a value of this type, with these keys or of this length",
}
"""Which values are accepted, by the release's term."""

_ACCEPTED_OBJECT = "the same request, or an answer with status 200 and these keys at the top"
_ACCEPTED_LIST = "the same request, or an answer with status 200 and a list of this length with these keys"


def expected_items(entry: Entry, conditions: Conditions, limits: TextLimits) -> Iterator[Item]:
    """The expected calls of an entry, with their values in the web mode of `conditions`.

    Raises MalformedRelease if the truth is not well formed.
    """
    if _is_rest(entry):
        reference = reference_call(entry.truth["request"])
        yield from _call_items(execute_request(entry, reference, conditions, None), limits, "truth")
        accepted = _ACCEPTED_LIST if isinstance(entry.truth["response"], list) else _ACCEPTED_OBJECT
        yield Item(Kind.NOTE, accepted, label="accepts")
        return
    for place, expected in enumerate(entry.truth):
        executed = execute(read_call(expected["call"]), conditions, conditions.web.mode)
        yield from _call_items(executed, limits, _truth(place, entry))
        yield Item(Kind.NOTE, _ACCEPTED[expected["match"]], label="accepts")


def answer_items(
    entry: Entry, response: Response, result: Json, conditions: Conditions, rules: Rules, limits: TextLimits
) -> Iterator[Item]:
    """A single answer: a text unchanged, then the calls in it with their values, or why it has none."""
    judged = judged_entry(entry, rules)
    calls = decode_step(result, response.mode, rules=judged.rules)
    label = yield from items_before_calls(result, calls, _as_python, limits)
    if isinstance(calls, DecodeFailure):
        return
    pairings: Mapping[Rules, Pairing] = {}
    if not _is_rest(entry):
        apis = conditions.apis(response.web)
        pairings = dict(_pairings(judged.entry, result, response.mode, calls, apis))
    answer_work, shown_calls = AnswerWork(), 0
    for place, call in enumerate(calls[:MOST_EXECUTED]):
        if not answer_work.steps_left:
            break
        shown_calls += 1
        with answer_work.call() as work:
            executed = (
                execute_request(judged.entry, call, conditions, response.web)
                if _is_rest(entry)
                else execute(call, conditions, response.web, work)
            )
        yield from _call_items(executed, limits, label if len(calls) == 1 else f"{label} {place + 1}")
        fits = {rules: found.taken.get(place) for rules, found in pairings.items()}
        yield from (Item(Kind.NOTE, text, label="fits") for text in _by_rules(fits, judged.entry))
    if len(calls) > shown_calls:
        yield Item(Kind.NOTE, f"(and {len(calls) - shown_calls:,} more calls, which are not executed here)")
    lacking = {rules: found.unmatched for rules, found in pairings.items()}
    for text in _by_rules(lacking, judged.entry):
        yield Item(Kind.NOTE, f"(no call fits {text})")


def _is_rest(entry: Entry) -> bool:
    return CATEGORIES[entry.category].check is Check.REST


def _call_items(executed: ExecutedCall, limits: TextLimits, label: str) -> Iterator[Item]:
    """A call, its requests, and its value, or why it has none."""
    yield Item(Kind.CALL, call_text(executed.call, limits), label=label)
    for request, source in executed.requests:
        yield Item(Kind.REQUEST, cut(_request_text(request), limits.call), label="request")
        if source:
            yield Item(Kind.NOTE, source, label="from")
    if executed.missing is not None:
        yield Item(Kind.NOTE, f"(not recorded: {cut(executed.missing, limits.result)})", label="value")
    elif executed.error is not None:
        yield Item(Kind.VALUE, cut(on_one_line(executed.error), limits.result), label="error")
    else:
        yield Item(Kind.VALUE, cut(_value_text(executed.value), limits.result), label="value")


def _request_text(request: ApiRequest) -> str:
    """A request as one line. That of a function is without its headers, which depend on the API alone."""
    query = f"?{urlencode(request.params, errors='replace')}" if request.params else ""
    headers = () if request.function else request.headers
    with_headers = "".join(f"; {name}: {value}" for name, value in headers)
    return on_one_line(f"GET {request.url}{query}{with_headers}")


def _value_text(value: object) -> str:
    """A value as Python, that of a request as its status and body; shortened if Python cannot write it."""
    if isinstance(value, ApiAnswer):
        return f"status {value.status}: {on_one_line(value.body)}"
    try:
        return repr(value)
    except (ValueError, RecursionError):
        return shorten(value)


def _pairings(
    entry: Entry, result: Json, mode: Mode, calls: Sequence[Call], apis: Apis
) -> Iterator[tuple[Rules, Pairing]]:
    """The pairing under each rule set that reads these calls; none where an answer is not recorded."""
    checker = ExecutableChecker(entry, apis)
    for rules in (Rules.OFFICIAL, Rules.CORRECTED):
        with suppress(WebError):
            found = (
                checker.pairing(calls, rules) if decode_step(result, mode, rules=rules) == calls else None
            )
            if found is not None:
                yield rules, found


def _by_rules(places: Mapping[Rules, int | None], entry: Entry) -> Iterator[str]:
    """Each expected call of `places`, with the rule sets if they differ."""
    names: dict[int, list[str]] = {}
    for rules, place in places.items():
        if place is not None:
            names.setdefault(place, []).append(rules.value)
    for place, rule_sets in names.items():
        under = "" if len(rule_sets) == len(Rules) - 1 else f" under {' and '.join(rule_sets)} rules"
        yield f"{'the ' if len(entry.truth) == 1 else ''}{_truth(place, entry)}{under}"


def _truth(place: int, entry: Entry) -> str:
    """What an expected call is called."""
    return "truth" if len(entry.truth) == 1 else f"truth {place + 1}"


def _as_python(calls: Sequence[Call]) -> str:
    return f"[{', '.join(map(executed_text, calls))}]"
