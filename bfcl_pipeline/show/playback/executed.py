"""Calls that are executed to score them, executed again: what each returned, and what it asked web APIs.

Nothing is sent: answers come from the release, the simulated network or the web cache.
"""

import json
from dataclasses import dataclass
from typing import Any

from bfcl_pipeline.base.errors import PipelineError
from bfcl_pipeline.benchmark.records import Call, Entry
from bfcl_pipeline.judge.executed_requests import NotingApis
from bfcl_pipeline.show.playback.conditions import OF_RELEASE, Conditions
from bfcl_pipeline.world.executables import ApiAnswer, ApiRequest, Evaluator, ExecutionFailed
from bfcl_pipeline.world.executables.functions import EvaluationWork
from bfcl_pipeline.world.executables.rest import NAMES, api_request, reference_call, reference_request


@dataclass(frozen=True, slots=True)
class AskedRequest:
    """A request of a call to a web API."""

    request: ApiRequest
    source: str = ""  # where its answer comes from, in words; empty if it is not recorded


@dataclass(frozen=True, slots=True)
class ExecutedCall:
    """One call that was executed."""

    call: Call
    value: Any = None  # what it returned; of a REST request the ApiAnswer
    error: str | None = None  # why it cannot be executed, as Python would report it; None if it can
    missing: str | None = None  # why its value is not known, for a person; None if it is
    requests: tuple[AskedRequest, ...] = ()  # in order, each once


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
        AskedRequest(key.request, conditions.api_source(web, key.request) if found else "")
        for key, found in noting.keys.items()
    )
    return ExecutedCall(call, value, error, missing, requests)


def execute_request(entry: Entry, call: Call, conditions: Conditions, web: str | None) -> ExecutedCall:
    """Makes the request of a call in an answer to a REST entry. web: the column `web` of the response."""
    if call.name not in NAMES:
        return ExecutedCall(call, error=f"NameError: name {call.name!r} is not defined")
    try:
        request = api_request(call.arguments)
    except ExecutionFailed as failed:
        return ExecutedCall(call, error=str(failed))
    except PipelineError as failed:  # a request that is never sent
        return ExecutedCall(call, missing=str(failed))
    if request == reference_request(entry.truth["request"]):
        return _of_release(entry, call, request)
    try:
        answer = conditions.apis(web).get(request)
        source = conditions.api_source(web, request)
    except PipelineError as failed:
        return ExecutedCall(call, missing=str(failed), requests=(AskedRequest(request),))
    return ExecutedCall(call, answer, requests=(AskedRequest(request, source),))


def execute_reference(entry: Entry) -> ExecutedCall:
    """The reference request of a REST entry with its recorded response. Raises MalformedRelease."""
    text = entry.truth["request"]
    return _of_release(entry, reference_call(text), reference_request(text))


def _of_release(entry: Entry, call: Call, request: ApiRequest) -> ExecutedCall:
    answer = ApiAnswer(200, json.dumps(entry.truth["response"], ensure_ascii=False))
    return ExecutedCall(call, answer, requests=(AskedRequest(request, OF_RELEASE),))
