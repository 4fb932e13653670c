"""Answers of models of kind `results`, read from every form in which results may be."""

from __future__ import annotations

import json
import math
import zipfile
from dataclasses import replace
from pathlib import Path

import pyarrow as pa
import pytest

from bfcl_pipeline.ask.generation import Completed
from bfcl_pipeline.ask.jobs.recorded_answers import given_answers
from bfcl_pipeline.ask.jobs.result_paths import result_inputs
from bfcl_pipeline.ask.jobs.run import run_job
from bfcl_pipeline.base.errors import ArchiveError, ConfigError, PipelineError, TableError
from bfcl_pipeline.benchmark.config import Job, JobPaths, ModelRow, Selection
from bfcl_pipeline.benchmark.records import Mode, Response, Status
from bfcl_pipeline.benchmark.tables import read_table, write_responses, write_table
from bfcl_pipeline.benchmark.tables.responses import read_sessions, write_sessions

CALL = json.dumps([{"f": "{}"}])


def answer(entry_id: str, category: str = "simple_java", **fields: object) -> Response:
    """An answer of some model of some run."""
    given = {"mode": Mode.FC, "result_json": CALL, "model": "theirs-FC", "run": "elsewhere", **fields}
    return Response(entry_id, category, **given)  # type: ignore[arg-type]


def job(staged: Path, path: Path, *categories: str, model: str = "theirs-FC", **fields: object) -> Job:
    """Three entries of each category, of a row with its results at `path`."""
    categories = categories or ("simple_java",)
    row = ModelRow("mine-FC", "results", Mode.FC, "Mine", model=model, path=str(path))
    return Job(
        row=replace(row, **fields),  # type: ignore[arg-type]
        categories=categories,
        run="r",
        selection=Selection(sample=dict.fromkeys(categories, 3)),
        paths=JobPaths(data=staged),
    )


def table(path: Path, *responses: Response) -> Path:
    """A table of responses."""
    write_responses(path, responses)
    return path


def chosen(one: Job) -> list[str]:
    """The ids of the entries of a job."""
    lines: list[str] = []
    empty = Path(one.row.path or "")
    assert not empty.exists()
    table(empty, answer("simple_java_0"))
    ids = [done.entry.entry_id for done in given_answers(one, lines.append)]
    empty.unlink()
    return ids


def statuses(completed: list[Completed]) -> list[tuple[Status, str | None]]:
    return [(one.response.status, one.response.status_detail) for one in completed]


def test_answers_in_a_table_become_those_of_the_row(staged: Path, tmp_path: Path) -> None:
    """They have the name of the row and the run; what the table lacks is skipped, with the reason."""
    path = tmp_path / "theirs.parquet"
    first, second, third = chosen(job(staged, path))
    table(path, answer(second), answer(first), answer(first, model="another"), answer("simple_java_0"))
    lines: list[str] = []
    completed = run_job(job(staged, path), log=lines.append)
    assert [one.entry.entry_id for one in completed] == [first, second, third]
    assert {(one.response.model, one.response.run) for one in completed} == {("mine-FC", "r")}
    assert statuses(completed) == [
        (Status.ANSWERED, None),
        (Status.ANSWERED, None),
        (Status.SKIPPED, "not in the results"),
    ]
    assert lines == [
        "mine-FC: 2 entries taken from theirs.parquet; not in the results: 1; not asked in this run: 1."
    ]


def test_a_table_without_models_has_one(staged: Path, tmp_path: Path) -> None:
    """Responses without the name of a model are of the row's model."""
    path = tmp_path / "t.parquet"
    first, *_ = chosen(job(staged, path))
    table(path, answer(first, model=None))
    assert run_job(job(staged, path))[0].response.status is Status.ANSWERED


def test_an_official_folder_is_read_by_model(staged: Path, tmp_path: Path) -> None:
    """The folder of all models, with the name of one, and the folder of that one give the same answers."""
    first, *_ = chosen(job(staged, tmp_path / "t.parquet"))
    file = tmp_path / "result/org_theirs-FC/non_live/BFCL_v4_simple_java_result.json"
    file.parent.mkdir(parents=True)
    file.write_text(json.dumps({"id": first, "result": [{"f": {"x": 1}}], "latency": 0.5}) + "\n")
    of_all = job(staged, tmp_path / "result", model="org/theirs-FC")
    own = job(staged, tmp_path / "result/org_theirs-FC")
    assert result_inputs(of_all) == result_inputs(own) == [str(file)]
    done = run_job(of_all)
    assert [one.response for one in done] == [one.response for one in run_job(own)]
    assert (done[0].response.result_json, done[0].response.latency_seconds) == (
        '[{"f": "{\\"x\\": 1}"}]',
        0.5,
    )


