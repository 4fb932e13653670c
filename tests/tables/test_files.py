"""Files that are either whole or not there, and tables read with clear errors."""

from __future__ import annotations

import os
from dataclasses import replace

import pyarrow as pa
import pytest

from bfcl_pipeline.errors import TableError
from bfcl_pipeline.ownership import temporary_path, this_process
from bfcl_pipeline.tables import atomic_path, read_table, write_table, write_text

TABLE = pa.table({"a": [1, 2], "b": ["x", None]})


def test_a_file_appears_when_the_block_ends(tmp_path):
    """Until the block ends there is no file; then it is whole, in folders made for it."""
    path = tmp_path / "new" / "file"
    with atomic_path(path) as temporary:
        temporary.write_text("whole")
        assert not path.exists()
    assert path.read_text() == "whole"
    assert [*path.parent.iterdir()] == [path]


def test_a_failure_leaves_the_earlier_file(tmp_path):
    """If the block fails, what was there is untouched and nothing temporary remains."""
    path = tmp_path / "file"
    path.write_text("earlier")

    def fail() -> None:
        with atomic_path(path) as temporary:
            temporary.write_text("half")
            raise RuntimeError("stop")

    with pytest.raises(RuntimeError, match="stop"):
        fail()
    assert path.read_text() == "earlier"
    assert [*tmp_path.iterdir()] == [path]


def test_a_written_file_has_the_usual_permissions(tmp_path):
    """Others may read a written file as the user's umask allows."""
    before = os.umask(0o027)
    try:
        write_text(tmp_path / "file", "x")
    finally:
        os.umask(before)
    assert (tmp_path / "file").stat().st_mode & 0o777 == 0o640


def test_text_is_utf8_with_plain_newlines(tmp_path):
    """Text is written as UTF-8 and newlines are kept, whatever the platform."""
    write_text(tmp_path / "file", "ü\nx\r\n")
    assert (tmp_path / "file").read_bytes() == "ü\nx\r\n".encode()


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


def test_what_a_killed_writer_left_goes_with_the_next_one(tmp_path):
    """The unfinished file of a dead process is cleared by who writes that file again; no other is."""
    path, beside = tmp_path / "[file]", tmp_path / "[file] too"
    dead = replace(this_process(), started="1")
    alive = [temporary_path(path), temporary_path(beside, dead)]
    for unfinished in (temporary_path(path, dead), *alive):
        unfinished.write_text("half")
    write_text(path, "whole")
    assert sorted(tmp_path.iterdir()) == sorted([path, *alive])


def test_of_two_that_write_one_file_each_writes_whole(tmp_path):
    """Neither sees the other's unfinished file; the last one to end stands."""
    path = tmp_path / "file"
    with atomic_path(path) as first:
        with atomic_path(path) as second:
            second.write_text("second")
            first.write_text("first")
        assert path.read_text() == "second"
    assert path.read_text() == "first"
    assert [*tmp_path.iterdir()] == [path]
