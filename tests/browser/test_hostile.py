"""Hostile names and messages in a real browser: shown as text, and no script of theirs runs."""

from __future__ import annotations

from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from bfcl_pipeline.benchmark.records import Rules
from bfcl_pipeline.benchmark.tables import write_table
from bfcl_pipeline.benchmark.tables.schemas import VERDICTS
from bfcl_pipeline.runs.run import Run
from bfcl_pipeline.show.report.page.render import write_page
from bfcl_pipeline.show.report.tables.aggregate_run import aggregate_run
from tests.support.browser import OpenReport, is_wider_than_window
from tests.support.synthetic_run import MadeUpModel, Marks, made_up_tables

ATTACKS = {
    "script": "<script>document.title='run'</script>",
    "handler": "<img src=x onerror=\"document.title='run'\">",
    "end of a data block": "</script></style></title><svg onload=document.title='run'>",
    "link": "<a href=\"javascript:document.title='run'\">x</a>",
    "override of direction": "\u202egnp.\u2066evil\u2069",
    "control characters": "a\x1b[31mb\x07c\x85d",
    "long": "W" * 3000,
}


@pytest.fixture(scope="module")
def hostile_report(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The report of a run whose models and error types have such names, with messages of megabytes."""
    models = [
        MadeUpModel(name[:200], {"simple_python": Marks([False] * 3, error_types=[name] * 3)})
        for name in ATTACKS.values()
    ]
    folder = tmp_path_factory.mktemp("hostile")
    run = made_up_tables(folder, models, ATTACKS["handler"])
    message = "".join(ATTACKS.values()) + "\x1b[2J" * 500_000
    for path in (run / "verdicts").glob("*.parquet"):
        verdicts = pq.read_table(path, schema=VERDICTS)
        place = VERDICTS.get_field_index("error_message")
        messages = pa.array([message] * len(verdicts), VERDICTS.field(place).type)
        write_table(path, verdicts.set_column(place, VERDICTS.field(place), messages))
    aggregate_run(Run(run, data=folder / "data"), folder / "models.yaml", Rules.OFFICIAL)
    return write_page(Run(run, folder / "cache", folder / "cache"), Rules.OFFICIAL)


def test_hostile_names_are_text(hostile_report: Path, open_report: OpenReport) -> None:
    """Each name is a row's heading, letter by letter, and no element is made of it."""
    page = open_report(hostile_report)
    shown = set(page.locator("#leaderboard tbody th bdi").all_text_contents())
    for kind in ("script", "handler", "end of a data block", "link"):
        assert ATTACKS[kind] in shown
    assert page.locator("img, [onerror], [onload], a[href^='javascript']").count() == 0
    assert page.locator("main script:not([type])").count() == 0
    assert page.title() != "run"
    assert page.locator("h1").text_content() == ATTACKS["handler"]


def test_hostile_messages_are_short_texts(hostile_report: Path, open_report: OpenReport) -> None:
    """A message of two megabytes is cut, and its markup and control characters are shown."""
    assert hostile_report.stat().st_size < 1_000_000
    page = open_report(hostile_report)
    page.locator("details:has(table.examples) summary").first.click()
    message = page.locator("td.message").first
    assert message.is_visible()
    shown = message.text_content() or ""
    assert shown.startswith(ATTACKS["script"])
    assert "\\x1b[31mb\\x07c" in shown
    assert "\\u202egnp" in shown
    assert "\x1b" not in shown


def test_hostile_names_do_not_widen_the_page(hostile_report: Path, open_report: OpenReport) -> None:
    """A word of thousands of letters is broken."""
    for width in (400, 1400):
        assert not is_wider_than_window(open_report(hostile_report, width=width))


def test_the_policy_blocks_a_script_that_got_in(
    made_up_report: Path, tmp_path: Path, open_report: OpenReport
) -> None:
    """Even unescaped markup could not run a script, use a handler, load a picture or set a style."""
    attack = (
        "<script>document.title = 'run'</script><img src='https://example.org/x.png' "
        "onerror=\"document.title = 'run'\"><p id='styled' style='color: red'>x</p>"
        "<iframe src='https://example.org/'></iframe><link rel='stylesheet' href='https://example.org/x.css'>"
    )
    text = made_up_report.read_text(encoding="utf-8")
    assert "<main>" in text
    report = tmp_path / "report.html"
    report.write_text(text.replace("<main>", f"<main>{attack}", 1), encoding="utf-8")
    page = open_report(
        report,
        expected=(
            "Executing inline",
            "Loading the image",
            "Loading the stylesheet",
            "Applying inline style",
            "Framing ",
            "Refused to",
        ),
    )
    assert page.title() != "run"
    assert page.locator("#styled").evaluate("node => node.style.color") == ""
