"""An owner on another machine: watched until it is seen to live, or was silent for long enough."""

import os

import pytest

from bfcl_pipeline.errors import OwnerError
from bfcl_pipeline.ownership import Ownership, Rhythm, look, read_owner
from bfcl_pipeline.ownership.owner import renew


def test_one_that_is_silent_is_followed(path, leave, time, rhythm, capsys):
    """After a minute of watching it counts as dead; that this is being found out is told."""
    dead = leave(host="elsewhere", job="4711")
    ownership = Ownership(path, "writes", rhythm=rhythm)
    assert ownership.follows == dead
    assert 60 <= time.seconds - 1000 < 63
    (line,) = capsys.readouterr().err.splitlines()
    assert f"process {dead.process.pid} on elsewhere (SLURM job 4711), since 2026-10-01T12:00" in line
    assert line.endswith("is dead; it is followed once nothing was heard of it for 60 s.")
    ownership.check()


def test_one_that_renews_its_file_is_alive(path, leave, time, rhythm):
    """At the first sign of life the watch ends: it has the right, and no clock of its machine matters."""
    owner = leave(host="elsewhere")
    os.utime(path, (5_000_000_000, 5_000_000_000))  # it lives in the future

    def beat(sleeps):
        if sleeps == 5:
            renew(path, owner)

    time.then = beat
    with pytest.raises(
        OwnerError, match=r"on elsewhere, since .* writes\. Wait for it, .* delete .*\.owner"
    ):
        Ownership(path, "writes", rhythm=rhythm)
    assert time.seconds == 1000 + 5 * rhythm.look
    assert read_owner(path) == owner


def test_who_waits_is_told_once_a_minute_and_gets_it(path, leave, time, rhythm, capsys):
    """An owner that is alive is waited for, however long; when it gives back, its right is free."""
    owner = leave(host="elsewhere")

    def live(sleeps):
        if sleeps < 300:
            renew(path, owner)
        elif path.exists():
            path.unlink()

    time.then = live
    ownership = Ownership(path, "writes", wait=True, rhythm=rhythm)
    assert ownership.follows is None
    assert time.seconds - 1000 == 300 * rhythm.look == 600
    first, *lines = capsys.readouterr().err.splitlines()
    assert "or is dead" in first
    assert len(lines) == 9
    assert all(line.endswith(" writes; waiting for it to end.") for line in lines)


def test_who_dies_while_it_is_waited_for_is_followed(path, leave, time, rhythm):
    """Silence counts from the last sign of life."""
    owner = leave(host="elsewhere")
    time.then = lambda sleeps: renew(path, owner) if sleeps <= 40 else None
    assert Ownership(path, "writes", wait=True, rhythm=rhythm).follows == owner
    assert 80 + 60 <= time.seconds - 1000 < 80 + 63


def test_time_that_was_not_watched_does_not_count(path, leave, time, rhythm):
    """While the file system hangs the owner can renew nothing either: it has a minute after that."""
    owner = leave(host="elsewhere")

    def hang(sleeps):
        if sleeps == 3:
            time.seconds += 7200
        if sleeps == 20:
            renew(path, owner)

    time.then = hang
    with pytest.raises(OwnerError, match="Wait for it"):
        Ownership(path, "writes", rhythm=rhythm)


def test_who_follows_another_is_watched_anew(path, leave, time, rhythm):
    """The silence of an owner is not that of the next one."""
    leave(host="elsewhere")
    time.then = lambda sleeps: leave(token="u" * 32, host="third") if sleeps == 25 else None
    assert Ownership(path, "writes", rhythm=rhythm).follows.token == "u" * 32
    assert 50 + 60 <= time.seconds - 1000 < 50 + 63


def test_an_owner_lives_as_others_see_it(path, elsewhere):
    """While it has the right its file is renewed, by a thread, however busy the rest is; not after it."""
    quick = Rhythm(beat=0.01, look=0.01, silent=30)
    ownership = Ownership(path, "writes", rhythm=quick)
    with pytest.raises(OwnerError, match="Wait for it"):
        Ownership(path, "writes", rhythm=quick, here=elsewhere)
    first = look(path)
    while look(path) == first:
        pass
    ownership.give_back()
    assert not path.exists()
