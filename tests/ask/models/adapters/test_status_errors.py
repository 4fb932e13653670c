"""The errors for error answers of APIs."""

from __future__ import annotations

import json

import pytest

from bfcl_pipeline.ask.models.adapters.status_errors import stated_error, status_error
from bfcl_pipeline.base.errors import (
    AccessDenied,
    ContextOverflow,
    ModelError,
    RateLimited,
    RequestRefused,
    Transient,
)
from bfcl_pipeline.benchmark.records import Json

TARGET = "model 'm' at home"


def error(status: int, message: str = "", code: str | None = None, **headers: str) -> ModelError:
    body = json.dumps({"error": {"message": message, "type": "t", "code": code}})
    return status_error(
        status, {name.replace("_", "-"): value for name, value in headers.items()}, body, TARGET
    )


@pytest.mark.parametrize(
    ("status", "kind"),
    [
        (301, AccessDenied),
        (400, RequestRefused),
        (401, AccessDenied),
        (402, AccessDenied),
        (403, AccessDenied),
        (404, AccessDenied),
        (408, Transient),
        (409, Transient),
        (413, ContextOverflow),
        (422, RequestRefused),
        (429, RateLimited),
        (500, Transient),
        (502, Transient),
        (503, RateLimited),
        (504, Transient),
        (529, RateLimited),
        (599, Transient),
    ],
)
def test_a_status_determines_the_type_unless_the_text_is_specific(
    status: int, kind: type[ModelError]
) -> None:
    """The message has the model, the status and the server's text."""
    made = error(status, "No.")
    assert type(made) is kind
    assert str(made).startswith(f"{TARGET}: HTTP {status}")
    assert ": No." in str(made)


@pytest.mark.parametrize(
    ("status", "words"),
    [
        (
            400,
            "This model's maximum context length is 8192 tokens. However, your messages resulted in 9000.",
        ),
        (
            400,
            "Your input exceeds the context window of this model. Please adjust your input and try again.",
        ),
        (400, "The decoder prompt (length 5023) is longer than the maximum model length of 4096."),
        (400, "The prompt (total length 5000) is too long to fit into the model (context length 4096)."),
        (400, "prompt is too long: 208310 tokens > 200000 maximum"),
        (400, "input length and `max_tokens` exceed context limit: 198000 + 8192 > 200000"),
        (400, "The input token count (1200000) exceeds the maximum number of tokens allowed (1048576)."),
        (400, "Prompt contains 40000 tokens, too large for model with 32768 maximum context length"),
        (400, "Invalid request: Your request exceeded model token limit: 131072"),
        (400, "This model's maximum prompt length is 131072 but the request contains 200000 tokens."),
        (400, "the request exceeds the available context size (4096 tokens)"),
        (400, "Prompt exceeds max length"),
        (400, "Range of input length should be [1, 30720]"),
        (400, "too many tokens: total number of tokens in the prompt exceeds the limit of 4081"),
        (422, "Input validation error: `inputs` tokens + `max_new_tokens` must be <= 4096. Given: 5000"),
        (400, "Please reduce the length of the messages or completion."),
        (500, "The input (5000 tokens) is longer than the model's context length (4096 tokens)."),
        (422, "Input is too long for requested model."),
    ],
)
def test_a_request_that_is_too_long_is_recognized(status: int, words: str) -> None:
    """The texts of a dozen servers about a request that exceeds the model's context."""
    assert type(error(status, words)) is ContextOverflow


def test_a_code_can_say_that_a_request_is_too_long() -> None:
    """OpenAI has a code beside its text."""
    assert type(error(400, "Too long.", "context_length_exceeded")) is ContextOverflow


@pytest.mark.parametrize(
    ("status", "words", "code"),
    [
        (429, "You exceeded your current quota, please check your plan.", "insufficient_quota"),
        (400, "Your credit balance is too low to access the API.", None),
        (402, "Insufficient Balance", None),
        (400, "API key not valid. Please pass a valid API key.", None),
        (400, "Incorrect API key provided: sk-***.", None),
        (400, "The model `gpt-9` does not exist.", "model_not_found"),
    ],
)
def test_an_error_that_stays_denies_access(status: int, words: str, code: str | None) -> None:
    """No credit, a wrong key and an unknown model deny access, with any status and with advice."""
    made = error(status, words, code)
    assert type(made) is AccessDenied
    assert str(made).endswith(("row: its key, model and endpoint.", "then run again."))


@pytest.mark.parametrize(
    ("status", "words"),
    [
        (400, "The response was filtered due to the prompt triggering content_filter."),
        (403, "Content violates usage guidelines."),
        (403, "Your input was flagged by moderation."),
        (429, "Request too large for gpt-4o on tokens per min (TPM): Limit 30000, Requested 31000."),
        (400, "Invalid 'tools[0].function.name': string does not match pattern."),
    ],
)
def test_an_error_of_one_request_is_a_refusal(status: int, words: str) -> None:
    """Filters and requests that are never accepted are refusals of this request only."""
    assert type(error(status, words)) is RequestRefused


