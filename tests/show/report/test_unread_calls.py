"""A server that leaves each third call in the text of its answer, from its answers to the gate."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path

import pyarrow as pa
import pytest

from bfcl_pipeline.ask.generation import Responder
from bfcl_pipeline.ask.models.adapters.openai_chat import OpenAIChat
from bfcl_pipeline.ask.models.oracle import Oracle
from bfcl_pipeline.benchmark.config import ModelRow
from bfcl_pipeline.benchmark.records import Entry, Json, Mode, Rules
from bfcl_pipeline.benchmark.tables import read_table, write_responses, write_table
from bfcl_pipeline.cli import main
from bfcl_pipeline.dialogue.release_texts import read_texts
from bfcl_pipeline.judge.judging import score_table_by_all_rules
from bfcl_pipeline.runs.run import Run
from bfcl_pipeline.show.report.tables.aggregate_run import aggregate_run
from bfcl_pipeline.show.report.terminal import terminal_table
from bfcl_pipeline.world.tools import WorldConfig
from tests.support.local_generation import generate
from tests.support.written_run import page_of

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


@pytest.fixture(scope="module")
def run(
    tmp_path_factory: pytest.TempPathFactory,
    staged: Path,
    entries: Callable[[str], list[Entry]],
    setting_of: Callable[[Entry], WorldConfig],
) -> Path:
    """A run of one model on an honest server, and on one that loses each third call."""
    folder = tmp_path_factory.mktemp("served") / "night"
    for name, lost in (("honest-FC", None), ("lossy-FC", 3)):
        row = ModelRow(
            name=name, display_name=name, kind="openai_chat", mode=Mode.FC, endpoint="http://127.0.0.1:1/v1"
        )
        model, tables = Served(row, lost), []
        for category in CATEGORIES:
            done = generate(entries(category)[:OF_EACH], model, read_texts(staged), setting_of, "night")
            path = folder / "responses" / name / f"{category}.parquet"
            write_responses(path, [each.response for each in done])
            tables.append(read_table(path))
        verdicts = score_table_by_all_rules(pa.concat_tables(tables), staged)
        write_table(folder / "verdicts" / f"{name}.parquet", verdicts)
    aggregate_run(Run(folder, data=staged), (), Rules.OFFICIAL)
    return folder


def test_each_lost_call_is_counted(run: Path) -> None:
    """A third of the single answers with calls; a conversation counts once; of the honest server none."""
    table = read_table(run / "tables/unread_calls.parquet")
    rows = table.to_pylist()
    assert {row["model"] for row in rows} == {"lossy-FC"}
    counts = {row["category"]: (row["answered"], row["unread_calls"]) for row in rows}
    assert counts["simple_python"] == counts["parallel"] == (OF_EACH, OF_EACH // 3)
    assert set(counts) == {"simple_python", "parallel", "multi_turn_base"}
    assert rows[0]["example_entry_id"] == "simple_python_2"
    verdicts = read_table(run / "verdicts/lossy-FC.parquet").to_pylist()
    unread = [row for row in verdicts if row["unread_call"]]
    assert len(unread) == len(Rules) * sum(row["unread_calls"] for row in rows)
    assert not any(row["valid"] for row in unread)


def test_the_model_is_named_under_the_table(run: Path) -> None:
    """In the terminal and on the page, with the number and an example; that of the honest server is not."""
    rows = read_table(run / "tables/unread_calls.parquet").to_pylist()
    line = f"lossy-FC: {sum(row['unread_calls'] for row in rows)} answers have a call in the text that the "
    line += "server did not read, for example simple_python_2"
    terminal = terminal_table(Run(run), Rules.OFFICIAL)
    assert [note for note in terminal.splitlines() if note.startswith(line)]
    assert line in page_of(run)
    assert "honest-FC: " not in terminal


def gate(run: Path, model: str, *more: str) -> int:
    """The exit status for a model of the run, as no worse than the other, under the widest margin."""
    other = {"lossy-FC": "honest-FC", "honest-FC": "lossy-FC"}[model]
    sides = [f"{run}:{model}", "--against", f"{run}:{other}", "--category", "simple_python"]
    return main(["gate", *sides, "--no-worse", "100", *more])


def test_the_gate_fails(run: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """With a limit that the share exceeds the status is 1 and the line says why; without one, 0."""
    out = tmp_path / "gate.json"
    assert gate(run, "lossy-FC") == 0
    assert gate(run, "lossy-FC", "--max-unread", "1", "--json", str(out)) == 1
    assert gate(run, "lossy-FC", "--max-unread", "90") == 0
    assert gate(run, "honest-FC", "--max-unread", "0") == 0
    assert gate(run, "honest-FC", "--max-unread", "101") == 2
    lines = capsys.readouterr().out.splitlines()
    assert lines[1].startswith("fail: lossy-FC: ")
    assert "have a call that the server did not read, more than 1 %, for example simple_pyth" in lines[1]
    found = json.loads(out.read_text())
    assert (found["passes"], found["max_unread"]) == (False, 0.01)
    assert found["unread_calls"][0]["example"] == "simple_python_2"
