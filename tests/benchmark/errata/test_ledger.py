"""The records of the errata: errors in them, and that all fit the pinned release."""

from __future__ import annotations

import argparse
import shlex
import subprocess
import sys
from collections import defaultdict
from pathlib import Path
from typing import Any

import pytest
import yaml

from bfcl_pipeline.base.errors import ErrataError
from bfcl_pipeline.benchmark.definition import CATEGORIES, GROUPS, V4_CATEGORIES, category_of
from bfcl_pipeline.benchmark.errata import (
    Faithful,
    LeftOut,
    errata,
    errata_digest,
    errata_of,
    ledger,
    same,
    verified_entry,
)
from bfcl_pipeline.benchmark.errata.faithful_answers import written_answers
from bfcl_pipeline.benchmark.errata.ledger import by_record, check_distinct, read_record, read_records
from bfcl_pipeline.benchmark.staging.release_files import release_id
from bfcl_pipeline.cli import audit, show
from tests.support import ROOT

ENTRIES = ROOT / "bfcl_pipeline/benchmark/errata/entries"

RECORD: dict[str, Any] = {
    "entries": ["simple_python_0", "simple_python_1"],
    "defect": "truth",
    "status": "confirmed",
    "what": "The truth\n  is wrong.",
    "why": "It differs.",
    "evidence": "bfcl-pipeline audit {entry}",
    "faithful": "fails",
    "threads": [7],
    "propose": [{"at": ["ground_truth", 0], "remove": True}],
}


def test_a_record_has_one_erratum_per_entry():
    """Texts are put on one line, and the evidence names the entry."""
    first, second = read_record("x.yaml, record 1", RECORD)
    assert (first.entry_id, second.entry_id) == ("simple_python_0", "simple_python_1")
    assert second.evidence == "bfcl-pipeline audit simple_python_1"
    assert first.what == "The truth is wrong."
    assert (first.threads, first.record, first.confirmed, first.mends) == (
        (7,),
        "x.yaml, record 1",
        True,
        True,
    )
    assert by_record([first, second]) == [(first, second)]


def test_a_changed_record_changes_the_digest(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    """The digest, by which runs are scored again, follows from the names and texts of the files."""
    (tmp_path / "entries").mkdir()
    monkeypatch.setattr(ledger, "files", lambda _: tmp_path)
    digests = [errata_digest()]
    for name, text in (("a.yaml", "[]"), ("a.yaml", "[] # x"), ("b.yaml", "[]")):
        (tmp_path / "entries" / name).write_text(text, encoding="utf-8")
        digests.append(errata_digest())
    assert len(set(digests)) == 4
    (tmp_path / "entries" / "notes.txt").write_text("x", encoding="utf-8")
    assert errata_digest() == digests[-1]


def test_a_digest_of_other_categories_does_not_depend_on_records_of_the_executable_ones(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    """A record of the executable categories scores a run again if the run has any of them, else not."""
    (tmp_path / "entries").mkdir()
    monkeypatch.setattr(ledger, "files", lambda _: tmp_path)
    chosen = {"all": ["simple_python", "rest"], "rest": ["rest"], "V4": V4_CATEGORIES}
    before = {name: errata_digest(categories) for name, categories in chosen.items()}
    (tmp_path / "entries" / ledger.EXECUTABLE).write_text("[]", encoding="utf-8")
    after = {name: errata_digest(categories) for name, categories in chosen.items()}
    assert [name for name in chosen if before[name] == after[name]] == ["V4"]


def test_the_records_of_the_executable_categories_have_a_file_of_their_own():
    """No file has records of both, so that the digest of a run covers what its verdicts depend on."""
    for erratum in errata():
        is_executable = category_of(erratum.entry_id) in GROUPS["executable"]
        assert is_executable == erratum.record.startswith(f"{ledger.EXECUTABLE},"), erratum.record


def test_evidence_can_be_pasted_into_a_shell():
    """The id of a restated entry has characters of the shell, which are quoted."""
    (erratum,) = read_record("x", RECORD | {"entries": ["format_sensitivity_0:a=b&c:simple_python_0"]})
    assert erratum.evidence.endswith(" audit 'format_sensitivity_0:a=b&c:simple_python_0'")


def test_where_to_look_is_a_comment_of_the_shell():
    """What follows the command after a comma can be pasted with it."""
    evidence = "bfcl-pipeline show {entry}, turn 2, and the result of ls"
    erratum, _ = read_record("x", RECORD | {"evidence": evidence})
    assert erratum.evidence == "bfcl-pipeline show simple_python_0  # turn 2, and the result of ls"


def test_all_evidence_is_commands_of_this_program():
    """Each command has valid options, and names the entry of its erratum."""
    commands = {"audit": argparse.ArgumentParser(), "show": argparse.ArgumentParser()}
    audit.add_arguments(commands["audit"])
    show.add_arguments(commands["show"])
    for erratum in errata():
        program, command, *arguments = shlex.split(erratum.evidence, comments=True)
        assert program == "bfcl-pipeline"
        commands[command].parse_args(arguments)
        assert erratum.entry_id in arguments
        assert shlex.quote(erratum.entry_id) in erratum.evidence.split()


def test_a_proposal_mends_only_if_it_changes_the_truth_alone():
    """An exclusion and an edit of the question do not mend the entry."""
    question = {"at": ["question"], "add": 1}
    for proposal in ("exclude", [*RECORD["propose"], question]):
        assert not read_record("x", RECORD | {"propose": proposal})[0].mends


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"why": ...}, "keys missing: why; unknown: none"),
        ({"reason": "x"}, "keys missing: none; unknown: reason"),
        ({"status": "sure"}, "'sure' is not a valid ErratumStatus"),
        ({"faithful": "maybe"}, "'maybe' is not a valid Faithful"),
        ({"propose": ...}, "`propose` belongs to every confirmed record"),
        ({"status": "disputed"}, "`propose` belongs to every confirmed record"),
        ({"propose": "drop"}, "`propose` is `exclude` or a list of edits"),
        ({"propose": []}, "`propose` is `exclude` or a list of edits"),
        ({"propose": [{"at": []}]}, "an edit needs `at`"),
        ({"entries": "simple_python_0"}, "`entries` is a list"),
        ({"entries": []}, "`entries` is a list"),
        ({"entries": ["simple_python_0"] * 2}, "`entries` is a list of different ids"),
        ({"entries": [3]}, "`entries` is a list"),
        ({"threads": ["#7"]}, "`threads` is a list of numbers"),
        ({"threads": 7}, "`threads` is a list of numbers"),
        ({"also": "drift"}, "`also` is a list of classes"),
        ({"what": ""}, "`what` is a text"),
        ({"evidence": None}, "`evidence` is a text"),
    ],
)
def test_a_malformed_record_is_an_error_that_names_it(change, message):
    """Every error has the file, the number of the record and what was expected."""
    changed = {key: value for key, value in (RECORD | change).items() if value is not ...}
    with pytest.raises(ErrataError, match=f"^x.yaml, record 4: .*{message}"):
        read_record("x.yaml, record 4", changed)


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("- [", "^x.yaml: not YAML: "),
        ("entries: []", "^x.yaml: expected a list of records, got dict"),
        ("- 3", "^x.yaml, record 1: expected a mapping, got int"),
    ],
)
def test_a_file_that_is_not_a_list_of_records_is_an_error(text, message):
    """Text that is not YAML, or is something other than a list of mappings."""
    with pytest.raises(ErrataError, match=message):
        read_records("x.yaml", text)


