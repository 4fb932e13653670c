"""`bfcl-pipeline audit`: suspected defects of entries, and their errata."""

import json

import pytest

from bfcl_pipeline.cli import main


@pytest.fixture
def audit(staged, capsys):
    """Runs the command and returns its exit status and what it printed."""

    def run(*options: str) -> tuple[int, str, str]:
        status = main(["audit", "--data", str(staged), *options])
        return (status, *capsys.readouterr())

    return run


def test_categories_can_be_chosen(audit):
    """Only the findings on the given categories are listed."""
    status, out, _ = audit("--categories", "live", "--detector", "unpassable")
    assert status == 0
    assert "live_multiple_862-181-3" in out
    assert "simple_java_36" not in out


def test_an_entry_has_its_findings_and_its_errata(audit):
    """--entry prints the findings on the entry, and from the errata its status, reason and evidence."""
    status, out, _ = audit("--entry", "multi_turn_base_176")
    assert status == 0
    assert "multi_turn_base_176: calendar, confirmed." in out
    assert "evidence: bfcl-pipeline audit --entry multi_turn_base_176" in out
    assert "simple_java_36" not in out


def test_an_unknown_entry_is_an_error_with_similar_ids(audit):
    """An unknown id ends the command with status 1 and the most similar ids."""
    status, _, error = audit("--entry", "multi_turn_bas_176")
    assert status == 1
    assert "multi_turn_base_176" in error


def test_an_unknown_detector_is_an_error_with_the_known_ones(audit):
    """An unknown detector ends the command with status 1 and the known names."""
    status, _, error = audit("--detector", "unpasable")
    assert status == 1
    assert "Did you mean 'unpassable'?" in error


def test_findings_are_written_as_rows(audit, tmp_path):
    """--out writes one row per finding, with the class, the place and the related entry."""
    file = tmp_path / "findings.jsonl"
    assert audit("--detector", "unpassable", "--out", str(file))[0] == 0
    rows = [json.loads(line) for line in file.read_text(encoding="utf-8").splitlines()]
    row = next(row for row in rows if row["entry_id"] == "simple_java_36")
    assert row["detector"] == "unpassable"
    assert row["place"] == "ObjectMapEntryReplayDecoder.decode, parts"
    restated = next(row for row in rows if row["category"] == "format_sensitivity")
    assert restated["related_entry_id"] == "simple_python_96"


def test_entries_that_are_mended_or_left_out_have_no_such_finding(audit, tmp_path):
    """Under the rules `verified`, no entry that cannot be passed has a confirmed erratum."""
    file = tmp_path / "findings.jsonl"
    assert audit("--rules", "verified", "--detector", "unpassable", "--out", str(file))[0] == 0
    rows = [json.loads(line) for line in file.read_text(encoding="utf-8").splitlines()]
    assert "confirmed" not in {row["erratum"] for row in rows}
