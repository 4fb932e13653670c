"""The `Retry-After` header of HTTP, in both of its forms (RFC 9110, section 10.2.3)."""

import re
from datetime import datetime
from email.utils import parsedate_to_datetime


def retry_after_seconds(value: str, date: str, now: float | None = None) -> float | None:
    """Seconds to wait before the next request; None if the header is absent or unreadable.

    Args:
        value: the header; a number of seconds, of which fractions are accepted, or an HTTP date.
        date: the `Date` header of the same response, from which a date counts, so that the clocks of two
            machines are not compared.
        now: Unix time from which a date counts if there is no readable `Date`; None: the result is None.
    """
    seconds = number(value)
    if seconds is not None:
        return seconds
    end = _http_date(value)
    start = _http_date(date)
    since = now if start is None else start.timestamp()
    return None if end is None or since is None else max(0.0, end.timestamp() - since)


def number(text: str) -> float | None:
    """A number of at most 9 digits before and after the point; None for anything else."""
    return float(text) if re.fullmatch(r"\s*\d{1,9}(\.\d{1,9})?\s*", text) else None


def _http_date(text: str) -> datetime | None:
    try:
        return parsedate_to_datetime(text)
    except (TypeError, ValueError):
        return None
