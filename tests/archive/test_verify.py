"""What `verify` proves of the archive of a real run, and what it says where it cannot."""

from __future__ import annotations

import hashlib
import json
import shutil
from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq
import pytest
import yaml
from repacked import repack
from small_run import NAME, SmallRun
from snakemake_project import Project

RESULTS = f"results/{NAME}"


def test_what_was_archived_is_proved(
    small_run: SmallRun, archived: Path, tmp_path: Path, capfd: pytest.CaptureFixture[str]
) -> None:
    """Anywhere, with nobody to ask: each thing that was proved has its line, and what never can be too."""
    moved = tmp_path / "moved.zip"
    shutil.copyfile(archived, moved)
    capfd.readouterr()
    assert small_run.verify(moved) == 0
    told = capfd.readouterr().out
    lines = [line.split("  ")[0] + " " + line.split()[1] for line in told.splitlines()[1:]]
    assert hashlib.sha256(archived.read_bytes()).hexdigest() in told.splitlines()[0]
    for subject in ("seal", "structure", "hashes", "web", "results"):
        assert f"proved {subject}" in lines
    assert "same software" in lines
    assert "same release" in lines
    assert "answers    that models gave these answers" in told
    assert "DIFFERS" not in told
    assert list(tmp_path.iterdir()) == [moved]


def test_without_the_release_only_hashes_are_proved(
    archived: Path, tmp_path: Path, small_run: SmallRun, capsys: pytest.CaptureFixture[str]
) -> None:
    """It says so and what to type, and ends with 3; so too where another release is staged."""
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
        told = capsys.readouterr().out
        assert "proved      hashes" in told
        assert "not proved  results" in told
        assert why in told
        assert f"bfcl-pipeline stage --data {data} --version 2026.3.23" in told


def test_tables_of_another_pyarrow_have_the_same_rows(
    archived: Path, small_run: SmallRun, tmp_path: Path, capfd: pytest.CaptureFixture[str]
) -> None:
    """Where its version is another, rows are compared in place of bytes; where it is not, bytes are."""
    name = "verdicts/oracle-FC.parquet"
    table = tmp_path / "table.parquet"
    pq.write_table(pq.read_table(small_run.results / name), table, compression="snappy")

    def older(metadata: bytes) -> bytes:
        return metadata.replace(pa.__version__.encode(), b"1.0.0")

    changes = {f"{RESULTS}/{name}": table.read_bytes()}
    assert small_run.verify(repack(archived, tmp_path / "older.zip", changes, older)) == 0
    assert "1 tables have the same rows" in capfd.readouterr().out
    assert small_run.verify(repack(archived, tmp_path / "same.zip", changes)) == 1
    assert f"DIFFERS     results    {name}: the same rows in other bytes" in capfd.readouterr().out


def test_failures_are_the_word_of_the_run(
    own_run: SmallRun, tmp_path: Path, capfd: pytest.CaptureFixture[str]
) -> None:
    """What a run was not answered leaves nothing to derive it from: counted, said, and ends with 3."""
    with (own_run.folder / "config/models.yaml").open("a") as file:
        file.write(
            "  - {name: gone, kind: openai_chat, endpoint: 'http://127.0.0.1:9', limits: {attempts: 1}}\n"
        )
    config = {"run": "gone", "models": "[gone]", "categories": "[simple_python]", "sample": "2"}
    done = Project(own_run.folder).snakemake(**config)
    assert done.returncode == 0, done.stdout
    run = SmallRun(own_run.folder, "gone")
    assert run.archive(tmp_path / "gone.zip") == 0
    assert run.verify(tmp_path / "gone.zip") == 3
    told = capfd.readouterr().out
    assert "proved      results" in told
    assert "not proved  failures   2 entries" in told


