"""Verdicts on tables of responses."""

import json

import pyarrow as pa
import pytest

from bfcl_pipeline.errors import TableError
from bfcl_pipeline.records import Rules
from bfcl_pipeline.tables.verdicts import add_verdicts, judge_table, verdict_table, workers


def table(rows, **columns):
    base = {
        "entry_id": [row[0] for row in rows],
        "category": [row[0].rsplit("_", 1)[0] for row in rows],
        "mode": [row[1] for row in rows],
        "result_json": [row[2] for row in rows],
    }
    return pa.table(base | columns)


RIGHT = json.dumps("[calculate_triangle_area(base=10, height=5)]")


def official(given, data, others=None):
    """The verdicts by the official rules."""
    return judge_table(given, data, [Rules.OFFICIAL], others)[Rules.OFFICIAL]


def test_rows_keep_their_order_and_columns(staged):
    """Verdicts stand beside the rows they are of, whatever the order and however often a row occurs."""
    rows = [
        ("irrelevance_3", "prompt", json.dumps("None fits.")),
        ("simple_python_0", "prompt", RIGHT),
        ("simple_python_0", "prompt", json.dumps("x")),
        ("simple_python_0", "prompt", RIGHT),
    ]
    given = table(rows, note=[1, 2, 3, 4], valid=[None, None, None, None])
    judged = add_verdicts(given, official(given, staged))
    assert judged.column("valid").to_pylist() == [True, True, False, True]
    assert judged.column("note").to_pylist() == [1, 2, 3, 4]
    assert judged.column_names.count("valid") == 1
    assert judged.column("error_type").to_pylist()[2] == "ast_decoder:decoder_failed"


def test_processes_do_not_change_verdicts(staged, entries):
    """One process and three give the same columns."""
    rows = [
        (entry.entry_id, mode, result)
        for entry in [*entries("simple_java")[:40], *entries("parallel")[:40]]
        for mode, result in (("prompt", RIGHT), ("fc", "[]"), ("prompt", json.dumps("text")))
    ]
    given = table(rows)
    alone = official(given, staged)
    with workers(len(given), processes=3) as others:
        assert others is not None
        assert official(given, staged, others).equals(alone)


def test_few_rows_start_no_process():
    """Where another process would not pay off, none is started."""
    with workers(1_000) as others:
        assert others is None


def test_both_rule_sets(staged):
    """A verdicts table has one row per response and rule set, with the documented columns."""
    given = table([("simple_python_0", "prompt", RIGHT)], model=["m"])
    verdicts = verdict_table(given, judge_table(given, staged, list(Rules)))
    assert verdicts.column("rules").to_pylist() == ["official", "corrected"]
    assert verdicts.column("model").to_pylist() == ["m", "m"]
    assert verdicts.column("run").to_pylist() == [None, None]


def test_no_result_is_no_verdict(staged):
    """A row without a result is not judged: nothing tells whether the model or the machinery failed."""
    judged = official(table([("irrelevance_3", "prompt", None)]), staged)
    assert judged.to_pylist() == [
        {
            "valid": None,
            "error_type": None,
            "error_message": "There is no result_json.",
            "status": "not_recorded",
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
    """A column, category, mode, entry or result that is wrong is named, with its row."""
    with pytest.raises(TableError, match=message):
        official(given, staged)


def test_an_unstaged_folder_says_what_to_do(tmp_path):
    """Where the benchmark is not staged, the error names the command that stages it."""
    given = table([("simple_python_0", "prompt", RIGHT)])
    with pytest.raises(TableError, match="bfcl-pipeline stage --data"):
        official(given, tmp_path)
