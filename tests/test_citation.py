"""How to cite: CITATION.cff, README.md, the page and the archives name the same works."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

import pytest
import yaml

from bfcl_pipeline.share.archive.crate_terms import PAPER, PAPER_ID
from bfcl_pipeline.show.report.page.overview import BENCHMARK_BIBTEX, SOFTWARE_BIBTEX

ROOT = Path(__file__).parents[1]


@pytest.fixture(scope="module")
def cff() -> dict[str, Any]:
    """CITATION.cff as a document."""
    document: dict[str, Any] = yaml.safe_load((ROOT / "CITATION.cff").read_text(encoding="utf-8"))
    return document


def fields(bibtex: str) -> dict[str, str]:
    """The fields of a BibTeX entry without braces, each on one line."""
    found = re.findall(r"^  (\w+) += \{(.*?)\},?$", bibtex, re.MULTILINE | re.DOTALL)
    return {name: " ".join(re.sub(r"[{}\\]", "", text).split()) for name, text in found}


def test_the_file_has_the_keys_that_the_format_requires(cff: dict[str, Any]) -> None:
    """CFF 1.2.0 requires its version, a message, a title and authors; a reference, its type too."""
    assert cff["cff-version"] == "1.2.0"
    assert cff["message"]
    assert cff["authors"] == [{"name": fields(SOFTWARE_BIBTEX)["author"]}]
    assert cff["title"] == fields(SOFTWARE_BIBTEX)["title"]
    assert cff["license"] == fields(SOFTWARE_BIBTEX)["license"] == "Apache-2.0"
    assert [reference["type"] for reference in cff["references"]] == ["conference-paper"]


def test_all_places_name_the_same_paper(cff: dict[str, Any]) -> None:
    """Title, authors, pages, year and address are equal in CITATION.cff, BibTeX and archives."""
    paper, bibtex = cff["references"][0], fields(BENCHMARK_BIBTEX)
    authors = [(each["given-names"], each["family-names"]) for each in paper["authors"]]
    assert paper["title"] == bibtex["title"] == PAPER["name"]
    assert bibtex["author"].split(" and ") == [f"{family}, {given}" for given, family in authors]
    assert PAPER["author"] == ", ".join(f"{given} {family}" for given, family in authors)
    assert bibtex["pages"] == f"{paper['start']}--{paper['end']}"
    assert PAPER["pagination"] == f"{paper['start']}-{paper['end']}"
    assert bibtex["year"] == str(paper["year"]) == PAPER["datePublished"]
    assert bibtex["url"] == paper["url"] == PAPER_ID


def test_the_readme_has_the_entries_to_copy() -> None:
    """One block of the README has both BibTeX entries."""
    readme = (ROOT / "README.md").read_text(encoding="utf-8")
    assert f"```bibtex\n{BENCHMARK_BIBTEX}\n\n{SOFTWARE_BIBTEX}\n```" in readme