def test_other_software_is_named(
    archived: Path,
    small_run: SmallRun,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    """Versions, lock file and workflow that differ from those of the archive are listed, each by itself."""

    def older(metadata: bytes) -> bytes:
        document = json.loads(metadata)
        for entity in document["@graph"]:
            if entity["@id"] == "#software-bfcl-pipeline":
                entity["softwareVersion"] = "0.0.1"
        return json.dumps(document).encode()

    changes = {"requirements.lock": b"pyarrow==1\n", "workflow/rules/score.smk": b"# other\n"}
    path = repack(archived, tmp_path / "x.zip", changes, older)
    assert small_run.verify(path, "--data", str(tmp_path)) == 3
    told = capsys.readouterr().out
    for line in (
        "bfcl-pipeline 0.0.1 there",
        "another requirements.lock",
        "another workflow/rules/score.smk",
    ):
        assert f"differs     software   {line}" in told


REFUSED = {
    "a release of a path": (
        lambda config: {**config, "release": {**config["release"], "source": "/etc"}},
        "it names a path of a machine",
    ),
    "another release": (
        lambda config: {**config, "release": {**config["release"], "sha256": "0" * 64}},
        "and that of the metadata",
    ),
    "another run": (lambda config: {**config, "run": "other"}, "not of 'small'"),
    "a key that we do not know": (lambda config: {**config, "command": "rm"}, "unknown key 'command'"),
    "trials without end": (lambda config: {**config, "trials": 10**12}, "more models and trials than"),
    "a model without results": (
        lambda config: {**config, "models": ["oracle-FC"], "trials": 1, "categories": ["multiple"],
                        "entry_ids": None},
        "the run is not complete",
    ),
}  # fmt: skip


@pytest.mark.parametrize("case", REFUSED)
def test_a_config_that_no_run_recorded_is_refused(
    case: str, archived: Path, small_run: SmallRun, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """What would be run is checked before it is: the config, its release and its files belong together."""
    change, why = REFUSED[case]
    config = change(yaml.safe_load((small_run.results / "config.yaml").read_text()))
    changes = {f"{RESULTS}/config.yaml": yaml.safe_dump(config).encode()}
    assert small_run.verify(repack(archived, tmp_path / "x.zip", changes)) == 1
    assert why in capsys.readouterr().err


YAMLS = {
    "aliases": (b"a: &a [x, x]\nb: &b [*a, *a]\nc: [*b, *b]\n", "a YAML alias"),
    "depth": (b"[" * 100_000, "levels deep"),
    "objects": (b"!!python/object/apply:os.system ['true']\n", "not readable as YAML"),
    "nothing": (b"", "expected"),
    "no YAML": (b"a: [\n", "not readable as YAML"),
    "no text": (b"\xff\xfe\x00", "not readable as YAML"),
    "a date": (b"models: [2026-01-01]\n", "a value that is no text"),
    "no date": (b"models: [2026-99-99]\n", "not readable as YAML"),
    "a long number": (b"models: [" + b"9" * 5000 + b"]\n", "not readable as YAML"),
    "a key that is no text": (b"models: [{1: 2}]\n", "a value that is no text"),
}


@pytest.mark.parametrize("case", YAMLS)
@pytest.mark.parametrize("file", ["config.yaml", "models.yaml"])
def test_yaml_that_would_grow_or_act_is_refused(
    case: str,
    file: str,
    archived: Path,
    small_run: SmallRun,
    tmp_path: Path,
    capsys: pytest.CaptureFixture[str],
) -> None:
    """Aliases that multiply, depth without end and tags that make objects are errors with their file."""
    text, why = YAMLS[case]
    assert small_run.verify(repack(archived, tmp_path / "x.zip", {f"{RESULTS}/{file}": text})) == 1
    told = capsys.readouterr().err
    assert file in told
    assert why in told


def test_evidence_that_is_not_that_of_its_outcome_is_refused(
    archived: Path, small_run: SmallRun, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """The outcome of a search names the hash of its cassette."""
    path = next(small_run.cache.rglob("web/*/*/*.yaml"))
    name = f"cache/web/{path.relative_to(small_run.cache / 'web').as_posix()}"
    held = repack(archived, tmp_path / "x.zip", {name: b"version: 2\n"})
    assert small_run.verify(held) == 1
    assert "the cassette is not as it was recorded" in capsys.readouterr().err
