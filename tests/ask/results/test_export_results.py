"""Responses of a run as result folders of the official tool."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path

import pytest

from bfcl_pipeline.base.errors import ConfigError, TableError
from bfcl_pipeline.benchmark.records import Mode, NameStyle, Response, Status, Step
from bfcl_pipeline.benchmark.tables import entries_path, read_entries, write_responses
from bfcl_pipeline.benchmark.tables.responses import write_sessions
from bfcl_pipeline.runs.run import Run
from bfcl_pipeline.share.official.export_results import export_official

FC_MODEL = "gpt-4o-2024-11-20-FC"
STEP = Step(0, 30, 4, 0.5)


def response(
    entry_id: str, result: object, category: str = "multiple", model: str = FC_MODEL, **more
) -> Response:
    """A response of a function-calling model; `more` replaces fields."""
    given = {"mode": Mode.FC, "steps": (STEP,), **more}
    return Response(entry_id, category, result_json=json.dumps(result), model=model, **given)


def failed(entry_id: str, status: Status = Status.INFRASTRUCTURE_ERROR) -> Response:
    """No answer."""
    return replace(response(entry_id, None), result_json=None, status=status, steps=())


@pytest.fixture
def export(staged, tmp_path):
    """Exports responses and returns the folder of results and the log."""

    def run(*made: Response, **options) -> tuple[Path, list[str]]:
        files: dict[Path, list[Response]] = {}
        for one in made:
            folder = tmp_path / "run" / "responses" / one.model.replace("/", "_")
            files.setdefault(folder / f"{one.category}.parquet", []).append(one)
        for path, rows in files.items():
            write_responses(path, rows)
        lines: list[str] = []
        export_official(Run(tmp_path / "run", data=staged), tmp_path / "out", log=lines.append, **options)
        return tmp_path / "out", lines

    return run


def rows(path: Path) -> list[dict]:
    """The lines of a file of results."""
    return [json.loads(line) for line in path.read_text(encoding="ascii").splitlines()]


def test_a_category_is_a_file_in_the_official_order(export):
    """One line for each answer, in the order of the release, with tokens and latency."""
    calls = [{"f": '{"x": 1}'}]
    out, _ = export(response("multiple_10", "text \u2028"), response("multiple_9", calls))
    taken = {"input_token_count": 30, "output_token_count": 4, "latency": 0.5}
    assert rows(out / FC_MODEL / "non_live" / "BFCL_v4_multiple_result.json") == [
        {"id": "multiple_9", "result": calls, **taken},
        {"id": "multiple_10", "result": "text \u2028", **taken},
    ]


def test_numbers_of_a_conversation_are_listed_by_turn_and_step(export):
    """A list for each turn with a number for each step, or null."""
    turns = [["a", "b"], ["c"]]
    steps = (Step(0, 1, None, 0.1), Step(0, 2, None, 0.2), Step(1, 3, 7, 0.3))
    out, _ = export(response("multi_turn_base_0", turns, "multi_turn_base", steps=steps))
    (row,) = rows(out / FC_MODEL / "multi_turn" / "BFCL_v4_multi_turn_base_result.json")
    assert row == {
        "id": "multi_turn_base_0",
        "result": turns,
        "input_token_count": [[1, 2], [3]],
        "output_token_count": [[None, None], [7]],
        "latency": [[0.1, 0.2], [0.3]],
    }


def test_entries_without_an_answer_are_left_out_and_logged(export):
    """A failure has no line in the results; a category with failures only has no file."""
    out, lines = export(
        response("multiple_0", "a"),
        *(failed(f"multiple_{number}") for number in range(1, 8)),
        failed("multiple_8", Status.CONTEXT_OVERFLOW),
        replace(failed("parallel_0"), category="parallel"),
    )
    files = sorted(path.name for path in out.rglob("*.json"))
    assert files == ["BFCL_v4_multiple_result.json"]
    assert [row["id"] for row in rows(next(out.rglob("*.json")))] == ["multiple_0"]
    assert lines[:3] == [
        f"{FC_MODEL} multiple: left out 7 (infrastructure_error): "
        "multiple_1, multiple_2, multiple_3, multiple_4, multiple_5 and 2 more",
        f"{FC_MODEL} multiple: left out 1 (context_overflow): multiple_8",
        f"{FC_MODEL} parallel: left out 1 (infrastructure_error): parallel_0",
    ]
    assert lines[3].startswith(f"{FC_MODEL}: 1 answers of 1 categories in ")


def test_sessions_and_memories_have_the_paths_of_the_official_tool(export, staged, tmp_path):
    """Results of sessions are in a separate file; each memory has a file, and the last one is final."""
    entries = read_entries(entries_path(staged, "memory_kv"))
    customer = [one for one in entries if one.prerequisite and one.scenario == "customer"][:2]
    question = next(one for one in entries if not one.prerequisite)
    held = [
        (entry, response(entry.entry_id, [["noted"]], "memory_kv"), {"core_memory": {"k": number}})
        for number, entry in enumerate(customer)
    ]
    write_sessions(tmp_path / "run" / "memory" / FC_MODEL / "memory_kv.parquet", held)
    out, _ = export(response(question.entry_id, [["x"]], "memory_kv"))
    folder = out / FC_MODEL / "agentic" / "memory" / "kv"
    assert [row["id"] for row in rows(folder / "BFCL_v4_memory_kv_result.json")] == [question.entry_id]
    sessions = rows(folder / "BFCL_v4_memory_kv_prereq_result.json")
    assert [row["id"] for row in sessions] == [entry.entry_id for entry in customer]
    snapshots = folder / "memory_snapshot"
    for number, entry in enumerate(customer):
        kept = json.loads((snapshots / "prereq_checkpoints" / f"{entry.entry_id}.json").read_text())
        assert kept == {"core_memory": {"k": number}}
    assert json.loads((snapshots / "customer_final.json").read_text()) == {"core_memory": {"k": 1}}


def test_functions_have_the_names_that_the_official_checker_expects(export):
    """Dots in names of the entry are restored or replaced; other names, and texts, are unchanged."""
    dotted = "spotify.play"  # of parallel_0
    calls = [{"spotify_play": "{}"}, {"other_name": "{}"}]
    out, _ = export(
        response("parallel_0", calls, "parallel", "palmyra-x-004"),
        response("parallel_0", [{dotted: "{}"}], "parallel", name_style=NameStyle.DOTTED),
        response("parallel_1", "spotify_play", "parallel", "palmyra-x-004"),
    )
    first, second = rows(out / "palmyra-x-004" / "non_live" / "BFCL_v4_parallel_result.json")
    assert first["result"] == [{dotted: "{}"}, {"other_name": "{}"}]
    assert second["result"] == "spotify_play"
    (plain,) = rows(out / FC_MODEL / "non_live" / "BFCL_v4_parallel_result.json")
    assert plain["result"] == [{"spotify_play": "{}"}]


def test_another_name_can_be_given(export):
    """A model can be exported under the name of an official one, in the form of its handler."""
    made = response("multiple_0", [{"f": '{"x": 1}'}], model="mine-FC")
    out, lines = export(made, names={"mine-FC": "gemini-2.5-flash-FC"})
    (row,) = rows(next(out.rglob("*.json")))
    assert next(out.iterdir()).name == "gemini-2.5-flash-FC"
    assert row["result"] == [{"f": {"x": 1}}]
    assert lines == [f"mine-FC as gemini-2.5-flash-FC: 1 answers of 1 categories in {next(out.iterdir())}"]


def test_an_unlisted_model_is_exported_under_its_own_name(export):
    """It has the uniform form, and the log states that only listed models are scored."""
    out, lines = export(response("multiple_0", [{"f": "{}"}], model="my/model"))
    assert rows(out / "my_model" / "non_live" / "BFCL_v4_multiple_result.json")[0]["result"] == [
        {"f": "{}"}
    ]
    assert "--as" in lines[0]


def test_answers_that_the_official_handler_cannot_read_are_left_out(export):
    """Answers in a form that is not written, and answers of the other mode."""
    out, lines = export(
        response("multiple_0", "a"),
        response("multiple_0", "a", model="THUDM/glm-4-9b-chat"),
        response("multiple_0", "a", model="gpt-4o-2024-11-20"),
    )
    assert [folder.name for folder in out.iterdir()] == [FC_MODEL]
    assert any("glm-4-9b-chat: left out, GLMHandler" in line for line in lines)
    assert "gpt-4o-2024-11-20 multiple: left out 1 (generated in mode fc): multiple_0" in lines


def test_a_simulated_web_is_logged(export):
    """The results do not show it to the official tool."""
    made = response("web_search_base_0", [["x"]], "web_search_base", web="simulated")
    _, lines = export(made)
    assert lines[0] == f"{FC_MODEL} web_search_base: not from the real web; not comparable to a leaderboard"


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"models": ["mine"]}, "unknown model 'mine'"),
        ({"names": {"mine": FC_MODEL}}, "unknown model 'mine'"),
        ({"names": {FC_MODEL: "gpt-4o-2024-11-20-F"}}, "unknown official model 'gpt-4o-2024-11-20-F'"),
        ({"names": {"a": FC_MODEL}}, f"would both be {FC_MODEL}"),
    ],
)
def test_wrong_names_are_refused(export, options, message):
    """Models that are not in the run or in the official list, and two models with one name."""
    made = [response("multiple_0", "a"), response("multiple_0", "a", model="a")]
    with pytest.raises(ConfigError, match=message):
        export(*made, **options)


def test_retired_categories_are_left_out(export):
    """The official tool no longer scores the executable categories of V1; a line names them."""
    out, log = export(
        response("multiple_0", []),
        response("sql_0", [], "sql"),
        response("exec_simple_0", [], "exec_simple"),
    )
    assert [path.name for path in (out / FC_MODEL).rglob("*.json")] == ["BFCL_v4_multiple_result.json"]
    assert f"{FC_MODEL}: left out, not in the official tool: exec_simple, sql" in log
    with pytest.raises(ConfigError, match="no answer that the official tool can read"):
        export(response("sql_1", [], "sql", "other"), models=["other"])


def test_only_the_named_models_are_written(export):
    """Other models of the run are not exported."""
    made = [response("multiple_0", "a"), response("multiple_0", "a", model="a")]
    out, _ = export(*made, models=[FC_MODEL])
    assert [folder.name for folder in out.iterdir()] == [FC_MODEL]


def test_an_earlier_export_is_not_changed(export):
    """The export is refused if the folder of a model exists."""
    export(response("multiple_0", "a"))
    with pytest.raises(ConfigError, match="already exists"):
        export(response("multiple_0", "a"))


def test_an_empty_export_is_refused(export, staged, tmp_path):
    """A folder without responses, and a run without an answer."""
    with pytest.raises(ConfigError, match=r"no responses\. Name the folder of a run"):
        export_official(Run(tmp_path, data=staged), tmp_path / "out", log=lambda _: None)
    with pytest.raises(ConfigError, match="no answer that the official tool can read"):
        export(failed("multiple_0"))


def test_responses_of_another_release_are_refused(export):
    """An entry that is not staged is an error."""
    with pytest.raises(TableError, match="'multiple_200' is not an entry of multiple"):
        export(response("multiple_200", "a"))
