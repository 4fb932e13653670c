"""The tables of the report in a browser: sorting, folding, width, print, and without scripts."""

from __future__ import annotations

import re
from pathlib import Path

import pytest
from jinja2 import Environment, PackageLoader
from playwright.sync_api import Page

from bfcl_pipeline.benchmark.definition import V4_CATEGORIES
from bfcl_pipeline.benchmark.records import Mode, Rules
from bfcl_pipeline.runs.run import Run
from bfcl_pipeline.show.report.page.render import write_page
from bfcl_pipeline.show.report.page.table import Cell, Table, headings, isolate
from tests.support.browser import OpenReport, is_wider_than_window
from tests.support.synthetic_run import MadeUpModel, Marks, made_up_tables, marks

REPORTS = ["made_up_report", "executable_report", "embedded_report"]


@pytest.fixture(params=REPORTS)
def report(request: pytest.FixtureRequest) -> Path:
    """Each of the reports."""
    path: Path = request.getfixturevalue(request.param)
    return path


def names(page: Page) -> str:
    """The first letters of the models, in the order of the rows."""
    shown = page.locator(".leaderboard tbody th bdi").all_text_contents()
    return "".join(name[0] for name in shown)


def test_a_click_sorts_and_gaps_stay_last(made_up_report: Path, open_report: OpenReport) -> None:
    """A click on a heading sorts, another reverses, and N/A is always last."""
    page = open_report(made_up_report)
    seen = [names(page)]
    for heading in ("Live", "Live", "Model"):
        header = page.locator(".leaderboard").get_by_role("columnheader", name=heading, exact=True)
        header.get_by_role("button").click()
        seen.append(f"{heading} {header.get_attribute('aria-sort')} {names(page)}")
    assert seen == ["OAt<", "Live descending <OAt", "Live ascending <OAt", "Model ascending <AOt"]


def test_executable_categories_are_sorted_and_lead_to_their_entries(
    executable_report: Path, open_report: OpenReport
) -> None:
    """Their table is apart from the leaderboard; an accuracy opens the entries behind it."""
    page = open_report(executable_report, fragment="executable")
    table = page.locator("#executable table").first
    assert [name[0] for name in table.locator("tbody th bdi").all_text_contents()] == ["r", "w", "<"]
    table.get_by_role("columnheader", name="SQL", exact=True).get_by_role("button").click()
    assert table.locator("tbody th bdi").all_text_contents()[-1] == "whole"
    table.get_by_role("link", name="75.00").click()
    rows = page.locator("#entries-table tbody tr")
    rows.first.wait_for()
    assert [row.split()[0] for row in rows.all_inner_texts()] == ["exec_simple_3"]


def test_a_column_is_sorted_by_what_its_cells_mean(
    made_up_report: Path, tmp_path: Path, open_report: OpenReport
) -> None:
    """Counts with separators, shares with notes, and names; a dash is 0, a gap is always last."""
    counts = [Cell.count(5), Cell.count(1_234), Cell.number("N/A", None), Cell.count(0), Cell.count(30)]
    shares = [
        Cell.number("50.00", 0.5, "2 of 4"),
        Cell.number("7.50", 0.075, "900"),
        Cell.count(0),
        Cell.number("100.00", 1.0, "1"),
        Cell.number("N/A", None),
    ]
    names = [
        Cell.code("b"),
        Cell("not known"),
        Cell.sortable("10"),
        Cell(isolate("A"), "A"),
        Cell.code("a"),
    ]
    rows = [[Cell(letter), *cells] for letter, *cells in zip("abcde", counts, shares, names, strict=True)]
    heads = [headings(["Row", "Counts", "Shares", "Names"])]
    templates = Environment(loader=PackageLoader("bfcl_pipeline.show.report.page"), autoescape=True)
    made = templates.get_template("table.html.j2").module.table_html(  # type: ignore[attr-defined]
        Table("Made up", heads, rows)
    )
    report = tmp_path / "report.html"
    text = made_up_report.read_text(encoding="utf-8")
    report.write_text(text.replace("<main>", f"<main>{made}", 1), encoding="utf-8")
    table = open_report(report).get_by_role("region", name="Made up")
    orders = []
    for heading in ("Counts", "Counts", "Shares", "Shares", "Names", "Names"):
        table.get_by_role("columnheader", name=heading).get_by_role("button").click()
        orders.append("".join(table.locator("tbody tr > :first-child").all_text_contents()))
    assert orders == ["beadc", "daebc", "dabce", "cbade", "aedcb", "cdeab"]


def test_lines_between_groups_are_drawn_in_the_order_of_ranks_only(
    tmp_path: Path, open_report: OpenReport
) -> None:
    """A click on a score hides them, one on the rank draws them again, a second hides them."""
    good, poor = (Marks([place < right for place in range(100)]) for right in (92, 50))
    models = [MadeUpModel("good", {"simple_python": good}), MadeUpModel("poor", {"simple_python": poor})]
    run = made_up_tables(tmp_path, models)
    page = open_report(write_page(Run(run, tmp_path / "cache", tmp_path / "cache"), Rules.OFFICIAL))

    def lined() -> list[int]:
        """The places of rows with a line above them."""
        width = "cells => cells.map(cell => getComputedStyle(cell).borderTopWidth)"
        widths = page.locator(".leaderboard tbody tr > :first-child").evaluate_all(width)
        return [place for place, each in enumerate(widths) if each != "0px"]

    states = [lined()]
    for place in (2, 0, 0):
        page.locator(".leaderboard thead th").nth(place).get_by_role("button").click()
        states.append(lined())
    assert states == [[1], [], [1], []]


