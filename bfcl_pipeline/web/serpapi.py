"""SerpApi, a paid service that asks DuckDuckGo for those who have a key.

Covers one request for the first page of results (up to 30) and what SerpApi says in statuses and in the
payload. The official tool searches this way. The key comes from the environment variable
SERPAPI_API_KEY and is seen by nobody else: not in errors, not in logs, not in what is returned. SerpApi
takes it in the URL only, so whoever records the traffic has to leave out SECRET_PARAMETER.

Source: the service's pages on status and error codes, search errors, and DuckDuckGo organic results.
"""

from __future__ import annotations

import json
import logging
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import Any, Self
from urllib.parse import quote, quote_plus

from bfcl_pipeline.errors import ConfigError, WebError
from bfcl_pipeline.tools.web import Failure, Hit, Hits
from bfcl_pipeline.web.asking import (
    NOT_RETRIEVED,
    Answer,
    Limits,
    UnknownAnswer,
    ask_engine,
    encodable,
    engine_session,
)
from bfcl_pipeline.web.waiting import Outage, Patience, RateLimited

ENGINE = "serpapi"
ADDRESS = "https://serpapi.com/search.json"
KEY_VARIABLE = "SERPAPI_API_KEY"
SECRET_PARAMETER = "api_key"  # noqa: S105 (its name, not its value)

_URL_LOGGER = "urllib3.connectionpool"  # writes the whole URL of each request, at level DEBUG


@dataclass(frozen=True, slots=True)
class SerpApi:
    """The search engine."""

    key: str = field(repr=False)
    base_url: str = ADDRESS
    patience: Patience = field(default_factory=Patience)
    limits: Limits = field(default_factory=Limits)

    @classmethod
    def from_environment(cls, environment: Mapping[str, str]) -> Self:
        """The engine with the key of the user. Raises ConfigError if there is none."""
        key = environment.get(KEY_VARIABLE, "").strip()
        if not key:
            raise ConfigError(
                f"The search engine {ENGINE} needs a key in the environment variable {KEY_VARIABLE}, which "
                "is not set. Set it, or use the search engine duckduckgo, which needs none."
            )
        return cls(key)

    def search(self, keywords: str, region: str) -> Hits | Failure:
        """What it finds, best first. region: as DuckDuckGo names them.

        A search that SerpApi does not take (empty, too long, a region it does not know) is a Failure.
        Raises WebError when it did not answer after patience, or refuses the key; UnknownAnswer when
        its answer cannot be read.
        """
        params = {"engine": "duckduckgo", "q": encodable(keywords), "kl": encodable(region)}

        def ask() -> Hits | Failure:
            with engine_session() as session, _unlogged(self.key):
                answer = ask_engine(
                    ENGINE,
                    session,
                    "GET",
                    self.base_url,
                    limits=self.limits,
                    headers={"Accept": "application/json"},
                    params={**params, SECRET_PARAMETER: self.key},
                )
            return _read(answer, self.key)

        return self.patience(ask)


def _read(answer: Answer, key: str) -> Hits | Failure:
    """What an answer means."""
    payload = _payload(answer)
    said = _without(key, str(payload.get("error", "")))[:300]
    status = answer.status
    if status == 400 and said:
        return Failure(NOT_RETRIEVED)  # of what we send, only the keywords and the region vary
    if "run out of searches" in said:
        raise WebError(
            f"{ENGINE}: the account has run out of searches. Wait for its next month, extend its plan, or "
            "use the search engine duckduckgo."
        )
    if status == 429 or "429" in said:
        raise RateLimited(ENGINE, f"it refused with HTTP {status}: {said}", answer.retry_after_seconds())
    if status in (401, 403):
        raise WebError(
            f"{ENGINE} refused the key (HTTP {status}: {said}). Put a valid one into the environment "
            f"variable {KEY_VARIABLE}, or use the search engine duckduckgo."
        )
    state = _state(payload)
    if status >= 500 or status == 408 or state in ("Error", "Processing", "Queued"):
        raise Outage(ENGINE, f"it failed with HTTP {status}: {said or state}", answer.retry_after_seconds())
    if status != 200:
        raise _unknown(f"HTTP {status}: {said}")
    results = payload.get("organic_results")
    if isinstance(results, list):
        return Hits(tuple(map(_hit, results)))
    if results is None and ("hasn't returned any results" in said or (state == "Success" and not said)):
        return Hits(())
    raise _unknown(said or "neither organic_results nor an error")


def _payload(answer: Answer) -> dict[str, Any]:
    """The answer's JSON object; empty where a failure came without one."""
    try:
        payload = json.loads(answer.text)
    except (ValueError, RecursionError):
        if answer.status == 200:
            raise Outage(ENGINE, "its answer was cut short, or is not JSON") from None
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


def _unknown(what_came: str) -> UnknownAnswer:
    return UnknownAnswer(
        f"{ENGINE} answered with {what_came}; expected organic_results. If it has changed its answers, "
        "bfcl_pipeline/web/serpapi.py has to learn them; until then use another search engine."
    )


def _without(key: str, text: str) -> str:
    for form in {key, quote(key, safe=""), quote_plus(key)} - {""}:
        text = text.replace(form, "***")
    return text


class _Redaction(logging.Filter):
    """Takes a key out of what is logged."""

    def __init__(self, key: str) -> None:
        super().__init__()
        self._key = key

    def filter(self, record: logging.LogRecord) -> bool:
        message = record.getMessage()
        redacted = _without(self._key, message)
        if redacted != message:
            record.msg, record.args = redacted, None
        return True


@contextmanager
def _unlogged(key: str) -> Iterator[None]:
    """Keeps the key out of the log of the library beneath."""
    redaction, logger = _Redaction(key), logging.getLogger(_URL_LOGGER)
    logger.addFilter(redaction)
    try:
        yield
    finally:
        logger.removeFilter(redaction)
