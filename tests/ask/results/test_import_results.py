"""Result folders of the official tool as responses."""

from __future__ import annotations

import json
import os
import re
from pathlib import Path

import pytest

from bfcl_pipeline.ask.results import result_files
from bfcl_pipeline.ask.results.found_form import FormChoice
from bfcl_pipeline.ask.results.import_results import import_official
from bfcl_pipeline.base.errors import ConfigError, TableError
from bfcl_pipeline.benchmark.records import Mode, NameStyle
from bfcl_pipeline.benchmark.tables import read_table
from bfcl_pipeline.benchmark.tables.schemas import RESPONSES

FC_MODEL = "gpt-4o-2024-11-20-FC"
COUNTS = {"input_token_count": 3, "output_token_count": 4, "latency": 0.5}


def answer(entry_id: str, result: object, **more: object) -> dict:
    """One line of a result file."""
    return {"id": entry_id, "result": result, **COUNTS, **more}


def write(folder: Path, category: str, rows: list[dict | bytes], group: str = "non_live") -> Path:
    """Writes one result file into a model's folder."""
    path = folder / group / f"BFCL_v4_{category}_result.json"
    path.parent.mkdir(parents=True, exist_ok=True)
    lines = (row if isinstance(row, bytes) else json.dumps(row).encode() for row in rows)
    path.write_bytes(b"".join(line + b"\n" for line in lines))
    return path


@pytest.fixture
def read(staged, tmp_path):
    """Imports a result folder and returns the rows of the table."""

    def run(folder: Path, **options) -> list[dict]:
        out = tmp_path / "out.parquet"
        import_official(folder, out, data=staged, log=options.pop("log", lambda _: None), **options)
        table = read_table(out)
        assert table.schema.equals(RESPONSES)
        return table.to_pylist()

    return run


def test_rows_are_ordered(read, tmp_path):
    """By model, category and entry number; with mode and name style of the model in the official list."""
    result = tmp_path / "result"
    calls = [{"a_b": '{"x": 1}'}]
    write(result / FC_MODEL, "multiple", [answer("multiple_10", calls), answer("multiple_9", None)])
    write(result / FC_MODEL, "simple_python", [answer("simple_python_3", "text")])
    write(result / "Qwen_Qwen3-8B", "live_simple", [answer("live_simple_1-1-0", "[f()]")], group="live")
    rows = read(result, run="mine")
    assert [(row["model"], row["entry_id"]) for row in rows] == [
        ("Qwen/Qwen3-8B", "live_simple_1-1-0"),
        (FC_MODEL, "simple_python_3"),
        (FC_MODEL, "multiple_9"),
        (FC_MODEL, "multiple_10"),
    ]
    assert rows[0] == {
        "run": "mine",
        "model": "Qwen/Qwen3-8B",
        "category": "live_simple",
        "entry_id": "live_simple_1-1-0",
        "mode": "prompt",
        "name_style": "dotted",
        "result_json": '"[f()]"',
        "status": "answered",
        "status_detail": None,
        "input_tokens": 3,
        "output_tokens": 4,
        "latency_seconds": 0.5,
        "steps": [
            {
                "turn": 0,
                "input_tokens": 3,
                "output_tokens": 4,
                "latency_seconds": 0.5,
                "finish_reason": None,
            }
        ],
        "web": None,
    }
    assert [(row["mode"], row["name_style"]) for row in rows[1:]] == [("fc", "underscored")] * 3
    assert [json.loads(row["result_json"]) for row in rows[1:]] == ["text", None, calls]


def test_one_models_folder_is_enough(read, tmp_path):
    """The folder of one model can be imported by itself."""
    write(tmp_path / FC_MODEL, "multiple", [answer("multiple_0", "a")])
    (row,) = read(tmp_path / FC_MODEL)
    assert row["model"] == FC_MODEL


def test_a_stored_failure_is_not_an_answer(read, tmp_path):
    """A stored failure becomes a status with its text; the same text of a model stays an answer."""
    text = "Error during inference: 429 \ud83d quota"
    write(
        tmp_path / FC_MODEL,
        "irrelevance",
        [
            {"id": "irrelevance_0", "result": text, "traceback": "Traceback ..."},
            {"id": "irrelevance_1", "result": text},
            answer("irrelevance_2", text),
        ],
    )
    failed, also_failed, answered = read(tmp_path)
    for row in (failed, also_failed):
        assert (row["status"], row["result_json"]) == ("infrastructure_error", None)
        assert row["status_detail"] == "Error during inference: 429 ? quota"
        assert row["input_tokens"] is None
    assert (answered["status"], json.loads(answered["result_json"])) == ("answered", text)