def test_a_table_is_sorted_by_the_keyboard(made_up_report: Path, open_report: OpenReport) -> None:
    """A heading is a button that Tab reaches and Enter presses."""
    page = open_report(made_up_report)
    button = page.locator(".leaderboard").get_by_role("button", name="Model", exact=True)
    page.keyboard.press("Tab")
    for _ in range(60):
        if button.evaluate("node => node === document.activeElement"):
            break
        page.keyboard.press("Tab")
    page.keyboard.press("Enter")
    assert names(page) == "<AOt"


def test_a_folded_table_opens(embedded_report: Path, open_report: OpenReport) -> None:
    """A click on the line above a folded table shows it."""
    page = open_report(embedded_report)
    folded = page.locator("details:has(table.examples)").first
    assert not folded.locator("table").is_visible()
    folded.locator("summary").click()
    assert folded.locator("table").is_visible()


@pytest.mark.parametrize("width", [400, 1400])
def test_the_page_is_never_wider_than_the_window(report: Path, width: int, open_report: OpenReport) -> None:
    """Wide tables scroll by themselves, also when all folded ones are open."""
    page = open_report(report, width=width)
    assert not is_wider_than_window(page)
    page.evaluate("document.querySelectorAll('details').forEach(part => part.open = true)")
    assert not is_wider_than_window(page)


def test_no_column_of_the_examples_is_pushed_out(report: Path, open_report: OpenReport) -> None:
    """At 1400 px the tables of examples fit, although ids of format sensitivity have 100 characters."""
    page = open_report(report, width=1400)
    page.evaluate("document.querySelectorAll('details').forEach(part => part.open = true)")
    tables = page.locator("table.examples")
    assert tables.count() > 0
    for table in tables.all():
        assert table.evaluate("table => table.parentElement.scrollWidth <= table.parentElement.clientWidth")


def test_without_scripts_every_table_can_be_read(report: Path, open_report: OpenReport) -> None:
    """With JavaScript off all tables are there, and the folded ones open."""
    texts = []
    for javascript in (True, False):
        page = open_report(report, javascript=javascript)
        texts.append(page.locator("main section:not(#entries) table td").all_text_contents())
        for folded in page.locator("details:has(table)").all():
            folded.locator("summary").first.click()
        tables = page.locator("main section:not(#entries) table")
        assert tables.count() > 5
        assert all(table.is_visible() for table in tables.all())
    assert texts[0][:100] == texts[1][:100]


def sheets(page: Page) -> int:
    """The pages of the PDF that printing makes."""
    return len(re.findall(rb"/Type\s*/Page\b", page.pdf(prefer_css_page_size=True)))


@pytest.fixture(scope="session")
def report_of_ten(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The report of ten models with errors of a dozen types in every category; read-only."""
    kinds = [f"kind_of_error:number_{kind}" for kind in range(12)]
    asked = {name: Marks([True] * 20 + [False] * 20, error_types=kinds) for name in V4_CATEGORIES}
    models = [MadeUpModel(f"a-model-{number}-70B-Instruct", asked, Mode.PROMPT) for number in range(10)]
    run = made_up_tables(tmp_path_factory.mktemp("ten"), models)
    return write_page(Run(run, run.parent / "cache", run.parent / "cache"), Rules.OFFICIAL)


@pytest.mark.parametrize("made", ["embedded_report", "report_of_ten", "executable_report"])
def test_the_page_is_printed_on_four_sheets(
    made: str, request: pytest.FixtureRequest, open_report: OpenReport
) -> None:
    """A summary: nothing of it is cut off by a box that scrolls, the weights are there, entries are not."""
    page = open_report(request.getfixturevalue(made))
    assert sheets(page) <= 4
    page.emulate_media(media="print")
    for part in (
        "#leaderboard table",
        "#categories table",
        "#errors table",
        "#weights-figure",
        "#counting dd",
    ):
        assert page.locator(part).first.is_visible(), part
    for part in ("#entries", "#reading", "#benchmark", "#errors details", "nav"):
        assert not any(found.is_visible() for found in page.locator(part).all()), part
    box = "box => getComputedStyle(box).overflowY + ' ' + getComputedStyle(box).maxHeight"
    for table in page.locator("main table:visible").all():
        assert table.locator("xpath=..").evaluate(box) == "visible none"


def test_a_long_table_is_printed_in_full(tmp_path: Path, open_report: OpenReport) -> None:
    """A table of more rows than a screen has scrolls in a box, which print shows whole."""
    models = [
        MadeUpModel(f"model {number:02}", {"simple_python": marks(number)}) for number in range(1, 61)
    ]
    run = made_up_tables(tmp_path, models)
    page = open_report(write_page(Run(run, tmp_path / "cache", tmp_path / "cache"), Rules.OFFICIAL))
    box = page.get_by_role("region", name="Leaderboard")
    cut_off = "box => box.scrollHeight - box.clientHeight"
    assert box.evaluate(cut_off) > 500
    assert page.get_by_text("model 60").first.is_visible()
    screen = len(page.pdf())
    page.emulate_media(media="print")
    assert box.evaluate(cut_off) <= 1
    style = (
        "box => { const all = getComputedStyle(box); return all.overflow + ' ' + all.contentVisibility; }"
    )
    for region in page.locator(".scroll:visible").all():
        assert region.evaluate(style) == "visible visible"
    assert len(page.pdf()) == screen


def test_dark_colours_are_used_when_the_reader_prefers_them(
    made_up_report: Path, open_report: OpenReport
) -> None:
    """The ground is dark and the text light, or the other way round."""
    ground = "() => getComputedStyle(document.documentElement).backgroundColor"
    assert open_report(made_up_report).evaluate(ground) == "rgb(255, 255, 255)"
    assert open_report(made_up_report, dark=True).evaluate(ground) == "rgb(15, 21, 29)"
