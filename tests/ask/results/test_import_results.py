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
def lines() -> list[str]:
    """The log of the import."""
    return []


@pytest.fixture
def read(staged, tmp_path, lines):
    """Imports a result folder and returns the rows of the table."""

    def run(folder: Path, **options) -> list[dict]:
        out = tmp_path / "out.parquet"
        import_official(folder, out, data=staged, log=lines.append, **options)
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
    numbers = {"input_tokens": 3, "output_tokens": 4, "latency_seconds": 0.5}
    place = {
        "run": "mine",
        "model": "Qwen/Qwen3-8B",
        "category": "live_simple",
        "entry_id": "live_simple_1-1-0",
    }
    form = {"mode": "prompt", "name_style": "dotted", "result_json": '"[f()]"'}
    status = {"status": "answered", "status_detail": None, "web": None}
    steps = [{"turn": 0, **numbers, "finish_reason": None}]
    assert rows[0] == {**place, **form, **status, **numbers, "steps": steps}
    assert [(row["mode"], row["name_style"]) for row in rows[1:]] == [("fc", "underscored")] * 3
    assert [json.loads(row["result_json"]) for row in rows[1:]] == ["text", None, calls]
    (row,) = read(result / "Qwen_Qwen3-8B", run="mine")  # The folder of one model is enough.
    assert row == rows[0]


def test_a_stored_failure_is_not_an_answer(read, tmp_path):
    """A stored failure becomes a status with its text; the same text of a model stays an answer."""
    text = "Error during inference: 429 \ud83d quota"
    failures = [
        {"id": "irrelevance_0", "result": text, "traceback": "..."},
        {"id": "irrelevance_1", "result": text},
    ]
    write(tmp_path / FC_MODEL, "irrelevance", [*failures, answer("irrelevance_2", text)])
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
    sums = [read_row[key] for key in ("input_tokens", "output_tokens", "latency_seconds")]
    assert sums == [35, 1, 1.0]
    steps = [(step["turn"], step["input_tokens"]) for step in read_row["steps"]]
    assert steps == [(0, 10), (0, 20), (1, 5)]
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


def test_an_unsupported_form_is_not_a_wrong_answer(read, lines, tmp_path):
    """Answers in an unsupported form have a separate status, and the log names the handler."""
    write(tmp_path / "gorilla-openfunctions-v2", "multiple", [answer("multiple_0", "f()")])
    (row,) = read(tmp_path)
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
    ("folder", "given", "mode", "style", "logged"),
    [
        ("my-model", None, "prompt", None, True),
        ("my-model-FC", None, "fc", None, True),
        ("my-model", Mode.FC, "fc", None, False),
        ("my-model-FC", Mode.PROMPT, "prompt", None, False),
        (FC_MODEL, Mode.PROMPT, "prompt", "underscored", False),
    ],
)
def test_a_mode_is_given_or_of_the_name(read, lines, tmp_path, folder, given, mode, style, logged):
    """Where no answer shows it: the given one, also of a listed model, or that of the suffix (logged)."""
    write(tmp_path / folder, "multiple", [answer("multiple_0", "a")])
    (row,) = read(tmp_path, **({"choice": FormChoice({None: given})} if given else {}))
    assert (row["model"], row["mode"], row["name_style"]) == (folder, mode, style)
    assert any("not in the official list of models" in line for line in lines) == logged


def test_lone_surrogates_are_preserved(read, tmp_path):
    """A lone surrogate in an answer, escaped or as raw bytes, is unchanged."""
    raw = b'{"id": "multiple_1", "result": "x\xed\xa0\x80", "latency": 1}'
    write(tmp_path / "m", "multiple", [answer("multiple_0", "x\ud800"), raw])
    assert [json.loads(row["result_json"]) for row in read(tmp_path)] == ["x\ud800", "x\ud800"]


def test_memory_sessions_are_skipped(read, lines, tmp_path):
    """Results of prerequisite sessions are not in the table, and the log reports it."""
    folder = "agentic/memory/kv"
    write(tmp_path / "m", "memory_kv_prereq", [answer("memory_kv_prereq_0-customer-0", [])], group=folder)
    write(tmp_path / "m", "memory_kv", [answer("memory_kv_0-customer-0", [["x"]])], group=folder)
    (row,) = read(tmp_path)
    assert row["entry_id"] == "memory_kv_0-customer-0"
    assert "1 file of memory sessions (never scored)" in lines


NUMBERS = ":1: expected a number or lists of numbers"


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
        ([answer("multiple_0", "a", latency="fast")], f"{NUMBERS} as `latency`"),
        ([answer("multiple_0", "a", input_token_count=[True])], NUMBERS),
        ([answer("multiple_0", "a", latency=float("nan"))], NUMBERS),
        ([answer("multiple_0", "a", latency=10**400)], NUMBERS),
        ([answer("multiple_0", "a", input_token_count=2**63)], ":1: .* none above 1e.12"),
    ],
)
def test_a_malformed_line_is_named(read, lines, tmp_path, rows, message):
    """A line that is not a result of the category costs itself; without another, nothing is written."""
    path = write(tmp_path / "m", "multiple", rows)
    with pytest.raises(TableError, match=f"nothing could be read.*{path.name}{message}"):
        read(tmp_path)
    assert not (tmp_path / "out.parquet").exists()
    lines.clear()
    write(tmp_path / "m", "multiple", [*rows, answer("multiple_1", "a")])
    (row,) = read(tmp_path)
    assert row["entry_id"] == "multiple_1"
    assert re.search(f"Not read: .*{path.name}{message}", "\n".join(lines))


