"""The archive of a real run: its contents, that it is the same each time, and that it has no secrets."""

from __future__ import annotations

import json
import os
import shutil
import socket
import zipfile
from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq
import pytest
import yaml

from bfcl_pipeline.cli import main
from bfcl_pipeline.runs.archived.reading import SealedArchive
from bfcl_pipeline.runs.journal import JournalReader
from tests.share.archive.repacked import repack
from tests.share.archive.small_run import NAME, OTHER_ENTRY, SmallRun

CATEGORIES = ("simple_python", "memory_kv", "web_search_base")
KEY = "sk-proj-Zq3mT8vK1xW7bN5cR2yL9dF4"
"""Has the shape of a key, and is not one."""


def members(archive: Path) -> dict[str, bytes]:
    with SealedArchive(archive) as opened:
        return {name: b"".join(opened.chunks(name)) for name in opened.members}


def test_two_archives_of_a_run_are_equal(
    own_run: SmallRun, archived: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """They are equal byte for byte, even if another user makes one from a copy in another directory with
    other times."""
    monkeypatch.chdir(own_run.folder)
    monkeypatch.setenv("HOME", str(tmp_path))
    again = tmp_path / "again.zip"
    assert own_run.archive(again) == 0
    assert again.read_bytes() == archived.read_bytes()


def test_the_archive_has_a_default_path(own_run: SmallRun, monkeypatch: pytest.MonkeyPatch) -> None:
    """Without --out it is written beside the results; the defaults are relative to the project."""
    monkeypatch.chdir(own_run.folder)
    assert main(["archive", f"results/{NAME}"]) == 0
    assert sorted(path.name for path in own_run.results.parent.iterdir()) == [NAME, f"{NAME}.crate.zip"]


def test_an_archive_without_its_page_and_with_authors_is_verified(
    small_run: SmallRun, tmp_path: Path
) -> None:
    """`verify` needs no page, which earlier archives lack; --author stands in metadata and page."""
    path = tmp_path / "small.zip"
    assert small_run.archive(path, "--author", "Ada <0000-0002-1825-0097>") == 0
    assert b"<bdi>Ada</bdi>" in members(path)["ro-crate-preview.html"]
    without = repack(path, tmp_path / "without.zip", {}, left_out={"ro-crate-preview.html"})
    for file in (path, without):
        assert small_run.verify(file, "--data", str(tmp_path)) == 3  # hashes only: nothing is staged there


def test_the_archive_contains_only_files_of_the_run(archived: Path, small_run: SmallRun) -> None:
    """It has every result of the models in the config, and no file of models that are no longer in it."""
    names = set(members(archived))
    of_run = {"config.yaml", "models.yaml", "report.html"}
    of_run |= {f"tables/{path.name}" for path in (small_run.results / "tables").glob("[a-z]*.*")}
    for folder in ("near_chat-FC", "near_chat-FC~2", "oracle-FC"):
        of_run |= {f"verdicts/{folder}.parquet", f"memory/{folder}/memory_kv.parquet"}
        of_run |= {f"responses/{folder}/{name}.parquet" for name in CATEGORIES}
    assert {f"results/{NAME}/{name}" for name in of_run} <= names
    assert {"Snakefile", "requirements.lock", "LICENSE", "README.md", "snakemake/jobs.jsonl"} <= names
    assert not [name for name in names if "forgotten" in name or "tmp" in name or name.startswith("data/")]


def test_only_exchanges_of_the_run_are_archived(
    archived: Path, small_run: SmallRun, tmp_path: Path
) -> None:
    """Answers of the same model in another run are not archived; each trial has its own exchanges."""
    with JournalReader(small_run.journal) as journal:
        assert OTHER_ENTRY in {exchange.entry_id for exchange in journal}
    contents = members(archived)
    for folder, trial in (("near_chat-FC", 1), ("near_chat-FC~2", 2)):
        path = tmp_path / "exchanges.jsonl"
        path.write_bytes(contents[f"cache/exchanges/{folder}/exchanges.jsonl"])
        with JournalReader(path) as journal:
            exchanges = list(journal)
        assert {exchange.trial for exchange in exchanges} == {trial}
        assert {"simple_python_0", "simple_python_1"} < {exchange.entry_id for exchange in exchanges}
        assert OTHER_ENTRY not in {exchange.entry_id for exchange in exchanges}


def test_all_journals_of_a_model_are_read(own_run: SmallRun, archived: Path, tmp_path: Path) -> None:
    """The shards of a model have a journal each; a truncated last line is left out."""
    lines = own_run.journal.read_bytes().splitlines(keepends=True)
    own_run.journal.write_bytes(b"".join(lines[:2]))
    own_run.journal.with_name("exchanges.2.jsonl").write_bytes(b"".join(lines[2:]))
    out = tmp_path / "shards.zip"
    assert own_run.archive(out) == 0
    name = "cache/exchanges/near_chat-FC/exchanges.jsonl"
    first, second = members(out)[name], members(out)[name.replace("exchanges.jsonl", "exchanges.2.jsonl")]
    assert first + second == members(archived)[name]


def test_a_journal_without_answers_is_not_archived(
    own_run: SmallRun, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """Without the exchanges of an answered entry, the entry could not be derived, so no archive is
    written."""
    own_run.journal.unlink()
    assert own_run.archive(tmp_path / "x.zip") == 1
    assert "no exchange of" in capsys.readouterr().err
    assert not (tmp_path / "x.zip").exists()


def test_only_outcomes_that_the_run_used_are_archived(archived: Path, small_run: SmallRun) -> None:
    """Each search and page with its cassette, except those of other runs."""
    recorded = {
        path.relative_to(small_run.folder).as_posix() for path in small_run.cache.rglob("web/*/*/*")
    }
    archived_names = {name for name in members(archived) if name.startswith("cache/web/")}
    assert len(archived_names) == len(recorded) - 2
    assert archived_names < recorded
    assert {Path(name).suffix for name in archived_names} == {".json", ".yaml"}


def test_an_archive_does_not_reveal_where_it_was_made(archived: Path, small_run: SmallRun) -> None:
    """It contains Snakemake's logs, but neither the directory of the project nor the name of the host."""
    contents = members(archived)
    assert any(name.startswith("snakemake/log/") for name in contents)
    for name, content in contents.items():
        assert str(small_run.folder).encode() not in content, name
        assert str(Path.home()).encode() + b"/" not in content, name
        if name.endswith(".log"):
            assert socket.gethostname().encode() not in content, name


def test_steps_have_commands_and_times(archived: Path) -> None:
    """One line for each step, ordered by time, with the hashes of its inputs."""
    steps = [json.loads(line) for line in members(archived)["snakemake/jobs.jsonl"].splitlines()]
    assert [step["start"] for step in steps] == sorted(step["start"] for step in steps)
    rules = [step["rule"] for step in steps]
    assert rules.count("score") == 3
    assert rules.count("aggregate") == 1
    asked = next(step for step in steps if step["rule"].startswith("generate_"))
    assert asked["input_checksums"]["data/release/texts.json"].startswith("sha256:")
    assert "bfcl-pipeline generate" in asked["shellcmd"]


def test_the_metadata_is_a_workflow_run_crate(archived: Path) -> None:
    """Profiles, workflow, its run with times, inputs and results, software, licence and citation."""
    with zipfile.ZipFile(archived) as opened:  # which any reader of zip files opens
        assert opened.testzip() is None
        assert opened.namelist()[0] == "ro-crate-metadata.json"
        document = json.loads(opened.read("ro-crate-metadata.json"))
    entities = {entity["@id"]: entity for entity in document["@graph"]}
    root, run, workflow = entities["./"], entities["#run"], entities["Snakefile"]
    assert entities["ro-crate-metadata.json"]["conformsTo"][0]["@id"] == "https://w3id.org/ro/crate/1.1"
    assert {profile["@id"] for profile in root["conformsTo"]} == {
        "https://w3id.org/ro/wfrun/process/0.5",
        "https://w3id.org/ro/wfrun/workflow/0.5",
        "https://w3id.org/workflowhub/workflow-ro-crate/1.0",
    }
    assert root["mainEntity"] == {"@id": "Snakefile"} == run["instrument"]
    assert {"File", "SoftwareSourceCode", "ComputationalWorkflow"} == set(workflow["@type"])
    assert run["startTime"] < run["endTime"] == root["datePublished"]
    assert {"@id": f"results/{NAME}/report.html"} in run["result"]
    assert {"@id": "cache/exchanges/near_chat-FC~2/exchanges.jsonl"} in run["object"]
    assert {"@id": "#release"} in run["object"]
    assert entities["#release"]["version"] == "2026.3.23"
    software = {e["name"]: name for name, e in entities.items() if e["@type"] == "SoftwareApplication"}
    assert software.keys() >= {"snakemake", "bfcl-pipeline", "python"}
    assert software["python"] == "https://www.python.org"
    assert entities["#image-pipeline"]["name"].endswith("bfcl-pipeline.sif")
    assert root["license"]["@id"].endswith("Apache-2.0")
    assert "Patil" in entities[root["citation"]["@id"]]["author"]
    described = {name for name, entity in entities.items() if "File" in entity["@type"]}
    assert described == set(members(archived)) - {"ro-crate-metadata.json"}


def test_an_incomplete_run_is_not_archived(
    own_run: SmallRun, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """A missing table or config is named in an error message that states what to do."""
    for name in ("verdicts/oracle-FC.parquet", "config.yaml"):
        (own_run.results / name).unlink()
        assert own_run.archive(tmp_path / "x.zip") == 1
        output = capsys.readouterr().err
        assert name in output
        assert "snakemake" in output
    assert list(tmp_path.iterdir()) == [own_run.folder.parent]


def plant(run: SmallRun, where: str, secret: str) -> None:
    appended = {
        "log": (run.results / "logs/generate/near_chat-FC.log", f"\n\n401: Incorrect API key: {secret}.\n"),
        "snakemake": (max((run.folder / ".snakemake/log").glob("*.log")), f"\n{secret}\n"),
        "report": (run.results / "report.html", f"<!-- {secret} -->"),
    }
    if where in appended:
        path, text = appended[where]
        path.write_text(path.read_text() + text)
    elif where == "config":
        path = run.results / "models.yaml"
        rows = yaml.safe_load(path.read_text())
        rows["models"][0]["description"] = f"ask with {secret}"
        path.write_text(yaml.safe_dump(rows))
    elif where == "journal":
        lines = run.journal.read_bytes().splitlines(keepends=True)
        exchange = json.loads(lines[1])
        exchange["raw"]["note"] = f"you sent\n{secret}"
        lines[1] = json.dumps(exchange).encode() + b"\n"
        run.journal.write_bytes(b"".join(lines))
    elif where in ("web", "binary"):
        text = f"version: 1\ninteractions: [{{uri: 'https://x/?q={secret}'}}]\n"
        binary = yaml.safe_dump({"body": b"\xff\xfe" + secret.encode()})
        for path in run.cache.rglob("web/*/*/*.yaml"):
            path.write_text(text if where == "web" else binary)
    else:
        assert where == "table"
        path = run.results / "responses/oracle-FC/simple_python.parquet"
        table = pq.read_table(path)
        place = table.column_names.index("result_json")
        values = pa.array([None, json.dumps(f"the key is {secret}")], table.schema.field(place).type)
        pq.write_table(table.set_column(place, table.schema.field(place), values), path, compression="zstd")


PLACES = {
    "config": f"results/{NAME}/models.yaml, line",
    "log": f"results/{NAME}/logs/generate/near_chat-FC.log, line",
    "journal": "cache/exchanges/near_chat-FC/exchanges.jsonl, line",
    "web": ".yaml, line 2",
    "binary": ".yaml, a binary part",
    "table": "responses/oracle-FC/simple_python.parquet, row 2, column 'result_json'",
    "snakemake": ".snakemake.log, line",
    "report": "report.html, line",
}


@pytest.mark.parametrize("where", PLACES)
def test_a_secret_is_found_wherever_it_is(
    where: str,
    own_run: SmallRun,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    """By its shape, or as the value of a model's key: the error has file and place, never the text."""
    monkeypatch.setenv("SMALL_RUN_KEY", "our-own-servers-word")
    for secret, what in ((KEY, "a key like"), ("our-own-servers-word", "the value of SMALL_RUN_KEY")):
        plant(own_run, where, secret)
        assert own_run.archive(tmp_path / "x.zip") == 1
        output = capsys.readouterr().err
        assert PLACES[where] in output
        assert what in output
        assert secret not in output
        assert list(tmp_path.iterdir()) == [own_run.folder.parent]


def test_a_finding_that_is_not_a_secret_can_be_accepted(
    own_run: SmallRun, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """By its fingerprint, which is that of one text only; a refusal leaves the earlier archive."""
    out = tmp_path / "x.zip"
    plant(own_run, "log", KEY)
    assert own_run.archive(out) == 1
    fingerprint = capsys.readouterr().err.split("(fingerprint ")[1][:16]
    assert own_run.archive(out, "--allow", fingerprint) == 0
    before = out.read_bytes()
    plant(own_run, "log", KEY + "X")
    assert own_run.archive(out, "--allow", fingerprint) == 1
    assert out.read_bytes() == before


def test_without_records_of_snakemake_the_rest_is_archived(own_run: SmallRun, tmp_path: Path) -> None:
    """Without records there are no times of steps; the time of the report is used as the end."""
    shutil.rmtree(own_run.folder / ".snakemake")
    os.utime(own_run.results / "report.html", (10**9, 10**9))
    out = tmp_path / "x.zip"
    assert own_run.archive(out) == 0
    entities = {e["@id"]: e for e in json.loads(members(out)["ro-crate-metadata.json"])["@graph"]}
    assert "startTime" not in entities["#run"]
    assert entities["#run"]["endTime"].startswith("2001-09-09")
