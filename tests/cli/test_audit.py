"""`bfcl-pipeline audit`: suspected defects of entries, and their errata."""

import json

import pytest

from bfcl_pipeline.benchmark import tables
from bfcl_pipeline.cli import main

RESTATED = (
    "format_sensitivity_113:ret_fmt=json&tool_call_tag=False&func_doc_fmt=python&prompt_fmt=plaintext"
    "&style=classic:simple_python_96"
)
"""An entry that can be passed, restated in a format in which it cannot."""


@pytest.fixture
def audit(staged, entries, capsys, monkeypatch):
    """Runs the command on entries that are read once, and returns its exit status and what it printed."""
    monkeypatch.setattr(
        tables,
        "read_entries",
        lambda path, ids=None: [
            entry for entry in entries(path.stem) if ids is None or entry.entry_id in ids
        ],
    )

    def run(*options: str) -> tuple[int, str, str]:
        status = main(["audit", "--data", str(staged), *options])
        return (status, *capsys.readouterr())

    return run


def test_categories_can_be_chosen(audit):
    """Only the findings on the given categories are listed."""
    status, out, _ = audit("--categories", "non_python", "--detector", "unpassable")
    assert status == 0
    assert "simple_java_36" in out
    assert "live_multiple_862-181-3" not in out


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
    chosen = ("--entry", "simple_java_36", "simple_python_0", RESTATED)
    assert audit(*chosen, "--detector", "unpassable", "--out", str(file))[0] == 0
    rows = [json.loads(line) for line in file.read_text(encoding="utf-8").splitlines()]
    assert [row["entry_id"] for row in rows] == ["simple_java_36", RESTATED]
    row = rows[0]
    assert row["detector"] == "unpassable"
    assert row["place"] == "ObjectMapEntryReplayDecoder.decode, parts"
    assert row["erratum"] == "confirmed"
    assert rows[1]["related_entry_id"] == "simple_python_96"


def test_entries_that_are_mended_or_left_out_have_no_such_finding(audit):
    """--rules verified audits the entries as the errata mend them, without those that are left out."""
    for entry_id in ("simple_java_36", RESTATED):
        assert "0 findings on 0 of" in audit("--entry", entry_id, "--rules", "verified")[1]


def test_an_entry_has_its_proposed_change_and_what_verified_rules_do(audit):
    """--entry prints the edits of a confirmed erratum, and whether the entry is mended or left out."""
    _, mended, _ = audit("--entry", "multi_turn_base_4")
    assert "proposed: ground_truth[2][0]: replace" in mended
    assert "threads: #1367" in mended
    assert "multi_turn_base_4 under verified rules: mended" in mended
    _, left_out, _ = audit("--entry", "irrelevance_228")
    assert "irrelevance_228 under verified rules: left out" in left_out


def test_an_entry_without_findings_begins_with_its_errata(audit):
    """Without findings there is no table, and no empty line in its place."""
    _, out, _ = audit("--entry", "simple_python_0")
    assert out.startswith("simple_python_0: no errata.\n")


def test_an_entry_outside_the_categories_is_an_error(audit):
    """--categories and --entry that exclude each other end the command with status 1."""
    status, _, error = audit("--entry", "multi_turn_base_4", "--categories", "live")
    assert status == 1
    assert "multi_turn_base_4 is not in --categories" in error


@pytest.mark.parametrize("option", [("--out", "x.csv"), ("--detector", "enum"), ("--rules", "verified")])
def test_options_of_an_audit_are_refused_where_nothing_is_audited(audit, tmp_path, option):
    """--patch with an option that would have no effect ends the command, and nothing is written."""
    status, _, error = audit("--patch", str(tmp_path / "patches"), *option)
    assert status == 1
    assert f"{option[0]} does not go with --patch" in error
    assert not (tmp_path / "patches").exists()


def test_patches_of_one_entry_need_no_others(audit, tmp_path):
    """--patch --entry writes the patches of that entry alone, against the release as it is."""
    folder = tmp_path / "patches"
    assert audit("--patch", str(folder), "--entry", "multi_turn_base_176")[0] == 0
    assert [path.name for path in sorted(folder.iterdir())] == [
        "0001-multi-turn-base-176-calendar.patch",
        "README.md",
    ]
    assert audit("--patch", str(folder), "--entry", "multi_turn_base_198")[0] == 1
