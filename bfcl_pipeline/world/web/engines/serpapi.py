"""The search engine SerpApi, a paid service that queries DuckDuckGo.

Covers one request for the first page of results (up to 30) and the errors that SerpApi reports in statuses
and in the payload. The official tool searches this way. The key is read from the environment variable
SERPAPI_API_KEY; it is redacted in errors, logs and results. SerpApi accepts it in the URL only, so records
of the traffic must redact SECRET_PARAMETER.

Source: the service's pages on status and error codes, search errors, and DuckDuckGo organic results.
"""

import json
import logging
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import Any, Self

import requests
import urllib3

from bfcl_pipeline.base.errors import ConfigError, WebError
from bfcl_pipeline.base.secrets import SHORTEST, TOO_SHORT, Redactor
from bfcl_pipeline.benchmark.config.job import DUCKDUCKGO, SERPAPI, SERPAPI_KEY
from bfcl_pipeline.world.tools.web_search.web import Hit, Hits, WebFailure
from bfcl_pipeline.world.web.engines.asking import (
    NOT_RETRIEVED,
    EngineResponse,
    Outage,
    RetryPolicy,
    SearchLimits,
    SearchRateLimited,
    UnknownAnswer,
    encodable,
    innermost_name,
)
from bfcl_pipeline.world.web.evidence.tape import tape_session
from bfcl_pipeline.world.web.proxies import DIRECT, Proxies

ADDRESS = "https://serpapi.com/search.json"
SECRET_PARAMETER = "api_key"  # noqa: S105 (its name, not its value)

_CHUNK_BYTES = 65_536
_URL_LOGGER = "urllib3.connectionpool"  # writes the whole URL of each request, at level DEBUG


@dataclass(frozen=True, slots=True)
class SerpApi:
    """The search engine."""

    key: str = field(repr=False)
    base_url: str = ADDRESS
    retries: RetryPolicy = field(default_factory=RetryPolicy)
    limits: SearchLimits = field(default_factory=SearchLimits)
    proxies: Proxies = DIRECT

    @classmethod
    def from_environment(
        cls,
        environment: Mapping[str, str],
        proxies: Proxies,
        retries: RetryPolicy,
    ) -> Self:
        """The engine with the user's key. Raises ConfigError if there is none, or a too short one."""
        key = environment.get(SERPAPI_KEY, "").strip()
        if not key:
            raise ConfigError(
                f"The search engine {SERPAPI} needs a key in the environment variable {SERPAPI_KEY}, which "
                f"is not set. Set it, or use the search engine {DUCKDUCKGO}, which needs none."
            )
        if len(key) < SHORTEST:
            raise ConfigError(
                f"The environment variable {SERPAPI_KEY} {TOO_SHORT}. Set it to your whole key."
            )
        return cls(key, retries=retries, proxies=proxies)

    def search(self, keywords: str, region: str) -> Hits | WebFailure:
        """The results, best first. region: as DuckDuckGo names it.

        A search that SerpApi does not accept (empty, too long, an unknown region) is a WebFailure.

        Raises:
            WebError: no answer after all retries, or the key was rejected.
            UnknownAnswer: the answer cannot be read.
        """
        params = {"engine": "duckduckgo", "q": encodable(keywords), "kl": encodable(region)}

        return self.retries(lambda: _read(self._request(params), self.key))

    def _request(self, params: Mapping[str, str]) -> EngineResponse:
        """The answer, whatever its status. Redirects are not followed: they have not answered the search.

        No message contains the URL, and no error is chained: the library's errors quote the URL, which
        contains the key.

        Raises:
            Outage: no complete answer was received.
            UnknownAnswer: the answer is larger than one with results can be.
        """
        try:
            with requests.Session() as session, _unlogged(self.key):
                session.trust_env = False  # neither a .netrc; proxies are given
                tape_session(session)
                with session.get(
                    self.base_url,
                    params={**params, SECRET_PARAMETER: self.key},
                    headers={"Accept": "application/json"},
                    stream=True,
                    allow_redirects=False,
                    proxies=self.proxies.for_requests(self.base_url),
                    verify=self.proxies.certificates,
                    timeout=(self.limits.connect_seconds, self.limits.silence_seconds),
                ) as response:
                    body = self._body(response)
                    return EngineResponse(
                        response.status_code, response.headers, body.decode("utf-8", "replace")
                    )
        except (requests.RequestException, urllib3.exceptions.HTTPError) as error:
            failure = f"the connection failed ({innermost_name(error)})"
        raise Outage(SERPAPI, failure)  # outside of the handler: without the error as its context

    def _body(self, response: requests.Response) -> bytes:
        """The body, read as it arrives: while waiting for a full chunk the time limit is not checked."""
        until = self.limits.clock() + self.limits.whole_seconds
        body = bytearray()
        while piece := response.raw.read1(_CHUNK_BYTES, decode_content=True):
            body += piece
            self.limits.check_size(SERPAPI, len(body))
            self.limits.check_time(SERPAPI, until)
        return bytes(body)


