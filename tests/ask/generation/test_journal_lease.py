"""A journal has one writer at a time, on any machine."""

import asyncio
import json
import os
import re
import signal
import subprocess
import sys
from dataclasses import asdict, replace

import pytest

from bfcl_pipeline.base.errors import JournalError
from bfcl_pipeline.base.files import temporary_path
from bfcl_pipeline.base.leases import LeaseTiming, read_holder
from bfcl_pipeline.base.process import this_process
from bfcl_pipeline.runs.journal import Journal, JournalReader, lease_path
from bfcl_pipeline.runs.journal.file import AppendFile
from tests.support.journal_exchanges import all_of, exchange, key_of, opened, written
from tests.support.journal_workers import QUICK, workers

ELSEWHERE = replace(this_process(), host="elsewhere")


@pytest.fixture
def path(tmp_path):
    """The path of a journal that does not exist yet."""
    return tmp_path / "exchanges.jsonl"


def _leave(path, **changes):
    """Writes the lock file of a holder that differs from this process."""
    process = replace(this_process(), **changes)
    document = {"token": "t" * 32, "since": "2026-10-01T12:00:00+00:00", "process": asdict(process)}
    lease_path(path).write_text(json.dumps(document))


def _ended():
    """The id of a process that has ended."""
    with subprocess.Popen([sys.executable, "-c", ""]) as process:
        return process.pid


def _at_once():
    """Intervals with which the timeout is over at the second read."""
    passed = iter(range(0, 100_000, 5))
    return LeaseTiming(poll_seconds=100, now=lambda: next(passed), sleep=lambda seconds: None)


def test_the_lock_file_exists_while_the_journal_is_open(path):
    """It names host, process and time; after closing only the journal remains."""
    with opened(path):
        holder = read_holder(lease_path(path))
        assert holder.process == this_process()
        assert re.fullmatch(r"process \d+ on .+, since 20\d\d-.*\+00:00,", str(holder))
        # The error of a second writer names the first and how to take over.
        with pytest.raises(JournalError, match=rf"process {os.getpid()} on .* delete .*\.owner\.$"):
            Journal.open(path)
    assert [file.name for file in path.parent.iterdir()] == ["exchanges.jsonl"]


def test_another_writer_can_be_waited_for(path):
    """With `wait` the journal is opened as soon as it is closed, and has everything that was written."""
    written(path, exchange(1))
    _leave(path)
    timing = LeaseTiming(sleep=lambda seconds: lease_path(path).unlink())
    with opened(path, wait=True, timing=timing) as journal:
        assert journal.find(key_of(1)) == exchange(1)


def test_a_damaged_journal_leaves_no_lock_file(path):
    """If opening fails, the lease is released."""
    path.write_bytes(b"no JSON\n" * 2)
    with pytest.raises(JournalError, match="line 1"):
        Journal.open(path)
    assert not lease_path(path).exists()


def test_a_writer_on_another_machine_keeps_the_journal(path):
    """Its heartbeat is seen, so no other process takes over."""
    with workers() as forked:
        forked.begin("append", path, 0, "node1")
        writer = forked.pid()
        forked.line()
        for _ in range(3):
            with pytest.raises(JournalError, match=f"process {writer} on node1, since"):
                Journal.open(path, timing=replace(QUICK, timeout_seconds=3600), here=ELSEWHERE)
        os.kill(writer, signal.SIGKILL)
        assert "stopped" not in " ".join(forked.rest())


@pytest.mark.parametrize(
    ("host", "options"),
    [((), {}), (("node1",), {"timing": QUICK, "here": ELSEWHERE})],
    ids=["here", "on another machine"],
)
def test_a_killed_writer_is_replaced(path, host, options):
    """Here at once, elsewhere after the timeout; every exchange whose append returned is found."""
    with workers() as forked:
        forked.begin("append", path, 0, *host)
        writer = forked.pid()
        reported = {int(forked.line()) for _ in range(20)}
        if not host:
            with pytest.raises(JournalError, match=f"process {writer} on"):
                Journal.open(path)
        os.kill(writer, signal.SIGKILL)
        reported.update(map(int, forked.rest()))
        with opened(path, **options) as journal:
            assert all(journal.find(key_of(number)) == exchange(number) for number in reported)


def test_a_suspended_writer_that_was_replaced_stops(path):
    """Resumed in the middle of a write, it raises, because of its lost lease or of the replaced file.

    No exchange whose append returned in either process is lost, and none is written twice.
    """
    reported: set[int] = set()
    for turn in range(3):
        with workers() as forked:
            forked.begin("append", path, 1000 * turn, f"node{turn}")
            writer = forked.pid()
            reported.update(int(forked.line()) for _ in range(10 + turn))
            os.kill(writer, signal.SIGSTOP)
            with JournalReader(path) as reader, opened(path, timing=QUICK, here=ELSEWHERE) as successor:
                successor.append(exchange(500 + turn))
                reported.add(500 + turn)
                os.kill(writer, signal.SIGCONT)
                *numbers, last = forked.rest()
                reported.update(map(int, numbers))
                why = "(no longer writes this journal|modified by another process)"
                assert re.match(rf"stopped .*{why}", last)
                assert all(each == successor.find(each.key) for each in reader)
    lines = path.read_bytes().splitlines()
    assert len({json.loads(line)["key"] for line in lines}) == len(lines)
    with JournalReader(path) as journal:
        assert [number for number in reported if journal.find(key_of(number)) != exchange(number)] == []
    assert [file.name for file in path.parent.iterdir()] == ["exchanges.jsonl"]


