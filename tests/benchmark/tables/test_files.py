"""Tables are read and written, with clear errors."""

from __future__ import annotations

import pyarrow as pa
import pytest

from bfcl_pipeline.base.errors import TableError
from bfcl_pipeline.benchmark.tables import count_matching, read_table, write_table

TABLE = pa.table({"a": [1, 2], "b": ["x", None]})


def test_equal_tables_give_equal_bytes(tmp_path):
    """A table written twice, under two names, is the same file."""
    write_table(tmp_path / "one", TABLE)
    write_table(tmp_path / "two", pa.table({"a": [1, 2], "b": ["x", None]}))
    assert (tmp_path / "one").read_bytes() == (tmp_path / "two").read_bytes()


def test_a_table_comes_back(tmp_path):
    """What was written is read, all columns or those that are named, in the order named."""
    write_table(tmp_path / "t", TABLE)
    assert read_table(tmp_path / "t").equals(TABLE)
    assert read_table(tmp_path / "t", ["b", "a"]).to_pydict() == {"a": [1, 2], "b": ["x", None]}


def test_rows_with_a_value_are_counted(tmp_path):
    """Also a value between the least and the greatest one; null is none."""
    write_table(tmp_path / "t", pa.table({"a": [1, 2, 3, 4], "b": ["x", "z", None, "x"]}))
    assert [count_matching(tmp_path / "t", "b", value) for value in "xyza"] == [
        (4, 2),
        (4, 0),
        (4, 1),
        (4, 0),
    ]
    write_table(tmp_path / "empty", pa.table({"b": pa.array([], pa.string())}))
    assert count_matching(tmp_path / "empty", "b", "x") == (0, 0)


TWICE = pa.table([pa.array([1]), pa.array([2])], names=["a", "a"])


@pytest.mark.parametrize(
    ("content", "columns", "message"),
    [
        (None, None, "t: no such table"),
        (b"", None, "t: not a readable Parquet file"),
        (b"no parquet", None, "t: not a readable Parquet file"),
        (b"PAR1" + b"x" * 50 + b"PAR1", None, "t: not a readable Parquet file"),
        (TABLE, ["a", "c"], "column 'c' is missing; the file has a, b"),
        (TWICE, ["a"], "column 'a' is there twice"),
    ],
)
def test_what_cannot_be_read_is_named(tmp_path, content, columns, message):
    """A missing file, one of another kind, and one without a wanted column or with two of its name."""
    path = tmp_path / "t"
    if isinstance(content, bytes):
        path.write_bytes(content)
    elif content is not None:
        write_table(path, content)
    with pytest.raises(TableError, match=message):
        read_table(path, columns)


def test_damaged_pages_are_named(tmp_path):
    """A table whose pages are damaged, footer intact, is named as damaged."""
    path = tmp_path / "t"
    write_table(path, pa.table({"a": ["text"] * 1000}))
    content = bytearray(path.read_bytes())
    content[4:40] = b"\xff" * 36
    path.write_bytes(content)
    with pytest.raises(TableError, match="t: damaged"):
        read_table(path)
