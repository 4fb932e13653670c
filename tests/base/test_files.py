"""Files are either complete or absent, and temporary files of killed writers are deleted."""

import errno
import os
from dataclasses import replace
from pathlib import Path

import pytest

from bfcl_pipeline.base.errors import ConfigError
from bfcl_pipeline.base.files import (
    atomic_path,
    clear_temporaries,
    files_below,
    named_file,
    read_regular,
    replace_folder,
    replaced_folder,
    temporary_folder,
    temporary_path,
    write_text,
)
from bfcl_pipeline.base.process import this_process

NOW = 1_000_000.0


def _made(path, process, age_seconds=0.0):
    made = temporary_path(path, process)
    made.write_text("half")
    os.utime(made, (NOW - age_seconds, NOW - age_seconds))
    return made


def test_temporary_names_are_hidden_and_identify_the_writer(tmp_path):
    """They contain machine, process and a random part, for any machine name."""
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
    ("changes", "age_seconds", "deleted"),
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
        "reused id",
        "dead",
        "dead, no start",
        "other machine",
        "other machine, old",
        "earlier boot",
        "earlier boot, old",
    ],
)
def test_temporary_files_without_a_writer_are_deleted(tmp_path, ended, changes, age_seconds, deleted):
    """At once for a dead process, after an hour for another machine, never for a process that is alive."""
    changes = {**changes, "pid": ended} if "pid" in changes else changes
    made = _made(tmp_path / "table.parquet", replace(this_process(), **changes), age_seconds)
    clear_temporaries([made], NOW)
    assert made.exists() != deleted


def test_files_with_other_names_are_deleted_when_old(tmp_path):
    """After an hour, if the name has no writer; a missing file is not an error."""
    young, old = tmp_path / ".a.tmp", tmp_path / ".b.tmp"
    for path, age_seconds in ((young, 3500), (old, 3700)):
        path.write_text("")
        os.utime(path, (NOW - age_seconds, NOW - age_seconds))
    clear_temporaries([young, old, tmp_path / ".c.tmp"], NOW)
    assert [*tmp_path.iterdir()] == [young]


def test_a_file_appears_when_the_block_ends(tmp_path):
    """Until the block ends there is no file; then it is complete, and its directories are created."""
    path = tmp_path / "new" / "file"
    with atomic_path(path) as temporary:
        temporary.write_text("whole")
        assert not path.exists()
    assert path.read_text() == "whole"
    assert [*path.parent.iterdir()] == [path]


def test_a_directory_is_not_replaced(tmp_path):
    """The error names the directory, not a temporary file."""
    with pytest.raises(IsADirectoryError) as raised:
        write_text(tmp_path, "x")
    assert raised.value.filename == str(tmp_path)
    assert list(tmp_path.parent.glob(f".{tmp_path.name}*")) == []


def test_devices_and_pipes_are_not_replaced(tmp_path, monkeypatch):
    """Nor links to them, nor any link in the folder of devices; other links are replaced, as files are."""
    pipe, null, link = tmp_path / "pipe", tmp_path / "null", tmp_path / "link"
    os.mkfifo(pipe)
    null.symlink_to("/dev/null")
    (tmp_path / "file").touch()
    link.symlink_to("file")
    write_text(link, "x")
    link.unlink()
    link.symlink_to("file")
    monkeypatch.setattr("bfcl_pipeline.base.files._DEVICES", tmp_path)
    for path in (pipe, null, link):
        with pytest.raises(ConfigError, match=rf"not a regular file.*redirect it \(> {path}\)"):
            write_text(path, "x")
    assert pipe.is_fifo()
    assert (null.readlink(), link.readlink()) == (Path("/dev/null"), Path("file"))


def test_a_failure_leaves_the_earlier_file(tmp_path):
    """If the block fails, the earlier file is unchanged and no temporary file remains."""
    path = tmp_path / "file"
    path.write_text("earlier")

    def fail() -> None:
        with atomic_path(path) as temporary:
            temporary.write_text("half")
            raise RuntimeError("stop")

    with pytest.raises(RuntimeError, match="stop"):
        fail()
    assert path.read_text() == "earlier"
    assert [*tmp_path.iterdir()] == [path]


def test_a_written_file_has_the_usual_permissions(tmp_path):
    """The permissions of a written file follow the user's umask."""
    before = os.umask(0o027)
    try:
        write_text(tmp_path / "file", "x")
    finally:
        os.umask(before)
    assert (tmp_path / "file").stat().st_mode & 0o777 == 0o640


def test_text_is_utf8_with_plain_newlines(tmp_path):
    """Text is written as UTF-8 and newlines are kept, whatever the platform."""
    write_text(tmp_path / "file", "ü\nx\r\n")
    assert (tmp_path / "file").read_bytes() == "ü\nx\r\n".encode()


def test_the_next_writer_deletes_what_a_killed_one_left(tmp_path):
    """Only temporary files of the same path and of dead processes are deleted."""
    path, beside = tmp_path / "[file]", tmp_path / "[file] too"
    dead = replace(this_process(), started="1")
    alive = [temporary_path(path), temporary_path(beside, dead)]
    for unfinished in (temporary_path(path, dead), *alive):
        unfinished.write_text("half")
    write_text(path, "whole")
    assert sorted(tmp_path.iterdir()) == sorted([path, *alive])