def test_turns_and_steps_are_summed(read, tmp_path):
    """Counts and latencies of a conversation are sums over its turns and steps."""
    row = {
        "id": "multi_turn_base_0",
        "result": [[[{"ls": "{}"}], "done"], ["ok"]],
        "input_token_count": [[10, 20], [5.0]],
        "output_token_count": [[1, None], []],
        "latency": [[0.25, 0.5], [0.25]],
    }
    write(tmp_path / FC_MODEL, "multi_turn_base", [row], group="multi_turn")
    (read_row,) = read(tmp_path)
    assert (read_row["input_tokens"], read_row["output_tokens"], read_row["latency_seconds"]) == (
        35,
        1,
        1.0,
    )
    assert [(step["turn"], step["input_tokens"]) for step in read_row["steps"]] == [
        (0, 10),
        (0, 20),
        (1, 5),
    ]
    assert json.loads(read_row["result_json"]) == row["result"]


def test_each_step_of_a_conversation_has_the_uniform_form(read, tmp_path):
    """Results of handlers with a special form are converted step by step."""
    row = answer("multi_turn_base_0", [[[{"ls": {"a": True}}], "done"], []])
    write(tmp_path / "gemini-2.5-pro-FC", "multi_turn_base", [row], group="multi_turn")
    (read_row,) = read(tmp_path)
    assert json.loads(read_row["result_json"]) == [[[{"ls": '{"a": true}'}], "done"], []]


def test_a_step_without_numbers_is_a_step(read, tmp_path):
    """A step with null instead of numbers keeps its position."""
    rows = [
        {"id": "multi_turn_base_0", "result": [["a", "b"]], "latency": [[None, 2.0]]},
        {"id": "multi_turn_base_1", "result": [["a"]], "latency": None},
    ]
    write(tmp_path / FC_MODEL, "multi_turn_base", rows, group="multi_turn")
    known, unknown = read(tmp_path)
    assert [step["latency_seconds"] for step in known["steps"]] == [None, 2.0]
    assert known["latency_seconds"] == 2.0
    assert [step["latency_seconds"] for step in unknown["steps"]] == [None]
    assert unknown["latency_seconds"] is None


def test_a_step_without_calls_keeps_its_text(read, tmp_path):
    """The text in which a handler finds no calls may be the answer to a question."""
    final = '{"answer": "42"}'
    call = '<tool_call>\n{"name": "f", "arguments": {}}\n</tool_call>'
    write(tmp_path / "Qwen_Qwen3-8B-FC", "web_search_base", [answer("web_search_base_0", [[call, final]])])
    (row,) = read(tmp_path)
    assert json.loads(row["result_json"]) == [[[{"f": "{}"}], final]]


def test_an_unsupported_form_is_not_a_wrong_answer(read, tmp_path):
    """Answers in an unsupported form have a separate status, and the log names the handler."""
    lines: list[str] = []
    write(tmp_path / "gorilla-openfunctions-v2", "multiple", [answer("multiple_0", "f()")])
    (row,) = read(tmp_path, log=lines.append)
    assert (row["status"], row["result_json"]) == ("unsupported", None)
    assert any("GorillaHandler" in line for line in lines)


def test_calls_that_are_run_are_read_as_the_official_tool_runs_them(read, tmp_path):
    """The same stored answer, compared and run in a conversation, as its handler decodes each."""
    text = "f\n{"
    folder = tmp_path / "THUDM_glm-4-9b-chat"
    write(folder, "multiple", [answer("multiple_0", "f\n{}"), answer("multiple_1", "Which?")])
    write(folder, "web_search_base", [answer("web_search_base_0", [["f\n{}", text]])])
    compared, words, run = read(tmp_path)
    assert compared["result_json"] == '[{"f": "{}"}]'
    assert json.loads(words["result_json"]) == [{"": '"Which?"'}]
    assert json.loads(run["result_json"]) == [[[{"f": "{}"}], text]]


@pytest.mark.parametrize(
    ("folder", "options", "mode", "logged"),
    [
        ("my-model", {}, "prompt", True),
        ("my-model-FC", {}, "fc", True),
        ("my-model", {"choice": FormChoice({None: Mode.FC})}, "fc", False),
        ("my-model-FC", {"choice": FormChoice({None: Mode.PROMPT})}, "prompt", False),
    ],
)
def test_the_mode_of_an_unknown_model_follows_from_its_name(read, tmp_path, folder, options, mode, logged):
    """Where no answer shows the mode, it is that of the suffix, which is logged, or the given one."""
    lines: list[str] = []
    write(tmp_path / folder, "multiple", [answer("multiple_0", "a")])
    (row,) = read(tmp_path, log=lines.append, **options)
    assert (row["model"], row["mode"], row["name_style"]) == (folder, mode, None)
    assert any("not in the official list of models" in line for line in lines) == logged


