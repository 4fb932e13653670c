"""The command that measures how a browser opens a report."""

from __future__ import annotations

from pathlib import Path

from playwright.sync_api import Browser

from benchmarks.page_open import section_bytes, timings


def test_the_events_are_measured_in_their_order(embedded_report: Path, browser: Browser) -> None:
    """The document is read before the load event, after which it is drawn."""
    taken = timings(browser, embedded_report)
    assert 0 < taken["DOM ready"] <= taken["load event"] <= taken["drawn"]
    assert taken["first paint"] > 0


def test_the_bytes_of_sections_are_those_of_the_file(embedded_report: Path) -> None:
    """Sections and what is outside of them add up, and each has a name."""
    sizes = section_bytes(embedded_report)
    assert sum(sizes.values()) == embedded_report.stat().st_size
    assert {"leaderboard", "errors", "outside of sections"} <= sizes.keys()
