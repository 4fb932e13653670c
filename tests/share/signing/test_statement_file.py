"""The file of statements: lines within bounds, written as a whole."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from bfcl_pipeline.base.errors import BadSignature
from bfcl_pipeline.share.signing.signature import (
    LINE_BYTES,
    LINES,
    read_lines,
    statements_path,
    write_lines,
)


def test_lines_are_written_and_read(tmp_path: Path) -> None:
    """As many as are allowed, beside the archive; nothing else is left there."""
    path = statements_path(tmp_path / "run.crate.zip")
    assert path.name == "run.crate.zip.intoto.jsonl"
    lines = [b"x" * LINE_BYTES, *(b"%d" % number for number in range(LINES - 1))]
    write_lines(path, lines)
    assert read_lines(path) == lines
    assert list(tmp_path.iterdir()) == [path]


@pytest.mark.parametrize("lines", [[b"x"] * (LINES + 1), [b"x" * (LINE_BYTES + 1)]])
def test_too_much_is_neither_read_nor_written(lines: list[bytes], tmp_path: Path) -> None:
    path = tmp_path / "file"
    with pytest.raises(BadSignature, match="nothing was written"):
        write_lines(path, lines)
    assert not path.exists()
    path.write_bytes(b"\n".join(lines))
    with pytest.raises(BadSignature, match=r"lines; a file|more than"):
        read_lines(path)


def test_a_huge_file_or_a_pipe_is_not_read(tmp_path: Path) -> None:
    """A sparse file of a terabyte, and a pipe that nobody writes to."""
    with (tmp_path / "huge").open("wb") as file:
        file.truncate(1 << 40)
    os.mkfifo(tmp_path / "pipe")
    for name in ("huge", "pipe"):
        with pytest.raises(BadSignature, match="not a file of statements"):
            read_lines(tmp_path / name)
