"""Merging the tables of shards."""

from pathlib import Path

import pytest

from bfcl_pipeline.base.errors import TableError
from bfcl_pipeline.benchmark.records import Mode, Response
from bfcl_pipeline.benchmark.tables import read_responses, write_responses
from bfcl_pipeline.benchmark.tables.files import gather
from bfcl_pipeline.benchmark.tables.schemas import RESPONSES

ORDER = [f"simple_python_{number}" for number in range(5)]


def _written(path: Path, *numbers: int) -> Path:
    responses = [Response(ORDER[number], "simple_python", Mode.FC, "[]") for number in numbers]
    write_responses(path, responses)
    return path


def test_merged_shards_equal_the_table_of_one_job(tmp_path: Path) -> None:
    """Rows are in benchmark order, byte for byte; a shard without rows adds none."""
    parts = [
        _written(tmp_path / "a.parquet", 3, 1),
        _written(tmp_path / "b.parquet"),
        _written(tmp_path / "c.parquet", 4, 0),
    ]
    gather(parts, tmp_path / "all.parquet", ORDER, RESPONSES)
    alone = _written(tmp_path / "alone.parquet", 0, 1, 3, 4)
    assert (tmp_path / "all.parquet").read_bytes() == alone.read_bytes()
    assert [row.entry_id for row in read_responses(alone)] == [ORDER[number] for number in (0, 1, 3, 4)]


@pytest.mark.parametrize(
    ("numbers", "order", "message"),
    [((1, 2), ORDER, "two shards have a row for"), ((2,), ORDER[:2], "is not an entry")],
)
def test_shards_that_do_not_fit_are_not_merged(tmp_path: Path, numbers, order, message) -> None:
    """An entry in two shards, or of another release, is an error, and no file is written."""
    parts = [_written(tmp_path / "x/responses/a.parquet", 1), _written(tmp_path / "b.parquet", *numbers)]
    with pytest.raises(TableError, match=message):
        gather(parts, tmp_path / "all.parquet", order, RESPONSES)
    assert not (tmp_path / "all.parquet").exists()
