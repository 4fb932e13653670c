"""The search engine SerpApi, a paid service that queries DuckDuckGo.

Covers one request for the first page of results (up to 30) and the errors that SerpApi reports in statuses
and in the payload. The official tool searches this way. The key is read from the environment variable
SERPAPI_API_KEY; it is redacted in errors, logs and results. SerpApi accepts it in the URL only, so records
of the traffic must redact SECRET_PARAMETER.

Source: the service's pages on status and error codes, search errors, and DuckDuckGo organic results.
"""

import json
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, Self

import requests

from bfcl_pipeline.base.errors import ConfigError, WebError
from bfcl_pipeline.base.secrets import SHORTEST, TOO_SHORT, Redactor
from bfcl_pipeline.benchmark.config.job import DUCKDUCKGO, SERPAPI, SERPAPI_KEY
from bfcl_pipeline.world.tools.web_search.web import Hit, Hits, WebFailure
from bfcl_pipeline.world.web.engines.asking import (
    LIMITS,
    NOT_RETRIEVED,
    Outage,
    RetryPolicy,
    SearchRateLimited,
    UnknownAnswer,
    encodable,
)
from bfcl_pipeline.world.web.http_client import HttpClient, HttpReply, NoAnswer
from bfcl_pipeline.world.web.proxies import Proxies
from bfcl_pipeline.world.web.transport import TooMuch

ADDRESS = "https://serpapi.com/search.json"
SECRET_PARAMETER = "api_key"  # noqa: S105 (its name, not its value)


@dataclass(frozen=True, slots=True)
class SerpApi:
    """The search engine."""

    key: str = field(repr=False)
    base_url: str = ADDRESS
    retries: RetryPolicy = field(default_factory=RetryPolicy)
    client: HttpClient = field(default_factory=lambda: HttpClient(LIMITS))

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
        return cls(key, retries=retries, client=HttpClient(LIMITS, proxies=proxies))

    def search(self, keywords: str, region: str) -> Hits | WebFailure:
        """The results, best first. region: as DuckDuckGo names it.

        A search that SerpApi does not accept (empty, too long, an unknown region) is a WebFailure.

        Raises:
            WebError: no answer after all retries, or the key was rejected.
            UnknownAnswer: the answer cannot be read.
        """
        params = {"engine": "duckduckgo", "q": encodable(keywords), "kl": encodable(region)}

        return self.retries(lambda: _read(self._request(params), self.key))

    def _request(self, params: Mapping[str, str]) -> HttpReply:
        """The answer, whatever its status. Redirects are not followed: they have not answered the search.

        Raises:
            Outage: no complete answer was received.
            UnknownAnswer: the answer is larger than one with results can be.
            WebError: no names can be looked up at all.
        """
        sent = {**params, SECRET_PARAMETER: self.key}

        def prepare(session: requests.Session, url: str) -> requests.PreparedRequest:
            headers = {"Accept": "application/json"}
            return session.prepare_request(requests.Request("GET", url, params=sent, headers=headers))

        try:
            return self.client.reply(self.base_url, prepare)
        except TooMuch as error:
            raise _unknown(str(error)) from None
        except NoAnswer as error:
            raise Outage(SERPAPI, str(error)) from None


def _read(answer: HttpReply, key: str) -> Hits | WebFailure:
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


def _payload(answer: HttpReply) -> dict[str, Any]:
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
