"""Whatever a model passes to `requests.get`, there is one request or a refusal, after bounded work."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from bfcl_pipeline.base.errors import NotRecorded
from bfcl_pipeline.benchmark.records import Rules
from bfcl_pipeline.judge.scoring.rest import compare_answer
from bfcl_pipeline.world.executables import ApiAnswer, ApiRequest, ExecutionFailed, api_request
from bfcl_pipeline.world.executables.apis import HOSTS
from tests.fuzz.test_fuzz import _JSON, _SOUP
from tests.support.work import measured

LIMIT_CALLS = 100_000

_NAMES = (
    *("url", "params", "data", "json", "files", "headers", "cookies", "auth", "timeout", "further"),
    *("allow_redirects", "proxies", "hooks", "stream", "verify", "cert"),
)
_PATHS = st.text() | _SOUP
_HOSTS = st.sampled_from([*HOSTS]) | st.from_regex(r"[A-Za-z0-9.:@\\[\]-]{1,12}", fullmatch=True)
_URLS = st.builds("{}://{}/{}".format, st.sampled_from(["http", "https", "HTTPS", "ftp"]), _HOSTS, _PATHS)
_TABLES = st.dictionaries(st.text(max_size=4) | st.sampled_from(["Authorization", "X-RapidAPI-Key"]), _JSON)
_OBJECTS = st.dictionaries(st.text(max_size=2), _JSON, max_size=3)
_ARGUMENTS = st.builds(
    lambda url, others: {**others, "url": url},
    _URLS | _JSON,
    st.dictionaries(st.sampled_from(_NAMES), _JSON | _TABLES, max_size=4),
)


def outcome_of(arguments: dict[str, object]) -> ApiRequest | str:
    """The request, or the name of the exception."""
    try:
        return api_request(arguments)
    except (ExecutionFailed, NotRecorded) as error:
        return str(error).partition(":")[0]


@given(_ARGUMENTS)
def test_any_arguments_are_one_request_or_a_refusal(arguments):
    """The outcome is the same each time; a request in normalized form stays as it is when it is sent."""
    outcome = outcome_of(arguments)
    with measured() as work:
        assert outcome_of(arguments) == outcome
    assert work.calls < LIMIT_CALLS
    if isinstance(outcome, ApiRequest):
        again = {"url": outcome.url, "params": [*outcome.params], "headers": dict(outcome.headers)}
        assert api_request(again) == outcome


@given(
    _OBJECTS | st.lists(_OBJECTS), _JSON | st.text(), st.sampled_from(list(Rules)), st.integers(100, 599)
)
def test_any_answer_is_compared(expected, body, rules, status):
    """Any body has the expected form or an error, after bounded work."""
    text = body if isinstance(body, str) else str(body).replace("'", '"')
    with measured() as work:
        found = compare_answer(expected, ApiAnswer(status, text), rules)
    assert work.calls < LIMIT_CALLS
    assert found is None or found.error_type
