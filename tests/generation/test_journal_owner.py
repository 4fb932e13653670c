"""Who may write a journal: one process, and after it whoever comes first."""

import asyncio
import json
import os
import re
import signal
import subprocess
import sys
from dataclasses import replace

import pytest
from journal_exchanges import exchange, key_of
from journal_workers import workers

from bfcl_pipeline.errors import JournalError
from bfcl_pipeline.generation.journal import Journal
from bfcl_pipeline.generation.journal import owner as module
from bfcl_pipeline.generation.journal.owner import Owner, Ownership, owner_path, read_owner
from bfcl_pipeline.generation.journal.process import is_gone, this_process


@pytest.fixture
def path(tmp_path):
    """Where a journal may be."""
    return tmp_path / "exchanges.jsonl"


def _leave(path, **changes):
    """The file of an owner that differs from this process."""
    process = replace(this_process(), **changes)
    document = {"token": "t" * 32, "since": "2026-10-01T12:00:00+00:00"}
    fields = {name: getattr(process, name) for name in process.__slots__}
    owner_path(path).write_text(json.dumps({**document, "process": fields}))


def _ended():
    """The number of a process that has ended."""
    with subprocess.Popen([sys.executable, "-c", ""]) as process:
        return process.pid


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


def test_one_that_has_ended_unnoticed_is_gone():
    """A process that its parent has not waited for counts as ended."""
    with subprocess.Popen([sys.executable, "-c", "input()"], stdin=subprocess.PIPE) as process:
        child = replace(this_process(), pid=process.pid, started=None)
        assert not is_gone(child)
        process.kill()
        os.waitid(os.P_PID, process.pid, os.WEXITED | os.WNOWAIT)
        assert is_gone(child)
    assert is_gone(child)


@pytest.mark.parametrize(
    "changes",
    [{"started": "1"}, {"boot": "another"}, {"boot": "another", "namespace": "another"}],
    ids=["number used again", "restarted", "restarted, in a container"],
)
def test_a_number_that_is_used_again_is_no_owner(path, changes):
    """What tells a process apart is not its number alone, but when it and its machine were started."""
    _leave(path, **changes)
    asyncio.run(Journal.open(path).close())


@pytest.mark.parametrize(
    "changes",
    [{"host": "elsewhere"}, {"machine": "another"}, {"namespace": "another"}, {"boot": None}],
    ids=["host", "machine", "container", "nothing known"],
)
def test_of_other_machines_nothing_is_assumed(path, changes):
    """An owner elsewhere may be alive, whatever processes there are here: a person has to say."""
    _leave(path, pid=_ended(), **changes)
    with pytest.raises(JournalError, match=r"If that job is dead, take over: delete .*\.owner"):
        Journal.open(path)
    owner_path(path).unlink()
    asyncio.run(Journal.open(path).close())


@pytest.mark.parametrize("content", [b"", b"\0" * 200, b"[]", b"{}", b'{"token": "t"}', b"\xff", "pid"])
def test_an_owner_that_cannot_be_read_is_left_to_a_person(path, content):
    """A file that does not tell who writes is neither ignored nor deleted."""
    if content == "pid":
        _leave(path, pid="1")
        content = owner_path(path).read_bytes()
    owner_path(path).write_bytes(content)
    with pytest.raises(JournalError, match=r"does not tell who writes the journal .* delete that file"):
        Journal.open(path)
    assert owner_path(path).read_bytes() == content


def test_who_was_taken_over_writes_no_more(path):
    """An owner whose file was deleted, and taken by another, refuses to write, and leaves the other's."""
    journal = Journal.open(path)
    owner_path(path).unlink()

    async def appended():
        with pytest.raises(JournalError, match="it was taken away"):
            await journal.append(exchange(1))
        other = Journal.open(path)
        with pytest.raises(JournalError, match=f"process {os.getpid()} .* has taken it"):
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


def test_who_looks_late_does_not_follow_the_follower(path):
    """Between the look at a dead owner and the claim on it, others may have come and gone."""
    _leave(path, pid=_ended())
    dead = read_owner(owner_path(path))
    first = Ownership(path)
    late = Owner("late", dead.since, this_process())
    assert not module._followed(owner_path(path), dead, late)
    first.check()
    assert [file.name for file in path.parent.iterdir()] == [owner_path(path).name]


def test_who_was_killed_while_following_is_followed(path):
    """A claim whose process has ended is itself followed, and nothing of it stays."""
    _leave(path, pid=_ended())
    claim = owner_path(path).with_name(f"{owner_path(path).name}.{'t' * 32}")
    dead = json.loads(owner_path(path).read_text())
    claim.write_text(json.dumps({**dead, "token": "c" * 32}))
    unfinished = path.with_name(f".{owner_path(path).name}.{'f' * 32}.tmp")
    unfinished.write_bytes(b"")
    asyncio.run(Journal.open(path).close())
    assert [file.name for file in path.parent.iterdir()] == ["exchanges.jsonl"]


def test_a_file_system_without_links_will_do(path, monkeypatch):
    """Where no file can be linked, the owner's is made in place, and still only once."""

    def link(source, target):
        raise PermissionError(1, "Operation not permitted")

    monkeypatch.setattr(module.os, "link", link)
    journal = Journal.open(path)
    with pytest.raises(JournalError, match=f"process {os.getpid()} on"):
        Journal.open(path)
    asyncio.run(journal.close())
    _leave(path, pid=_ended())
    asyncio.run(Journal.open(path).close())


def test_a_link_that_only_seems_to_fail_is_ownership(path, monkeypatch):
    """Over NFS a link can be made and reported as already there."""
    real = os.link

    def link(source, target):
        real(source, target)
        raise FileExistsError(target)

    monkeypatch.setattr(module.os, "link", link)
    Ownership(path).check()


def test_a_name_that_leads_nowhere_ends_the_search(path):
    """A dangling link in place of the owner's file is told, not tried for ever."""
    owner_path(path).symlink_to(path.with_name("nowhere"))
    with pytest.raises(JournalError, match="comes and goes"):
        Journal.open(path)