def test_two_writers_of_one_file_write_it_completely(tmp_path):
    """Each has its own temporary file; the last one to finish remains."""
    path = tmp_path / "file"
    with atomic_path(path) as first:
        with atomic_path(path) as second:
            second.write_text("second")
            first.write_text("first")
        assert path.read_text() == "second"
    assert path.read_text() == "first"
    assert [*tmp_path.iterdir()] == [path]


def test_a_folder_is_replaced_as_a_whole(tmp_path):
    """Files that are not in the new contents are gone, and no temporary name is left."""
    folder = tmp_path / "parent" / "folder"
    replace_folder(folder, {"old": b"1", "both": b"1"})
    replace_folder(folder, {"both": b"2", "new": b"2"})
    assert {path.name: path.read_bytes() for path in folder.iterdir()} == {"both": b"2", "new": b"2"}
    assert list(folder.parent.iterdir()) == [folder]
    assert folder.stat().st_mode == folder.parent.stat().st_mode


def test_a_folder_that_cannot_be_written_stays(tmp_path):
    """After an error the earlier folder is as it was."""
    folder = tmp_path / "folder"
    replace_folder(folder, {"file": b"1"})
    with pytest.raises(FileExistsError):
        replace_folder(folder, {"file": b"2", "file/below": b"2"})
    assert {path.name: path.read_bytes() for path in folder.iterdir()} == {"file": b"1"}
    assert list(tmp_path.iterdir()) == [folder]


def test_a_folder_that_a_killed_writer_left_is_deleted(tmp_path):
    """By the next writer of the same path, file or folder; a link is not followed."""
    path, elsewhere = tmp_path / "made", tmp_path / "elsewhere"
    (elsewhere / "kept").mkdir(parents=True)
    dead = replace(this_process(), started="1")
    with temporary_folder(path) as alive:
        for write in (lambda: write_text(path, "x"), path.unlink, lambda: replace_folder(path, {"f": b""})):
            (temporary_path(path, dead) / "half").mkdir(parents=True)
            temporary_path(path, dead).symlink_to(elsewhere)
            write()
            if path.exists():
                assert sorted(tmp_path.iterdir()) == sorted([alive, elsewhere, path])
    assert sorted(tmp_path.iterdir()) == [elsewhere, path]
    assert (elsewhere / "kept").is_dir()


@pytest.mark.parametrize("writer", [atomic_path, temporary_folder, replaced_folder])
@pytest.mark.parametrize(
    ("code", "names", "named"),
    [
        (errno.ENOSPC, (), "target"),
        (errno.ENOSPC, ("source", None, "MADE"), "target"),
        (errno.EACCES, ("MADE/part",), "target"),
        (errno.ENOENT, ("source",), "source"),
        (errno.ECONNRESET, (), None),
    ],
    ids=["full disk", "full disk, copying", "part of it", "another file", "no file"],
)
def test_an_error_of_writing_names_the_target(tmp_path, monkeypatch, writer, code, names, named):
    """Not the source of a copy, nor a temporary name; an error about another file stays as it is."""
    monkeypatch.chdir(tmp_path)

    def fail() -> None:
        with writer(Path("target")) as made:
            raise OSError(code, "text", *(name and name.replace("MADE", str(made)) for name in names))

    with pytest.raises(OSError, match="text") as raised:
        fail()
    assert (raised.value.errno, raised.value.filename) == (code, named)
    assert list(tmp_path.iterdir()) == []


def test_only_regular_files_are_read(tmp_path):
    """No link, pipe, device or directory is read, and nothing waits for one."""
    (tmp_path / "file").write_bytes(b"12345")
    (tmp_path / "link").symlink_to("file")
    (tmp_path / "zero").symlink_to("/dev/zero")
    (tmp_path / "folder").mkdir()
    os.mkfifo(tmp_path / "pipe")
    assert read_regular(tmp_path / "file", 5) == b"12345"
    for path in (*(tmp_path / name for name in ("link", "zero", "folder", "pipe")), Path("/dev/zero")):
        with pytest.raises(ValueError, match="not a regular file"):
            read_regular(path, 5)
    assert read_regular(named_file(tmp_path / "link"), 5) == b"12345"  # whoever named it may have linked it
    with pytest.raises(ValueError, match="more than 4 bytes"):
        read_regular(tmp_path / "file", 4)
    with pytest.raises(FileNotFoundError):
        read_regular(tmp_path / "nothing", 5)


def test_a_list_of_files_follows_no_link_and_ends(tmp_path):
    """A link is listed as itself, wherever it leads; too many names are refused."""
    (tmp_path / "a/b").mkdir(parents=True)
    (tmp_path / "a/b/c").touch()
    (tmp_path / "a/root").symlink_to("/")
    (tmp_path / "a/loop").symlink_to(tmp_path)
    assert files_below(tmp_path) == [tmp_path / "a" / name for name in ("b/c", "loop", "root")]
    assert files_below(tmp_path / "nothing") == []
    with pytest.raises(ConfigError, match="more than 4 files and folders"):
        files_below(tmp_path, most=4)
