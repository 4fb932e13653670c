"""`bfcl-pipeline diff` of archives, which may come from anybody."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from bfcl_pipeline.benchmark.tables import read_table
from bfcl_pipeline.benchmark.tables.files import write_table
from bfcl_pipeline.cli import main
from tests.share.archive.repacked import repack
from tests.share.archive.small_run import NAME, SmallRun

CONFIG_FILE = f"results/{NAME}/config.yaml"
JOURNAL = "cache/exchanges/near_chat-FC/exchanges.jsonl"


def diff(first: Path, second: Path, run: SmallRun, *options: str) -> int:
    places = ["--data", str(run.data), "--cache", str(run.cache)]
    return main(["diff", str(first), str(second), *places, *options])


def test_an_archive_does_not_differ_from_its_run(
    archived: Path, small_run: SmallRun, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """Requests are made again from the archive's own journals, memory and web included."""
    out = tmp_path / "diff.json"
    assert diff(archived, small_run.results, small_run, "--out", str(out)) == 0
    printed = capsys.readouterr().out
    assert printed.startswith(f"A: {archived}: run small, ended ")
    assert "near/chat-FC~2: the same answers and verdicts (4 entries and 10 memory sessions, " in printed
    models = json.loads(out.read_text())["models"]
    assert [model["a"] for model in models] == ["near/chat-FC", "near/chat-FC~2", "oracle-FC"]
    for model in models:
        assert model["conversations_not_derived"] == [0, 0]
        assert {row["difference"] for row in model["entries"]} == {"same"}
        requests = model["requests"]
        assert requests == [0, 0] if model["a"] == "oracle-FC" else requests[0] == requests[1] > 200


def test_the_software_of_two_archives_is_compared(
    archived: Path, small_run: SmallRun, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """Versions, the commit, the lock file and the workflow."""

    def older(metadata: bytes) -> bytes:
        document = json.loads(metadata)
        for entity in document["@graph"]:
            if entity.get("name") == "polars":
                entity["softwareVersion"] = "0.0.1"
        return json.dumps(document).encode()

    other = repack(archived, tmp_path / "other.crate.zip", {"Snakefile": b"# other\n"}, older)
    assert diff(archived, other, small_run, "--model", "oracle-FC") == 0
    printed = capsys.readouterr().out
    assert "software    2 differences" in printed
    assert "| 0.0.1" in printed
    assert "Snakefile: " in printed


def test_an_embedded_model_is_compared_by_its_table(
    archived: Path, own_run: SmallRun, capsys: pytest.CaptureFixture[str]
) -> None:
    """It has no journal; its answers differ where the other run's table has others."""
    path = own_run.results / "responses/oracle-FC/memory_kv.parquet"
    table = read_table(path)
    place = table.column_names.index("result_json")
    texts = [text.replace("[[", '[["first", ', 1) for text in table["result_json"].to_pylist()]
    write_table(path, table.set_column(place, table.schema.field("result_json"), [texts]))
    assert diff(archived, own_run.results, own_run, "--model", "oracle-FC") == 1
    printed = capsys.readouterr().out
    assert "requests    not compared: no journal has them" in printed
    assert "memory_kv_0-customer-0  request 1 (turn 1): " in printed
    assert "text: first" in printed


@pytest.mark.parametrize("journal", [b"{}\n{}\n", b"[" * 100_000 + b"\n\n"])
def test_a_damaged_journal_leaves_the_answers(
    journal: bytes, archived: Path, small_run: SmallRun, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """Requests are not compared, and the message names the archive; the answers of the tables are."""
    other = repack(archived, tmp_path / "other.crate.zip", {JOURNAL: journal})
    assert diff(archived, other, small_run, "--model", "near/chat-FC") == 0
    printed = capsys.readouterr()
    assert "bfcl-diff-" not in printed.out + printed.err


def test_trials_of_one_archive_are_compared(
    archived: Path,
    small_run: SmallRun,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    """A model beside its second trial: what differs without any change. No temporary directory remains."""
    monkeypatch.setattr("tempfile.tempdir", str(tmp_path))
    assert diff(archived, archived, small_run, "--model", "near/chat-FC=near/chat-FC~2") == 0
    assert "near/chat-FC | near/chat-FC~2: the same answers" in capsys.readouterr().out
    assert list(tmp_path.iterdir()) == []
