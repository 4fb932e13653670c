"""A lease has one holder at a time."""

import json
import os
import threading
from dataclasses import asdict, replace

import pytest

from bfcl_pipeline.base.errors import LeaseError
from bfcl_pipeline.base.files import temporary_path
from bfcl_pipeline.base.leases import Lease, LeaseTiming, read_holder
from bfcl_pipeline.base.leases.holder import renew
from bfcl_pipeline.base.process import this_process


def _names(path):
    return [file.name for file in path.parent.iterdir()]


def test_the_lock_file_names_the_holder_until_release(path):
    """It names this process and is the only file; afterwards there is none."""
    lease = Lease(path, "writes")
    assert read_holder(path).process == this_process()
    assert lease.replaced is None
    assert _names(path) == ["thing.owner"]
    lease.release()
    assert _names(path) == []


def test_there_is_one_holder(path):
    """The error of a second process names the holder and how to take over."""
    Lease(path, "writes")
    with pytest.raises(LeaseError, match=rf"process {os.getpid()} on .* writes\. .* delete .*\.owner\.$"):
        Lease(path, "writes")


def test_a_process_that_has_ended_is_replaced_at_once(path, leave, ended, timing, time):
    """On the same machine no heartbeat needs to be observed."""
    dead = leave(pid=ended)
    assert Lease(path, "writes", timing=timing).replaced == dead
    assert time.sleeps == 0


@pytest.mark.parametrize("content", [b"", b"\0" * 200, b"[]", b"{}", b'{"token": "t"}', b"\xff", "pid"])
def test_an_unreadable_lock_file_is_left_to_the_user(path, leave, content, timing, time):
    """It is retried for a minute, and then neither ignored nor deleted."""
    if content == "pid":
        leave(pid="1")
        content = path.read_bytes()
    path.write_bytes(content)
    with pytest.raises(LeaseError, match=r"unreadable lock file .* If no job is running, delete it\."):
        Lease(path, "writes", timing=timing)
    assert path.read_bytes() == content
    assert time.seconds == 1060


def test_a_partly_visible_lock_file_is_read_again(path, leave, timing, time):
    """On some file systems a new file is incomplete for other machines at first."""
    owner = leave(pid=os.getppid(), started=None)
    content = path.read_bytes()
    path.write_bytes(content[:100])
    time.then = lambda sleeps: path.write_bytes(content) if sleeps == 5 else None
    with pytest.raises(LeaseError, match=f"process {owner.process.pid} on .* writes"):
        Lease(path, "writes", timing=timing)
    assert time.sleeps == 5


def test_all_lock_files_have_one_length(tmp_path):
    """Whatever the holder, so that a cached length does not truncate the next file."""
    for name, host in (("a", "n"), ("b", "n" * 60)):
        Lease(tmp_path / name, "writes", here=replace(this_process(), host=host))
    assert (tmp_path / "a").stat().st_size == (tmp_path / "b").stat().st_size


def test_a_lost_lease_is_reported_and_the_new_holder_unaffected(path):
    """After the file was deleted, and after another process took over; release then deletes nothing."""
    lease = Lease(path, "writes")
    path.unlink()
    with pytest.raises(LeaseError, match=r"job no longer writes: its lock file was deleted\. Run again"):
        lease.check()
    other = Lease(path, "writes")
    with pytest.raises(LeaseError, match=rf"process {os.getpid()} .* has taken over"):
        lease.check()
    lease.release()
    other.check()


def test_a_replaced_holder_does_not_renew_the_lease(path, leave):
    """Its late heartbeat does not make its successor appear alive."""
    early = leave()
    leave(token="u" * 32)
    before = path.stat().st_mtime_ns
    assert not renew(path, early)
    assert path.stat().st_mtime_ns == before


@pytest.mark.parametrize("how", ["deleted", "replaced"])
def test_on_lost_is_called(path, leave, how):
    """The heartbeat thread detects the loss and passes on the new holder."""
    called, holders = threading.Event(), []

    def lost(other):
        holders.append(other)
        called.set()

    Lease(path, "writes", timing=LeaseTiming(heartbeat_seconds=0.01), on_lost=lost)
    if how == "deleted":
        path.unlink()
        expected = None
    else:
        beside = path.with_name("beside")
        expected = leave(beside, host="elsewhere")
        beside.replace(path)
    assert called.wait(600)
    assert holders == [expected]


def test_a_failed_heartbeat_does_not_end_the_lease(path, monkeypatch):
    """The disk may be unavailable for some heartbeats."""
    real, failed, renewed = os.utime, [], threading.Event()

    def utime(handle):
        if len(failed) < 5:
            failed.append(OSError(5, "Input/output error"))
            raise failed[-1]
        renewed.set()
        return real(handle)

    monkeypatch.setattr(os, "utime", utime)
    lease = Lease(path, "writes", timing=LeaseTiming(heartbeat_seconds=0.01))
    assert renewed.wait(600)
    lease.release()


