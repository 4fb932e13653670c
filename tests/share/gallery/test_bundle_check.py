"""The list of sums of a bundle: every line is one, every file is in it once, every change is seen."""

from __future__ import annotations

from pathlib import Path

import pytest

from bfcl_pipeline.runs.archived.writing import UNSEALED, seal
from bfcl_pipeline.share.archive.attestations import AttestationOptions
from bfcl_pipeline.share.gallery.bundle import SUMS, write_sums
from bfcl_pipeline.share.gallery.bundle_check import Bundle
from bfcl_pipeline.share.gallery.find import find_archives
from bfcl_pipeline.share.gallery.verified import verification_key

SUM = "0" * 64 + "  README.md\n"


@pytest.fixture
def bundle(tmp_path: Path) -> Path:
    (tmp_path / "a.crate.zip").write_bytes(UNSEALED)
    seal(tmp_path / "a.crate.zip")
    (tmp_path / "README.md").write_text("b")
    write_sums(tmp_path)
    return tmp_path


def key(bundle: Path) -> str:
    """What the verification of the archive in a bundle depends on."""
    (found,) = find_archives([bundle], print)
    return verification_key(found, [Bundle.read(bundle)], bundle / "data", AttestationOptions())


def test_sums_that_are_right(bundle: Path) -> None:
    claims = Bundle.read(bundle).claims
    assert claims.wrong == []
    assert claims.right == [f"{SUMS}: 2 files have the sha256 that it lists"]


@pytest.mark.parametrize(
    ("before", "after", "found"),
    [
        *(("", line, "line 3 is not the sum of a file") for line in ("not a sum\n", f"#{SUM}", "\n")),
        ("", SUM, "README.md is listed twice"),
        (SUM, "", "README.md is listed twice"),
        ("", "0" * 64 + "  other\n", "other is listed but not there"),
    ],
)
def test_a_line_that_is_wrong_is_found(bundle: Path, before: str, after: str, found: str) -> None:
    """Before or after right lines, and what was found before is not taken for the changed list."""
    old, sums = key(bundle), bundle / SUMS
    sums.write_text(before + sums.read_text() + after)
    assert f"{SUMS}: {found}" in Bundle.read(bundle).claims.wrong
    assert key(bundle) != old


def test_a_list_that_is_empty_or_of_other_bytes(bundle: Path) -> None:
    """Each file that it does not list, or lists with another sha256, is named."""
    (bundle / "README.md").write_text("changed")
    assert Bundle.read(bundle).claims.wrong == [f"{SUMS}: README.md has another sha256"]
    (bundle / SUMS).write_text("")
    assert f"{SUMS}: a.crate.zip is not listed" in Bundle.read(bundle).claims.wrong
