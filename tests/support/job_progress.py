"""The progress of a job, for tests of what shows it."""

from __future__ import annotations

from bfcl_pipeline.show.screen.progress import JobProgress

NONE_YET = JobProgress(
    name="m",
    seconds=0.0,
    entries_done=0,
    entries_total=2,
    sessions_done=0,
    sessions_total=0,
    entries_failed=0,
    requests_done=0,
    requests_left=2,
    requests_in_flight=0,
    replayed=0,
    retries=0,
    tokens=0,
    dollars=None,
    requests_per_second=None,
    seconds_left=None,
    wait_seconds=None,
    wait_reason="",
    budget=None,
    spent=None,
    failures={},
    errors={},
    last_error="",
    entries_per_second=None,
    rate_seconds=None,
    searches=0,
    searches_left=0,
    recorded_from="",
    recorded_to="",
)
"""A job of two entries that has just started."""
