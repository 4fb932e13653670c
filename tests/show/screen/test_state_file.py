"""The files through which jobs and runs report their states."""

from __future__ import annotations

import json
from dataclasses import asdict, replace
from pathlib import Path

import pytest

from bfcl_pipeline.show.screen.progress import LONGEST_TEXT, JobProgress
from bfcl_pipeline.show.screen.state_file import read_record, write_record
from tests.support.job_progress import NONE_YET


def test_what_is_written_is_read(tmp_path: Path) -> None:
    """Every field arrives, and no other file is left."""
    path = tmp_path / "progress/a/m.log"
    write_record(path, NONE_YET)
    assert read_record(path, JobProgress) == NONE_YET
    last = replace(NONE_YET, entries_done=2, dollars=0.5, seconds_left=3.5)
    write_record(path, last)
    assert read_record(path, JobProgress) == last
    assert list(path.parent.iterdir()) == [path]


@pytest.mark.parametrize("text", [None, "", "{", "[]", "{}", '{"name": "m"}', '{"other": 1}', "\udcff"])
def test_a_file_that_cannot_be_read_is_no_error(tmp_path: Path, text: str | None) -> None:
    """A missing, damaged or foreign file gives no state."""
    path = tmp_path / "m.log"
    if text is not None:
        path.write_bytes(text.encode("utf-8", "surrogateescape"))
    assert read_record(path, JobProgress) is None


def test_a_file_that_cannot_be_written_does_not_stop_the_job(tmp_path: Path) -> None:
    """A directory stands in its place."""
    (tmp_path / "m.log").mkdir()
    write_record(tmp_path / "m.log", NONE_YET)
    write_record(tmp_path / "m.log/x/y", NONE_YET)
    assert read_record(tmp_path / "m.log", JobProgress) is None


def test_unknown_keys_are_ignored_and_missing_ones_are_no_state(tmp_path: Path) -> None:
    """A file with another key is read, one without a key is not."""
    path = tmp_path / "m.log"
    path.write_text(json.dumps(asdict(NONE_YET) | {"of_a_later_version": [1]}))
    assert read_record(path, JobProgress) == NONE_YET
    path.write_text(json.dumps({key: value for key, value in asdict(NONE_YET).items() if key != "spent"}))
    assert read_record(path, JobProgress) is None


@pytest.mark.parametrize(
    "wrong",
    [
        {"entries_done": "2"},
        {"entries_done": -1},
        {"entries_done": True},
        {"seconds": None},
        {"seconds": float("nan")},
        {"seconds": 1e300},
        {"name": 7},
        {"failures": {"a": "b"}},
        {"errors": []},
        {"last_error": "x" * (1 << 24)},
    ],
)
def test_a_value_of_another_type_is_no_state(tmp_path: Path, wrong: dict[str, object]) -> None:
    """What shows the state never meets one; nor a file of megabytes."""
    path = tmp_path / "m.log"
    path.write_text(json.dumps(asdict(NONE_YET) | wrong))
    assert read_record(path, JobProgress) is None


def test_texts_are_made_safe_when_they_are_read(tmp_path: Path) -> None:
    """Control and bidirectional characters are escaped, and long texts are cut, on one line."""
    path = tmp_path / "m.log"
    hostile = "\x1b[2J\u202eevil\n" + "y" * 100_000
    path.write_text(
        json.dumps(asdict(NONE_YET) | {"last_error": hostile, "name": hostile, "errors": {hostile: 1}})
    )
    progress = read_record(path, JobProgress)
    assert progress is not None
    for text in (progress.last_error, progress.name, *progress.errors):
        assert text.startswith("\\x1b[2J\\u202eevil\\n")
        assert text.isprintable()
        assert len(text) == LONGEST_TEXT
