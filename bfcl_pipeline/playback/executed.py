"""Calls that are executed to score them, executed again: what each returned, and what it asked web APIs.

Nothing is sent: answers come from the release, the simulated network or the web cache.
"""

from dataclasses import dataclass
from typing import Any

from bfcl_pipeline.errors import PipelineError
from bfcl_pipeline.executables import ApiAnswer, ApiRequest, Apis, Evaluator, ExecutionFailed
from bfcl_pipeline.records import Call


@dataclass(frozen=True, slots=True)
class ExecutedCall:
    """One call that was executed."""

    call: Call
    value: Any = None  # what it returned; None also if it returned nothing
    error: str | None = None  # why it cannot be executed, as Python would report it; None if it can
    missing: str | None = None  # why its value is not known, for a person; None if it is
    requests: tuple[ApiRequest, ...] = ()  # to web APIs, in order, each once


class NotingApis:
    """Web APIs whose requests are noted."""

    def __init__(self, apis: Apis) -> None:
        self._apis = apis
        self._requests: dict[ApiRequest, None] = {}

    def get(self, request: ApiRequest) -> ApiAnswer:
        """The answer. Raises what the web APIs raise."""
        self._requests[request] = None
        return self._apis.get(request)

    def requests(self) -> tuple[ApiRequest, ...]:
        """The requests in order, each once."""
        return tuple(self._requests)


def execute(call: Call, apis: Apis) -> ExecutedCall:
    """Executes one call by its name and arguments."""
    noting = NotingApis(apis)
    try:
        value = Evaluator(noting).value(call)
    except ExecutionFailed as error:
        return ExecutedCall(call, error=str(error), requests=noting.requests())
    except PipelineError as error:  # an answer is not recorded, or its record is damaged
        return ExecutedCall(call, missing=str(error), requests=noting.requests())
    return ExecutedCall(call, value, requests=noting.requests())
