"""Reading and writing the table of entries."""

from __future__ import annotations

from pathlib import Path

import pyarrow as pa
import pytest

from bfcl_pipeline.base.errors import TableError
from bfcl_pipeline.benchmark.records import Entry
from bfcl_pipeline.benchmark.tables import (
    entries_path,
    read_entries,
    read_table,
    write_entries,
    write_table,
)
from bfcl_pipeline.benchmark.tables.schemas import ENTRIES

DOC = {"name": "f", "description": "ä", "parameters": {"type": "dict", "properties": {}}}
MESSAGE = {"role": "user", "content": "hi"}
FULL = Entry(
    entry_id="e_1",
    category="multi_turn_miss_func",
    turns=((MESSAGE,), (), (MESSAGE, MESSAGE)),
    functions=(DOC,),
    truth=[["f(x=1)"], []],
    prompt_format="p",
    base_entry_id="b",
    apis=("A", "B"),
    initial_state={"A": {"x": [1, None]}},
    held_out={"1": (DOC, DOC)},
    depends_on=("e_0",),
    prerequisite=True,
    scenario="s",
    source=[{"hop": 1}],
)
BARE = Entry(entry_id="e_2", category="irrelevance", turns=((MESSAGE,),), functions=())


def test_entries_come_back(tmp_path):
    """Entries with all fields, and with only the required ones, are read back equal and in order."""
    path = entries_path(tmp_path, "x")
    write_entries(path, [FULL, BARE])
    assert path == Path(tmp_path, "entries", "x.parquet")
    assert read_entries(path) == [FULL, BARE]


def test_the_table_has_the_documented_columns(tmp_path):
    """The columns are those of the schema; missing values are null."""
    write_entries(tmp_path / "t", [BARE])
    table = read_table(tmp_path / "t")
    assert table.schema.equals(ENTRIES)
    (row,) = table.to_pylist()
    assert {name for name, value in row.items() if value is None} == {
        "truth_json",
        "prompt_format",
        "base_entry_id",
        "initial_state_json",
        "held_out_json",
        "scenario",
        "source_json",
    }


def test_a_table_without_entries_is_a_table(tmp_path):
    """A table without entries has the same columns."""
    write_entries(tmp_path / "t", [])
    assert read_entries(tmp_path / "t") == []


@pytest.mark.parametrize(
    ("column", "content"), [("turns_json", "{"), ("functions_json", None), ("turns_json", "3")]
)
def test_a_row_that_cannot_be_read_is_named(tmp_path, column, content):
    """The error for a row with damaged JSON names file and entry."""
    write_entries(tmp_path / "t", [FULL, BARE])
    table = read_table(tmp_path / "t")
    position = table.schema.get_field_index(column)
    changed = pa.array([table[column][0].as_py(), content], pa.string())
    write_table(tmp_path / "t", table.set_column(position, pa.field(column, pa.string()), changed))
    with pytest.raises(TableError, match=r"t: entry 'e_2' cannot be read .* Stage the release again"):
        read_entries(tmp_path / "t")
