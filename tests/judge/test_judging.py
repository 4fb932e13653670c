"""Verdicts on tables of responses."""

import json
import os
import subprocess
import sys
import time

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from bfcl_pipeline.base.errors import TableError
from bfcl_pipeline.benchmark.records import Rules
from bfcl_pipeline.benchmark.tables.schemas import VERDICT_FIELDS
from bfcl_pipeline.judge import judging
from bfcl_pipeline.judge.judging import read_responses, score_table, score_table_by_all_rules, start_workers
from tests.support import ROOT
from tests.support.work import measured


def table(rows, **columns):
    base = {
        "entry_id": [row[0] for row in rows],
        "category": [row[0].rsplit("_", 1)[0] for row in rows],
        "mode": [row[1] for row in rows],
        "result_json": [row[2] for row in rows],
    }
    return pa.table(base | columns)


RIGHT = json.dumps("[calculate_triangle_area(base=10, height=5)]")


def verdicts_on(given, data, workers=None):
    """The columns that scoring adds by the official rules."""
    return score_table(given, data, workers=workers).select([field.name for field in VERDICT_FIELDS])


def test_rows_keep_their_order_and_columns(staged):
    """Each row has its own verdict, in any order of the rows and however often a row occurs."""
    rows = [
        ("irrelevance_3", "prompt", json.dumps("None fits.")),
        ("simple_python_0", "prompt", RIGHT),
        ("simple_python_0", "prompt", json.dumps("x")),
        ("simple_python_0", "prompt", RIGHT),
    ]
    given = table(rows, note=[1, 2, 3, 4], valid=[None, None, None, None])
    scored = score_table(given, staged)
    assert scored.column("valid").to_pylist() == [True, True, False, True]
    assert scored.column("note").to_pylist() == [1, 2, 3, 4]
    assert scored.column_names.count("valid") == 1
    assert scored.column("error_type").to_pylist()[2] == "ast_decoder:decoder_failed"


def test_processes_do_not_change_verdicts(staged, entries):
    """One process and three give the same columns."""
    rows = [
        (entry.entry_id, mode, result)
        for entry in [*entries("simple_java")[:40], *entries("parallel")[:40]]
        for mode, result in (("prompt", RIGHT), ("fc", "[]"), ("prompt", json.dumps("text")))
    ]
    given = table(rows)
    alone = verdicts_on(given, staged)
    with start_workers(len(given), processes=3) as workers:
        assert workers is not None
        assert verdicts_on(given, staged, workers).equals(alone)


def test_batches_do_not_change_verdicts(staged, monkeypatch):
    """Rows are scored some at a time, by number and by size; an error has the number of its row."""
    rows = [("simple_python_0", "prompt", json.dumps("x" * number)) for number in range(5)]
    given = table([*rows, ("simple_python_0", "prompt", RIGHT)])
    at_once = score_table_by_all_rules(given, staged)
    for name, value in (("_BATCH_ROWS", 4), ("_BATCH_BYTES", 1)):
        monkeypatch.setattr(judging, name, value)
        assert score_table_by_all_rules(given, staged).equals(at_once)
        with pytest.raises(TableError, match="row 6: unknown mode 'promt'"):
            score_table(table([*rows, ("simple_python_0", "promt", RIGHT)]), staged)


def test_few_rows_start_no_process():
    """No process is started for so few rows that this one scores them faster alone."""
    with start_workers(1_000) as workers:
        assert workers is None


def test_all_rule_sets(staged):
    """A verdicts table has one row per response and rule set, with the documented columns."""
    given = table([("simple_python_0", "prompt", RIGHT)], model=["m"])
    verdicts = score_table_by_all_rules(given, staged)
    assert verdicts.column("rules").to_pylist() == ["official", "corrected", "verified"]
    assert verdicts.column("model").to_pylist() == ["m"] * 3
    assert verdicts.column("run").to_pylist() == [None] * 3


def test_no_result_is_no_verdict(staged):
    """A row without a result is not scored: whether the model or the machinery failed is unknown."""
    scored = verdicts_on(table([("irrelevance_3", "prompt", None)]), staged)
    assert scored.to_pylist() == [
        {
            "valid": None,
            "error_type": None,
            "error_message": "There is no result_json.",
            "status": "not_recorded",
            "answer_class": None,
            "unread_call": False,
        }
    ]


@pytest.mark.parametrize(
    ("given", "message"),
    [
        (pa.table({"entry_id": ["a"]}), "no column 'category'"),
        (table([("simple_pyton_0", "prompt", "[]")]), "row 1.*Did you mean 'simple_python'"),
        (table([("simple_python_0", "prmpt", "[]")]), "row 1.*unknown mode"),
        (table([("simple_python_9999", "prompt", "[]")]), "'simple_python_9999' is not one of"),
        (table([("simple_python_0", "prompt", "text")]), "simple_python_0.*not JSON"),
        (table([("simple_python_0", "prompt", "[]")], status=["lost"]), "unknown status 'lost'"),
    ],
)
def test_bad_tables_are_named(given, message, staged):
    """The error names the wrong column, category, mode, entry or result, with its row."""
    with pytest.raises(TableError, match=message):
        score_table(given, staged)