def test_a_late_process_does_not_replace_the_new_holder(path, leave, time, timing):
    """A process that takes over between the last read of a dead holder and the claim keeps the lease."""
    leave(host="elsewhere")
    taken_over = []

    def now():
        if time.seconds >= 1060 and not taken_over:
            jumps = iter(range(0, 10_000, 5))
            at_once = LeaseTiming(poll_seconds=100, now=lambda: next(jumps), sleep=lambda seconds: None)
            taken_over.append(None)  # once only
            taken_over[0] = Lease(path, "writes", timing=at_once)
        return time.seconds

    with pytest.raises(LeaseError, match=rf"process {os.getpid()} on .* writes"):
        Lease(path, "writes", timing=replace(timing, now=now))
    taken_over[0].check()
    assert _names(path) == ["thing.owner"]


def test_a_process_that_is_overtaken_during_its_takeover_stops(path, leave, ended, monkeypatch):
    """A process that takes over while another is suspended with the claim keeps the lease."""
    dead = leave(pid=ended)
    claim = path.with_name(f"{path.name}.{dead.token}")
    real, overtaking = os.link, []

    def link(source, target):
        real(source, target)
        if target == claim:
            monkeypatch.undo()
            document = asdict(read_holder(claim))
            document["process"]["started"] = "1"  # as if it had ended
            claim.write_text(json.dumps(document))
            overtaking.append(Lease(path, "writes"))

    monkeypatch.setattr(os, "link", link)
    with pytest.raises(LeaseError, match=rf"process {os.getpid()} on .* writes"):
        Lease(path, "writes")
    overtaking[0].check()


@pytest.mark.parametrize("where", ["here", "elsewhere"])
def test_a_process_killed_during_its_takeover_is_replaced(path, leave, ended, timing, where):
    """Its takeover claim is taken over as well, and nothing of it remains."""
    process = {"pid": ended} if where == "here" else {"host": "elsewhere"}
    leave(**process)
    leave(path.with_name(f"{path.name}.{'t' * 32}"), token="c" * 32, **process)
    Lease(path, "writes", timing=timing).check()
    assert _names(path) == ["thing.owner"]


def test_release_deletes_what_killed_processes_left(path, leave, ended):
    """Temporary files and claims of dead processes are deleted; others only if they are old."""
    writer = replace(this_process(), pid=ended)
    theirs = replace(this_process(), host="elsewhere")
    for process in (writer, theirs, this_process()):
        temporary_path(path, process).write_text("")
    old = temporary_path(path, theirs)
    old.write_text("")
    os.utime(old, (0, 0))
    leave(path.with_name(f"{path.name}.{'a' * 32}"), pid=ended)
    leave(path.with_name(f"{path.name}.{'b' * 32}"), host="elsewhere")
    Lease(path, "writes").release()
    left = sorted(name.split("-")[0] for name in _names(path))
    here = writer.host.partition(".")[0].replace("-", "_")[:20]
    assert left == sorted([".thing.owner.elsewhere", f".thing.owner.{here}", f"thing.owner.{'b' * 32}"])


def test_a_file_system_without_hard_links_suffices(path, leave, ended, monkeypatch):
    """The lock file is then created in place, still for one process only."""

    def link(source, target):
        raise PermissionError(1, "Operation not permitted")

    monkeypatch.setattr(os, "link", link)
    lease = Lease(path, "writes")
    with pytest.raises(LeaseError, match=f"process {os.getpid()} on"):
        Lease(path, "writes")
    lease.release()
    leave(pid=ended)
    Lease(path, "writes").check()


def test_a_link_that_only_seems_to_fail_acquires_the_lease(path, monkeypatch):
    """Over NFS a link can succeed and be reported as existing."""
    real = os.link

    def link(source, target):
        real(source, target)
        raise FileExistsError(target)

    monkeypatch.setattr(os, "link", link)
    Lease(path, "writes").check()


def test_a_deleted_temporary_file_is_written_again(path, monkeypatch):
    """It does not count as a file system without hard links."""
    real = os.link

    def link(source, target):
        source.unlink()
        monkeypatch.undo()
        real(source, target)

    monkeypatch.setattr(os, "link", link)
    Lease(path, "writes").check()


def test_a_dangling_link_ends_the_attempts(path):
    """A dangling link in place of the lock file is an error, not an endless loop."""
    path.symlink_to(path.with_name("nowhere"))
    with pytest.raises(LeaseError, match="keeps appearing and disappearing"):
        Lease(path, "writes")
