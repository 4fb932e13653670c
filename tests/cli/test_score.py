"""`bfcl-pipeline score` on a table that was not written by the pipeline."""

import json

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from bfcl_pipeline.benchmark.tables.schemas import VERDICT_FIELDS, VERDICTS
from bfcl_pipeline.cli import main

RESPONSES = {
    "entry_id": ["simple_python_0", "irrelevance_0", "simple_python_0"],
    "category": ["simple_python", "irrelevance", "simple_python"],
    "mode": ["fc", "prompt", "prompt"],
    "result_json": [
        json.dumps([{"calculate_triangle_area": '{"base": 10, "height": 5}'}]),
        json.dumps("No function fits."),
        json.dumps("[calculate_triangle_area(base=10)]"),
    ],
    "my_column": ["a", "b", "c"],
}


def _score(folder, staged, *options):
    source, out = folder / "responses.parquet", folder / "verdicts.parquet"
    pq.write_table(pa.table(RESPONSES), source)
    code = main(["score", str(source), "--out", str(out), "--data", str(staged), *options])
    return code, out


def test_a_table_is_scored(tmp_path, staged, capsys):
    """Rows keep their order and columns, and the columns of a verdict are added; a summary is printed."""
    code, out = _score(tmp_path, staged)
    assert code == 0
    table = pq.read_table(out)
    assert table.column_names == [*RESPONSES, *(field.name for field in VERDICT_FIELDS)]
    assert table.column("valid").to_pylist() == [True, True, False]
    assert table.column("error_type").to_pylist()[2] == "simple_function_checker:missing_required"
    assert "3 rows, 3 scored, 2 valid (66.67%)" in capsys.readouterr().err


def test_equal_inputs_give_equal_bytes(tmp_path, staged):
    """Scoring twice, with one process or two, writes the same bytes."""
    _, out = _score(tmp_path, staged)
    first = out.read_bytes()
    _, out = _score(tmp_path, staged, "--processes", "2")
    assert out.read_bytes() == first


def test_all_rule_sets(tmp_path, staged):
    """`--rules all` writes a verdicts table with three rows for each response."""
    code, out = _score(tmp_path, staged, "--rules", "all")
    assert code == 0
    assert pq.read_schema(out).names == VERDICTS.names
    assert pq.read_metadata(out).num_rows == 9


def test_a_bad_row_leaves_no_output(tmp_path, staged, capsys):
    """A table with one bad row is refused as a whole, and an output that exists stays as it was."""
    _, out = _score(tmp_path, staged)
    before = out.read_bytes()
    bad = dict(RESPONSES, mode=["fc", "chat", "prompt"])
    pq.write_table(pa.table(bad), tmp_path / "bad.parquet")
    command = ["score", str(tmp_path / "bad.parquet"), "--out", str(out), "--data", str(staged)]
    assert main(command) == 1
    assert "row 2: unknown mode 'chat'" in capsys.readouterr().err
    assert out.read_bytes() == before
    assert sorted(path.name for path in tmp_path.iterdir()) == [
        "bad.parquet",
        "responses.parquet",
        "verdicts.parquet",
    ]


NATIVE = json.dumps([{"math_factorial": {"number": 5}}])
DOTTED = json.dumps([{"math.factorial": {"number": 5}}])
TEXT = json.dumps("[math.factorial(number=5)]")


def _of_models(folder, staged, answers, *options):
    """Scores answers of several models to simple_python_1, in JSON Lines without a mode."""
    source, out = folder / "responses.jsonl", folder / "verdicts.jsonl"
    row = {"entry_id": "simple_python_1", "category": "simple_python"}
    rows = [row | {"model": model, "result_json": result, **more} for model, result, more in answers]
    source.write_text("".join(json.dumps(row) + "\n" for row in rows))
    code = main(["score", str(source), "--out", str(out), "--data", str(staged), *options])
    return [json.loads(line) for line in out.read_text().splitlines()] if code == 0 else None


def test_the_form_is_found_for_each_model(tmp_path, staged):
    """Mode, names with dots and arguments that are objects, where the table has none of the columns."""
    answers = [("a", NATIVE, {}), ("b", DOTTED, {}), ("c", TEXT, {}), ("d-FC", '"No."', {})]
    rows = _of_models(tmp_path, staged, answers)
    assert [(row["mode"], row["name_style"], row["valid"]) for row in rows] == [
        ("fc", None, True),
        ("fc", "dotted", True),
        ("prompt", None, True),
        ("fc", None, False),
    ]


def test_a_column_name_style_says_how_answers_are_read(tmp_path, staged):
    """Tables with the columns of responses are scored as they are."""
    more = {"mode": "fc", "name_style": None}
    (row,) = _of_models(tmp_path, staged, [("a", DOTTED, more)])
    assert (row["valid"], row["mode"], row["name_style"]) == (False, "fc", None)


@pytest.mark.parametrize(
    ("answers", "message"),
    [
        ([("a", NATIVE, {"mode": "prompt"})] * 3, "a: mode prompt in the table, but not by its answers"),
        ([("a", TEXT, {"mode": "fc"})] * 2, "lists of calls: 0; answers that are text with calls: 2"),
        ([("a", NATIVE, {}), ("a", TEXT, {})], "a: two forms: answers that are lists of calls: 1; "),
        (
            [("a", NATIVE, {}), ("a", DOTTED, {})],
            "dots: 1; function names with underscores instead of dots: 1",
        ),
    ],
)
def test_a_contradiction_stops_with_both_counts(tmp_path, staged, capsys, answers, message):
    """And names the option with which the user decides."""
    assert _of_models(tmp_path, staged, answers) is None
    error = capsys.readouterr().err
    assert message in error
    assert "Choose with --" in error
    assert _of_models(tmp_path, staged, answers, "--mode", "a=fc", "--name-style", "a=dotted")
    assert _of_models(tmp_path, staged, answers, "--mode", "b=fc") is None
    assert "unknown model 'b'" in capsys.readouterr().err
