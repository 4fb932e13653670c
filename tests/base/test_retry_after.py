"""The header Retry-After, as seconds or as a date."""

import pytest

from bfcl_pipeline.base.retry_after import retry_after_seconds

NOON = "Thu, 01 Jan 2026 12:00:00 GMT"
SOON = "Thu, 01 Jan 2026 12:00:30 GMT"


@pytest.mark.parametrize(
    ("value", "date", "seconds"),
    [
        ("7", "", 7.0),
        (" 0.5 ", NOON, 0.5),
        (SOON, NOON, 30.0),
        (NOON, SOON, 0.0),
        (SOON, "", None),
        (SOON, "noon", None),
        ("", NOON, None),
        ("soon", NOON, None),
        ("-1", NOON, None),
        ("nan", NOON, None),
        ("9" * 400, NOON, None),
    ],
)
def test_both_forms_are_read(value, date, seconds):
    """A number is taken as it is, a date counts from the response's own Date; anything else is ignored."""
    assert retry_after_seconds(value, date) == seconds


def test_a_response_without_a_date_counts_from_the_given_clock():
    """The clock of this machine is only used if the response has no Date."""
    assert retry_after_seconds(SOON, "", now=1767268800.0) == 30.0
    assert retry_after_seconds(SOON, NOON, now=0.0) == 30.0
