"""Who has a right: one process, and after it whoever comes first."""

import json
import os
import threading
from dataclasses import asdict, replace

import pytest

from bfcl_pipeline.errors import OwnerError
from bfcl_pipeline.ownership import Owner, Ownership, Rhythm, read_owner, this_process
from bfcl_pipeline.ownership import ownership as beating
from bfcl_pipeline.ownership import take as module
from bfcl_pipeline.ownership.owner import renew
from bfcl_pipeline.ownership.take import Taking


def _names(path):
    return [file.name for file in path.parent.iterdir()]


def test_the_owner_is_told_until_it_gives_back(path):
    """The file names this process and is all there is; afterwards there is none."""
    ownership = Ownership(path, "writes")
    assert read_owner(path).process == this_process()
    assert ownership.follows is None
    assert _names(path) == ["thing.owner"]
    ownership.give_back()
    assert _names(path) == []


def test_there_is_one(path):
    """Who comes second is told who has it, and how to take over."""
    Ownership(path, "writes")
    with pytest.raises(OwnerError, match=rf"process {os.getpid()} on .* writes\. .* delete .*\.owner\.$"):
        Ownership(path, "writes")


def test_one_that_has_ended_is_followed_at_once(path, leave, ended, rhythm, time):
    """On the same machine nobody has to be watched."""
    dead = leave(pid=ended)
    assert Ownership(path, "writes", rhythm=rhythm).follows == dead
    assert time.sleeps == 0


@pytest.mark.parametrize("content", [b"", b"\0" * 200, b"[]", b"{}", b'{"token": "t"}', b"\xff", "pid"])
def test_a_file_that_cannot_be_read_is_left_to_a_person(path, leave, content, rhythm, time):
    """One that does not tell whose it is, for a minute, is neither ignored nor deleted."""
    if content == "pid":
        leave(pid="1")
        content = path.read_bytes()
    path.write_bytes(content)
    with pytest.raises(OwnerError, match=r"does not tell whose it is .* delete that file"):
        Ownership(path, "writes", rhythm=rhythm)
    assert path.read_bytes() == content
    assert time.seconds == 1060


def test_a_file_that_is_read_too_early_is_read_again(path, leave, rhythm, time):
    """Where a file is not yet whole as others see it, who it names is waited for."""
    owner = leave(pid=os.getppid(), started=None)
    content = path.read_bytes()
    path.write_bytes(content[:100])
    time.then = lambda sleeps: path.write_bytes(content) if sleeps == 5 else None
    with pytest.raises(OwnerError, match=f"process {owner.process.pid} on .* writes"):
        Ownership(path, "writes", rhythm=rhythm)
    assert time.sleeps == 5


def test_all_files_are_of_one_length(tmp_path):
    """Whoever the owner is, so that a length that is remembered does not cut the next one."""
    for name, host in (("a", "n"), ("b", "n" * 60)):
        Ownership(tmp_path / name, "writes", here=replace(this_process(), host=host))
    assert (tmp_path / "a").stat().st_size == (tmp_path / "b").stat().st_size


def test_who_lost_it_is_told_and_leaves_the_others_alone(path):
    """After its file was deleted, and after another took over; it gives back nothing then."""
    ownership = Ownership(path, "writes")
    path.unlink()
    with pytest.raises(OwnerError, match=r"this job no longer writes: its file was deleted\. Run again"):
        ownership.check()
    other = Ownership(path, "writes")
    with pytest.raises(OwnerError, match=rf"process {os.getpid()} .* has taken over"):
        ownership.check()
    ownership.give_back()
    other.check()


def test_who_lost_it_does_not_renew_it(path, leave):
    """A beat of one that was followed, and comes late, does not keep the follower alive."""
    early = leave()
    leave(token="u" * 32)
    before = path.stat().st_mtime_ns
    assert not renew(path, early)
    assert path.stat().st_mtime_ns == before


@pytest.mark.parametrize("how", ["deleted", "followed"])
def test_who_lost_it_is_called(path, leave, how):
    """While nothing is written, the thread that renews finds out, and calls with who has it now."""
    called, told = threading.Event(), []

    def lost(other):
        told.append(other)
        called.set()

    Ownership(path, "writes", rhythm=Rhythm(beat=0.01), lost=lost)
    if how == "deleted":
        path.unlink()
        expected = None
    else:
        beside = path.with_name("beside")
        expected = leave(beside, host="elsewhere")
        beside.replace(path)
    assert called.wait(60)
    assert told == [expected]