def test_a_given_mode_overrides_the_list(read, tmp_path):
    """With --mode, a listed model is read in that mode; its name style is unchanged."""
    write(tmp_path / FC_MODEL, "multiple", [answer("multiple_0", "a")])
    (row,) = read(tmp_path, choice=FormChoice({None: Mode.PROMPT}))
    assert (row["mode"], row["name_style"]) == ("prompt", "underscored")


def test_lone_surrogates_are_preserved(read, tmp_path):
    """A lone surrogate in an answer, escaped or as raw bytes, is unchanged."""
    raw = b'{"id": "multiple_1", "result": "x\xed\xa0\x80", "latency": 1}'
    write(tmp_path / "m", "multiple", [answer("multiple_0", "x\ud800"), raw])
    assert [json.loads(row["result_json"]) for row in read(tmp_path)] == ["x\ud800", "x\ud800"]


def test_memory_sessions_are_skipped(read, tmp_path):
    """Results of prerequisite sessions are not in the table, and the log reports it."""
    lines: list[str] = []
    folder = "agentic/memory/kv"
    write(tmp_path / "m", "memory_kv_prereq", [answer("memory_kv_prereq_0-customer-0", [])], group=folder)
    write(tmp_path / "m", "memory_kv", [answer("memory_kv_0-customer-0", [["x"]])], group=folder)
    (row,) = read(tmp_path, log=lines.append)
    assert row["entry_id"] == "memory_kv_0-customer-0"
    assert "1 file of memory sessions (never scored)" in lines


@pytest.mark.parametrize(
    ("rows", "message"),
    [
        ([b'{"id": '], ":1: not JSON"),
        ([b"\xff"], ":1: not JSON"),
        ([b"[]"], ":1: expected a JSON object: got a list"),
        ([{"id": "multiple_0"}], ":1: expected `id` and `result`: got id"),
        ([{"result": "a"}], ":1: expected `id` and `result`: got result"),
        ([answer("multiple_200", "a")], ":1: not an entry of multiple .*: 'multiple_200'"),
        ([answer("parallel_0", "a")], ":1: not an entry of multiple .*: 'parallel_0'"),
        (
            [answer("multiple_0", "a", latency="fast")],
            ":1: expected a number or lists of numbers as `latency`",
        ),
        (
            [answer("multiple_0", "a", input_token_count=[True])],
            ":1: expected a number or lists of numbers",
        ),
        ([answer("multiple_0", "a", latency=float("nan"))], ":1: expected a number or lists of numbers"),
        ([answer("multiple_0", "a", latency=10**400)], ":1: expected a number or lists of numbers"),
        ([answer("multiple_0", "a", input_token_count=2**63)], ":1: .* none above 1e.12"),
    ],
)
def test_a_malformed_line_is_named(read, tmp_path, rows, message):
    """A line that is not a result of the category costs itself; without another, nothing is written."""
    path = write(tmp_path / "m", "multiple", rows)
    with pytest.raises(TableError, match=f"nothing could be read.*{path.name}{message}"):
        read(tmp_path)
    assert not (tmp_path / "out.parquet").exists()
    lines: list[str] = []
    write(tmp_path / "m", "multiple", [*rows, answer("multiple_1", "a")])
    (row,) = read(tmp_path, log=lines.append)
    assert row["entry_id"] == "multiple_1"
    assert re.search(f"Not read: .*{path.name}{message}", "\n".join(lines))


def test_the_last_line_of_an_entry_counts(read, tmp_path):
    """As where the official tool updates a file; the others are listed."""
    lines: list[str] = []
    twins = [answer("live_relevance_3-3-0", "a"), answer("live_relevance_3-3-0", "b")]
    path = write(tmp_path / "m", "live_relevance", twins, group="live")
    (row,) = read(tmp_path, log=lines.append)
    assert row["result_json"] == '"b"'
    reason = "another line of the same entry follows, which counts"
    assert f"Not read: {path}:1: {reason}: 'live_relevance_3-3-0'" in lines


