"""The file through which a job reports its progress."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest

from bfcl_pipeline.screen.progress_file import ProgressFile, read_progress
from tests.support.job_progress import NONE_YET


def test_what_is_written_is_read(tmp_path: Path) -> None:
    """Every field arrives, and no other file is left."""
    path = tmp_path / "progress/a/m.log"
    file = ProgressFile(path)
    file.show(NONE_YET)
    assert read_progress(path) == NONE_YET
    last = replace(NONE_YET, entries_done=2, dollars=0.5, seconds_left=3.5)
    file.close(last)
    assert read_progress(path) == last
    assert list(path.parent.iterdir()) == [path]


@pytest.mark.parametrize("text", [None, "", "{", "[]", "{}", '{"name": "m"}', '{"other": 1}', "\udcff"])
def test_a_file_that_cannot_be_read_is_no_error(tmp_path: Path, text: str | None) -> None:
    """A missing, damaged or foreign file gives no state."""
    path = tmp_path / "m.log"
    if text is not None:
        path.write_bytes(text.encode("utf-8", "surrogateescape"))
    assert read_progress(path) is None


def test_a_file_that_cannot_be_written_does_not_stop_the_job(tmp_path: Path) -> None:
    """A directory stands in its place."""
    (tmp_path / "m.log").mkdir()
    ProgressFile(tmp_path / "m.log").show(NONE_YET)
    ProgressFile(tmp_path / "m.log/x/y").show(NONE_YET)
    assert read_progress(tmp_path / "m.log") is None