def test_a_repeated_request_does_not_determine_the_error() -> None:
    """Only the beginning of the text counts: servers may repeat the request after it."""
    repeated = "Bad value. Got: " + "x" * 1000 + " API key is invalid, maximum context length"
    assert type(error(400, repeated)) is RequestRefused


@pytest.mark.parametrize(
    ("headers", "seconds"),
    [
        ({"Retry-After": "7"}, 7.0),
        ({"retry-after-ms": "20", "retry-after": "9"}, 0.02),
        ({"retry-after": "Thu, 01 Jan 2026 00:00:30 GMT"}, 30.0),
        ({"retry-after": "Thu, 01 Jan 2026 00:00:30 GMT", "date": "Thu, 01 Jan 2026 00:00:10 GMT"}, 20.0),
        ({"x-ratelimit-reset-requests": "1m2.5s", "x-ratelimit-remaining-requests": "0"}, 62.5),
        ({"x-ratelimit-reset-tokens": "20ms", "x-ratelimit-remaining-tokens": "0"}, 0.02),
        ({"x-ratelimit-reset-tokens": "1h", "x-ratelimit-remaining-tokens": "3"}, None),
        ({"x-ratelimit-reset-tokens": "1767225600", "x-ratelimit-remaining-tokens": "0"}, None),
        ({"retry-after": "soon"}, None),
        ({}, None),
    ],
)
def test_the_wait_is_read_from_the_headers(headers: dict[str, str], seconds: float | None) -> None:
    """Seconds, milliseconds, dates and the resets of used up limits; invalid values are ignored."""
    made = status_error(429, headers, "", TARGET, now=1767225600.0)
    assert isinstance(made, RateLimited)
    assert made.wait_seconds == seconds


@pytest.mark.parametrize(
    ("text", "seconds"),
    [
        ('{"error": {"details": [{"@type": "RetryInfo", "retryDelay": "34.5s"}]}}', 34.5),
        ("Rate limit reached. Please try again in 6m0s.", 360.0),
        ("Please retry in 1.5s.", 1.5),
        ("Please try again later.", None),
    ],
)
def test_the_wait_is_read_from_the_text(text: str, seconds: float | None) -> None:
    """Gemini has no header for it, and OpenAI states it also in a sentence."""
    made = status_error(429, {}, text, TARGET)
    assert isinstance(made, RateLimited)
    assert made.wait_seconds == seconds


@pytest.mark.parametrize(
    ("text", "shown"),
    [
        ('{"error": {"message": "Bad\\n key."}}', ": Bad key."),
        ('{"error": "Bad key."}', ": Bad key."),
        ('[{"error": {"message": "Bad key."}}]', ": Bad key."),
        ('{"message": "Bad key."}', ": Bad key."),
        ('{"detail": "Bad key."}', ": Bad key."),
        ("Bad key.", ": Bad key."),
        ("<html><body>Bad Gateway</body></html>", ""),
        ("", ""),
    ],
)
def test_the_text_of_a_server_is_in_the_message(text: str, shown: str) -> None:
    """The message in the body if there is one, else the body, but nothing of a proxy's HTML page."""
    assert str(status_error(400, {}, text, TARGET)) == f"{TARGET}: HTTP 400 Bad Request{shown}"


def test_a_long_text_is_cut() -> None:
    """The error message stays readable."""
    assert len(str(status_error(400, {}, "x" * 10_000, TARGET))) < 600


@pytest.mark.parametrize(
    ("stated", "kind"),
    [
        ({"code": 429, "message": "m"}, RateLimited),
        ({"code": "502", "message": "m"}, Transient),
        ({"code": "rate_limit_exceeded", "message": "m"}, RateLimited),
        ({"code": "server_error", "message": "m"}, Transient),
        ({"type": "authentication_error", "message": "m"}, AccessDenied),
        ({"type": "invalid_request_error", "message": "m"}, RequestRefused),
        ({"type": "overloaded_error", "message": "m"}, RateLimited),
        ({"code": "context_length_exceeded", "message": "m"}, ContextOverflow),
        ({"code": "insufficient_quota", "message": "m"}, AccessDenied),
        ({"message": "m"}, Transient),
        ("m", Transient),
        (True, Transient),
    ],
)
def test_an_error_inside_an_answer_has_the_type_that_it_states(
    stated: Json, kind: type[ModelError]
) -> None:
    """An error in an answer of status 200 is classified by its number, code or type."""
    made = stated_error(stated, TARGET)
    assert type(made) is kind
    assert "inside an answer of status 200" in str(made)
