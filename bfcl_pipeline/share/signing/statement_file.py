"""The file of signed statements beside an archive: one envelope or sigstore bundle a line.

The file may be from anybody, so numbers and sizes of lines are limited.
"""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from bfcl_pipeline.base.errors import BadSignature
from bfcl_pipeline.base.files import atomic_path, read_regular

LINE_BYTES = 1 << 20
"""The longest line."""

LINES = 64
"""The most lines."""


def statements_path(archive: Path) -> Path:
    """Where the statements about an archive are: run.crate.zip.intoto.jsonl."""
    return archive.with_name(f"{archive.name}.intoto.jsonl")


def read_lines(path: Path) -> list[bytes]:
    """The lines of a file of statements, without their line feeds.

    Raises:
        BadSignature: too many or too long lines, or not a regular file.
        OSError: it cannot be read.
    """
    try:
        content = read_regular(path, LINES * (LINE_BYTES + 1))
    except ValueError as error:
        raise BadSignature(f"{path}: {error}; not a file of statements.") from error
    lines = content.removesuffix(b"\n").split(b"\n")
    if len(lines) > LINES:
        raise BadSignature(f"{path}: {len(lines):,} lines; a file of statements has at most {LINES}.")
    for number, line in enumerate(lines, start=1):
        if len(line) > LINE_BYTES:
            raise BadSignature(f"{path}, line {number}: more than {LINE_BYTES:,} bytes.")
    return lines


def write_lines(path: Path, lines: Sequence[bytes]) -> None:
    """Writes a file of statements, atomically. Raises BadSignature if they are too many or too long."""
    if len(lines) > LINES or any(len(line) > LINE_BYTES for line in lines):
        raise BadSignature(
            f"{path}: nothing was written: more than {LINES} statements, or one of more than "
            f"{LINE_BYTES:,} bytes. Move the file away, then sign again."
        )
    with atomic_path(path) as temporary:
        temporary.write_bytes(b"".join(line + b"\n" for line in lines))