def test_what_was_read_is_reported_by_model(read, tmp_path):
    """A table by model, then why entries have no answer, with an example, then what was not read."""
    memory = "CUDA out of memory. Tried to allocate {} GiB"
    failed = [
        {"id": f"multiple_{number}", "result": f"Error during inference: {memory.format(number / 8)}"}
        for number in range(1, 4)
    ]
    bad = [answer(f"multiple_{number}", "a") for number in range(200, 203)]
    path = write(tmp_path / "b", "multiple", [answer("multiple_0", "[f(a=1)]"), *failed, *bad])
    write(tmp_path / "a", "multiple", [answer("multiple_0", [{"f": "{}"}])])
    foreign = write(tmp_path / "a", "mine", [])
    lines: list[str] = []
    read(tmp_path, log=lines.append)
    assert lines[1:4] == [
        "model  mode    names        known from  files  responses  no answer  not read",
        "a      fc      underscored  answers         1          1          0         0",
        "b      prompt  dotted       answers         1          4          3         3",
    ]
    assert lines[4] == f"No answer: CUDA out of memory: 3 (first multiple_1 of b: {memory.format(0.125)})"
    assert lines[5].startswith(f"Not read: {foreign}: unknown category 'mine'")
    place = "not an entry of multiple in the staged release: 'multiple_200' (and 2 more lines)"
    assert lines[6] == f"Not read: {path}:5: {place}"


def test_an_unknown_category_is_named(read, tmp_path):
    """A result file of an unknown category is refused; the error has the nearest known name."""
    write(tmp_path / "m", "simple_pyton", [])
    with pytest.raises(
        ConfigError, match=r"unknown category 'simple_pyton'\. Did you mean 'simple_python'"
    ):
        read(tmp_path)


def test_a_category_in_two_files_is_named(read, tmp_path):
    """Neither of two result files of one model and category is read."""
    write(tmp_path / "m", "multiple", [answer("multiple_0", "a")])
    write(tmp_path / "m", "multiple", [answer("multiple_0", "b")], group="live")
    with pytest.raises(ConfigError, match="duplicate multiple of m, first "):
        read(tmp_path)
    write(tmp_path / "m", "parallel", [answer("parallel_0", "a")])
    lines: list[str] = []
    (row,) = read(tmp_path, log=lines.append)
    assert row["entry_id"] == "parallel_0"
    assert sum("duplicate multiple of m, first " in line for line in lines) == 2


@pytest.mark.parametrize("name", ["BFCL_v3_simple_result.json", "BFCL_v4_simple_result.json"])
def test_a_file_of_v3_gives_way_to_one_of_v4(read, tmp_path, name):
    """The results of the newest version are read, and the other file is named."""
    path = write(tmp_path / "m", "simple_python", [answer("simple_python_0", "new")])
    old = path.with_name(name)
    old.write_text(json.dumps(answer("simple_0", "old")))
    lines: list[str] = []
    (row,) = read(tmp_path, log=lines.append)
    assert row["result_json"] == '"new"'
    assert f"Not read: {old}: simple_python of m of a newer version is in {path}" in lines


def test_only_regular_files_are_opened(read, tmp_path):
    """A pipe with the name of a result file is listed, and nothing waits for it."""
    pipe = write(tmp_path / "m", "multiple", [answer("multiple_0", "a")]).with_name(
        "BFCL_v4_parallel_result.json"
    )
    os.mkfifo(pipe)
    lines: list[str] = []
    assert len(read(tmp_path, log=lines.append)) == 1
    assert f"Not read: {pipe}: not a regular file" in lines


def test_links_are_not_followed(read, tmp_path):
    """What somebody's folder links to is on this machine: neither files nor folders of it are read."""
    path = write(tmp_path / "result/m", "multiple", [answer("multiple_0", "a")])
    private = tmp_path / "private.json"
    private.write_text(json.dumps(answer("parallel_0", "private")))
    link = path.with_name("BFCL_v4_parallel_result.json")
    link.symlink_to(private)
    (tmp_path / "result/other").symlink_to(write(tmp_path / "n", "multiple", []).parents[1])
    lines: list[str] = []
    (row,) = read(tmp_path / "result", log=lines.append)
    assert row["entry_id"] == "multiple_0"
    assert f"Not read: {link}: not a regular file" in lines


def test_a_line_that_is_too_long_ends_its_file(read, tmp_path, monkeypatch):
    """The lines before it are read."""
    path = write(tmp_path / "m", "multiple", [answer("multiple_0", "a"), answer("multiple_1", "b" * 1000)])
    monkeypatch.setattr(result_files, "_LONGEST_LINE", 1000)
    lines: list[str] = []
    (row,) = read(tmp_path, log=lines.append)
    assert row["entry_id"] == "multiple_0"
    assert f"Not read: {path}: cannot be read to its end: line 2 has more than 1,000 bytes" in lines


