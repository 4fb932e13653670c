"""The list of entries and the conversations of the report, in a browser."""

from __future__ import annotations

import json
import re
import shutil
from dataclasses import dataclass, replace
from pathlib import Path

import pytest
from playwright.sync_api import Page, expect

from bfcl_pipeline.benchmark.config.choices import ShownEntries
from bfcl_pipeline.benchmark.records import Rules
from bfcl_pipeline.benchmark.tables import read_responses, write_responses
from bfcl_pipeline.runs.run import Run
from bfcl_pipeline.show.report.explorer import explorer as explorer_module
from bfcl_pipeline.show.report.page.render import write_page
from tests.support.browser import OpenReport, faults, is_wider_than_window
from tests.support.explored_run import make_explored_run

ODD = "a run #1, 100 % für Ü"
"""A folder whose name means something in addresses."""

HOSTILE = (
    "<img src=x onerror=\"document.title='run'\"></script><script>document.title='run'</script>"
    "\u202egnp\u2066 a\x1b[31m\x07 " + "W" * 1_000_000
)
"""An answer with markup, marks of direction, control characters and a megabyte of letters."""


@dataclass(frozen=True)
class Reports:
    """The report of one run, with its conversations within the page, and beside it."""

    within: Path
    beside: Path


@pytest.fixture(scope="module")
def reports(staged: Path, tmp_path_factory: pytest.TempPathFactory) -> Reports:
    """All conversations of a small run of embedded models, one answer of which is hostile."""
    run = tmp_path_factory.mktemp("explored") / ODD / "small"
    make_explored_run(run, staged)
    path = run / "responses" / "lexical" / "simple_python.parquet"
    answers = read_responses(path)
    write_responses(path, [replace(answers[0], result_json=json.dumps(HOSTILE)), *answers[1:]])
    within = run.with_name("within")
    shutil.copytree(run, within)
    for folder, most in ((run, 0), (within, 10**9)):
        with pytest.MonkeyPatch.context() as patched:
            patched.setattr(explorer_module, "MOST_WITHIN", most)
            write_page(Run(folder, run / "cache", staged), Rules.OFFICIAL, shown=ShownEntries.ALL)
    return Reports(within / "report.html", run / "report.html")


@pytest.fixture(params=["within", "beside"])
def report(request: pytest.FixtureRequest, reports: Reports) -> Path:
    """The report in both forms."""
    path: Path = getattr(reports, request.param)
    return path


def rows(page: Page) -> list[str]:
    """The ids of the entries in the list, as shown."""
    return page.locator("#entries-table tbody th a").all_text_contents()


def found(page: Page) -> int:
    """The number of entries that the filters leave, as the page states it."""
    stated = re.match(r"([\d,]+) of", page.locator("#entries-count").inner_text())
    assert stated
    return int(stated[1].replace(",", ""))


def shown(page: Page, entry_id: str) -> str:
    """The text of the conversation that is open, once it is that of `entry_id`."""
    expect(page.locator("#conversation-title")).to_have_text(entry_id)
    expect(page.locator("#conversation-body .judged").first).to_be_visible()
    return page.locator("#conversation-body").inner_text()


def test_filters_leave_what_they_name(report: Path, open_report: OpenReport) -> None:
    """Model, category, verdict, error type and text filter together, and the address has them all."""
    page = open_report(report)
    page.get_by_role("button", name="Reset").click()
    every = found(page)
    page.locator("#explorer").get_by_label("Model", exact=True).select_option(label="Lexical (Prompt)")
    page.get_by_label("Category", exact=True).select_option("multi_turn_base")
    assert 0 < found(page) < every
    assert all(entry.startswith("multi_turn_base_") for entry in rows(page))
    page.get_by_label("Verdict").select_option("wrong")
    wrong = rows(page)
    assert wrong
    page.get_by_label("Id or question").fill(wrong[0])
    assert rows(page) == [wrong[0]]
    page.reload()
    assert rows(page) == [wrong[0]]
    page.get_by_role("button", name="Reset").click()
    assert found(page) == every