def test_an_unstaged_folder_says_what_to_do(tmp_path):
    """If the benchmark is not staged, the error names the command that stages it."""
    given = table([("simple_python_0", "prompt", RIGHT)])
    with pytest.raises(TableError, match="bfcl-pipeline stage --data"):
        score_table(given, tmp_path)


def test_an_interruption_ends_the_workers(tmp_path):
    """An exception such as that of Ctrl-C ends the processes that score, whatever they are doing."""
    program = """
import signal
from bfcl_pipeline.judge.judging import start_workers

if __name__ == "__main__":
    with start_workers(0, processes=3) as workers:
        for _ in range(2):
            workers.pool.submit(signal.pause)
        raise KeyboardInterrupt
"""
    script = tmp_path / "interrupted.py"
    script.write_text(program, encoding="utf-8")
    done = subprocess.run(
        [sys.executable, str(script)],
        env={**os.environ, "PYTHONPATH": str(ROOT)},
        capture_output=True,
        text=True,
        timeout=300,
        check=False,
    )
    assert done.stderr.rstrip().endswith("KeyboardInterrupt")


@pytest.mark.parametrize(
    ("tables", "message"),
    [
        ([pa.Table.from_arrays([pa.array(["a"]), pa.array(["b"])], names=["mode", "mode"])], "'mode'"),
        ([pa.table({"run": ["a"]}), pa.table({"run": [1]})], "differ in the type of a column"),
    ],
)
def test_tables_that_cannot_be_joined_are_named(tables, message, tmp_path):
    """Columns of the same name in one file, or of different types in two, are an error."""
    paths = [tmp_path / f"{number}.parquet" for number, _ in enumerate(tables)]
    for path, one in zip(paths, tables, strict=True):
        pq.write_table(one, path)
    with pytest.raises(TableError, match=message):
        read_responses(paths)


HOSTILE = [
    ("simple_python_0", "prompt", f"[calculate_triangle_area(base={'[' * 60}1{']*2' * 60}, height=5)]"),
    ("simple_python_0", "prompt", f"[calculate_triangle_area(base={'0x' + 'f' * 4_000}, height=5)]"),
    ("simple_python_0", "fc", [{"calculate_triangle_area" * 100_000: "{}"}]),
    ("simple_java_0", "prompt", f"[{'|-' * 1_900}]"),
    ("multi_turn_base_0", "prompt", [[f"[pwd(a={'[' * 90}1{']*2' * 90})]"] * 50, [], [], []]),
    ("multi_turn_base_0", "fc", [[[{"f(" + "1," * 2_000_000 + ")": "{}"}]], [], [], []]),
    ("multi_turn_base_0", "fc", [[[]] * 1_000_000, [], [], []]),
    ("memory_kv_0-customer-0", "prompt", [[f"{{'answer': 0x{'f' * 4_000}}}"]]),
]


def test_no_answer_holds_up_the_others(staged):
    """Answers that are made to take for ever or to stop the scorer are wrong, and the others are scored."""
    rows = [(entry_id, mode, json.dumps(result)) for entry_id, mode, result in HOSTILE]
    categories = [entry_id.rsplit("_", 1)[0] for entry_id, *_ in rows[:-1]] + ["memory_kv"]
    given = table([*rows, ("simple_python_0", "prompt", RIGHT)], category=[*categories, "simple_python"])
    with measured() as work:
        scored = score_table_by_all_rules(given, staged)
    assert scored.column("valid").to_pylist() == [*[False] * len(rows), True] * len(Rules)
    assert work.calls < 1_000_000


@pytest.mark.parametrize(
    "made",
    [
        lambda size: " " * size + "1",
        lambda size: "<tool_call>```json" + "\n" * (size // 4) + "a",
        lambda size: "x```\n[" + "\t " * (size // 8) + "a",
        lambda size: "```json" + " " * (size // 32) + "x" + '{"name": "g", "parameters": 1' * 200,
    ],
    ids=["blanks", "a tag before lines", "a list of blanks", "objects after blanks"],
)
def test_an_answer_takes_linear_time(made, staged):
    """An answer of 100,000 characters takes at most six times as long as one of a quarter of them."""

    def seconds(size):
        given = table([("irrelevance_0", "prompt", json.dumps(made(size)))])
        start = time.process_time()
        score_table(given, staged)
        return time.process_time() - start

    seconds(10)  # what is loaded once
    assert any(seconds(100_000) < 6 * max(seconds(25_000), 0.01) for _ in range(3))  # of a coarse clock
