"""Who may write a journal: one process, and after it whoever comes first, on whatever machine."""

import asyncio
import json
import os
import re
import signal
import subprocess
import sys
from dataclasses import asdict, replace

import pytest
from journal_exchanges import all_of, exchange, key_of, written
from journal_workers import QUICK, workers

from bfcl_pipeline.errors import JournalError
from bfcl_pipeline.generation.journal import Journal, JournalReader, owner_path
from bfcl_pipeline.generation.journal import file as module
from bfcl_pipeline.ownership import Rhythm, read_owner, temporary_path, this_process

ELSEWHERE = replace(this_process(), host="elsewhere")


@pytest.fixture
def path(tmp_path):
    """Where a journal may be."""
    return tmp_path / "exchanges.jsonl"


def _leave(path, **changes):
    """The file of an owner that differs from this process."""
    process = replace(this_process(), **changes)
    document = {"token": "t" * 32, "since": "2026-10-01T12:00:00+00:00", "process": asdict(process)}
    owner_path(path).write_text(json.dumps(document))


def _ended():
    """The number of a process that has ended."""
    with subprocess.Popen([sys.executable, "-c", ""]) as process:
        return process.pid


def _at_once():
    """A rhythm by which who watches has watched for long enough as soon as it looks again."""
    passed = iter(range(0, 100_000, 5))
    return Rhythm(look=100, now=lambda: next(passed), sleep=lambda seconds: None)


def test_the_owner_is_told_and_goes_when_the_journal_is_closed(path):
    """A file beside the journal names host, process and time; closing leaves the journal alone."""
    journal = Journal.open(path)
    owner = read_owner(owner_path(path))
    assert owner.process == this_process()
    assert re.fullmatch(r"process \d+ on .+, since 20\d\d-.*\+00:00,", str(owner))
    asyncio.run(journal.close())
    assert [file.name for file in path.parent.iterdir()] == ["exchanges.jsonl"]


def test_a_journal_has_one_writer(path):
    """Who opens a journal that is open is told who writes it and how to take over."""
    journal = Journal.open(path)
    with pytest.raises(JournalError, match=rf"process {os.getpid()} on .* delete .*\.owner\.$"):
        Journal.open(path)
    asyncio.run(journal.close())
    asyncio.run(Journal.open(path).close())


def test_a_writer_is_waited_for(path):
    """Who is willing to wait opens the journal as soon as it is closed, and finds what was written."""
    written(path, exchange(1))
    _leave(path)
    rhythm = Rhythm(sleep=lambda seconds: owner_path(path).unlink())
    journal = Journal.open(path, wait=True, rhythm=rhythm)
    assert journal.find(key_of(1)) == exchange(1)
    asyncio.run(journal.close())


def test_a_journal_that_cannot_be_opened_has_no_owner(path):
    """Damage does not leave an owner behind."""
    path.write_bytes(b"no JSON\n" * 2)
    with pytest.raises(JournalError, match="line 1"):
        Journal.open(path)
    assert not owner_path(path).exists()


def test_who_was_killed_is_followed(path):
    """The journal of a process that was killed can be opened at once."""
    with workers() as forked:
        forked.begin("append", path, 0)
        writer = forked.pid()
        assert forked.line().isdecimal()
        with pytest.raises(JournalError, match=f"process {writer} on"):
            Journal.open(path)
        os.kill(writer, signal.SIGKILL)
        forked.rest()
        journal = Journal.open(path)
        assert journal.find(key_of(0)) == exchange(0)
        asyncio.run(journal.close())


def test_who_writes_on_another_machine_keeps_the_journal(path):
    """It is heard of, so that nobody follows it, from whichever machine it is looked at."""
    with workers() as forked:
        forked.begin("append", path, 0, "node1")
        writer = forked.pid()
        forked.line()
        for _ in range(3):
            with pytest.raises(JournalError, match=f"process {writer} on node1, since"):
                Journal.open(path, rhythm=replace(QUICK, silent=60), here=ELSEWHERE)
        os.kill(writer, signal.SIGKILL)
        assert "stopped" not in " ".join(forked.rest())


def test_who_was_killed_on_another_machine_is_followed(path):
    """Once nothing was heard of it for long enough; all that it was told is kept is there."""
    with workers() as forked:
        forked.begin("append", path, 0, "node1")
        writer = forked.pid()
        told = {int(forked.line()) for _ in range(20)}
        os.kill(writer, signal.SIGKILL)
        told.update(map(int, forked.rest()))
        journal = Journal.open(path, rhythm=QUICK, here=ELSEWHERE)
        assert all(journal.find(key_of(number)) == exchange(number) for number in told)
        asyncio.run(journal.close())


def test_who_was_suspended_and_followed_writes_no_more(path):
    """Stopped in the middle of its writing and woken up late, on another machine, it stops.

    Nothing that either was told is kept is lost, and nothing stands twice.
    """
    told: set[int] = set()
    for turn in range(3):
        with workers() as forked:
            forked.begin("append", path, 1000 * turn, f"node{turn}")
            writer = forked.pid()
            told.update(int(forked.line()) for _ in range(10 + turn))
            os.kill(writer, signal.SIGSTOP)
            with JournalReader(path) as reader:
                follower = Journal.open(path, rhythm=QUICK, here=ELSEWHERE)
                asyncio.run(follower.append(exchange(500 + turn)))
                told.add(500 + turn)
                os.kill(writer, signal.SIGCONT)
                *numbers, last = forked.rest()
                told.update(map(int, numbers))
                assert re.match(r"stopped .*no longer writes this journal: process \d+ on elsewhere", last)
                assert all(kept == follower.find(kept.key) for kept in reader)
                asyncio.run(follower.close())
    lines = path.read_bytes().splitlines()
    assert len({json.loads(line)["key"] for line in lines}) == len(lines)
    with JournalReader(path) as journal:
        assert [number for number in told if journal.find(key_of(number)) != exchange(number)] == []
    assert [file.name for file in path.parent.iterdir()] == ["exchanges.jsonl"]