def test_entries_right_for_one_of_two_models(report: Path, open_report: OpenReport) -> None:
    """Beside a second model, the list has the flipped entries, and both directions add up to them."""
    page = open_report(report, fragment="entries?model=oracle&second=lexical&verdict=flipped")
    flipped, directions = set(rows(page)), []
    assert page.locator("#entries-table tbody tr").first.locator("td.verdict").count() == 2
    for direction in ("first", "second"):
        page.get_by_label("Verdict").select_option(direction)
        directions.append(set(rows(page)))
    assert directions[0]
    assert directions[0] | directions[1] == flipped


def test_a_heading_sorts(report: Path, open_report: OpenReport) -> None:
    """The question's heading sorts by its first words, and again the other way round."""
    page = open_report(report, fragment="entries?category=simple_python")
    heading = page.locator("#entries-table").get_by_role("button", name="Question")
    orders = []
    for _ in range(2):
        heading.click()
        orders.append(page.locator("#entries-table td.words").all_text_contents())
    assert orders[0] == sorted(orders[0])
    assert orders[1] == orders[0][::-1]


def test_a_click_opens_the_conversation_and_back_closes_it(report: Path, open_report: OpenReport) -> None:
    """It has turns with calls, results and the truth, and the verdict under each rule set."""
    page = open_report(report, fragment="entries?model=lexical&category=multi_turn_base&verdict=wrong")
    entry = rows(page)[0]
    page.locator("#entries-table tbody td.words").first.click()
    text = shown(page, entry)
    assert "official" in text
    assert "verified rules" in text
    assert "Turn 1 of" in text
    assert "Truth" in text
    assert "first failing turn" in text
    assert page.locator("#conversation .call").count() > 0
    assert page.locator("#conversation .result").count() > 0
    page.go_back()
    expect(page.locator("#conversation")).to_be_hidden()
    assert rows(page)[0] == entry


def test_calls_of_the_truth_that_a_wrong_answer_lacks_are_marked(
    report: Path, open_report: OpenReport
) -> None:
    """Each says that it is not in the answer; beside a second model, in whose."""
    page = open_report(report, fragment="entries?model=lexical&category=multi_turn_base&verdict=wrong")
    entry = rows(page)[0]
    page.locator("#entries-table tbody a").first.click()
    shown(page, entry)
    assert set(lacking_of(page)) == {"not in the answer"}
    page = open_report(report, fragment=f"lexical+oracle/{entry}")
    shown(page, entry)
    assert set(lacking_of(page)) == {"not in the answer of Lexical (Prompt)"}


def lacking_of(page: Page) -> list[str]:
    """The remarks on calls of the truth that are lacking."""
    return page.locator("#conversation .side .lacking .remark").all_text_contents()


def test_the_list_begins_with_wrong_answers(report: Path, open_report: OpenReport) -> None:
    """Those of the first model, if it has any; the filter says so and can be taken back."""
    page = open_report(report)
    first = page.locator("#entries-table tbody tr").first
    if page.get_by_label("Verdict").input_value() == "wrong":
        expect(first.locator("td.verdict").first).to_contain_text("wrong")
    else:
        assert page.get_by_label("Verdict").input_value() == ""
        page.get_by_label("Verdict").select_option("wrong")
        assert rows(page) == []


def test_closing_returns_to_the_link_that_opened(report: Path, open_report: OpenReport) -> None:
    """The focus is again on the example of an error, which is far from the list."""
    page = open_report(report)
    page.locator("details:has(.examples)").first.locator("summary").click()
    example = page.locator(".examples [data-entry] a").first
    entry = example.text_content() or ""
    example.focus()
    page.keyboard.press("Enter")
    shown(page, entry)
    page.keyboard.press("Escape")
    expect(page.locator("#conversation")).to_be_hidden()
    expect(example).to_be_focused()


