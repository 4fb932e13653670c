"""A server that leaves each third call in the text of its answer, from its answers to the gate."""

from __future__ import annotations

import json
from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from bfcl_pipeline.cli import main
from bfcl_pipeline.config import ModelRow
from bfcl_pipeline.generation import Responder
from bfcl_pipeline.judging import score_table_by_all_rules
from bfcl_pipeline.models.adapters.openai_chat import OpenAIChat
from bfcl_pipeline.models.oracle import Oracle
from bfcl_pipeline.records import Entry, Json, Mode, Rules
from bfcl_pipeline.report.page.render import render_page
from bfcl_pipeline.report.page.run_tables import read_run_tables
from bfcl_pipeline.report.tables.aggregate_run import aggregate_run
from bfcl_pipeline.report.tables.answer_classes import unread_calls
from bfcl_pipeline.report.tables.run_records import read_run
from bfcl_pipeline.report.terminal import terminal_table
from bfcl_pipeline.tables import read_table, write_responses, write_table
from bfcl_pipeline.tables.texts import read_texts
from tests.support.local_generation import generate

CATEGORIES = ("simple_python", "parallel", "irrelevance", "multi_turn_base")

OF_EACH = 12  # entries


class Served(Oracle):
    """The oracle behind a server of chat completions, which returns some calls as text."""

    __slots__ = ("answers", "lost", "served")

    def __init__(self, row: ModelRow, lost: int | None) -> None:
        super().__init__(row)
        self.served, self.answers = OpenAIChat(row), 0
        self.lost = lost  # the calls of which answers: each third for 3; None: of none

    def responder(self, entry: Entry) -> Responder:
        oracle = super().responder(entry)
        return lambda request: self.served.read(request, self._raw(oracle(request).result))

    def _raw(self, result: Json) -> Json:
        message: dict[str, Json] = {"role": "assistant", "content": None}
        if not isinstance(result, list):
            message["content"] = result
        else:
            calls = [
                {"id": f"c{place}", "type": "function", "function": {"name": name, "arguments": arguments}}
                for place, call in enumerate(result)
                for name, arguments in call.items()
            ]
            self.answers += 1
            if self.lost and self.answers % self.lost == 0:
                message["content"] = "\n".join(map(_as_text, calls))
            else:
                message["tool_calls"] = calls
        return {
            "id": "x",
            "object": "chat.completion",
            "choices": [{"index": 0, "finish_reason": "stop", "message": message}],
        }


def _as_text(call: Json) -> str:
    function = call["function"]
    arguments = json.loads(function["arguments"])
    return f"<tool_call>\n{json.dumps({'name': function['name'], 'arguments': arguments})}\n</tool_call>"


def served_run(folder: Path, models: dict[str, int | None], staged: Path, entries, setting_of) -> Path:
    """A run of models by name, each with which of its calls are lost."""
    for name, lost in models.items():
        row = ModelRow(
            name=name, display_name=name, kind="openai_chat", mode=Mode.FC, endpoint="http://127.0.0.1:1/v1"
        )
        model, tables = Served(row, lost), []
        for category in CATEGORIES:
            done = generate(entries(category)[:OF_EACH], model, read_texts(staged), setting_of, folder.name)
            path = folder / "responses" / name / f"{category}.parquet"
            write_responses(path, [each.response for each in done])
            tables.append(read_table(path))
        verdicts = score_table_by_all_rules(pa.concat_tables(tables), staged)
        write_table(folder / "verdicts" / f"{name}.parquet", verdicts)
    aggregate_run(folder, staged, (), Rules.OFFICIAL)
    return folder


@pytest.fixture(scope="module")
def runs(tmp_path_factory: pytest.TempPathFactory, staged: Path, entries, setting_of) -> dict[str, Path]:
    """A run of an honest server, and one with the same model also on a server that loses calls."""
    folder = tmp_path_factory.mktemp("served")
    nights = {"before": {"m-FC": None}, "after": {"m-FC": 3, "honest-FC": None}}
    return {
        night: served_run(folder / night, models, staged, entries, setting_of)
        for night, models in nights.items()
    }