def test_a_beat_that_cannot_be_written_is_not_the_last(path, monkeypatch):
    """A disk that is away for some beats is no reason to stop."""
    real, failed, renewed = beating.renew, [], threading.Event()

    def renew(where, owner):
        if len(failed) < 5:
            failed.append(OSError(5, "Input/output error"))
            raise failed[-1]
        renewed.set()
        return real(where, owner)

    monkeypatch.setattr(beating, "renew", renew)
    ownership = Ownership(path, "writes", rhythm=Rhythm(beat=0.01))
    assert renewed.wait(60)
    ownership.give_back()


def test_who_looks_late_does_not_follow_the_follower(path, leave, ended, rhythm):
    """Between the look at a dead owner and the claim on it, others may have come and gone."""
    dead = leave(pid=ended)
    first = Ownership(path, "writes")
    late = Taking(Owner("late", dead.since, this_process()), this_process(), rhythm, "writes")
    assert not late._followed(path, dead)
    first.check()
    assert _names(path) == ["thing.owner"]


def test_who_was_overtaken_while_following_does_not_follow(path, leave, ended, rhythm, monkeypatch):
    """Stopped between its claim and its following, it finds its claim followed, and the right another's."""
    dead = leave(pid=ended)
    slow = Taking(Owner("slow", dead.since, this_process()), this_process(), rhythm, "writes")
    claim = path.with_name(f"{path.name}.{dead.token}")
    real = module.write_new

    def write_new(where, owner):
        if where.name.startswith(f".{path.name}.") and owner.token == "slow" and claim.exists():
            monkeypatch.undo()
            document = asdict(read_owner(claim))
            document["process"]["started"] = "1"  # as if it had ended
            claim.write_text(json.dumps(document))
            overtaking.append(Ownership(path, "writes"))
        real(where, owner)

    overtaking = []
    monkeypatch.setattr(module, "write_new", write_new)
    assert not slow._followed(path, dead)
    overtaking[0].check()


@pytest.mark.parametrize("where", ["here", "elsewhere"])
def test_who_was_killed_while_following_is_followed(path, leave, ended, rhythm, where):
    """A claim whose process has ended is itself followed, and nothing of it stays."""
    process = {"pid": ended} if where == "here" else {"host": "elsewhere"}
    leave(**process)
    leave(path.with_name(f"{path.name}.{'t' * 32}"), token="c" * 32, **process)
    Ownership(path, "writes", rhythm=rhythm).check()
    assert _names(path) == ["thing.owner"]


def test_what_the_killed_have_left_goes_when_it_is_given_back(path, leave, ended):
    """Unfinished files and claims of dead processes go; those of others stay, unless they are old."""
    writer = replace(this_process(), pid=ended)
    theirs = replace(this_process(), host="elsewhere")
    for process in (writer, theirs, this_process()):
        module.temporary_path(path, process).write_text("")
    old = module.temporary_path(path, theirs)
    old.write_text("")
    os.utime(old, (0, 0))
    leave(path.with_name(f"{path.name}.{'a' * 32}"), pid=ended)
    leave(path.with_name(f"{path.name}.{'b' * 32}"), host="elsewhere")
    Ownership(path, "writes").give_back()
    left = sorted(name.split("-")[0] for name in _names(path))
    here = writer.host.partition(".")[0].replace("-", "_")[:20]
    assert left == sorted([".thing.owner.elsewhere", f".thing.owner.{here}", f"thing.owner.{'b' * 32}"])


def test_a_file_system_without_links_will_do(path, leave, ended, monkeypatch):
    """Where no file can be linked, the owner's is made in place, and still only once."""

    def link(source, target):
        raise PermissionError(1, "Operation not permitted")

    monkeypatch.setattr(module.os, "link", link)
    ownership = Ownership(path, "writes")
    with pytest.raises(OwnerError, match=f"process {os.getpid()} on"):
        Ownership(path, "writes")
    ownership.give_back()
    leave(pid=ended)
    Ownership(path, "writes").check()


def test_a_link_that_only_seems_to_fail_is_ownership(path, monkeypatch):
    """Over NFS a link can be made and reported as already there."""
    real = os.link

    def link(source, target):
        real(source, target)
        raise FileExistsError(target)

    monkeypatch.setattr(module.os, "link", link)
    Ownership(path, "writes").check()


def test_an_unfinished_file_that_somebody_cleared_is_written_again(path, monkeypatch):
    """It is no sign of a file system without links."""
    real = os.link

    def link(source, target):
        source.unlink()
        monkeypatch.undo()
        real(source, target)

    monkeypatch.setattr(module.os, "link", link)
    Ownership(path, "writes").check()


def test_a_name_that_leads_nowhere_ends_the_search(path):
    """A dangling link in place of the file is told, not tried for ever."""
    path.symlink_to(path.with_name("nowhere"))
    with pytest.raises(OwnerError, match="comes and goes"):
        Ownership(path, "writes")
