"""`verify` on the archive of a real run: verified results, and parts that are reported as not verified."""

from __future__ import annotations

import hashlib
import json
import re
import shutil
import zipfile
from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from bfcl_pipeline.cli import main
from bfcl_pipeline.runs.run import BLAME
from tests.share.archive.repacked import repack
from tests.share.archive.small_run import NAME, OWN_ERRATA, SmallRun

RESULTS = f"results/{NAME}"


def test_an_archive_is_verified(
    small_run: SmallRun, archived: Path, tmp_path: Path, capfd: pytest.CaptureFixture[str]
) -> None:
    """In any directory and offline; each thing that was, or can never be, verified has a line."""
    moved = tmp_path / "moved.zip"
    shutil.copyfile(archived, moved)
    capfd.readouterr()
    assert small_run.verify(moved) == 0
    output = capfd.readouterr().out
    assert hashlib.sha256(archived.read_bytes()).hexdigest() in output.splitlines()[0]
    parts = [("verified", part) for part in ("seal", "structure", "hashes", "web", "results")]
    for found, subject in (*parts, ("same", "software"), ("same", "release")):
        assert re.search(rf"^{found} +{subject} ", output, re.MULTILINE), subject
    assert "answers    whether the models gave these answers" in output
    assert "DIFFERS" not in output
    assert list(tmp_path.iterdir()) == [moved]


def test_an_archive_has_the_run_s_own_errata(own_run: SmallRun, tmp_path: Path) -> None:
    """As its copy, also where the file is gone. That verdicts are derived by it: test_tampered."""
    (own_run.folder / "mine.yaml").unlink()
    out = tmp_path / "again.zip"
    assert own_run.archive(out) == 0
    name = f"{RESULTS}/errata/mine.yaml"
    with zipfile.ZipFile(out) as archive:
        assert archive.read(name).decode() == OWN_ERRATA


def test_what_blame_wrote_is_given_to_the_derivation(
    own_run: SmallRun, tmp_path: Path, capfd: pytest.CaptureFixture[str]
) -> None:
    """The page with its section is derived again to the same bytes; its causes are not verified."""
    table = "model,cause,category,wrong,accidental,points,low,high\noracle-FC,model,overall,1,0,1.0,,\n"
    (own_run.results / BLAME).write_text(table)
    places = ["--data", str(own_run.data), "--cache", str(own_run.cache)]
    assert main(["report", str(own_run.results), *places]) == 0
    assert 'id="blame"' in (own_run.results / "report.html").read_text()
    out = tmp_path / "blamed.zip"
    assert own_run.archive(out) == 0
    assert own_run.verify(out) == 3
    printed = capfd.readouterr().out
    assert "DIFFERS" not in printed
    assert "blame      Taken from the run, not derived" in printed


def test_without_the_release_only_hashes_are_verified(
    archived: Path, tmp_path: Path, small_run: SmallRun, capsys: pytest.CaptureFixture[str]
) -> None:
    """The output has the command that stages it, and the exit status is 3, even if another release is
    staged."""
    nothing = tmp_path / "nothing"
    nothing.mkdir()
    other = tmp_path / "other"
    shutil.copytree(small_run.data, other)
    for wheel in (other / "release").glob("*.whl"):
        wheel.unlink()
    (other / "release/texts.json").write_text("{}")
    for data, why in ((nothing, "not staged"), (other, "another release")):
        capsys.readouterr()
        assert small_run.verify(archived, "--data", str(data)) == 3
        output = capsys.readouterr().out
        assert "verified      hashes" in output
        assert "not verified  results" in output
        assert why in output
        assert f"bfcl-pipeline stage --data {data} --version 2026.3.23" in output


@pytest.mark.usefixtures("derived_before")
def test_tables_of_another_pyarrow_have_the_same_rows(
    archived: Path, small_run: SmallRun, tmp_path: Path, capfd: pytest.CaptureFixture[str]
) -> None:
    """With another version of pyarrow, rows are compared; with the same version, bytes."""
    name = "verdicts/oracle-FC.parquet"
    table = tmp_path / "table.parquet"
    pq.write_table(pq.read_table(small_run.results / name), table, compression="snappy")

    def older(metadata: bytes) -> bytes:
        return metadata.replace(pa.__version__.encode(), b"1.0.0")

    changes = {f"{RESULTS}/{name}": table.read_bytes()}
    assert small_run.verify(repack(archived, tmp_path / "older.zip", changes, older)) == 0
    assert "1 tables have the same rows" in capfd.readouterr().out
    assert small_run.verify(repack(archived, tmp_path / "same.zip", changes)) == 1
    assert f"DIFFERS       results    {name}: the same rows in other bytes" in capfd.readouterr().out


def test_software_differences_are_listed(
    archived: Path,
    small_run: SmallRun,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    """Versions, lock file and workflow that differ from those of the archive have a line each."""

    def older(metadata: bytes) -> bytes:
        document = json.loads(metadata)
        for entity in document["@graph"]:
            if entity["@id"] == "#software-bfcl-pipeline":
                entity["softwareVersion"] = "0.0.1"
        return json.dumps(document).encode()

    changes = {"requirements.lock": b"pyarrow==1\n", "workflow/rules/score.smk": b"# other\n"}
    path = repack(archived, tmp_path / "x.zip", changes, older)
    assert small_run.verify(path, "--data", str(tmp_path)) == 3
    output = capsys.readouterr().out
    for line in ("bfcl-pipeline 0.0.1 in the archive", *(f"{name} is not the same" for name in changes)):
        assert f"differs       software   {line}" in output