def _read(answer: EngineResponse, key: str) -> Hits | WebFailure:
    """The outcome that an answer means, or the error for it."""
    payload = _payload(answer)
    said = Redactor([key]).text(str(payload.get("error", "")))[:300]
    status = answer.status
    if status == 400 and said:
        return WebFailure(NOT_RETRIEVED)  # of what we send, only the keywords and the region vary
    if "run out of searches" in said:
        raise WebError(
            f"{SERPAPI}: the account has run out of searches. Wait for its next month, extend its plan, or "
            "use the search engine duckduckgo."
        )
    if status == 429 or "429" in said:
        raise SearchRateLimited(
            SERPAPI, f"it refused with HTTP {status}: {said}", answer.retry_after_seconds()
        )
    if status in (401, 403):
        raise WebError(
            f"{SERPAPI} refused the key (HTTP {status}: {said}). Put a valid one into the environment "
            f"variable {SERPAPI_KEY}, or use the search engine duckduckgo."
        )
    state = _state(payload)
    if status >= 500 or status == 408 or state in ("Error", "Processing", "Queued"):
        raise Outage(
            SERPAPI, f"it failed with HTTP {status}: {said or state}", answer.retry_after_seconds()
        )
    if status != 200:
        raise _unknown(f"HTTP {status}: {said}")
    results = payload.get("organic_results")
    if isinstance(results, list):
        return Hits(tuple(map(_hit, results)))
    if results is None and ("hasn't returned any results" in said or (state == "Success" and not said)):
        return Hits(())
    raise _unknown(said or "neither organic_results nor an error")


def _payload(answer: EngineResponse) -> dict[str, Any]:
    """The answer's JSON object; empty for a failure without one."""
    try:
        payload = json.loads(answer.text)
    except (ValueError, RecursionError):
        if answer.status == 200:
            raise Outage(SERPAPI, "its answer is truncated, or not JSON") from None
        return {}
    if not isinstance(payload, dict):
        raise _unknown("JSON that is not an object")
    return payload


def _state(payload: Mapping[str, Any]) -> str:
    about = payload.get("search_metadata")
    return str(about.get("status", "")) if isinstance(about, dict) else ""


def _hit(result: object) -> Hit:
    if not isinstance(result, dict) or not isinstance(result.get("link"), str):
        raise _unknown("a result without a link")
    return Hit(str(result.get("title", "")), result["link"], str(result.get("snippet") or ""))


def _unknown(received: str) -> UnknownAnswer:
    return UnknownAnswer(
        f"{SERPAPI} answered with {received}; expected organic_results. If its answers have changed, "
        "bfcl_pipeline/world/web/engines/serpapi.py must be adapted; until then use another search engine."
    )


@contextmanager
def _unlogged(key: str) -> Iterator[None]:
    """Keeps the key out of the log of the HTTP library."""
    redactor, logger = Redactor([key]), logging.getLogger(_URL_LOGGER)

    def redact(record: logging.LogRecord) -> bool:
        record.msg, record.args = redactor.text(record.getMessage()), None
        return True

    logger.addFilter(redact)
    try:
        yield
    finally:
        logger.removeFilter(redact)
