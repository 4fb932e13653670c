"""docs/errata.md: the errata for people."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from bfcl_pipeline.benchmark.errata import Erratum, errata
from bfcl_pipeline.benchmark.errata.ledger import read_record
from bfcl_pipeline.benchmark.errata.page import errata_page
from bfcl_pipeline.cli import main
from bfcl_pipeline.judge.audit import DEFECTS
from tests.support import ROOT

CEILINGS = [
    {"score": score, "rules": rules, "entries": 200, "ceiling": ceiling}
    for score in ("multi_turn_base", "multiple")
    for rules, ceiling in (("official", 0.99), ("corrected", 0.99), ("verified", 1.0))
]
"""Rows of the table of ceilings."""


def erratum(entry_id: str, number: int = 1, **changes: Any) -> Erratum:
    """A confirmed erratum of one entry, with changes of its record."""
    record = {
        "entries": [entry_id],
        "defect": "truth",
        "status": "confirmed",
        "what": "What | is <wrong>.",
        "why": "Why.",
        "evidence": "bfcl-pipeline audit {entry}",
        "faithful": "fails",
        "propose": "exclude",
    }
    (made,) = read_record(f"x.yaml, record {number}", record | changes)
    return made


def rows_of(page: str, heading: str) -> list[list[str]]:
    """The cells of the rows of the table under `heading`, without escaped bars."""
    section = page.partition(f"## {heading}\n")[2].partition("\n## ")[0].replace("\\|", "/")
    return [line[2:-2].split(" | ") for line in section.splitlines() if line.startswith("| ")][2:]


def test_the_published_page_is_what_the_command_writes(tmp_path: Path, staged: Path) -> None:
    """docs/errata.md is the output of `audit --markdown`."""
    page = tmp_path / "errata.md"
    assert main(["audit", "--data", str(staged), "--markdown", str(page)]) == 0
    assert page.read_text(encoding="utf-8") == (ROOT / "docs" / "errata.md").read_text(encoding="utf-8")


def test_the_readme_has_the_numbers_of_the_page() -> None:
    """What README.md says that a run prints has the ceilings, and the entries mended and left out."""
    page = (ROOT / "docs" / "errata.md").read_text(encoding="utf-8")
    (overall,) = (row for row in rows_of(page, "Ceilings") if row[0] == "overall")
    mended, left_out, *ceilings = overall[2:]
    readme = (ROOT / "README.md").read_text(encoding="utf-8")
    assert f"corrected rules; {mended} entries mended, {left_out} left out" in readme
    (printed,) = (line.split()[1:] for line in readme.splitlines() if line.startswith("Ceiling "))
    assert printed[:3] == ceilings


def test_every_erratum_is_on_the_page() -> None:
    """Each entry of the errata is in a row of the table of its status."""
    page = errata_page(errata(), DEFECTS, [])
    for heading in ("Confirmed", "Disputed", "Rejected"):
        rows = [row for row in rows_of(page, heading) if row[0].startswith("`")]  # one table for each group
        ids = {cell for row in rows for cell in row[0].split("<br>")}
        assert ids == {f"`{each.entry_id}`" for each in errata() if each.status == heading.lower()}


def test_records_with_the_same_texts_are_one_row() -> None:
    """The row has all entries, and the proposal of each where they differ."""
    first, second = ([{"at": ["ground_truth", place], "remove": True}] for place in (0, 1))
    found = [
        erratum("multiple_1", 1, propose=first),
        erratum("multiple_2", 2, propose=second),
        erratum("multiple_3", 3, why="X."),
        erratum("multiple_4", 4, why="X."),
    ]
    first, second = rows_of(errata_page(found, DEFECTS, []), "Confirmed")
    assert first[0] == "`multiple_1`<br>`multiple_2`"
    assert first[5] == "`multiple_1`: `ground_truth[0]: remove`<br>`multiple_2`: `ground_truth[1]: remove`"
    assert second[0] == "`multiple_3`<br>`multiple_4`"
    assert second[5] == "left out"


def test_texts_stay_in_their_cells() -> None:
    """Bars and angle brackets are escaped; an edit with backquotes is code, too."""
    edit = {"at": ["question"], "old": "`a|b`", "new": "c"}
    ((_, _, what, _, _, proposal, _, _),) = rows_of(
        errata_page([erratum("multiple_1", propose=[edit])], DEFECTS, []), "Confirmed"
    )
    assert what == "What / is &lt;wrong>."
    assert proposal == 'left out; for upstream: `` question: replace "`a/b`" by "c" ``'


def test_ceilings_are_of_affected_scores() -> None:
    """Each score with a mended or left-out entry has a row: entries, how many of both, three ceilings."""
    (row,) = rows_of(errata_page([erratum("multi_turn_base_1")], DEFECTS, CEILINGS), "Ceilings")
    assert row == ["multi_turn_base", "200", "0", "1", "99.00", "99.00", "100.00"]


def test_an_empty_table_says_so() -> None:
    """Without disputed records the section has a word instead of a table."""
    assert "## Disputed\n\nNone.\n" in errata_page([erratum("multiple_1")], DEFECTS, [])
