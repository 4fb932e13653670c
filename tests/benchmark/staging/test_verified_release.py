"""BFCL-Verified: it has every proposed change and no other, stages as a release, and is named as such."""

from __future__ import annotations

import json
import shutil
from pathlib import Path

import pytest

from bfcl_pipeline.base.errors import ConfigError, MalformedRelease
from bfcl_pipeline.benchmark.config.run_form import FORM_KEY, RUN_FORM
from bfcl_pipeline.benchmark.definition import V4_CATEGORIES, release
from bfcl_pipeline.benchmark.errata import LeftOut, Treatment, errata, treatment, verified_entry
from bfcl_pipeline.benchmark.errata.verified_data import (
    IDENTITY,
    check_staged,
    read_identity,
    staged_version,
)
from bfcl_pipeline.benchmark.records import Entry
from bfcl_pipeline.benchmark.staging.verified_release import FIXES
from bfcl_pipeline.benchmark.tables import entries_path, read_entries
from bfcl_pipeline.cli import main
from bfcl_pipeline.judge.own_errata import using_errata
from bfcl_pipeline.runs.run import Run
from bfcl_pipeline.show.report.notes import sample_note


@pytest.fixture(scope="module")
def verified(staged: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("written") / "verified"
    assert main(["audit", "--data", str(staged), "--dataset", str(folder)]) == 0
    return folder


@pytest.fixture(scope="module")
def restaged(verified: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    data = tmp_path_factory.mktemp("staged") / "data"
    assert main(["stage", "--source", str(verified), "--data", str(data)]) == 0
    return data


def of_data(data: Path) -> dict[str, Entry]:
    return {e.entry_id: e for name in V4_CATEGORIES for e in read_entries(entries_path(data, name))}


def test_exactly_the_entries_with_a_proposal_differ(staged: Path, restaged: Path) -> None:
    """A mended entry has the truth that verified rules judge by; no entry without a proposal changed."""
    before, after = of_data(staged), of_data(restaged)
    fixed = {one.entry_id for one in errata() if one.confirmed and one.edits}
    differ = {entry_id for entry_id, entry in before.items() if after[entry_id] != entry}
    of_fixed = {e.entry_id for e in before.values() if {e.entry_id, e.base_entry_id} & fixed}
    assert differ == of_fixed
    for entry_id in differ:
        mended = verified_entry(before[entry_id])
        assert isinstance(mended, LeftOut) or mended.truth == after[entry_id].truth


def test_fixes_names_every_confirmed_entry(verified: Path) -> None:
    """With a change or without one, each with its reason and its evidence."""
    text = (verified / FIXES).read_text()
    changes, kept = text.split("\n## Defects without a change\n")
    for erratum in (one for one in errata() if one.confirmed):
        assert f"`{erratum.entry_id}`" in (changes if erratum.edits else kept), erratum.entry_id
    version, sha256 = read_identity(verified)
    assert f"version: {version}\n  sha256: {sha256}\n" in text


def test_verified_rules_judge_the_changed_entries_as_they_are(restaged: Path) -> None:
    """Also those whose question was changed; only entries without a change are left out."""
    confirmed = [one for one in errata() if one.confirmed]
    without = {one.entry_id for one in confirmed if not one.edits}
    of_staged = {
        entry_id: entry
        for entry_id, entry in of_data(restaged).items()
        if entry_id in {one.entry_id for one in confirmed}
    }
    with using_errata((), restaged):
        treated = {entry_id: treatment(entry) for entry_id, entry in of_staged.items()}
    assert {entry_id for entry_id, how in treated.items() if how is Treatment.LEFT_OUT} == (
        without & of_staged.keys()
    )
    assert Treatment.MENDED not in treated.values()
    assert [one for one in errata() if one.confirmed] == confirmed  # as before, outside the block


def test_scores_of_it_have_its_name(staged: Path, restaged: Path, tmp_path: Path) -> None:
    """In the note that table, page and exports share; a run of one and data of the other do not mix."""
    version = staged_version(restaged)
    assert version.startswith(f"{release.VERSION}+verified.")
    config = Path("config/config.yaml").read_text().replace(release.VERSION, version)
    (tmp_path / "config.yaml").write_text(f"{config}\n{FORM_KEY}: {RUN_FORM}\n")
    run = Run(tmp_path)
    assert run.benchmark == f"BFCL-Verified {version}"
    assert sample_note([("sql", 1, 1)], run).startswith(f"{run.benchmark}: ")
    check_staged(restaged, version)
    check_staged(staged, release.VERSION)
    for data, other in ((restaged, release.VERSION), (staged, version)):
        with pytest.raises(ConfigError, match="has BFCL"):
            check_staged(data, other)


def test_a_changed_copy_is_refused(
    verified: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """Another content than its hash says, and the errata of another version; nothing is staged."""
    copy = tmp_path / "copy"
    shutil.copytree(verified, copy)
    questions = copy / "bfcl_eval/data/BFCL_v4_multiple.json"
    questions.write_text(questions.read_text().replace("triangle", "square", 1))
    assert main(["stage", "--source", str(copy), "--data", str(tmp_path / "data")]) != 0
    assert "sha256" in capsys.readouterr().err
    assert not (tmp_path / "data").exists()
    identity = json.loads((copy / IDENTITY).read_text())
    (copy / IDENTITY).write_text(json.dumps(identity | {"errata": "0" * 64}))
    with pytest.raises(MalformedRelease, match="other errata"):
        read_identity(copy)


def test_it_replaces_nothing_else(
    staged: Path, verified: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """A folder with something else is refused; its own is written again, byte for byte the same."""
    (tmp_path / "mine.txt").write_text("kept")
    assert main(["audit", "--data", str(staged), "--dataset", str(tmp_path)]) != 0
    assert "contains something else" in capsys.readouterr().err
    before = {path: path.read_bytes() for path in verified.rglob("*") if path.is_file()}
    assert main(["audit", "--data", str(staged), "--dataset", str(verified)]) == 0
    assert {path: path.read_bytes() for path in verified.rglob("*") if path.is_file()} == before
