"""What is cleared away after a run that was killed, and what is left alone."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import ExitStack
from pathlib import Path

import pytest

from bfcl_pipeline.config import clear_killed_run
from bfcl_pipeline.tables.files import atomic_path

MARK = "locks/0.output.lock"


@pytest.fixture
def state(tmp_path: Path) -> Path:
    """Snakemake's folder, marked by a run."""
    mark = tmp_path / ".snakemake" / MARK
    mark.parent.mkdir(parents=True)
    mark.write_text("results/r/report.html\n")
    return tmp_path / ".snakemake"


@pytest.fixture
def arrive() -> Iterator[Callable[..., Callable[[], None]]]:
    """Arrives in a folder as a run does; what it gives ends that run, as the end of the test does."""
    with ExitStack() as alive:

        def arrived(state: Path, *written: Path) -> Callable[[], None]:
            held = clear_killed_run(state, written)
            assert held is not None
            return alive.enter_context(held).close

        yield arrived


def test_the_mark_of_a_dead_run_goes_with_its_half_written_files(
    state: Path, tmp_path: Path, arrive: Callable[..., Callable[[], None]]
) -> None:
    """Temporary files, in the place and by the name that atomic writing gives them, go; all else stays."""
    table = tmp_path / "results/r/tables/leaderboard.csv"
    table.parent.mkdir(parents=True)
    table.write_text("kept\n")
    with ExitStack() as dead:
        unfinished = dead.enter_context(atomic_path(table))
        arrive(state, tmp_path / "results", tmp_path / "data")
        assert not unfinished.exists()
        dead.pop_all()  # it died before it could end this
    assert [*table.parent.iterdir()] == [table]
    assert not (state / "locks").exists()


def test_nothing_is_cleared_while_a_run_is_alive(
    state: Path, arrive: Callable[..., Callable[[], None]]
) -> None:
    """The mark stays while anyone else is there, and is cleared by the first to come after that."""
    leave = arrive(state)
    (state / MARK).parent.mkdir()
    (state / MARK).write_text("results/r/report.html\n")
    leave_too = arrive(state)
    leave()
    leave_last = arrive(state)
    leave_too()
    assert (state / MARK).exists()
    leave_last()
    arrive(state)
    assert not (state / MARK).exists()


def test_an_unmarked_folder_is_not_searched(
    tmp_path: Path, arrive: Callable[..., Callable[[], None]]
) -> None:
    """Where no run was killed, temporary files are someone's; Snakemake's folder is made if needed."""
    theirs = tmp_path / ".table.parquet.x.tmp"
    theirs.write_text("")
    arrive(tmp_path / ".snakemake", tmp_path)
    assert theirs.exists()


def test_a_place_that_cannot_be_locked_is_left_to_snakemake(tmp_path: Path) -> None:
    """No error where no lock can be had: Snakemake refuses or goes on as it would without us."""
    state = tmp_path / "file"
    state.write_text("")
    assert clear_killed_run(state, [tmp_path]) is None
