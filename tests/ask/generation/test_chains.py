"""How the entries of one model are divided into shards."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

from bfcl_pipeline.ask.generation.chains import expected_requests, shard_of
from bfcl_pipeline.benchmark.definition import CATEGORIES
from bfcl_pipeline.benchmark.records import Entry
from bfcl_pipeline.benchmark.tables import read_table
from bfcl_pipeline.benchmark.tables.schemas import RESPONSES, SESSIONS
from bfcl_pipeline.cli import main

MODELS = Path(__file__).parents[3] / "config" / "models.yaml"


@pytest.fixture(scope="module")
def everything(entries: Callable[[str], list[Entry]]) -> list[Entry]:
    return [entry for name, one in CATEGORIES.items() if not one.prompt_only for entry in entries(name)]


@pytest.mark.parametrize("of", [1, 2, 4, 7])
def test_shards_are_a_partition_that_keeps_chains_whole(everything: list[Entry], of: int) -> None:
    """Every entry is in one shard, in its order, with all entries that it depends on."""
    parts = [[entry.entry_id for entry in shard_of(everything, number, of)] for number in range(1, of + 1)]
    part_of = {entry_id: number for number, part in enumerate(parts) for entry_id in part}
    assert sum(map(len, parts)) == len(part_of) == len(everything)
    places = {entry.entry_id: place for place, entry in enumerate(everything)}
    assert all(part == sorted(part, key=places.__getitem__) for part in parts)
    for entry in everything:
        assert {part_of[needed] for needed in entry.depends_on} <= {part_of[entry.entry_id]}


@pytest.mark.parametrize("of", [2, 4, 7])
def test_shards_are_about_equal(everything: list[Entry], of: int) -> None:
    """The largest shard is expected to take at most one percent more requests than the smallest."""
    sizes = [sum(map(expected_requests, shard_of(everything, number, of))) for number in range(1, of + 1)]
    assert max(sizes) <= 1.01 * min(sizes)


def test_a_shard_is_always_the_same(everything: list[Entry]) -> None:
    """Two jobs that divide the same entries agree."""
    assert shard_of(everything, 2, 3) == shard_of(list(everything), 2, 3)


def test_more_shards_than_chains_leave_some_empty(entries: Callable[[str], list[Entry]]) -> None:
    """Two entries in five shards: two of one entry, three without entries."""
    two = entries("simple_java")[:2]
    assert sorted(len(shard_of(two, number, 5)) for number in range(1, 6)) == [0, 0, 0, 1, 1]
    assert shard_of([], 1, 2) == []


def test_an_empty_shard_is_written_with_all_columns(staged: Path, tmp_path: Path) -> None:
    """Tables without rows can be merged with those of the other shards."""
    command = ["generate", "--run", "r", "--model", "oracle-FC", "--models", str(MODELS)]
    command += ["--data", str(staged), "--category", "memory_kv", "--sample", "1", "--shard", "2/2"]
    command += ["--out", str(tmp_path / "out"), "--sessions-out", str(tmp_path / "sessions")]
    assert main(command) == 0
    for folder, schema in (("out", RESPONSES), ("sessions", SESSIONS)):
        table = read_table(tmp_path / folder / "memory_kv.parquet")
        assert table.num_rows == 0
        assert table.schema.equals(schema)


@pytest.mark.parametrize("shard", ["0/2", "3/2", "2", "a/b", "1/2/3"])
def test_a_shard_that_does_not_exist_is_refused(shard: str, capsys: pytest.CaptureFixture[str]) -> None:
    """The message states what is expected."""
    with pytest.raises(SystemExit):
        main(["generate", "--shard", shard])
    assert "expected I/N with I from 1 to N, for example 2/4" in capsys.readouterr().err