@pytest.mark.parametrize("place", ["", "result", "result/theirs-FC"])
def test_a_folder_of_v3_is_read_wherever_it_is(staged: Path, tmp_path: Path, place: str) -> None:
    """Names and ids are those of V3, files have no folders of groups, and bad lines cost themselves."""
    first, *_ = chosen(job(staged, tmp_path / "t.parquet"))
    one = job(staged, tmp_path / "run")
    file = tmp_path / "run" / place / "BFCL_v3_java_result.json"
    file.parent.mkdir(parents=True)
    line = {"id": first.removeprefix("simple_"), "result": [{"f": "{}"}], "latency": 0.5}
    file.write_text(json.dumps(line) + "\nnot JSON\n")
    assert result_inputs(one) == [str(file)]
    lines: list[str] = []
    done = run_job(one, log=lines.append)
    assert done[0].response.result_json == '[{"f": "{}"}]'
    assert any(line.startswith(f"Not read: {file}:2: not JSON") for line in lines)


def test_answers_that_contradict_the_mode_of_the_row_stop(staged: Path, tmp_path: Path) -> None:
    """With both counts and what to change."""
    first, *_ = chosen(job(staged, tmp_path / "t.parquet"))
    file = tmp_path / "result/theirs-FC/BFCL_v4_simple_java_result.json"
    file.parent.mkdir(parents=True)
    file.write_text(json.dumps({"id": first, "result": "[f(x=1)]", "latency": 0.5}) + "\n")
    message = (
        "mode fc in its row, but not by its answers: .*calls: 0; .*calls: 1.*a row of kind results: `mode`"
    )
    with pytest.raises(ConfigError, match=message):
        run_job(job(staged, tmp_path / "result"))


def test_the_directory_of_a_run_has_sessions_too(staged: Path, tmp_path: Path) -> None:
    """Memory sessions are taken with the memory after them; of results without any, none is made up."""
    one = job(staged, tmp_path, "memory_kv")
    (tmp_path / "responses/theirs-FC").mkdir(parents=True)
    table(tmp_path / "responses/theirs-FC/memory_kv.parquet")
    asked = [done.entry for done in run_job(one)]
    assert {entry.prerequisite for entry in asked} == {False}
    held = run_job(replace(one, row=ModelRow("oracle-FC", "oracle", Mode.FC, "")))
    session = next(done for done in held if done.entry.prerequisite)
    theirs = replace(session.response, model="theirs-FC")
    path = tmp_path / "memory/theirs-FC/memory_kv.parquet"
    write_sessions(path, [(session.entry, theirs, session.snapshot)])
    completed = run_job(one)
    sessions = [done for done in completed if done.entry.prerequisite]
    assert len(sessions) > 1
    assert sessions[0].snapshot == read_sessions(path)[0].snapshot == session.snapshot
    assert {done.response.status for done in sessions[1:]} == {Status.SKIPPED}
    assert result_inputs(one) == [str(tmp_path / "responses/theirs-FC/memory_kv.parquet"), str(path)]


@pytest.mark.parametrize(
    ("recorded", "row", "web"),
    [("replay", "live", "replay"), (None, "live", "live"), (None, None, "unknown")],
)
def test_the_web_is_the_recorded_one_or_that_of_the_row(
    staged: Path, tmp_path: Path, recorded: str | None, row: str | None, web: str
) -> None:
    """What neither the results nor the row names is marked as unknown."""
    path = tmp_path / "t.parquet"
    ids = ["web_search_base_0", "web_search_base_1"]
    table(path, *(answer(one, "web_search_base", web=recorded, result_json="[]") for one in ids))
    one = job(staged, path, "web_search_base", web=row)
    one = replace(one, selection=Selection(entry_ids=(*ids, "web_search_base_2")))
    assert [done.response.web for done in run_job(one)] == [web, web, None]


