"""The requests of web APIs that the verdicts on an answer need, whatever the rule set.

Verdicts ask for no more than they need, so a request is found by scoring the answer.
"""

from collections.abc import Iterable, Sequence
from contextlib import suppress

from bfcl_pipeline.base.errors import NotRecorded
from bfcl_pipeline.base.text import loaded_json
from bfcl_pipeline.benchmark.definition import CATEGORIES, Check
from bfcl_pipeline.benchmark.records import Call, DecodeFailure, Entry, Response, Rules, Status
from bfcl_pipeline.dialogue.calls import decode_step
from bfcl_pipeline.judge.scoring import Judge
from bfcl_pipeline.world.executables import (
    ApiAnswer,
    ApiRequest,
    Apis,
    Evaluator,
    ExecutionFailed,
    api_request,
    read_call,
)
from bfcl_pipeline.world.executables.functions.work import AnswerWork
from bfcl_pipeline.world.web.keys import ApiKey


class NotingApis:
    """Web APIs whose requests are noted."""

    def __init__(self, apis: Apis) -> None:
        self._apis = apis
        self.keys: dict[ApiKey, bool] = {}  # in order; whether the APIs have an answer

    def get(self, request: ApiRequest) -> ApiAnswer:
        """The answer of the APIs. Raises as they do."""
        key = ApiKey(request)
        try:
            answer = self._apis.get(request)
        except NotRecorded:
            self.keys[key] = False
            raise
        self.keys[key] = True
        return answer


def needed_requests(entry: Entry, responses: Iterable[Response], apis: Apis) -> dict[ApiKey, bool]:
    """The requests that verdicts on `responses` need, in order, and whether `apis` answer them.

    Raises WebError as `apis` do, and TableError for a response that is not JSON.
    """
    noting = NotingApis(apis)
    judge = Judge(entry, apis=noting)
    for response in responses:
        if response.status is Status.ANSWERED:
            judge.answer_verdicts(response.result_json, response.mode, response.name_style, list(Rules))
    return noting.keys


def shown_requests(entry: Entry, responses: Iterable[Response], apis: Apis) -> dict[ApiKey, bool]:
    """The requests of the expected calls and of all calls in `responses`, and whether `apis` answer them.

    Pages show the value of each call, also of one that no verdict needed. Raises as `apis` do.
    """
    noting = NotingApis(apis)
    rest = CATEGORIES[entry.category].check is Check.REST
    expected = [] if rest else [read_call(expected["call"]) for expected in entry.truth]
    _ask(expected, noting, rest)
    for response in responses:
        result = loaded_json(response.result_json) if response.status is Status.ANSWERED else None
        for rules in (Rules.OFFICIAL, Rules.CORRECTED):
            decoded = decode_step(result, response.mode, rules=rules)
            _ask(() if isinstance(decoded, DecodeFailure) else decoded, noting, rest)
    return noting.keys


def _ask(calls: Sequence[Call], apis: Apis, rest: bool) -> None:
    """Makes the requests of calls; of functions, in as much work as is done to show an answer."""
    evaluator, answer_work = Evaluator(apis), AnswerWork()
    for call in calls:
        with suppress(ExecutionFailed, NotRecorded), answer_work.call() as work:
            if rest:
                apis.get(api_request(call.arguments))
            elif evaluator.uses_network(call):
                evaluator.value(call, work)