def test_a_line_that_comes_after_the_follower_is_not_kept(path, monkeypatch):
    """Suspended between its look at the owner and its write, it tells nobody that the line is kept."""
    written(path, exchange(1))
    followers = []

    async def scenario():
        late = Journal.open(path)
        real = module.AppendFile.append

        def append(file, content, end):
            monkeypatch.undo()
            followers.append(Journal.open(path, rhythm=_at_once(), here=ELSEWHERE))
            with monkeypatch.context() as patched:  # its own look at the file comes too early as well
                patched.setattr(module.AppendFile, "_check", lambda file, end: None)
                real(file, content, end)

        monkeypatch.setattr(module.AppendFile, "append", append)
        with pytest.raises(JournalError, match=r"elsewhere, since .* has taken over"):
            await late.append(exchange(2))
        await followers[0].append(exchange(2, raw="asked again"))
        with pytest.raises(JournalError, match=r"has taken over"):
            await late.append(exchange(3))
        await late.close()
        await followers[0].close()

    asyncio.run(scenario())
    assert all_of(path) == [exchange(1), exchange(2, raw="asked again")]


def test_a_journal_that_is_followed_becomes_another_file(path):
    """So that who still has the old one open cannot write to it; content and permissions stay."""
    written(path, exchange(1), exchange(2))
    path.chmod(0o640)
    content, before = path.read_bytes(), path.stat()
    _leave(path, pid=_ended())
    journal = Journal.open(path)
    after = path.stat()
    assert (before.st_ino, before.st_mode) != (after.st_ino, after.st_mode)
    assert before.st_mode == after.st_mode
    assert path.read_bytes() == content
    asyncio.run(journal.close())
    asyncio.run(Journal.open(path).close())
    assert path.stat().st_ino == after.st_ino
    assert [file.name for file in path.parent.iterdir()] == ["exchanges.jsonl"]


def test_what_a_killed_follower_has_copied_goes(path):
    """Killed while it copied the journal, it is followed itself, and its copy does not stay."""
    written(path, exchange(1))
    dead = replace(this_process(), pid=_ended())
    temporary_path(path, dead).write_text("half")
    _leave(path, pid=dead.pid)
    asyncio.run(Journal.open(path).close())
    assert all_of(path) == [exchange(1)]
    assert [file.name for file in path.parent.iterdir()] == ["exchanges.jsonl"]


def test_a_journal_that_lies_elsewhere_stays_there(path, tmp_path):
    """A link in place of the journal is followed, not replaced."""
    there = tmp_path / "disk" / "kept.jsonl"
    written(there, exchange(1))
    path.symlink_to(there)
    _leave(path, pid=_ended())
    journal = Journal.open(path)
    assert journal.find(key_of(1)) == exchange(1)
    asyncio.run(journal.close())
    assert path.is_symlink()
    assert [file.name for file in there.parent.iterdir()] == ["kept.jsonl"]


def test_who_was_taken_over_writes_no_more(path):
    """An owner whose file was deleted, and taken by another, refuses to write, and leaves the other's."""
    journal = Journal.open(path)
    owner_path(path).unlink()

    async def appended():
        with pytest.raises(JournalError, match="its file was deleted"):
            await journal.append(exchange(1))
        other = Journal.open(path)
        with pytest.raises(JournalError, match=f"process {os.getpid()} .* has taken over"):
            await journal.append(exchange(1))
        await journal.close()
        await other.append(exchange(1))
        await other.close()

    asyncio.run(appended())
    assert path.read_bytes().count(b"\n") == 1


@pytest.mark.parametrize("stale", [False, True], ids=["free", "left by a dead one"])
def test_of_many_at_once_one_wins(path, stale):
    """However many open a journal at the same moment, one has it, and the others are told so."""
    with workers() as forked:
        for _ in range(8):
            if stale:
                _leave(path, pid=_ended())
            else:
                owner_path(path).unlink(missing_ok=True)
            forked.begin("race", path, 8)
            told = [line.split()[0] for line in forked.rest()]
            assert [told.count(word) for word in ("process", "won", "lost")] == [8, 1, 7]


@pytest.mark.parametrize("stale", [False, True], ids=["free", "left by one on a machine that died"])
def test_of_many_on_many_machines_one_wins(path, stale):
    """The same where nobody sees the others' processes, and the one before has to be watched first."""
    written(path, exchange(1))
    if stale:
        _leave(path, host="died")
    with workers() as forked:
        forked.begin("race", path, 8, *(f"node{number}" for number in range(8)))
        told = [line.split()[0] for line in forked.rest()]
    assert [told.count(word) for word in ("process", "won", "lost")] == [8, 1, 7]
    assert all_of(path) == [exchange(1)]


def test_a_reader_goes_on_where_its_file_was_replaced(path, monkeypatch):
    """Over NFS a file that another machine replaced is gone for who has it open: the copy is read."""
    written(path, exchange(1))
    real = os.pread

    def pread(handle, length, start):
        monkeypatch.undo()
        raise OSError(116, "Stale file handle")

    with JournalReader(path) as reader:
        _leave(path, pid=_ended())
        asyncio.run(Journal.open(path).close())
        monkeypatch.setattr(os, "pread", pread)
        assert reader.find(key_of(1)) == exchange(1)
        assert os.pread is real