def test_a_replay_takes_the_recorded_answers(staged: Path, tmp_path: Path) -> None:
    """Whatever is at the path by then, nothing of it is an input, and a run to replay must be named."""
    one = job(staged, tmp_path / "gone.parquet")
    first, *_ = chosen(one)
    table(tmp_path / "observed/responses/mine-FC/simple_java.parquet", answer(first, model="mine-FC"))
    replayed = replace(one, replay=True, paths=replace(one.paths, observed=tmp_path / "observed"))
    assert run_job(replayed)[0].response.result_json == CALL
    assert not result_inputs(replayed)
    with pytest.raises(ConfigError, match="needs --observed"):
        run_job(replace(one, replay=True))


def test_an_unknown_model_is_refused_with_the_names_that_are_there(staged: Path, tmp_path: Path) -> None:
    """In a table, a result folder and the directory of a run alike."""
    path = table(tmp_path / "t.parquet", answer("simple_java_0"))
    folder = tmp_path / "result/theirs-FC/non_live/BFCL_v4_simple_java_result.json"
    folder.parent.mkdir(parents=True)
    folder.write_text('{"id": "simple_java_0", "result": ""}\n')
    (tmp_path / "run/responses/theirs-FC").mkdir(parents=True)
    for place in (path, tmp_path / "result", tmp_path / "run"):
        with pytest.raises(ConfigError, match=r"unknown model 'other'.* Known: theirs-FC\. Set `model`"):
            run_job(job(staged, place, model="other"))


@pytest.mark.parametrize(
    ("made", "message"),
    [
        (answer("simple_java_999"), "'simple_java_999' is not an entry of simple_java"),
        (answer("memory_kv_prereq_0-customer-0", "simple_java"), "is not an entry of simple_java"),
        (answer("x", "no_such"), "unknown category 'no_such'"),
    ],
)
def test_entries_of_another_release_are_refused(
    staged: Path, tmp_path: Path, made: Response, message: str
) -> None:
    """The message names the table and the entry."""
    with pytest.raises(TableError, match=message):
        run_job(job(staged, table(tmp_path / "t.parquet", made)))


@pytest.mark.parametrize(
    ("column", "values", "message"),
    [
        ("result_json", [{"a": 1}], "not of the documented type"),
        ("category", [["simple_java"]], "not of the documented type"),
        ("model", [["theirs-FC"]], "not of the documented type"),
        ("input_tokens", ["many"], "not of the documented type"),
        ("steps", [[{"turn": None}]], "not of the documented type"),
        ("input_tokens", [2**62], "input_tokens of 'simple_java_0' is 4.61169e.18; expected 0 to 1e.12"),
        ("latency_seconds", [math.nan], "latency_seconds of 'simple_java_0' is nan"),
        ("steps", [[{"turn": 0, "latency_seconds": -1.0}]], "latency_seconds of 'simple_java_0' is -1;"),
        ("web", ["<b>"], "unknown web '<b>'"),
    ],
)
def test_values_that_no_run_has_are_refused(
    staged: Path, tmp_path: Path, column: str, values: list[object], message: str
) -> None:
    """Tables of strangers have other types and numbers that would make means of the run NaN."""
    path = table(tmp_path / "t.parquet", answer("simple_java_0"))
    theirs = read_table(path)
    place = theirs.column_names.index(column)
    write_table(path, theirs.set_column(place, column, pa.array(values)))
    with pytest.raises(TableError, match=message):
        run_job(job(staged, path))


def test_two_answers_to_one_entry_are_refused(staged: Path, tmp_path: Path) -> None:
    """It is not known which of them counts."""
    path = table(tmp_path / "t.parquet", answer("simple_java_0"), answer("simple_java_0"))
    with pytest.raises(TableError, match="duplicate 'simple_java_0'"):
        run_job(job(staged, path))


def test_what_is_not_an_archive_of_a_run_is_refused(staged: Path, tmp_path: Path) -> None:
    """A zip file of another program is not unpacked."""
    path = tmp_path / "theirs.crate.zip"
    with zipfile.ZipFile(path, "w") as file:
        file.writestr("results/r/responses/theirs-FC/simple_java.parquet", b"PAR1")
    with pytest.raises(ArchiveError):
        run_job(job(staged, path))


@pytest.mark.parametrize("name", ["gone.parquet", "notes.txt"])
def test_a_path_without_results_is_an_error(staged: Path, tmp_path: Path, name: str) -> None:
    """The message names the path and what is expected there."""
    (tmp_path / "notes.txt").write_text("")
    one = job(staged, tmp_path / name)
    with pytest.raises(PipelineError, match=name):
        run_job(one)
    assert result_inputs(one) == ([str(tmp_path / name)] if name == "notes.txt" else [])
