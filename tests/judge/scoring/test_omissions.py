"""The causes of entries without a verdict, and the scores that such entries allow."""

from __future__ import annotations

import random

import pytest

from bfcl_pipeline.benchmark.definition import CATEGORIES
from bfcl_pipeline.benchmark.records import Status
from bfcl_pipeline.judge.scoring.aggregate import Count, OmissionCause, bounds, cause_of, leaderboard_scores
from bfcl_pipeline.show.report.omission_notes import CAUSES

STORED = "Error during inference: "
DETAILS = {
    OmissionCause.MODEL_OUTPUT: (
        'm: HTTP 500: unexpected tokens remaining in message header: Some("timed out")',
        f"{STORED}Error code: 500 - {{'error': {{'message': 'Unexpected token 12606 while expecting start "
        "token 200006'}}",
        "m: HTTP 400 Bad Request: Failed to call a function. See 'failed_generation' (tool_use_failed)",
        "m: HTTP 500: Failed to parse tool call arguments as JSON: [json.exception.parse_error.101]",
        "m: HTTP 500: error parsing tool call: raw='{', err=unexpected end of JSON input",
        "m: HTTP 400: Expecting ',' delimiter: line 1 column 20 (char 19)",
        "m: HTTP 400: Invalid 'messages[3].tool_calls[0].function.name': string does not match pattern",
        "The model produced invalid sequence as part of ToolUse.",
        "Finish reason: MALFORMED_FUNCTION_CALL",
        f"{STORED}could not parse <tool_call> of the answer",
    ),
    OmissionCause.CONTEXT: (
        f"{STORED}Error code: 400 - This model's maximum context length is 8192 tokens.",
        "400 - exceeds the context window",
        "m: HTTP 400: prompt is too long: 208310 tokens > 200000 maximum",
    ),
    OmissionCause.TIME: (
        f"{STORED}Request timed out.",
        "m: no answer within 600 s",
        "m: HTTP 504 Gateway Timeout",
        "its session memory_kv_prereq_0-customer-0 failed: m: no answer within 600 s",
    ),
    OmissionCause.NETWORK: (
        f"{STORED}Connection error.",
        f"{STORED}429 quota",
        "m: no connection (Cannot connect to host). Check the endpoint and the network.",
        "m: the connection through the proxy http://p broke (reset).",
        "m: HTTP 503 Service Unavailable",
        "m: HTTP 500 Internal Server Error",
        "m: HTTP 401 Unauthorized: bad key",
        "harmony-1: HTTP 502 Bad Gateway",
        "m: the answer is not JSON (Expecting value: line 1 column 1 (char 0)): '<html>'.",
        "An error occurred (ThrottlingException) when calling the Converse operation",
    ),
    OmissionCause.HARNESS: (
        f"{STORED}Holdout turn should not have user message.",
        f"{STORED}CUDA out of memory. Tried to allocate 2.00 GiB",
        f"{STORED}'NoneType' object has no attribute 'content'",
        f"{STORED}'choices'",
        f"{STORED}400 - unknown field",
        f"{STORED}Expecting value: line 1 column 1 (char 0)",
        "m: HTTP 400: Invalid schema for function 'f': None is not of type 'object'",
    ),
    OmissionCause.OTHER: (None, "", f"{STORED}something else", "There is no result_json."),
}


@pytest.mark.parametrize(("cause", "detail"), [(c, text) for c, texts in DETAILS.items() for text in texts])
def test_the_cause_is_read_from_the_detail(cause: OmissionCause, detail: str | None) -> None:
    """Texts of servers, of the official tool and of this pipeline; what a server quotes does not count."""
    assert cause_of(Status.INFRASTRUCTURE_ERROR, detail) is cause


def test_a_status_that_has_one_cause_decides() -> None:
    """A context overflow is one, whatever the server wrote; what was not asked did not fail."""
    assert cause_of(Status.CONTEXT_OVERFLOW, "m: HTTP 500: timed out") is OmissionCause.CONTEXT
    assert cause_of(Status.SKIPPED, "no answer within 600 s") is OmissionCause.OTHER
    assert list(CAUSES) == [cause.value for cause in OmissionCause]


def test_the_bounds_are_the_scores_with_all_wrong_and_all_right() -> None:
    """By hand: 41 of 100 with 9 omitted is 41/100 to 50/100; the group moves by the mean of its members."""
    counts = {"multi_turn_base": Count(100, 50), "multi_turn_miss_func": Count(91, 41)}
    low, high = bounds({"multi_turn_base": 100, "multi_turn_miss_func": 100}, counts)
    limits = [
        (low[name].accuracy, high[name].accuracy)
        for name in ("multi_turn_base", "multi_turn_miss_func", "multi_turn", "overall")
    ]
    expected = [0.5, 0.5, 0.41, 0.5, 0.91 / 4, 0.25, 0.3 * 0.91 / 4, 0.3 * 0.25]
    assert [limit for pair in limits for limit in pair] == pytest.approx(expected, abs=1e-12)


@pytest.mark.parametrize("sized", [False, True])
def test_the_bounds_contain_every_score(sized: bool) -> None:
    """Also where a category has no verdict at all; without omitted entries they are the score."""
    sizes = {name: category.entries for name, category in CATEGORIES.items()} if sized else None
    rng = random.Random(1)
    for most in [0, 0, *range(1, 60)]:  # omitted entries of a category
        chosen = rng.sample(list(CATEGORIES), rng.randint(1, 9))
        counts = {name: Count(answered := rng.randint(0, 9), rng.randint(0, answered)) for name in chosen}
        scores = leaderboard_scores(counts, sizes)
        entries = {name: count.answered + rng.randint(0, most) for name, count in counts.items()}
        low, high = bounds(entries, counts, sizes)
        for name, score in scores.items():
            assert low[name].accuracy <= score.accuracy + 1e-12
            assert high[name].accuracy >= score.accuracy - 1e-12
        assert most or low == high == scores
