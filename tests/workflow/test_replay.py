"""A run of models behind an API, with all kinds of failures, derived again offline by the workflow.

The run uses servers on this machine that fail, refuse and have prices; for the replay they are stopped, no
key is set, and every process refuses network access. The run is made by one process, its replay uses two
cores: where both have the same bytes, cores do not matter.
"""

from __future__ import annotations

import json
import os
import re
import shutil
import subprocess
import sys
from collections import Counter
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from pathlib import Path
from typing import Any
from unittest.mock import patch

import pyarrow as pa
import pytest
import yaml

from bfcl_pipeline.benchmark.tables import read_responses, read_table
from bfcl_pipeline.benchmark.tables.files import write_table
from bfcl_pipeline.benchmark.tables.responses import read_sessions
from bfcl_pipeline.runs.run import Run
from bfcl_pipeline.share.archive.compare import COMPARED, compared_files, file_differences, missing_answers
from bfcl_pipeline.share.archive.replay import ReplayResult, replay
from tests.support.local_chat import local_chat
from tests.support.offline import offline, without_network
from tests.support.snakemake_project import make_project

RUN = {
    "run": "r",
    "models": "[flaky-FC,dear]",
    "categories": "[simple_python,multi_turn_base,memory_kv]",
    "sample": "12",
    "trials": "2",
    "budget": "0.05",
}
LIMITS = {"in_flight": 8, "attempts": 1, "retry_seconds": 0.01}


@dataclass(frozen=True, slots=True)
class Recorded:
    """A project after a run that is over."""

    folder: Path

    @property
    def results(self) -> Path:
        return self.folder / "results/r"

    def copy(self, folder: Path) -> Recorded:
        """A project that a test may change; the release is shared."""
        shutil.copytree(self.folder / "cache", folder / "cache")
        shutil.copytree(self.folder / "results", folder / "results")
        (folder / "data").symlink_to(self.folder / "data")
        return Recorded(folder)

    def replay(self, *options: str) -> subprocess.CompletedProcess[str]:
        """Runs the command without network, keys and vendor clients."""
        command = [*without_network(), sys.executable, "-m", "bfcl_pipeline.cli"]
        command += ["replay", "results/r", *options]
        env = offline(self.folder / "offline", blocked=("openai", "aiohttp"), unset=["DEAR_KEY"])
        env["PYTHONWARNINGS"] = "default"  # Snakemake's own
        return subprocess.run(
            command, cwd=self.folder, env=env, capture_output=True, text=True, timeout=300, check=False
        )


@pytest.fixture(scope="module")
def recorded(tmp_path_factory: pytest.TempPathFactory, staged: Path) -> Recorded:
    """The run, after its servers have stopped. Tests must not change it."""
    project = make_project(tmp_path_factory.mktemp("replay"))
    shutil.copytree(staged / "release", project.folder / "data/release")
    shutil.copytree(staged / "entries", project.folder / "data/entries")
    rows: list[dict[str, Any]] = []
    with local_chat() as flaky, local_chat() as dear:
        for name, server, price in (("flaky-FC", flaky, 0), ("dear", dear, 100)):
            row = {"name": name, "kind": "openai_chat", "endpoint": server.endpoint, "limits": LIMITS}
            row |= {"key": "DEAR_KEY", "input_price": 0, "output_price": price}
            if (
                price
            ):  # one request at a time: what the budget buys does not depend on how fast this machine is
                row["limits"] = {**LIMITS, "in_flight": 1}
            rows.append(row)
        (project.folder / "config/models.yaml").write_text(yaml.safe_dump({"models": rows}))
        flaky.behave(faults=0.1, only="500", seed=3)
        dear.behave(faults=0.2, only="too long", seed=4)
        with patch.dict(os.environ, {"DEAR_KEY": "not-a-secret"}):
            project.call(**RUN)
    return Recorded(project.folder)


@pytest.fixture(scope="module")
def statuses(recorded: Recorded) -> dict[str, Counter[str]]:
    """By folder of a model, the statuses of all its entries, memory sessions included."""
    found: dict[str, Counter[str]] = {}
    for path in (recorded.results / "responses").rglob("*.parquet"):
        found.setdefault(path.parent.name, Counter()).update(one.status for one in read_responses(path))
    for path in (recorded.results / "memory").rglob("*.parquet"):
        found[path.parent.name].update(one.response.status for one in read_sessions(path))
    return found


def test_all_that_can_go_wrong_did(statuses: dict[str, Counter[str]]) -> None:
    """The run that is replayed has outages in both trials, overflows, a spent budget, and answers."""
    assert statuses.keys() == {"flaky-FC", "flaky-FC~2", "dear", "dear~2"}
    for trial in ("", "~2"):
        assert statuses[f"flaky-FC{trial}"].keys() == {"infrastructure_error", "answered"}
    assert (statuses["dear"] + statuses["dear~2"]).keys() == {"context_overflow", "skipped", "answered"}


@pytest.fixture(scope="module")
def replayed(recorded: Recorded) -> tuple[subprocess.CompletedProcess[str], Path]:
    """The output of the replay on two cores, and the files that it derived."""
    kept = recorded.folder / "kept"
    return recorded.replay("--cores", "2", "--keep", str(kept)), kept / "results/r"