def test_each_lost_call_is_counted(runs: dict[str, Path]) -> None:
    """A third of the single answers with calls; a conversation counts once; of the honest server none."""
    assert not (runs["before"] / "tables/unread_calls.csv").exists()
    rows = pq.read_table(runs["after"] / "tables/unread_calls.parquet").to_pylist()
    assert {row["model"] for row in rows} == {"m-FC"}
    counts = {row["category"]: (row["answered"], row["unread_calls"]) for row in rows}
    assert counts["simple_python"] == counts["parallel"] == (OF_EACH, OF_EACH // 3)
    assert set(counts) == {"simple_python", "parallel", "multi_turn_base"}
    assert rows[0]["example_entry_id"] == "simple_python_2"
    verdicts = pq.read_table(runs["after"] / "verdicts/m-FC.parquet").to_pylist()
    unread = [row for row in verdicts if row["unread_call"]]
    assert len(unread) == 3 * sum(row["unread_calls"] for row in rows)
    assert not any(row["valid"] for row in unread)


def test_the_model_is_named_under_the_table(runs: dict[str, Path]) -> None:
    """In the terminal and on the page, with how many and an example; models of honest servers are not."""
    counted = sum(
        row["unread_calls"] for row in read_table(runs["after"] / "tables/unread_calls.parquet").to_pylist()
    )
    line = f"m-FC: {counted} answers have a call in the text that the server did not read, "
    line += "for example simple_python_2"
    assert [note for note in terminal_table(runs["after"], Rules.OFFICIAL).splitlines() if line in note]
    assert line in render_page(read_run_tables(runs["after"], Rules.OFFICIAL))
    for text in (
        terminal_table(runs["before"], Rules.OFFICIAL),
        render_page(read_run_tables(runs["before"], Rules.OFFICIAL)),
    ):
        assert "did not read" not in text
    assert "honest-FC: " not in terminal_table(runs["after"], Rules.OFFICIAL)


def gate(runs: dict[str, Path], run: str, *more: str) -> int:
    """The exit status of a night under the widest margin, on what the runs have."""
    names = [f"{runs[run]}", "--against", f"{runs['before']}", "--category", "simple_python"]
    return main(["gate", *names, "--model", "m-FC", "--no-worse", "100", *more])


def test_the_gate_fails(runs: dict[str, Path], tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """With a limit that the share exceeds the status is 1 and the line says why; without one, 0."""
    out = tmp_path / "gate.json"
    assert gate(runs, "after") == 0
    assert gate(runs, "after", "--max-unread", "1", "--json", str(out)) == 1
    assert gate(runs, "after", "--max-unread", "90") == 0
    assert gate(runs, "after", "--max-unread", "101") == 2
    _, line, _ = capsys.readouterr().out.splitlines()
    assert line.startswith("fail: ")
    assert "have a call that the server did not read, more than 1 %, for example simple_python_2; " in line
    found = json.loads(out.read_text())
    assert (found["passes"], found["max_unread"], found["unread_calls"][0]["model"]) == (
        False,
        0.01,
        "after:m-FC",
    )


def test_verdicts_of_an_earlier_version_are_not_passed(
    runs: dict[str, Path], staged: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """Without the column the gate says that the run must be scored again; its tables have no count."""
    older = tmp_path / "older"
    table = read_table(runs["after"] / "verdicts/m-FC.parquet")
    write_table(older / "verdicts/m-FC.parquet", table.drop_columns(["unread_call"]))
    assert not list(unread_calls(read_run(older, staged)))
    assert gate({**runs, "after": older}, "after") == 0
    assert gate({**runs, "after": older}, "after", "--max-unread", "1") == 2
    assert "Score the run again" in capsys.readouterr().err
