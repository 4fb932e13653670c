"""Tampered archives with new hashes and seal: verification finds what does not follow from the rest."""

from __future__ import annotations

import json
import re
import shutil
from collections.abc import Callable, Iterable
from functools import partial
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from bfcl_pipeline.share.archive.replay import derive
from bfcl_pipeline.world.web.keys import digest
from tests.share.archive.repacked import repack
from tests.share.archive.small_run import NAME, SmallRun

RESULTS = f"results/{NAME}"
GARBAGE = b"garbage\n" * 9
JOURNAL = "cache/exchanges/near_chat-FC/exchanges.jsonl"


def change_table(path: Path, column: str, change: Callable[[object], object]) -> bytes:
    """The table at `path` with a changed value in the first row of `column`."""
    table = pq.read_table(path)
    place = table.column_names.index(column)
    values = table.column(place).to_pylist()
    values[0] = change(values[0])
    field = table.schema.field(place)
    sink = pa.BufferOutputStream()
    pq.write_table(table.set_column(place, field, pa.array(values, field.type)), sink, compression="zstd")
    return sink.getvalue().to_pybytes()


def tampered(kind: str, run: SmallRun) -> dict[str, bytes]:
    """One changed file of each kind, as an attacker would change it to obtain another result."""
    changes: dict[str, tuple[str, str, Callable[[object], object]]] = {
        "response": ("responses/oracle-FC/simple_python.parquet", "result_json", lambda _: '"no"'),
        "session": ("memory/near_chat-FC/memory_kv.parquet", "snapshot_json", lambda _: "{}"),
        "verdict": ("verdicts/near_chat-FC.parquet", "valid", lambda valid: not valid),
    }
    texts = {
        "table": ("tables/leaderboard.csv", "near/chat-FC", "our/chat-FC"),
        "report": ("report.html", "<title>", "<title>The best: "),
        "models": ("models.yaml", "display_name: oracle-FC", "display_name: Ours"),
        "config": ("config.yaml", "rules: official", "rules: corrected"),
        "errata": ("errata/mine.yaml", "simple_python_1", "simple_python_0"),
    }
    if kind in changes:
        name, column, change = changes[kind]
        return {f"{RESULTS}/{name}": change_table(run.results / name, column, change)}
    if kind in texts:
        name, old, new = texts[kind]
        text = (run.results / name).read_text()
        assert old in text
        return {f"{RESULTS}/{name}": text.replace(old, new).encode()}
    match kind:
        case "garbage":
            return {f"{RESULTS}/tables/leaderboard.parquet": GARBAGE}
        case "added table":
            return {f"{RESULTS}/tables/best.csv": b"model\nours\n"}
        case "exchange":
            # the first line belongs to another run
            lines = run.journal.read_bytes().splitlines(keepends=True)[1:]
            found = [json.loads(line) for line in lines if line.endswith(b"\n")]
            for exchange in found:
                exchange["input_tokens"] = (exchange["input_tokens"] or 0) + 1
                exchange["raw"]["choices"][0]["message"] = {"role": "assistant", "content": "I cannot."}
            return {JOURNAL: b"".join(json.dumps(line).encode() + b"\n" for line in found)}
    assert kind == "outcome"
    changed = {}
    for path in run.cache.rglob("web/*/*/*.json"):
        document = json.loads(path.read_bytes())
        if document["outcome"]["kind"] == "page":
            document["outcome"]["text"] = "nothing to see here"
        content = {key: value for key, value in document.items() if key != "sha256"}
        written = json.dumps({**content, "sha256": digest(content)}, indent=1).encode() + b"\n"
        changed[f"cache/web/{path.relative_to(run.cache / 'web').as_posix()}"] = written
    return changed


def all_of(kinds: Iterable[str], run: SmallRun) -> dict[str, bytes]:
    """The changes of some kinds."""
    return {name: content for kind in kinds for name, content in tampered(kind, run).items()}


