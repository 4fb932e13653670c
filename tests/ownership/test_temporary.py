"""Unfinished files: names that nobody shares, and which of them are cleared away."""

import os
from dataclasses import replace

import pytest

from bfcl_pipeline.ownership import clear_temporaries, temporary_path, this_process

NOW = 1_000_000.0


def _made(path, process, age_seconds=0.0):
    made = temporary_path(path, process)
    made.write_text("half")
    os.utime(made, (NOW - age_seconds, NOW - age_seconds))
    return made


def test_names_are_hidden_and_say_who_writes(tmp_path):
    """Machine, process and something new each time; whatever the machine is called."""
    path = tmp_path / "table.parquet"
    names = {temporary_path(path).name for _ in range(100)}
    assert len(names) == 100
    odd = replace(this_process(), host="näme.with-all/of.it" * 9, started=None)
    for name in (*names, temporary_path(path, odd).name):
        assert name.startswith(".table.parquet.")
        assert name.endswith(".tmp")
        assert "/" not in name
        assert len(name.encode()) < 100
    assert all(f"-{os.getpid()}-" in name for name in names)


@pytest.mark.parametrize(
    ("changes", "age_seconds", "goes"),
    [
        ({}, 1e6, False),
        ({"started": "1"}, 0, True),
        ({"pid": None}, 0, True),
        ({"pid": None, "started": None}, 0, True),
        ({"pid": None, "host": "elsewhere"}, 3500, False),
        ({"pid": None, "host": "elsewhere"}, 3700, True),
        ({"pid": None, "boot": "another"}, 3500, False),
        ({"pid": None, "boot": "another"}, 3700, True),
    ],
    ids=[
        "alive",
        "number used again",
        "dead",
        "dead, no start",
        "there",
        "there, old",
        "before",
        "before, old",
    ],
)
def test_what_nobody_writes_any_more_goes(tmp_path, ended, changes, age_seconds, goes):
    """That of a dead process at once, that of another machine after an hour, that of one alive never."""
    changes = {**changes, "pid": ended} if "pid" in changes else changes
    made = _made(tmp_path / "table.parquet", replace(this_process(), **changes), age_seconds)
    clear_temporaries([made], NOW)
    assert made.exists() != goes


def test_files_by_other_names_go_when_they_are_old(tmp_path):
    """Of whom a name does not tell, an hour does; what is gone already is no error."""
    young, old = tmp_path / ".a.tmp", tmp_path / ".b.tmp"
    for path, age_seconds in ((young, 3500), (old, 3700)):
        path.write_text("")
        os.utime(path, (NOW - age_seconds, NOW - age_seconds))
    clear_temporaries([young, old, tmp_path / ".c.tmp"], NOW)
    assert [*tmp_path.iterdir()] == [young]