def test_two_models_stand_beside_each_other(report: Path, open_report: OpenReport) -> None:
    """A link with two models opens both answers, on a wide screen in two columns at one height."""
    page = open_report(report, fragment="entries?model=lexical&category=multi_turn_base")
    entry = rows(page)[0]
    page = open_report(report, fragment=f"oracle+lexical/{entry}")
    shown(page, entry)
    sides = page.locator("#conversation-body > .beside").first.locator(".side")
    boxes = [sides.nth(place).bounding_box() for place in range(2)]
    assert boxes[0]
    assert boxes[1]
    assert boxes[0]["y"] == boxes[1]["y"]
    assert boxes[0]["x"] < boxes[1]["x"]
    page.set_viewport_size({"width": 400, "height": 900})
    boxes = [sides.nth(place).bounding_box() for place in range(2)]
    assert boxes[0]
    assert boxes[1]
    assert boxes[0]["x"] == boxes[1]["x"]
    assert boxes[0]["y"] < boxes[1]["y"]


def test_the_keyboard_is_enough(report: Path, open_report: OpenReport) -> None:
    """`/` filters, j goes to the next row, Enter opens, j and k walk, Esc closes, ? lists the keys."""
    page = open_report(report, fragment="entries?model=lexical&category=simple_python")
    entries = rows(page)
    page.keyboard.press("/")
    expect(page.locator("#filter-text")).to_be_focused()
    page.locator("#entries-table tbody a").first.focus()
    page.keyboard.press("j")
    page.keyboard.press("Enter")
    shown(page, entries[1])
    page.keyboard.press("k")
    shown(page, entries[0])
    page.keyboard.press("j")
    shown(page, entries[1])
    page.keyboard.press("Escape")
    expect(page.locator("#conversation")).to_be_hidden()
    expect(page.locator("#entries-table tbody a").nth(1)).to_be_focused()
    page.keyboard.press("?")
    expect(page.locator("#keys")).to_be_visible()
    page.keyboard.press("Escape")
    expect(page.locator("#keys")).to_be_hidden()


def test_scores_lead_to_their_entries(report: Path, open_report: OpenReport) -> None:
    """A cell of the heat map lists the wrong answers in it; an example of an error opens its entry."""
    page = open_report(report)
    page.locator("#categories td.heat a").first.click()
    assert ("#entries?model=" in page.url and "verdict=wrong" in page.url) or "category=" in page.url
    example = page.locator(".examples [data-entry] a").first
    entry = example.text_content() or ""
    page.locator("details:has(.examples)").first.locator("summary").click()
    example.click()
    shown(page, entry)


def test_the_sessions_before_a_question_open(report: Path, open_report: OpenReport) -> None:
    """The conversation of a memory question links the sessions before it, whose conversations are there."""
    page = open_report(report, fragment="entries?model=lexical&category=memory_kv")
    entry = rows(page)[0]
    page.locator("#entries-table tbody a").first.click()
    shown(page, entry)
    page.locator(".sessions a").first.click()
    expect(page.locator("#conversation-body")).to_contain_text("A session is not scored")
    assert page.locator("#conversation .call").count() > 0


def test_a_hostile_answer_is_text(report: Path, open_report: OpenReport) -> None:
    """It makes no element, marks of direction and control characters are spelled out, and it is folded."""
    page = open_report(report, fragment="entries?model=lexical&category=simple_python")
    entry = rows(page)[0]
    page.locator("#entries-table tbody a").first.click()
    text = shown(page, entry)
    assert "<img src=x onerror=" in text
    assert "\u202e" not in text
    assert "\x1b" not in text
    assert "\\u202e" in text
    assert len(text) < 20_000
    assert page.locator("#conversation img, #conversation script").count() == 0
    assert page.title() != "run"
    assert not is_wider_than_window(page)