RESULT_KINDS = {
    "response": "responses/oracle-FC/simple_python.parquet: row 1",
    "session": "memory/near_chat-FC/memory_kv.parquet: row 1",
    "verdict": "verdicts/near_chat-FC.parquet: row 1",
    "table": "tables/leaderboard.csv: line",
    "report": "report.html: line",
    "garbage": "tables/leaderboard.parquet: cannot be read as a table",
    "added table": "tables/best.csv: only the run has it",
}
INPUT_KINDS = {
    "models": r"tables/leaderboard\.csv: line .* the replay has .*Ours",
    "errata": r"verdicts/oracle-FC\.parquet: row",
    "config": r"report\.html: line",
    "exchange": r"responses/near_chat-FC/simple_python\.parquet: row 1",
    "outcome": r"responses/oracle-FC/web_search_base\.parquet: row 1",
}
"""Each with a difference that no other of them makes; of errata and config, the test reads more."""


@pytest.mark.usefixtures("derived_before")
def test_all_tampered_results_are_reported(
    archived: Path, small_run: SmallRun, tmp_path: Path, capfd: pytest.CaptureFixture[str]
) -> None:
    """Each file that does not follow from the rest is reported, also with new hashes and a new seal.

    The next test derives from an archive with the same changes.
    """
    path = repack(archived, tmp_path / "x.zip", all_of(RESULT_KINDS, small_run))
    capfd.readouterr()
    assert small_run.verify(path) == 1
    output = capfd.readouterr()
    assert "verified      hashes" in output.out
    for kind, difference in RESULT_KINDS.items():
        assert f"DIFFERS       results    {difference}" in output.out, kind
    assert output.out.count("DIFFERS") == len(RESULT_KINDS)
    assert re.search(r"same          results    \d+ other files were derived again and are id", output.out)
    assert "verified      results" not in output.out
    assert "Traceback" not in output.out + output.err


def test_tampered_inputs_are_found_by_their_results(
    archived: Path,
    small_run: SmallRun,
    tmp_path: Path,
    capfd: pytest.CaptureFixture[str],
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """Another models file, errata, config, answer or web page leads to other results than the archived.

    No tampered result hinders the derivation.
    """

    def deriving(*run: Any, **places: Any) -> Path:
        return shutil.copytree(derive(*run, **places), tmp_path / "derived")

    monkeypatch.setattr("bfcl_pipeline.share.archive.verify.derive", deriving)
    monkeypatch.setattr("bfcl_pipeline.runs.archived.findings.SHOWN", 1000)  # each difference has its line
    path = repack(archived, tmp_path / "x.zip", all_of((*RESULT_KINDS, *INPUT_KINDS), small_run))
    capfd.readouterr()
    assert small_run.verify(path) == 1
    output = capfd.readouterr().out
    assert "verified      hashes" in output
    for kind, difference in INPUT_KINDS.items():
        assert re.search(f"DIFFERS       results    {difference}", output), kind
    assert "DIFFERS       web" in output
    assert "verified      results" not in output
    assert _by_errata_and_config(small_run.results) == ({"simple_python_1"}, False)
    assert _by_errata_and_config(tmp_path / "derived") == ({"simple_python_0"}, True)


def _by_errata_and_config(run: Path) -> tuple[set[str], bool]:
    """The entries that errata exclude, and whether the page has scores under corrected rules."""
    verdicts = pq.read_table(run / "verdicts/oracle-FC.parquet").to_pylist()
    excluded = {row["entry_id"] for row in verdicts if row["valid"] is None}
    return excluded, "Scored under corrected rules" in (run / "report.html").read_text()


NOT_READABLE = {
    JOURNAL: "differs from what was written",
    "cache/encoder.vectors": "no vector at byte",
    f"{RESULTS}/responses/oracle-FC/simple_python.parquet": "not a readable Parquet file",
}


@pytest.mark.parametrize("name", NOT_READABLE)
def test_garbage_in_place_of_a_file_is_an_error(
    name: str,
    archived: Path,
    small_run: SmallRun,
    tmp_path: Path,
    capfd: pytest.CaptureFixture[str],
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """A file that a derivation cannot read is named; never a crash."""
    first = partial(derive, arguments=["--until", "generate_oracle-FC"])
    monkeypatch.setattr("bfcl_pipeline.share.archive.verify.derive", first)
    path = repack(archived, tmp_path / "x.zip", {name: GARBAGE})
    capfd.readouterr()
    assert small_run.verify(path) == 1
    output = "".join(capfd.readouterr())
    assert NOT_READABLE[name] in output
    assert name.removeprefix(f"{RESULTS}/") in output
    assert "Traceback" not in output
