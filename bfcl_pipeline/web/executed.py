"""The requests of web APIs that the verdicts on an answer need, whatever the rule set.

Verdicts ask for no more than they need, so a request is found by scoring the answer.
"""

from collections.abc import Iterable

from bfcl_pipeline.errors import NotRecorded
from bfcl_pipeline.executables import ApiAnswer, ApiRequest, Apis
from bfcl_pipeline.records import Entry, Response, Rules, Status
from bfcl_pipeline.scoring import Judge
from bfcl_pipeline.web.keys import ApiKey


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
