"""Tables that are small as files and huge in memory are refused before anything reads them."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from bfcl_pipeline.base.errors import TableError
from bfcl_pipeline.benchmark.tables import files, read_table
from bfcl_pipeline.benchmark.tables.schemas import VERDICTS
from bfcl_pipeline.cli import main
from bfcl_pipeline.runs.run import Run
from bfcl_pipeline.show.report.explorer.index import read_index

ROWS = 1000


def repeating(path: Path, *, nested: bool) -> Path:
    """A table whose rows all have the same text of ten megabytes, stored once."""
    texts: pa.Array = pa.DictionaryArray.from_arrays(
        pa.array([0] * ROWS, pa.int32()), pa.array(["x" * 10_000_000])
    )
    if nested:
        texts = pa.ListArray.from_arrays(pa.array(range(ROWS + 1), pa.int32()), texts)
    pq.write_table(
        pa.table({"status_detail": texts, "steps": range(ROWS)}),
        path,
        compression="zstd",
        dictionary_pagesize_limit=100_000_000,
        store_schema=False,
    )
    return path


@pytest.mark.parametrize("nested", [False, True])
def test_a_text_that_every_row_repeats_is_counted_for_every_row(tmp_path: Path, nested: bool) -> None:
    """A file of a few kilobytes that is ten gigabytes in memory is refused, and not read into it."""
    path = repeating(tmp_path / "bomb.parquet", nested=nested)
    assert path.stat().st_size < 100_000
    before = pa.default_memory_pool().max_memory()
    with pytest.raises(TableError, match="bytes in memory"):
        read_table(path)
    assert pa.default_memory_pool().max_memory() < before + 500_000_000


def test_rows_are_limited(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A table up to the limit is accepted; with one more row it is refused."""
    path = tmp_path / "table.parquet"
    pq.write_table(pa.table({"a": [1, 2, 3], "b": ["x", None, "z"]}), path)
    monkeypatch.setattr(files, "MAX_ROWS", 3)
    read_table(path)
    monkeypatch.setattr(files, "MAX_ROWS", 2)
    with pytest.raises(TableError, match="more than 2 rows"):
        read_table(path)


@pytest.fixture(scope="module")
def long_run(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The directory of a run whose verdicts are a small file of two million rows."""
    run, rows = tmp_path_factory.mktemp("long"), 2_000_000
    same = pa.DictionaryArray.from_arrays(pa.array(np.zeros(rows, np.int8)), pa.array(["official"]))
    (run / "verdicts").mkdir()
    path = run / "verdicts/m.parquet"
    table = pa.table([same] * len(VERDICTS), names=VERDICTS.names)
    pq.write_table(table, path, compression="zstd", store_schema=False)
    assert path.stat().st_size < 1_000_000
    return run


@pytest.mark.parametrize("command", [["compare"], ["aggregate", "--data", "{staged}"]])
def test_verdicts_of_millions_of_rows_are_refused(
    command: list[str], long_run: Path, staged: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """Neither a command nor the page reads them into memory, however small the file is."""
    before = pa.total_allocated_bytes()
    words = [word.format(staged=staged) for word in command]
    assert main([words[0], str(long_run), *words[1:]]) == 1
    assert "refused: more than 1,000,000 rows" in capsys.readouterr().err
    with pytest.raises(TableError, match="refused: more than 1,000,000 rows"):
        read_index(Run(long_run, data=long_run), ["m"])
    assert pa.total_allocated_bytes() < before + 1_000_000


def test_only_columns_that_are_read_are_measured(tmp_path: Path) -> None:
    """A column that is too large does not matter to who reads another one."""
    path = repeating(tmp_path / "bomb.parquet", nested=False)
    assert read_table(path, ["steps"]).num_rows == ROWS
