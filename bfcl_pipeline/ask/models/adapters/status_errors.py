"""The ModelError for an error answer of an API, from its status, headers and text.

The texts are those of OpenAI, vLLM, Anthropic, Gemini and a dozen other vendors.
"""

import json
import re
import time
from collections.abc import Mapping
from http import HTTPStatus

from bfcl_pipeline.base.errors import (
    AccessDenied,
    ContextOverflow,
    ModelError,
    RateLimited,
    RequestRefused,
    Transient,
)
from bfcl_pipeline.base.retry_after import number, retry_after_seconds
from bfcl_pipeline.base.text import loaded_json
from bfcl_pipeline.benchmark.records import Json
from bfcl_pipeline.judge.scoring.aggregate import OVERFLOW

_SHOWN = 400  # characters of the API's text in an error message

_READ = 1000
"""Characters of the text that are searched: what follows may repeat the request."""

_NO_CREDIT = re.compile(
    r"insufficient_quota|billing_hard_limit_reached|billing_not_active|credit balance is too low"
    r"|insufficient (balance|credits?|funds)",
    re.IGNORECASE,
)
_WRONG_ACCESS = re.compile(
    r"invalid_api_key|API_KEY_INVALID|API key (is )?(not valid|invalid|expired)|(incorrect|invalid) API key"
    r"|model_not_found|invalid model name|model .{0,80}(does not exist|not found|not exist)",
    re.IGNORECASE,
)
_MODERATED = re.compile(
    r"content_filter|content_policy|moderation|flagged|usage guidelines|safety", re.IGNORECASE
)
_LARGER_THAN_LIMIT = re.compile(r"request too large", re.IGNORECASE)

_DURATION = re.compile(r"(?:(\d+)h)?(?:(\d+)m(?!s))?(?:(\d+(?:\.\d+)?)s)?(?:(\d+(?:\.\d+)?)ms)?")
_DELAY_IN_TEXT = re.compile(
    r"(?:retryDelay\"\s*:\s*\"|try again in |retry (?:in|after) )([\dhms.]*\d[hms]+)"
)

_TOO_BUSY = (429, 503, 529)
_REFUSED_TO_ALL = (401, 402, 403, 404, 405, 407)
_TRY_AGAIN = (408, 409, 425)

_STATED = {
    "rate_limit": 429,
    "insufficient_quota": 429,
    "overloaded": 529,
    "unavailable": 503,
    "timeout": 408,
    "authentication": 401,
    "permission": 403,
    "not_found": 404,
    "invalid_request": 400,
    "badrequest": 400,
    "content_filter": 400,
    "context_length": 400,
}
"""Types and codes of errors, and the HTTP status that each corresponds to."""


def status_error(
    status: int, headers: Mapping[str, str], text: str, target: str, now: float | None = None
) -> ModelError:
    """The error for an answer whose status is not 2xx.

    Args:
        status: of the answer.
        headers: of the answer.
        text: of the answer.
        target: name and endpoint of the model, for the message.
        now: Unix time in seconds, for answers that name a time to wait for without a Date header;
            default: the clock's.
    """
    kind, advice = _kind(status, text[:_READ])
    stated = _message(text)
    message = f"{target}: HTTP {status}{_phrase(status)}{f': {stated}' if stated else ''}"
    if 300 <= status < 400:
        message += (
            f" It redirects to {_lowered(headers).get('location', 'nowhere').partition('?')[0][:200]!r}."
        )
    message = f"{message.rstrip()} {advice}".rstrip()
    if kind is RateLimited:
        return RateLimited(message, _wait_seconds(_lowered(headers), text, now))
    return AccessDenied(message, status) if kind is AccessDenied else kind(message)


def stated_error(error: Json, target: str) -> ModelError:
    """The error for an error object inside an answer of status 200.

    Its status is the one that it states, as a number or in its type, or else 500.
    """
    text = json.dumps({"error": error}, ensure_ascii=False)
    return status_error(_stated_status(error), {}, text, f"{target}, inside an answer of status 200")


def _kind(status: int, text: str) -> tuple[type[ModelError], str]:
    """The type of the error, and advice."""
    if _NO_CREDIT.search(text) and status < 500:
        return AccessDenied, "Add credit to the account or raise its limit, then run again."
    if status == 429 and _LARGER_THAN_LIMIT.search(text):
        return RequestRefused, "The account's limit for a minute is smaller than this one request."
    if status in _TOO_BUSY:
        return RateLimited, ""
    if status == 403 and _MODERATED.search(text):
        return RequestRefused, ""
    if status in _REFUSED_TO_ALL or 300 <= status < 400:
        return AccessDenied, "Check the model's row: its key, model and endpoint."
    if status == 413 or OVERFLOW.search(text):
        return ContextOverflow, ""
    if status in _TRY_AGAIN or status >= 500 or status < 300:
        return Transient, ""
    if _WRONG_ACCESS.search(text):
        return AccessDenied, "Check the model's row: its key, model and endpoint."
    return RequestRefused, ""


def _stated_status(error: Json) -> int:
    if not isinstance(error, Mapping):
        return 500
    stated = [error.get(key) for key in ("code", "status", "status_code", "type")]
    for value in stated:
        if isinstance(value, (int, str)) and re.fullmatch(r"[45]\d\d", str(value)):
            return int(value)
    words = " ".join(value for value in stated if isinstance(value, str)).lower()
    return next((status for word, status in _STATED.items() if word in words), 500)


def _message(text: str) -> str:
    """The message in an error answer: from JSON of a known form, or the text itself.

    An HTML page, which proxies send, adds nothing to its status.
    """
    if text.lstrip().startswith("<"):
        return ""
    body = loaded_json(text, default=text)
    for key in ("error", "message", "detail"):
        if isinstance(body, list) and body:
            body = body[0]
        if isinstance(body, Mapping) and body.get(key):
            body = body[key]
    words = body if isinstance(body, str) else text
    words = " ".join(words.split())
    return words if len(words) <= _SHOWN else f"{words[:_SHOWN]}..."


def _phrase(status: int) -> str:
    try:
        return f" {HTTPStatus(status).phrase}"
    except ValueError:
        return ""


def _lowered(headers: Mapping[str, str]) -> dict[str, str]:
    return {name.lower(): value for name, value in headers.items()}


def _wait_seconds(headers: Mapping[str, str], text: str, now: float | None) -> float | None:
    """The wait in seconds that the server requests; None if it requests none."""
    milliseconds = number(headers.get("retry-after-ms", ""))
    if milliseconds is not None:
        return milliseconds / 1000
    after, date = headers.get("retry-after", ""), headers.get("date", "")
    seconds = retry_after_seconds(after, date, time.time() if now is None else now)
    if seconds is not None:
        return seconds
    resets = [
        _seconds(value)
        for name, value in headers.items()
        if name.startswith("x-ratelimit-reset-")
        and headers.get(name.replace("-reset-", "-remaining-"), "0").strip() == "0"
    ]
    waits = [reset for reset in resets if reset is not None]
    if waits:
        return max(waits)
    in_text = _DELAY_IN_TEXT.search(text)
    return _seconds(in_text[1]) if in_text else None


def _seconds(duration: str) -> float | None:
    """A duration such as 20ms, 1.5s or 6m0s."""
    match = _DURATION.fullmatch(duration.strip())
    if match is None or not any(match.groups()):
        return None
    hours, minutes, seconds, milliseconds = (float(part or 0) for part in match.groups())
    return hours * 3600 + minutes * 60 + seconds + milliseconds / 1000
