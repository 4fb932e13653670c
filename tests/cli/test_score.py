"""`bfcl-pipeline score` on a table that was not written by the pipeline."""

import json

import pyarrow as pa
import pyarrow.parquet as pq

from bfcl_pipeline.cli import main
from bfcl_pipeline.tables.schemas import VERDICT_FIELDS, VERDICTS

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