@pytest.mark.parametrize("name", ["7b", "a&b", "a+b", "a@b", "a=b", "a b", "a(b)", "a[b]", "\ufb01ne"])
def test_a_folder_under_whose_name_the_official_tool_runs_no_call_is_named(read, tmp_path, name):
    """Only if it has multi-turn results: the official verdicts on them do not depend on the answers."""
    for folder in (name, "org_m-1.5:x"):
        write(tmp_path / folder, "multi_turn_base", [answer("multi_turn_base_0", [["a"]])])
        write(tmp_path / f"single {folder}", "multiple", [answer("multiple_0", "a")])
    lines: list[str] = []
    read(tmp_path, log=lines.append)
    (line,) = [line for line in lines if "no multi-turn call runs in the official tool" in line]
    assert line.startswith(f"{name}: ")


def test_a_folder_without_results_is_refused(read, tmp_path):
    """The error has the expected layout."""
    with pytest.raises(ConfigError, match="no results of the official tool; expected"):
        read(tmp_path)


def test_missing_staged_data_is_an_error(tmp_path):
    """The error states how to stage them."""
    write(tmp_path / "m", "multiple", [answer("multiple_0", "a")])
    with pytest.raises(ConfigError, match="Stage the release first"):
        import_official(tmp_path, tmp_path / "out", data=tmp_path / "nodata", log=lambda _: None)


NATIVE = [{"math_factorial": '{"number": 5}'}]
DOTTED = [{"math.factorial": '{"number": 5}'}]
TEXT = "[math.factorial(number=5)]"


def of_models(folder: Path, answers: dict[str, list[object]]) -> None:
    """Writes answers of models to simple_python_1 and others."""
    for model, results in answers.items():
        rows = [answer(f"simple_python_{number}", result) for number, result in enumerate(results, start=1)]
        write(folder / model, "simple_python", rows)


@pytest.mark.parametrize(
    ("model", "results", "options", "message"),
    [
        (
            "a",
            [NATIVE, TEXT],
            [{}, {}],
            "a: two forms: .*lists of calls: 1; .*text with calls: 1. Choose with --mode a=fc or",
        ),
        (
            "a",
            [NATIVE],
            [{None: Mode.PROMPT}, {}],
            "a: mode prompt by --mode, but not by its answers: .*calls: 1; .*: 0",
        ),
        ("a", [TEXT], [{None: Mode.FC}, {}], "a: mode fc by --mode, but .*calls: 0; .*: 1"),
        ("gpt-4o-2024-11-20", [NATIVE], [{}, {}], "mode prompt in the official list, but not by its"),
        (FC_MODEL, [TEXT], [{}, {}], "mode fc in the official list, but not by its answers"),
        (
            "a",
            [NATIVE],
            [{}, {None: NameStyle.DOTTED}],
            "dots: 0; .*instead of dots: 1. Choose with --name-style a=",
        ),
    ],
)
def test_a_contradiction_stops_with_both_counts(read, tmp_path, model, results, options, message):
    """What is said of all models is compared with the answers, what is said of one model is not."""
    of_models(tmp_path, {model: results})
    with pytest.raises(ConfigError, match=message):
        read(tmp_path, choice=FormChoice(*options))
    for mode in Mode:
        for style in NameStyle:
            choice = FormChoice({**options[0], model: mode}, {**options[1], model: style})
            assert {row["mode"] for row in read(tmp_path, choice=choice)} == {mode}


def test_a_stray_answer_contradicts_nothing(read, tmp_path):
    """One of ten answers may have another form: models that were sent tools write calls as text, too."""
    of_models(tmp_path, {"a": [DOTTED] + [[{"other": "{}"}]] * 8 + [TEXT], "b": [TEXT] * 9 + [NATIVE]})
    modes = {row["model"]: (row["mode"], row["name_style"]) for row in read(tmp_path)}
    assert modes == {"a": ("fc", "dotted"), "b": ("prompt", None)}


def test_an_option_of_an_unknown_model_is_an_error(read, tmp_path):
    """The error has the models that are there."""
    of_models(tmp_path, {"a": [TEXT]})
    with pytest.raises(ConfigError, match=r"unknown model 'org/a'\..* Known: a\."):
        read(tmp_path, choice=FormChoice(modes={"org/a": Mode.FC}))