def test_the_last_line_of_an_entry_counts(read, lines, tmp_path):
    """As where the official tool updates a file; the others are listed."""
    twins = [answer("live_relevance_3-3-0", "a"), answer("live_relevance_3-3-0", "b")]
    path = write(tmp_path / "m", "live_relevance", twins, group="live")
    (row,) = read(tmp_path)
    assert row["result_json"] == '"b"'
    reason = "another line of the same entry follows, which counts"
    assert f"Not read: {path}:1: {reason}: 'live_relevance_3-3-0'" in lines


def test_what_was_read_is_reported_by_model(read, lines, tmp_path):
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
    read(tmp_path)
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
    with pytest.raises(ConfigError, match=r"category 'simple_pyton'\. Did you mean 'simple_python'"):
        read(tmp_path)


def test_a_category_in_two_files_is_named(read, lines, tmp_path):
    """Neither of two result files of one model and category is read."""
    write(tmp_path / "m", "multiple", [answer("multiple_0", "a")])
    write(tmp_path / "m", "multiple", [answer("multiple_0", "b")], group="live")
    with pytest.raises(ConfigError, match="duplicate multiple of m, first "):
        read(tmp_path)
    write(tmp_path / "m", "parallel", [answer("parallel_0", "a")])
    (row,) = read(tmp_path)
    assert row["entry_id"] == "parallel_0"
    assert sum("duplicate multiple of m, first " in line for line in lines) == 2


@pytest.mark.parametrize("name", ["BFCL_v3_simple_result.json", "BFCL_v4_simple_result.json"])
def test_a_file_of_v3_gives_way_to_one_of_v4(read, lines, tmp_path, name):
    """The results of the newest version are read, and the other file is named."""
    path = write(tmp_path / "m", "simple_python", [answer("simple_python_0", "new")])
    old = path.with_name(name)
    old.write_text(json.dumps(answer("simple_0", "old")))
    (row,) = read(tmp_path)
    assert row["result_json"] == '"new"'
    assert f"Not read: {old}: simple_python of m of a newer version is in {path}" in lines


def test_only_regular_files_are_opened(read, lines, tmp_path):
    """Nothing waits for a pipe, and links, which lead to files of this machine, are not followed."""
    path = write(tmp_path / "result/m", "multiple", [answer("multiple_0", "a")])
    private = tmp_path / "private.json"
    private.write_text(json.dumps(answer("parallel_0", "private")))
    link, pipe = (path.with_name(f"BFCL_v4_{name}_result.json") for name in ("parallel", "irrelevance"))
    link.symlink_to(private)
    os.mkfifo(pipe)
    (tmp_path / "result/other").symlink_to(write(tmp_path / "n", "multiple", []).parents[1])
    (row,) = read(tmp_path / "result")
    assert row["entry_id"] == "multiple_0"
    assert {f"Not read: {place}: not a regular file" for place in (link, pipe)} <= set(lines)


def test_a_line_that_is_too_long_ends_its_file(read, lines, tmp_path, monkeypatch):
    """The lines before it are read."""
    path = write(tmp_path / "m", "multiple", [answer("multiple_0", "a"), answer("multiple_1", "b" * 1000)])
    monkeypatch.setattr(result_files, "_LONGEST_LINE", 1000)
    (row,) = read(tmp_path)
    assert row["entry_id"] == "multiple_0"
    assert f"Not read: {path}: cannot be read to its end: line 2 has more than 1,000 bytes" in lines


@pytest.mark.parametrize("name", ["7b", "a&b", "a+b", "a@b", "a=b", "a b", "a(b)", "a[b]", "\ufb01ne"])
def test_a_folder_under_whose_name_the_official_tool_runs_no_call_is_named(read, lines, tmp_path, name):
    """Only if it has multi-turn results: the official verdicts on them do not depend on the answers."""
    for folder in (name, "org_m-1.5:x"):
        write(tmp_path / folder, "multi_turn_base", [answer("multi_turn_base_0", [["a"]])])
        write(tmp_path / f"single {folder}", "multiple", [answer("multiple_0", "a")])
    read(tmp_path)
    (line,) = [line for line in lines if "no multi-turn call runs in the official tool" in line]
    assert line.startswith(f"{name}: ")


def test_without_results_or_staged_data_the_error_says_what_is_needed(read, tmp_path):
    """The expected layout, or the command that stages the data."""
    with pytest.raises(ConfigError, match="no results of the official tool; expected"):
        read(tmp_path)
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


TWO_FORMS = "a: two forms: .*lists of calls: 1; .*text with calls: 1. Choose with --mode a=fc or"
LISTED = "in the official list, but not by its"
BY_MODE: list[tuple[dict, dict]] = [({None: Mode.PROMPT}, {}), ({None: Mode.FC}, {})]
BY_STYLE: tuple[dict, dict] = ({}, {None: NameStyle.DOTTED})
NEITHER: tuple[dict, dict] = ({}, {})


@pytest.mark.parametrize(
    ("model", "results", "options", "message"),
    [
        ("a", [NATIVE, TEXT], NEITHER, TWO_FORMS),
        ("a", [NATIVE], BY_MODE[0], "a: mode prompt by --mode, but not by its answers: .*calls: 1; .*: 0"),
        ("a", [TEXT], BY_MODE[1], "a: mode fc by --mode, but .*calls: 0; .*: 1"),
        ("gpt-4o-2024-11-20", [NATIVE], NEITHER, f"mode prompt {LISTED}"),
        (FC_MODEL, [TEXT], NEITHER, f"mode fc {LISTED} answers"),
        ("a", [NATIVE], BY_STYLE, "dots: 0; .*instead of dots: 1. Choose with --name-style a="),
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
