"""Tampered archives with new hashes and seal: verification finds what does not follow from the rest."""

from __future__ import annotations

import json
import re
from collections.abc import Callable
from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq
import pytest
import yaml

from bfcl_pipeline.web.keys import digest
from tests.archive.repacked import repack
from tests.archive.small_run import NAME, SmallRun

RESULTS = f"results/{NAME}"
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
    match kind:
        case "response":
            name = "responses/oracle-FC/simple_python.parquet"
            return {f"{RESULTS}/{name}": change_table(run.results / name, "result_json", lambda _: '"no"')}
        case "session":
            name = "memory/near_chat-FC/memory_kv.parquet"
            return {f"{RESULTS}/{name}": change_table(run.results / name, "snapshot_json", lambda _: "{}")}
        case "verdict":
            name = "verdicts/near_chat-FC.parquet"
            return {f"{RESULTS}/{name}": change_table(run.results / name, "valid", lambda it: not it)}
        case "table":
            name = "tables/leaderboard.csv"
            text = (run.results / name).read_text()
            return {f"{RESULTS}/{name}": text.replace("near/chat-FC", "our/chat-FC").encode()}
        case "report":
            text = (run.results / "report.html").read_text()
            return {f"{RESULTS}/report.html": text.replace("<title>", "<title>The best: ").encode()}
        case "added table":
            return {f"{RESULTS}/tables/best.csv": b"model\nours\n"}
        case "models":
            text = (run.results / "models.yaml").read_text()
            return {
                f"{RESULTS}/models.yaml": text.replace(
                    "display_name: oracle-FC", "display_name: Ours"
                ).encode()
            }
        case "config":
            config = yaml.safe_load((run.results / "config.yaml").read_text())
            config["rules"] = "corrected"
            return {f"{RESULTS}/config.yaml": yaml.safe_dump(config).encode()}
        case "exchange":
            # the first line belongs to another run
            lines = run.journal.read_bytes().splitlines(keepends=True)[1:]
            found = [json.loads(line) for line in lines if line.endswith(b"\n")]
            for exchange in found:
                exchange["input_tokens"] = (exchange["input_tokens"] or 0) + 1
                exchange["raw"]["choices"][0]["message"] = {"role": "assistant", "content": "I cannot."}
            return {JOURNAL: b"".join(json.dumps(line).encode() + b"\n" for line in found)}
        case "outcome":
            changed = {}
            for path in run.cache.rglob("web/*/*/*.json"):
                document = json.loads(path.read_bytes())
                if document["outcome"]["kind"] == "page":
                    document["outcome"]["text"] = "nothing to see here"
                content = {key: value for key, value in document.items() if key != "sha256"}
                name = f"cache/web/{path.relative_to(run.cache / 'web').as_posix()}"
                changed[name] = (
                    json.dumps({**content, "sha256": digest(content)}, indent=1).encode() + b"\n"
                )
            return changed
    raise AssertionError(kind)


RESULT_KINDS = {
    "response": "responses/oracle-FC/simple_python.parquet: row 1",
    "session": "memory/near_chat-FC/memory_kv.parquet: row 1",
    "verdict": "verdicts/near_chat-FC.parquet: row 1",
    "table": "tables/leaderboard.csv: line",
    "report": "report.html: line",
    "added table": "tables/best.csv: only the run has it",
}
INPUT_KINDS = {
    "models": "tables/leaderboard.csv: line",
    "config": "report.html: line",
    "exchange": "responses/near_chat-FC/",
    "outcome": "responses/oracle-FC/web_search_base.parquet: row 1",
}


def test_all_tampered_results_are_reported(
    archived: Path, small_run: SmallRun, tmp_path: Path, capfd: pytest.CaptureFixture[str]
) -> None:
    """Each file that does not follow from the rest is reported, also with new hashes and a new seal."""
    changes: dict[str, bytes] = {}
    for kind in RESULT_KINDS:
        changes |= tampered(kind, small_run)
    path = repack(archived, tmp_path / "x.zip", changes)
    capfd.readouterr()
    assert small_run.verify(path) == 1
    output = capfd.readouterr()
    assert "verified      hashes" in output.out
    for kind, difference in RESULT_KINDS.items():
        assert f"DIFFERS       results    {difference}" in output.out, kind
    assert output.out.count("DIFFERS") == len(RESULT_KINDS)
    assert re.search(
        r"same          results    \d+ other files were derived again and are identical", output.out
    )
    assert "verified      results" not in output.out


@pytest.mark.parametrize("kind", INPUT_KINDS)
def test_tampered_inputs_are_found_by_their_results(
    kind: str, archived: Path, small_run: SmallRun, tmp_path: Path, capfd: pytest.CaptureFixture[str]
) -> None:
    """Another models file, config, answer or web page leads to other results than the archived ones."""
    path = repack(archived, tmp_path / "x.zip", tampered(kind, small_run))
    capfd.readouterr()
    assert small_run.verify(path) == 1
    output = capfd.readouterr()
    assert "verified      hashes" in output.out
    assert f"DIFFERS       results    {INPUT_KINDS[kind]}" in output.out
    assert ("DIFFERS       web" in output.out) == (kind == "outcome")
    assert "verified      results" not in output.out


GARBAGE = {
    f"{RESULTS}/responses/oracle-FC/simple_python.parquet": "not a readable Parquet file",
    f"{RESULTS}/tables/leaderboard.parquet": "not a readable Parquet file",
    JOURNAL: "differs from what was written",
    "cache/encoder.vectors": "no vector at byte",
}


@pytest.mark.parametrize("name", GARBAGE)
def test_garbage_in_place_of_a_file_is_reported(
    name: str, archived: Path, small_run: SmallRun, tmp_path: Path, capfd: pytest.CaptureFixture[str]
) -> None:
    """A file that cannot be read is an error, or a difference, that names the file; never a crash."""
    path = repack(archived, tmp_path / "x.zip", {name: b"garbage\n" * 9})
    capfd.readouterr()
    assert small_run.verify(path) == 1
    output = "".join(capfd.readouterr())
    assert GARBAGE[name] in output
    assert name.removeprefix(f"{RESULTS}/") in output
    assert "Traceback" not in output