def test_a_line_after_the_takeover_is_not_written(path, monkeypatch):
    """A writer that is suspended between its lease check and its write raises instead of returning."""
    written(path, exchange(1))
    successors = []

    async def scenario():
        late = Journal.open(path)
        real = AppendFile.append

        def append(file, content, end):
            monkeypatch.undo()
            successors.append(Journal.open(path, timing=_at_once(), here=ELSEWHERE))
            with monkeypatch.context() as patched:  # its own check of the file was too early as well
                patched.setattr(AppendFile, "_check", lambda file, end: None)
                real(file, content, end)

        monkeypatch.setattr(AppendFile, "append", append)
        with pytest.raises(JournalError, match=r"elsewhere, since .* has taken over"):
            await late.append(exchange(2))
        await successors[0].append(exchange(2, raw="asked again"))
        with pytest.raises(JournalError, match=r"has taken over"):
            await late.append(exchange(3))
        await late.close()
        await successors[0].close()

    asyncio.run(scenario())
    assert all_of(path) == [exchange(1), exchange(2, raw="asked again")]


def test_a_takeover_replaces_the_file_by_a_copy(path):
    """A process that still has the old file open cannot change the journal; content and mode are equal."""
    written(path, exchange(1), exchange(2))
    path.chmod(0o640)
    content, before = path.read_bytes(), path.stat()
    _leave(path, pid=_ended())
    with opened(path):
        after = path.stat()
        assert before.st_ino != after.st_ino
        assert before.st_mode == after.st_mode
        assert path.read_bytes() == content
    with opened(path):
        assert path.stat().st_ino == after.st_ino
    assert [file.name for file in path.parent.iterdir()] == ["exchanges.jsonl"]


def test_the_copy_of_a_killed_successor_is_deleted(path):
    """A process that was killed while copying the journal is replaced itself."""
    written(path, exchange(1))
    dead = replace(this_process(), pid=_ended())
    temporary_path(path, dead).write_text("half")
    _leave(path, pid=dead.pid)
    written(path)
    assert all_of(path) == [exchange(1)]
    assert [file.name for file in path.parent.iterdir()] == ["exchanges.jsonl"]


def test_a_linked_journal_stays_in_its_place(path, tmp_path):
    """A symbolic link in place of the journal is followed, not replaced."""
    there = tmp_path / "disk" / "kept.jsonl"
    written(there, exchange(1))
    path.symlink_to(there)
    _leave(path, pid=_ended())
    with opened(path) as journal:
        assert journal.find(key_of(1)) == exchange(1)
    assert path.is_symlink()
    assert [file.name for file in there.parent.iterdir()] == ["kept.jsonl"]


def test_a_writer_that_lost_its_lease_does_not_write(path):
    """After its lock file was deleted, or another process took over, append raises; the other can write."""
    with opened(path) as journal:
        lease_path(path).unlink()
        with pytest.raises(JournalError, match="its lock file was deleted"):
            journal.append(exchange(1))
        with opened(path) as other:
            with pytest.raises(JournalError, match=f"process {os.getpid()} .* has taken over"):
                journal.append(exchange(1))
            other.append(exchange(1))
    assert path.read_bytes().count(b"\n") == 1


@pytest.mark.parametrize("stale", [False, True], ids=["free", "left by a dead process"])
@pytest.mark.parametrize("hosts", [0, 8], ids=["here", "on machines that do not see each other"])
def test_one_of_many_competing_writers_wins(path, stale, hosts):
    """Of processes that open a journal at the same moment one succeeds, and the others raise."""
    written(path, exchange(1))
    with workers() as forked:
        for _ in range(1 if hosts else 8):
            lease_path(path).unlink(missing_ok=True)
            if stale:
                _leave(path, **({"host": "died"} if hosts else {"pid": _ended()}))
            forked.begin("race", path, 8, *(f"node{number}" for number in range(hosts)))
            words = [line.split()[0] for line in forked.rest()]
            assert [words.count(word) for word in ("process", "won", "lost")] == [8, 1, 7]
    assert all_of(path) == [exchange(1)]


def test_a_reader_continues_after_its_file_was_replaced(path, monkeypatch):
    """Over NFS a file that another machine replaced cannot be read any more: the copy is read."""
    written(path, exchange(1))
    real = os.pread

    def pread(handle, length, start):
        monkeypatch.undo()
        raise OSError(116, "Stale file handle")

    with JournalReader(path) as reader:
        _leave(path, pid=_ended())
        written(path)
        monkeypatch.setattr(os, "pread", pread)
        assert reader.find(key_of(1)) == exchange(1)
        assert os.pread is real
