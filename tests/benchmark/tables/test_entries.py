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
    """With all fields, with only the required ones, or none at all, equal and in order."""
    path = entries_path(tmp_path, "x")
    assert path == Path(tmp_path, "entries", "x.parquet")
    for entries in ([FULL, BARE], []):
        write_entries(path, entries)
        assert read_table(path).schema.equals(ENTRIES)
        assert read_entries(path) == entries


def test_missing_values_are_null(tmp_path):
    """What an entry need not have is not written as JSON of nothing."""
    write_entries(tmp_path / "t", [BARE])
    (row,) = read_table(tmp_path / "t").to_pylist()
    texts = {"prompt_format", "base_entry_id", "scenario"}
    documents = {"truth_json", "initial_state_json", "held_out_json", "source_json"}
    assert {name for name, value in row.items() if value is None} == texts | documents


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