def test_a_replay_on_another_number_of_cores_is_identical_and_reports_copied_failures(
    recorded: Recorded,
    replayed: tuple[subprocess.CompletedProcess[str], Path],
    statuses: dict[str, Counter[str]],
) -> None:
    """It needs neither servers, keys nor network; every failure is counted, and none is reported as
    derived."""
    done, _ = replayed
    assert done.returncode == 0, done.stdout + done.stderr
    assert done.stdout.startswith("identical: ")
    page = (recorded.results / "report.html").read_text(encoding="utf-8")
    assert "Requests (days in UTC)" in page  # days of the journal, equal in the replay
    failed = sum(statuses.values(), Counter[str]()) - Counter(answered=10**6)
    assert f"why {failed.total():,} entries and memory sessions have no answer" in done.stdout
    for status, count in failed.items():
        assert f"{count:,} {status}" in done.stdout
    assert "Not recorded" not in done.stdout
    assert "OFFLINE" not in done.stderr
    assert re.search(r"Step \d+ of \d+: Score ", done.stderr)


def _change(path: Path, column: str, change: Callable[[list[Any]], None]) -> None:
    table = read_table(path)
    values = table.column(column).to_pylist()
    change(values)
    place = table.schema.get_field_index(column)
    field = table.schema.field(place)
    write_table(path, table.set_column(place, field, pa.array(values, field.type)))


def _flip(values: list[Any]) -> None:
    values[0] = not values[0]


def _reword(values: list[Any]) -> None:
    values[-1] = '"another answer"'


def test_changed_files_are_reported(
    recorded: Recorded, replayed: tuple[subprocess.CompletedProcess[str], Path], tmp_path: Path
) -> None:
    """A verdict, an answer, a row, a byte of the report, two files: the first is named, all are counted."""
    changed = recorded.copy(tmp_path)
    _change(changed.results / "verdicts/flaky-FC.parquet", "valid", _flip)
    path = changed.results / "responses/flaky-FC/simple_python.parquet"
    _change(path, "result_json", _reword)
    last = read_table(path).num_rows
    path = changed.results / "memory/flaky-FC/memory_kv.parquet"
    write_table(path, read_table(path).slice(0, read_table(path).num_rows - 1))
    with (changed.results / "report.html").open("ab") as page:
        page.write(b"\n")
    (changed.results / "tables/rules.csv").unlink()
    (changed.results / "responses/zero-FC/simple_python.parquet").parent.mkdir()
    (changed.results / "responses/zero-FC/simple_python.parquet").write_bytes(b"")

    _, derived = replayed
    said = "\n".join(_compared(changed.results, derived).lines())
    assert f"different: responses/flaky-FC/simple_python.parquet: row {last}" in said
    assert "column result_json" in said
    assert "6 of" in said
    for counted in ("2 of responses", "1 of memory", "1 of verdicts", "1 of tables", "1 of report.html"):
        assert counted in said


def _compared(results: Path, derived: Path) -> ReplayResult:
    """What a replay that derived these files reports of a run: of its results, it takes failures only."""
    found = tuple(file_differences(results, derived))
    return ReplayResult(derived, len(compared_files(derived)), found, missing_answers(derived), (), 0)


def _lines(folder: Path) -> list[bytes]:
    return (folder / "exchanges.jsonl").read_bytes().splitlines(keepends=True)


def test_a_deleted_line_of_a_journal_is_reported(recorded: Recorded, tmp_path: Path) -> None:
    """The missing answer is reported, and does not become a failure of the run."""
    changed = recorded.copy(tmp_path)
    folder = changed.folder / "cache/exchanges/flaky-FC"
    kept = [line for line in _lines(folder) if json.loads(line)["entry_id"].startswith("simple_python")]
    gone = json.loads(kept[0])["entry_id"]
    _keep(folder, (line for line in _lines(folder) if line != kept[0]))

    run = Run(changed.results, changed.folder / "cache", changed.folder / "data")
    step = ["--until", "generate_flaky-FC"]  # what differs later follows from its answers
    result = replay(run, work=tmp_path / "work", cores=2, arguments=step, log=lambda _: None)
    differences = [str(one) for one in result.differences]
    (found,) = [one for one in differences if one.startswith("responses/flaky-FC/simple_python.parquet")]
    assert f"({gone}), column result_json" in found
    assert "Not recorded: an answer or a page that 1 entries and memory sessions need." in [*result.lines()]


def _keep(folder: Path, lines: Iterable[bytes]) -> None:
    (folder / "exchanges.jsonl").write_bytes(b"".join(list(lines)))


def test_the_compared_files_are_those_of_the_run(recorded: Recorded) -> None:
    """Tables of all models, the report and the CSV files; no log, no time. The page is one file."""
    files = compared_files(recorded.results)
    assert {file.parts[0] for file in files} == {*COMPARED} - {"report"}
    assert not any(file.parts[0] in ("logs", "benchmarks", "requeued", "servers") for file in files)
