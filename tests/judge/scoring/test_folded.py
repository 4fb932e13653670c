"""Texts without differences of case and form, in linear time."""

from __future__ import annotations

import json

from bfcl_pipeline.base.text import MOST_MARKS, fold_text
from bfcl_pipeline.judge.scoring.web_results import Place, places, words

MARKS = "\N{COMBINING ACUTE ACCENT}\N{COMBINING GRAVE ACCENT BELOW}"
"""Marks that normalisation sorts, in time quadratic in the length of their run."""


def test_case_and_form_do_not_matter() -> None:
    """Full width, ligatures and composed accents are as their plain forms."""
    assert fold_text("\N{FULLWIDTH LATIN CAPITAL LETTER A}\N{LATIN SMALL LIGATURE FI}") == "afi"
    assert fold_text("e\N{COMBINING ACUTE ACCENT}") == "\N{LATIN SMALL LETTER E WITH ACUTE}"


def test_long_runs_of_marks_are_cut() -> None:
    """Marks between letters are kept as far as texts of people have them; the words around them stay."""
    assert len(fold_text(f"a{MARKS * 100_000}b")) <= MOST_MARKS + 3
    assert fold_text(f"a{'!' * MOST_MARKS}b") == f"a{'!' * MOST_MARKS}b"
    assert words(f"one {MARKS * 5_000} two")[-1] == "two"


def test_a_page_of_marks_is_searched() -> None:
    """A page of a million marks takes no longer than another page; what follows them is found."""
    page = json.dumps({"content": f"a{MARKS * 500_000} Han Kang"}, ensure_ascii=False)
    assert places(page, ["Han Kang"]) == {Place.PAGE}