@pytest.mark.parametrize(("width", "dark"), [(1400, False), (1400, True), (400, False), (400, True)])
def test_axe_finds_no_serious_fault_in_a_conversation(
    reports: Reports, width: int, dark: bool, open_report: OpenReport
) -> None:
    """Neither in the list nor in an open conversation, which is no wider than a narrow screen."""
    page = open_report(reports.within, width=width, dark=dark)
    page.locator("#explorer").wait_for()
    assert not is_wider_than_window(page)
    entry = rows(page)[0]
    page.locator("#entries-table tbody a").first.click()
    shown(page, entry)
    body = page.locator("#conversation-body")
    assert body.evaluate("node => node.scrollWidth <= node.clientWidth")
    assert faults(page) == []


def test_print_has_the_open_conversation_alone(reports: Reports, open_report: OpenReport) -> None:
    """The whole of it, and nothing of the page behind it; without one, the page."""
    page = open_report(reports.within, fragment="entries?model=lexical&category=multi_turn_base")
    page.emulate_media(media="print")
    expect(page.locator("#leaderboard")).to_be_visible()
    entry = rows(page)[0]
    page.locator("#entries-table tbody a").first.dispatch_event("click")
    shown(page, entry)
    expect(page.locator("#leaderboard")).to_be_hidden()
    dialog = page.locator("#conversation")
    assert dialog.evaluate("node => node.scrollHeight <= node.clientHeight + 1")
    pages = len(re.findall(rb"/Type\s*/Page\b", page.pdf()))
    assert pages >= 1


def test_without_scripts_the_section_names_the_command(reports: Reports, open_report: OpenReport) -> None:
    """The list is not there, and the text says how a terminal shows an entry."""
    page = open_report(reports.within, javascript=False)
    expect(page.locator("#explorer")).to_be_hidden()
    expect(page.locator("#conversation")).to_be_hidden()
    expect(page.get_by_text("bfcl-pipeline show ENTRY_ID --model MODEL")).to_be_visible()


def test_a_page_copied_alone_names_the_missing_file(
    reports: Reports, tmp_path: Path, open_report: OpenReport
) -> None:
    """The list works; a conversation is replaced by the name of the file and the size of the folder."""
    alone = tmp_path / "report.html"
    shutil.copy(reports.beside, alone)
    page = open_report(
        alone, fragment="entries?model=lexical&category=simple_python", expected=("Failed to load",)
    )
    page.locator("#entries-table tbody a").first.click()
    message = page.locator("#conversation-body [role=alert]")
    expect(message).to_contain_text(re.compile(r"The file report/\w+\.js is not beside this page"))
    expect(message).to_contain_text(re.compile(r"\d+(\.\d+)? [kM]B"))


def test_a_folder_of_another_report_is_refused(
    reports: Reports, tmp_path: Path, open_report: OpenReport
) -> None:
    """A file whose digest is not the one that the page has is not shown."""
    shutil.copytree(reports.beside.parent / "report", tmp_path / "report")
    shutil.copy(reports.beside, tmp_path / "report.html")
    for file in (tmp_path / "report").iterdir():
        text = file.read_text()
        file.write_text(re.sub(r'","[0-9a-f]{16}","', '","0000000000000000","', text))
    page = open_report(tmp_path / "report.html", fragment="entries?model=lexical&category=simple_python")
    page.locator("#entries-table tbody a").first.click()
    expect(page.locator("#conversation-body [role=alert]")).to_contain_text("belongs to another report")


def test_an_unknown_link_says_so(reports: Reports, open_report: OpenReport) -> None:
    """A link to an entry or a model that the report does not have opens a sentence, not an error."""
    page = open_report(reports.within, fragment="lexical/no_such_entry_1")
    expect(page.locator("#conversation-body [role=alert]")).to_contain_text("does not have")
