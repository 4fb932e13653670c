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


def test_a_missing_table_is_named(tmp_path):
    """A table that is not there is named with what to do."""
    with pytest.raises(TableError, match="nothing: no such table"):
        read_table(tmp_path / "nothing")


@pytest.mark.parametrize("content", [b"", b"no parquet", b"PAR1" + b"x" * 50 + b"PAR1"])
def test_what_is_no_parquet_is_named(tmp_path, content):
    """A file of another kind is named as such."""
    path = tmp_path / "t"
    path.write_bytes(content)
    with pytest.raises(TableError, match="t: not a readable Parquet file"):
        read_table(path)


def test_damaged_pages_are_named(tmp_path):
    """A table whose pages are damaged, footer intact, is named as damaged."""
    path = tmp_path / "t"
    write_table(path, pa.table({"a": ["text"] * 1000}))
    content = bytearray(path.read_bytes())
    content[4:40] = b"\xff" * 36
    path.write_bytes(content)
    with pytest.raises(TableError, match="t: damaged"):
        read_table(path)


def test_a_missing_column_is_named(tmp_path):
    """A table without a wanted column is refused, with the columns it has."""
    write_table(tmp_path / "t", TABLE)
    with pytest.raises(TableError, match="column 'c' is missing; the file has a, b"):
        read_table(tmp_path / "t", ["a", "c"])


def test_a_column_that_is_there_twice_is_named(tmp_path):
    """It is not known which of the two is meant."""
    write_table(tmp_path / "t", pa.table([pa.array([1]), pa.array([2])], names=["a", "a"]))
    with pytest.raises(TableError, match="column 'a' is there twice"):
        read_table(tmp_path / "t")
