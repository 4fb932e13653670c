"""Records of all answers of a model in a category of a run."""

from __future__ import annotations

import json
import shutil
from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from bfcl_pipeline.base.errors import TableError
from bfcl_pipeline.benchmark.records import Mode, Response
from bfcl_pipeline.benchmark.tables import write_responses
from bfcl_pipeline.cli import main
from bfcl_pipeline.runs.run import Run
from bfcl_pipeline.show.playback.conditions import read_conditions
from bfcl_pipeline.show.report.explorer.index import read_index
from bfcl_pipeline.show.transcripts.parts import Kind
from bfcl_pipeline.show.transcripts.run import answer_records

MODELS = Path(__file__).parents[3] / "config" / "models.yaml"
CHOSEN = {
    "simple_python": "simple_python_3",
    "multi_turn_base": "multi_turn_base_60",
    "memory_kv": "memory_kv_12-customer-12",
    "web_search_base": "web_search_base_5",
}


@pytest.fixture(scope="module")
def run_dir(staged, tmp_path_factory):
    """A run of lexical on four entries and the sessions of one, with its verdicts."""
    folder = tmp_path_factory.mktemp("run")
    where = ["--data", str(staged)]
    words = ["--model", "lexical-FC", "--models", str(MODELS), "--run", "r", *where]
    words += ["--category", *CHOSEN, "--entry-ids", *CHOSEN.values()]
    words += ["--out", str(folder / "responses" / "lexical-FC")]
    words += ["--sessions-out", str(folder / "memory" / "lexical-FC")]
    assert main(["generate", *words]) == 0
    tables = sorted(map(str, (folder / "responses" / "lexical-FC").glob("*.parquet")))
    out = str(folder / "verdicts" / "lexical-FC.parquet")
    assert main(["score", *tables, "--rules", "all", "--out", out, *where]) == 0
    return folder


@pytest.fixture
def records(run_dir, staged, entries):
    """A function that returns the records of a category."""
    conditions = read_conditions(Run(run_dir, data=staged))

    def made(category, wanted=None):
        chosen = [one for one in entries(category) if wanted is None or one.entry_id in wanted]
        return list(answer_records(Run(run_dir), "lexical-FC", chosen, conditions))

    return made


@pytest.mark.parametrize("category", CHOSEN)
def test_answers_have_their_verdicts_under_all_rules(records, category):
    """The last record is that of the question, with the stored verdicts."""
    found = records(category)[-1]
    assert found.entry_id == CHOSEN[category]
    assert [one.rules for one in found.verdicts] == ["official", "corrected", "verified"]
    assert found.turns or found.answer
    assert not any("not recorded" in item.text for turn in found.turns for item in turn.steps)


def test_sessions_come_before_the_questions(records):
    """Each has its memory after it, which the next one has before it."""
    *sessions, question = records("memory_kv")
    assert tuple(session.entry_id for session in sessions) == question.sessions
    assert all(session.memories[1].title == "memory after the session" for session in sessions)
    assert [session.memories[1].about for session in sessions[:-1]] == [
        session.memories[0].about for session in sessions[1:]
    ]
    assert sessions[-1].memories[1].about == question.memories[0].about
    changes = [item for session in sessions for turn in session.turns for item in turn.steps]
    assert any(item.kind is Kind.CHANGE for item in changes)


def test_only_the_wanted_answers_have_records(records):
    """Others are not even played, and change nothing; a run need not have every category."""
    kinds = CHOSEN["memory_kv"], CHOSEN["multi_turn_base"]
    assert [one.entry_id for one in records("memory_kv", wanted=kinds[:1])] == [kinds[0]]
    assert records("multi_turn_base", wanted=kinds) == records("multi_turn_base")
    assert records("simple_python", wanted=set()) == records("parallel") == []


def test_a_run_from_elsewhere_has_records_without_memories_and_verdicts(staged, entries, tmp_path):
    """Without sessions and verdicts the record has the calls, and says that results are not recorded."""
    steps = [[{"core_memory_list_keys": "{}"}], "x"]
    response = Response(CHOSEN["memory_kv"], "memory_kv", Mode.FC, json.dumps([steps]), model="m")
    write_responses(tmp_path / "responses" / "m" / "memory_kv.parquet", [response])
    conditions = read_conditions(Run(tmp_path, data=staged))
    (found,) = answer_records(Run(tmp_path), "m", entries("memory_kv"), conditions)
    assert found.verdicts == ()
    assert found.memories[0].about == "not recorded"
    assert found.turns[0].steps[1].text.startswith("(result not recorded: There is no table of sessions")


@pytest.mark.parametrize("column", ["category", "entry_id", "rules", "status", "valid", "answer_class"])
@pytest.mark.parametrize("values", [[[1]], ["\u202enone of these"]], ids=["a list", "an unknown text"])
def test_verdicts_of_another_form_are_an_error(run_dir, staged, entries, tmp_path, column, values):
    """A table that was written by something else is refused in one line, or has no rows on the category."""
    shutil.copytree(run_dir, tmp_path, dirs_exist_ok=True)
    path = tmp_path / "verdicts" / "lexical-FC.parquet"
    table = pq.read_table(path)
    place = table.column_names.index(column)
    pq.write_table(table.set_column(place, column, pa.array(values * len(table))), path)
    conditions = read_conditions(Run(tmp_path, data=staged))
    asked = entries("simple_python")
    if isinstance(values[0], str) and column in ("category", "entry_id"):
        (record,) = answer_records(Run(tmp_path), "lexical-FC", asked, conditions)
        assert record.verdicts == ()
        return
    with pytest.raises(TableError, match=r"lexical-FC\.parquet: "):
        list(answer_records(Run(tmp_path), "lexical-FC", asked, conditions))
    if isinstance(values[0], list) and column != "answer_class":
        with pytest.raises(TableError, match=r"lexical-FC\.parquet: "):
            read_index(Run(tmp_path, data=staged), ["lexical-FC"])