def test_a_file_may_be_empty():
    """A file with comments only has no errata."""
    assert read_records("x.yaml", "# nothing yet\n") == []


def test_an_entry_has_each_defect_once():
    """Two records of one defect of an entry are an error, as they may disagree; two defects are not."""
    first, second = read_record("a, record 1", RECORD), read_record("a, record 2", RECORD)
    other = read_record("a, record 3", RECORD | {"defect": "doc"})
    check_distinct([*first, *other])
    with pytest.raises(
        ErrataError, match=r"a, record 2: simple_python_0 has the defect 'truth' in a, record 1"
    ):
        check_distinct([*first, *second])


def test_every_id_is_an_entry_of_the_release(entries):
    """Each erratum is of an entry of the pinned release that is scored."""
    known = {entry.entry_id for name in CATEGORIES for entry in entries(name) if not entry.prerequisite}
    assert {erratum.entry_id for erratum in errata()} <= known


def test_all_edits_of_truths_fit(entries):
    """An entry is left out only because its proposal demands it, never because an edit does not fit."""
    for name in CATEGORIES:
        for entry in entries(name):
            confirmed = [erratum for erratum in errata_of(entry) if erratum.confirmed]
            found = verified_entry(entry)
            if isinstance(found, LeftOut):
                assert not found.erratum.mends, entry.entry_id
            elif confirmed:
                assert found.truth != entry.truth, entry.entry_id
            else:
                assert found is entry


def test_every_confirmed_agentic_or_multi_turn_entry_has_faithful_answers():
    """They are written down, one fails officially by its record, and each edit changes something."""
    for erratum in errata():
        if erratum.confirmed and not CATEGORIES[category_of(erratum.entry_id)].single_turn:
            assert erratum.entry_id in written_answers()
            assert erratum.faithful is not Faithful.PASSES
        assert not any(edit.form == "replace" and same(edit.old, edit.new) for edit in erratum.edits)


def test_entries_of_one_line_of_the_release_agree():
    """Memory and web entries that share a line of the release have the same errata in each category."""
    records = defaultdict(set)
    for erratum in errata():
        records[erratum.entry_id].add(erratum.record)
    for entry_id, found in list(records.items()):
        name = category_of(entry_id)
        for other, category in CATEGORIES.items():
            sibling = other + entry_id.removeprefix(name)
            if category.check is CATEGORIES[name].check and release_id(sibling) == release_id(entry_id):
                assert records[sibling] == found, f"{sibling} and {entry_id}"


def test_the_records_are_plain_yaml():
    """Both parsers of PyYAML read the same, as libyaml is not everywhere."""
    for path in ENTRIES.glob("*.yaml"):
        text = path.read_text(encoding="utf-8")
        assert yaml.load(text, yaml.CSafeLoader) == yaml.safe_load(text)


def test_the_errata_are_read_on_first_use():
    """Importing the scoring reads no record; YAML is read once, by the first look-up."""
    program = (
        "import bfcl_pipeline.judge.scoring, bfcl_pipeline.benchmark.errata.ledger as ledger\n"
        "print(ledger.errata.cache_info().misses, end=' ')\n"
        "ledger.errata(), ledger.errata()\n"
        "print(ledger.errata.cache_info().misses)"
    )
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True)
    assert done.stdout.split() == ["0", "1"]
