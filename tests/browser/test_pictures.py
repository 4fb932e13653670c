"""The command that makes the pictures of the docs."""

from __future__ import annotations

import struct
from pathlib import Path

from playwright.sync_api import Browser

from tests.support import ROOT
from tests.support.pictures import GALLERY, PICTURES, take


def test_a_picture_shows_the_page_in_the_same_bytes(embedded_report: Path, browser: Browser) -> None:
    """Each picture is a PNG of the declared size, twice the same."""
    for picture in PICTURES.values():
        taken = take(browser, embedded_report, picture)
        assert taken.startswith(b"\x89PNG")
        assert struct.unpack(">II", taken[16:24]) == (picture.width, picture.height)
        assert take(browser, embedded_report, picture) == taken


def test_the_docs_show_every_picture() -> None:
    """Each is in docs/ and in a page of the docs."""
    pages = [ROOT / "README.md", *(ROOT / "docs").glob("*.md")]
    texts = "".join(page.read_text(encoding="utf-8") for page in pages)
    for name in (*PICTURES, GALLERY):
        assert (ROOT / "docs" / name).is_file()
        assert name in texts
