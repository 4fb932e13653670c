"""The report for readers with assistive software: no serious finding of axe-core."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.support.browser import OpenReport, faults

CASES = [(width, dark) for width in (1400, 400) for dark in (False, True)]


@pytest.mark.parametrize(("width", "dark"), CASES)
@pytest.mark.parametrize("report", ["made_up_report", "executable_report", "embedded_report"])
def test_axe_finds_no_serious_fault(
    report: str, width: int, dark: bool, request: pytest.FixtureRequest, open_report: OpenReport
) -> None:
    """Neither in the page as it opens, nor with every folded part open."""
    page = open_report(request.getfixturevalue(report), width=width, dark=dark)
    assert faults(page) == []
    page.evaluate("document.querySelectorAll('details').forEach(part => part.open = true)")
    assert faults(page) == []


def test_a_fault_is_found(made_up_report: Path, open_report: OpenReport) -> None:
    """A button without a name, put into the page, is a fault: so an empty list is a statement."""
    page = open_report(made_up_report)
    page.evaluate("document.querySelector('main').append(document.createElement('button'))")
    assert any("button-name" in line for line in faults(page))
