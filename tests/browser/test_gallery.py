"""The site of many archives in a real browser, opened from disk."""

from __future__ import annotations

import re
from pathlib import Path

import pytest
from playwright.sync_api import Page, expect

from bfcl_pipeline.share.gallery.site import write_pages
from tests.support.browser import OpenReport, faults, is_wider_than_window
from tests.support.gallery_records import HOSTILE, made_up_records

TABLE = ".standings >> nth=0"


@pytest.fixture(scope="module")
def site(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The pages of made-up archives, two of whose names are hostile; read-only."""
    folder = tmp_path_factory.mktemp("gallery")
    out = folder / "site"
    assert list(write_pages(made_up_records(folder).archives, out, HOSTILE))
    return out


def models(page: Page) -> list[str]:
    """The names in the first visible table, in their order."""
    rows = page.locator(f"{TABLE} >> tbody tr:visible th bdi")
    return rows.all_text_contents()


def test_a_heading_sorts_and_the_rules_switch(site: Path, open_report: OpenReport) -> None:
    """The table begins by rank; corrected rules have another one, which is shown alone."""
    page = open_report(site / "index.html")
    assert models(page) == ["best", HOSTILE, "half", "worst"]
    page.locator(TABLE).get_by_role("button", name="Non-live").locator("visible=true").click()
    page.locator(TABLE).get_by_role("button", name="Non-live").locator("visible=true").click()
    assert models(page)[0] == "worst"
    page.get_by_role("radio", name="corrected").check()
    assert models(page) == ["best", "half", HOSTILE, "worst"]
    expect(page.get_by_text("under official rules").first).to_be_hidden()


def test_filters_leave_what_they_name(site: Path, open_report: OpenReport) -> None:
    """By the name of a model or run, and by what was verified."""
    page = open_report(site / "index.html")
    page.get_by_label("Model or run").fill("SECOND")
    assert models(page) == [HOSTILE, "half"]
    expect(page.get_by_role("status")).to_have_text("2 of 7 rows")
    page.get_by_label("Model or run").fill("")
    page.locator("#outcome").select_option("refused")
    assert models(page) == []
    assert page.locator("#unranked tbody tr:visible").count() == 1


def test_a_row_leads_to_the_page_of_its_archive(site: Path, open_report: OpenReport) -> None:
    """Which has the three parts of what was found."""
    page = open_report(site / "index.html")
    page.locator(TABLE).get_by_role("link", name="best").locator("visible=true").click()
    expect(page.get_by_role("heading", level=1)).to_have_text("Run first")
    for part in ("Derived", "Attested", "Not covered"):
        expect(page.get_by_role("heading", level=3).filter(has_text=part)).to_be_visible()
    # The site's file is named after its sha256.
    expect(page.get_by_text(re.compile(r"bfcl-pipeline verify [0-9a-f]{16}\.crate\.zip"))).to_be_visible()


def test_two_models_are_compared(site: Path, open_report: OpenReport) -> None:
    """The difference changes its sign when they are swapped; the flipped entries are listed."""
    page = open_report(site / "compare.html")
    overall = page.locator("#differences tr.overall td")
    first = overall.all_text_contents()
    assert first[3].startswith("+")
    assert "is better than" in page.locator("#summary").inner_text()
    flipped = page.locator("#flipped tbody tr").count()
    assert flipped == int(first[5]) + int(first[6])
    page.get_by_role("button", name="Swap").click()
    swapped = overall.all_text_contents()
    assert swapped[3] == first[3].replace("+", "-")
    assert swapped[5:7] == first[6:4:-1]
    page.get_by_label("First").select_option(label="best (FC)")
    page.get_by_label("Second").select_option(label="best (FC)")
    expect(page.locator("#summary")).to_have_text("Choose two different models.")


def test_entries_by_models(site: Path, open_report: OpenReport) -> None:
    """Filters by category, and by who has them right."""
    page = open_report(site / "entries.html")
    rows = page.locator("#entries tbody tr")
    assert rows.count() == 40
    page.locator("#category").select_option(label="live_simple")
    assert rows.count() == 10
    page.locator("#which").select_option("differ")
    letters = rows.first.locator("td").all_text_contents()
    assert set(letters) == {"\u2713", "\u2717"}
    page.locator("#find").fill("no such entry")
    assert rows.count() == 0
    expect(page.locator("#count")).to_contain_text("0 entries")


@pytest.mark.parametrize("width", [1400, 400])
@pytest.mark.parametrize("name", ["index", "compare", "entries", "archive"])
def test_pages_are_accessible_and_fit(site: Path, name: str, width: int, open_report: OpenReport) -> None:
    """No serious finding of axe-core, in either colour scheme; no page is wider than its window."""
    pages = sorted(site.glob("archive-*.html")) if name == "archive" else [site / f"{name}.html"]
    for path in pages[:2]:
        for dark in (False, True):
            page = open_report(path, width=width, dark=dark)
            assert faults(page) == []
            assert not is_wider_than_window(page)


def test_hostile_names_are_text(site: Path, open_report: OpenReport) -> None:
    """In every page: no element is made of them, and no script of theirs runs."""
    for path in site.glob("*.html"):
        page = open_report(path)
        assert page.locator("img, [onerror], [onload], a[href^='javascript']").count() == 0
        assert page.title() != "run"


def test_without_scripts_the_leaderboard_has_every_rule_set(site: Path, open_report: OpenReport) -> None:
    """And no control that would do nothing."""
    page = open_report(site / "index.html", javascript=False)
    for rules in ("official", "corrected", "verified"):
        expect(page.get_by_text(f"under {rules} rules").first).to_be_visible()
    expect(page.get_by_label("Model or run")).to_be_hidden()


def test_print_has_tables_without_controls(site: Path, open_report: OpenReport) -> None:
    """The table of the chosen rules, in full."""
    page = open_report(site / "index.html")
    page.emulate_media(media="print")
    expect(page.get_by_label("Model or run")).to_be_hidden()
    assert models(page) == ["best", HOSTILE, "half", "worst"]
